"""Tensors on the CPU: some because nothing says otherwise, some because it is said."""

import torch


def positions(n):
    return torch.arange(n)


def kept(path):
    return torch.load(path, map_location="cpu")


class Grid:
    def __init__(self, n):
        self.steps = torch.linspace(0, 1, n)
        self.fixed = torch.linspace(0, 1, n, device="cpu")
