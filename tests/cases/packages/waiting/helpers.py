"""Functions that wait each time, and some that may not."""

import torch


def mean_of(x):
    return x.mean(dim=0).item()  # expect: HS101


def through(x):
    return mean_of(x * 2)


def at_times(x, strict=False):
    if strict:
        return x.sum(dim=0).item()  # expect: HS101
    return torch.sum(x)
