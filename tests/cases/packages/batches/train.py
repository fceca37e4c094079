"""A loop that hands its batches to functions of another module."""

import torch
from torch.utils.data import DataLoader

from .steps import blocking_step, loss_of, names_of, of_batches_alone, pinned_step, step


def train(model, dataset, device):
    for batch in DataLoader(dataset, batch_size=4):
        step(model, batch, device)
        names_of(batch)
        loss_of(batch)
    for batch in DataLoader(dataset, batch_size=4, pin_memory=True):
        pinned_step(model, batch, device)
        blocking_step(model, batch, device)


def look_at(train_loader):
    for batch in train_loader:
        of_batches_alone(batch)


def evaluate(model, x: torch.Tensor):
    return loss_of(model(x.cuda()).sum())  # expect: HS401
