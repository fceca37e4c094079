"""A function that gives one of its arguments gives what the call hands in, whatever other calls do."""

import torch
from torch import nn


def default(value, otherwise):
    return otherwise if value is None else value


class Attention(nn.Module):
    def __init__(self, dim, memories, threshold=None):
        super().__init__()
        self.memory = nn.Parameter(torch.randn(1, memories, dim))
        self.threshold = default(threshold, 64)

    def forward(self, x, length=None, keys=None):
        batch, size, dim = x.shape
        memory = default(self.memory, torch.empty(batch, 0, dim, device=x.device))
        keys = default(keys, x.unsqueeze(0))
        length = default(length, size)
        if size > length:
            x = x[:, :length]
        if size <= self.threshold:
            return x, torch.arange(length, device=x.device)
        if keys.sum() > 0:  # expect: HS201
            return x, memory
        return x, int(memory.sum())  # expect: HS103
