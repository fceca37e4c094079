"""Calls in a loop of what waits in another file."""

import torch

from .helpers import at_times, mean_of, through


def train(count, model):
    total = 0.0
    for _ in range(count):
        total += mean_of(torch.rand(8, device="cuda"))  # expect: HS606
        total += through(torch.rand(8, device="cuda"))  # expect: HS606
        at_times(torch.rand(8, device="cuda"))
        mean_of(torch.rand(8))
        mean_of(model(3))
    return total + mean_of(torch.rand(8, device="cuda"))
