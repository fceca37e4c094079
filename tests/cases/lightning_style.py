import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from pytorch_lightning.core.lightning import LightningModule  # as it was called in old releases
from torch import nn
from torchmetrics import Accuracy


class LitModel(pl.LightningModule):
    def __init__(self, width: int = 128, lr: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(784, width), nn.ReLU(), nn.Linear(width, 10))
        self.accuracy = Accuracy(task="multiclass", num_classes=10)
        self.losses = []
        self.register_buffer("running", torch.zeros(1))

    def forward(self, x):
        return self.net(x.view(x.size(0), -1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("train_loss", loss)  # silent: HS105
        self.losses.append(loss.item())  # expect: HS101
        if batch_idx % 100 == 0:  # silent: HS201
            print(loss)  # expect: HS105
        if torch.isnan(loss):  # expect: HS201
            return None
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.accuracy(logits.argmax(-1), y)
        self.log("val_acc", self.accuracy, prog_bar=True)  # silent: HS105, HS404
        self.log("rate", 0.1)  # expect: HS404
        self.log(name="rows", value=len(x), on_step=True)  # expect: HS404
        self.log_dict({"rows": len(x), "first": logits[0, 0]})  # expect: HS404
        self.log_dict({"last": logits[-1, -1]}, batch_size=4)  # silent: HS404
        weights = torch.tensor([1.0, 2.0], device=self.device)  # expect: HS404
        return {"loss": F.cross_entropy(logits, y), "preds": logits.argmax(-1), "weights": weights}

    def on_train_epoch_end(self):
        mean = sum(self.losses) / len(self.losses)
        print(f"mean {mean:.3f}")  # silent: HS105
        self.losses.clear()
        if self.running > 10:  # expect: HS201
            self.running.zero_()

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        if self.hparams.warmup:  # silent: HS201
            print(self.hparams.warmup)  # silent: HS105
        return optimizer

    def prepare(self, batch):
        noise = torch.randn(batch.shape[0], 10).to(self.device)  # expect: HS401
        ready = torch.randn(batch.shape[0], 10, device=self.device)
        return noise, ready


class WithoutForward(LightningModule):
    def training_step(self, batch, batch_idx):
        self.log("rate", 0.1)  # expect: HS404
        return self.net(batch).mean()


class WithItsOwn(pl.LightningModule):
    def log(self, name, value):
        self.written[name] = value

    def training_step(self, batch, batch_idx):
        self.log("rate", 0.1)  # silent: HS404
        return self.net(batch).mean()


class Estimator:
    """What `predict` gives is on the CPU: Lightning brings it there."""

    def fit(self, model, data):
        self.trainer = pl.Trainer(max_epochs=3)
        self.trainer.fit(model, data)

    def predict(self, model, data):
        scores = torch.cat(self.trainer.predict(model, data), dim=0)
        return scores.argmax(-1).cpu().numpy()  # silent: HS102

    def predict_by(self, device, model, data):
        scores = torch.cat(self.make_trainer(device).predict(model, data), dim=0)
        return scores.argmax(-1).cpu().numpy()  # silent: HS102

    def predict_without(self, model, data):
        scores = torch.cat(self.classifier.predict(model, data), dim=0)
        return scores.argmax(-1).cpu().numpy()  # expect: HS102
