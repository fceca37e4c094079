"""Told by what is told."""

import torch


def bounds(values, device: torch.device = torch.device("cpu")) -> torch.Tensor:
    return torch.tensor(values, device=device)  # expect: HS404


def place(values) -> torch.device:
    for value in values:
        if isinstance(value, torch.Tensor):
            return value.device
    return torch.device("cpu")
