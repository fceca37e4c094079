"""Calls in a loop of what waits in another file."""

import torch

from .helpers import (
    Mean,
    Mixed,
    at_times,
    by_level,
    counted,
    counted_anew,
    empty,
    filled,
    mean_of,
    through,
    while_any,
)


def train(count, model):
    total = 0.0
    for _ in range(count):
        total += mean_of(torch.rand(8, device="cuda"))  # expect: HS606
        total += through(torch.rand(8, device="cuda"))  # expect: HS606
        at_times(torch.rand(8, device="cuda"))
        mean_of(torch.rand(8))
        mean_of(model(3))
    return total + mean_of(torch.rand(8, device="cuda"))


def averaged(count):
    mean = Mean()
    for _ in range(count):
        mean.update(torch.rand(8, device="cuda").sum())  # expect: HS606
        mean.update(torch.zeros(3))
        mean.update(0.5)
    return mean.total


def indexed(count):
    layer = Mixed()
    for _ in range(count):
        index = torch.ones(8, dtype=torch.long, device="cuda")
        counted(index)  # expect: HS606
        counted(index, count=4)
        counted_anew(index)
        layer.mixed(index)  # expect: HS606
        layer.of_cached(index)
        by_level(index)  # expect: HS606
        while_any(index)
        filled(index)  # expect: HS606
        empty(index)
