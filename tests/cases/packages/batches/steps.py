"""What is done with a batch that a loop in another module hands in."""


def step(model, batch, device):
    return model(batch["x"].to(device))  # expect: HS401


def pinned_step(model, batch, device):
    # Pinned or not: without a word about it, nobody knows from here.
    return model(batch["x"].to(device, non_blocking=True))  # silent: HS401, HS402, HS403


def blocking_step(model, batch, device):
    return model(batch["x"].to(device))  # expect: HS401


def names_of(batch):
    return batch["names"].tolist()  # silent: HS101


def loss_of(loss):
    # One hands in a batch, and another a loss: of that it is known what it is.
    if loss > 3:  # expect: HS201
        return 3.0
    return loss.item()  # expect: HS101


def of_batches_alone(batch):
    # It may be a dictionary.
    if batch:  # silent: HS201
        return batch
    return None
