"""What is drawn for an operation, on the CPU."""

import torch


def drawn(count: int):
    return {"angle": torch.rand(count), "is_flipped": torch.rand(count) > 0.5}


def moved(settings, device: torch.device):
    return {key: value.to(device) if torch.is_tensor(value) else value for key, value in settings.items()}  # expect: HS401
