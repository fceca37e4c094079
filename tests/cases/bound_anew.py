"""A name that stands for one thing after the other."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, step):
        super().__init__()
        self.width, self.step = width, step
        self.heads = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        b, old_n, _ = x.shape
        q = math.ceil((old_n - self.width) / self.step) * self.step + self.width
        padded = F.pad(x, (0, 0, 0, q - old_n))  # silent: HS104
        parts = padded.reshape(b, q, -1)  # silent: HS104
        q = torch.cat([head(parts) for head in self.heads])
        return q.unsqueeze(0)


def of_its_own_kind(f, x):
    y = f(x)
    if (y > 0).any():  # expect: HS201
        y = y[0]
    y = y + y.mean(dim=1)
    return y.unsqueeze(0)


def only_at_times(f, x, given):
    y = f(x)
    if (y != 0).any():  # expect: HS201
        x = x * 2
    if given is not None:
        y = given
    return y.unsqueeze(0)


def before_it_is_bound_anew(f, g, x):
    y = f(x).unsqueeze(0)
    first = (y > 0).any().item()  # expect: HS101
    y = g(first)
    return y
