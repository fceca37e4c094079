"""A class that uses what only the classes derived from it have."""

import torch
from torch import nn


class Operator(nn.Module):
    _generator = None

    def __init__(self):
        super().__init__()
        self.table = None
        self.count = None

    def compute(self, x):
        raise NotImplementedError

    def size(self, x):
        raise NotImplementedError

    def forward(self, x):
        params = self._generator(x.shape)
        if self.compute(x) > 3:  # expect: HS201
            x = x + self.table.to(x.device)  # expect: HS401
        if self.size(x) > 3 or self.count > 2:  # silent: HS201
            return torch.zeros(1)
        return x * params["scale"].to(x.device)  # expect: HS401
