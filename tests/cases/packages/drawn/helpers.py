"""A function that must be told a device, and is told of the CPU by all of its callers."""

import torch


def anchors(sizes, device):
    return torch.tensor(sizes, device=device)  # silent: HS404


def weights(sizes, device):
    return torch.tensor(sizes, device=device)  # expect: HS404


def offsets(sizes, device):
    return torch.tensor(sizes, device=device)  # silent: HS404


def at_once():
    return offsets([1.0], "cpu")
