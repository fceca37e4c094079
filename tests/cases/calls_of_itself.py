"""Functions that call themselves for the parts of what they are handed."""

import numpy as np
import torch


def to_arrays(tensors):
    if isinstance(tensors, (list, tuple)):
        return type(tensors)(to_arrays(part) for part in tensors)
    return tensors.cpu().numpy()  # expect: HS102


def to_host(value):
    if isinstance(value, dict):
        return {name: to_host(part) for name, part in value.items()}
    return value.detach().cpu()  # expect: HS102


def detached(value):
    if isinstance(value, list):
        return [detached(part) for part in value]
    return value.detach()


class Mover:
    def moved(self, value: torch.Tensor, count: int):
        if count:
            return type(value)(self.moved(part, 0) for part in value)
        return value.cpu()  # expect: HS102

    def use(self, value: torch.Tensor):
        return self.moved(value, 2).sum().item()  # silent: HS101


def scores(losses: torch.Tensor, outcome):
    mean = to_arrays(losses).mean().item()  # silent: HS101
    total = to_host(losses).sum().item()  # silent: HS101
    kept = detached(losses).sum().item()  # expect: HS101
    return mean, total, kept


def accuracy(outcome, losses: torch.Tensor):
    guesses = outcome.guesses
    labels = to_arrays(losses)
    if guesses.ndim == 2:
        guesses = guesses.argmax(-1)
    mask = labels != -100
    return float((guesses[mask] == labels[mask]).mean())  # silent: HS103
