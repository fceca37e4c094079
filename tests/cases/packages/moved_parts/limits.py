"""Told by what is told."""

import torch

from .making import made


def bounds(values, device: torch.device = torch.device("cpu")) -> torch.Tensor:
    return made(values, device)


def place(values) -> torch.device:
    for value in values:
        if isinstance(value, torch.Tensor):
            return value.device
    return torch.device("cpu")
