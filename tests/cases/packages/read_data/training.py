"""Puts a tensor into a dictionary, under a name that is read from texts elsewhere."""


def logged(model, batch):
    # Others read what goes by the same name from texts.
    loss = model(batch.cuda(non_blocking=True)).mean()
    return {"loss_of_step": loss}
