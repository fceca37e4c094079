"""Told by way of three files."""

import torch


def made(values, device: torch.device) -> torch.Tensor:
    return torch.tensor(values, device=device)  # expect: HS404
