"""Batches of a loader that a loop hands to functions: they are on the host until they are moved."""

from typing import Any, Dict

import torch
from torch import nn
from torch.utils.data import DataLoader


def step(model, batch, device):
    x = batch["x"].to(device)  # expect: HS401
    return model(x)


def moved_and_read(model, images, labels, device):
    images = images.to(device)  # expect: HS401
    # Nobody moved them.
    names = labels.tolist()  # silent: HS101
    return model(images).tolist(), names  # expect: HS101


def of_all_kinds(model, batch: Dict[str, Any], device):
    return model(batch["x"].to(device), batch["size"])  # expect: HS401


def of_one_kind(batch: Dict[str, int], device):
    return [value.to(device) for value in batch.values()]  # silent: HS401


def train(model, dataset, device):
    for batch in DataLoader(dataset, batch_size=4):
        step(model, batch, device)
        of_all_kinds(model, batch, device)
        of_one_kind(batch, device)
    for images, labels in DataLoader(dataset, batch_size=4):
        moved_and_read(model, images, labels, device)


def step_of_a_named_one(model, batch, device):
    return model(batch[0].to(device))  # expect: HS401


class Trainer:
    def __init__(self, model, device="cpu"):
        self.model = model
        self.device = torch.device(device)

    def one_batch(self, sample):
        sample = {k: v.to(self.device) for k, v in sample.items()}  # expect: HS401
        return self.model(**sample)

    def run(self, loader):
        for sample in loader:
            self.one_batch(sample)


def of_a_named_one(model, train_loader, device):
    for batch in train_loader:
        step_of_a_named_one(model, batch, device)


def moved_before(model, batch, device):
    return model(batch["x"].to(device))  # silent: HS401


def moves_them_itself(model, dataset, device):
    for batch in DataLoader(dataset, batch_size=4):
        batch = {name: value.to(device) for name, value in batch.items()}  # expect: HS401
        moved_before(model, batch, device)


def tensors_and_batches(x, device):
    # What one hands in that is a tensor says more than a batch of another.
    return x.item()  # expect: HS101


def of_a_sample(sample, device):
    return sample["size"].tolist(), sample["x"].to(device)  # expect: HS401


def looks_at_some(dataset, device):
    return of_a_sample(dataset[0], device)


def both(model, dataset, x, device):
    tensors_and_batches(model(x).sum(), device)
    for batch in DataLoader(dataset):
        tensors_and_batches(batch, device)


def dicts_of_anything(state: Dict[str, Any], device):
    # Of what holds values of all kinds, what one call hands in says little.
    return {name: value.to(device) for name, value in state.items()}  # silent: HS401


def hands_in_a_dict(device):
    return dicts_of_anything({"x": torch.zeros(3)}, device)


class Probe(nn.Module):
    def forward(self, x: torch.Tensor, noise: torch.Tensor):
        # It is shaped as the other one, and stays where it was made.
        x = x.cuda()  # expect: HS401
        made = torch.rand(3, 1).expand_as(x)
        made = made.cuda()  # expect: HS401
        kept = torch.rand(3, 1).view_as(x).cpu(), torch.rand(3, 1).reshape_as(x).cpu()  # silent: HS102
        return made, kept, x.sum().view_as(noise).item()  # expect: HS101


def save(model: nn.Module, step_, path):
    torch.save({"step": step_, "model": model.state_dict()}, path)  # expect: HS605


def train_and_save(model, path):
    last = torch.load(path, map_location="cpu")["step"]
    save(model, last, path)
