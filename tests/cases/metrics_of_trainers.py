"""What a trainer of Lightning has kept: on the device while it runs, on the CPU when it is done."""

import lightning as L


class Report(L.Callback):
    def on_validation_end(self, trainer, module):
        loss = trainer.callback_metrics["loss"]
        if loss > 3:  # expect: HS201
            print(loss.item())  # expect: HS101
        return float(trainer.callback_metrics.get("loss"))  # expect: HS103


class Module(L.LightningModule):
    def on_validation_epoch_end(self):
        return self.trainer.callback_metrics["loss"].item()  # expect: HS101


def objective(model, data):
    trainer = L.Trainer()
    trainer.fit(model, data)
    print(trainer.callback_metrics["loss"].item())  # silent: HS101, HS105
    return float(trainer.callback_metrics["loss"])  # silent: HS103


def validated(trainer, model):
    trainer.validate(model)
    return trainer.callback_metrics["loss"].item()  # silent: HS101
