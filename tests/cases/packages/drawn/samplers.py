"""Objects that their constructor sets up on the CPU, by a method that derived classes put another in place of."""

import torch
from torch import nn
from torch.distributions import Uniform


class Source(nn.Module):
    """What all of them are."""


class Sampler(Source):
    def __init__(self):
        super().__init__()
        self.make(torch.device("cpu"), torch.float32)

    def make(self, device, dtype):
        raise NotImplementedError


class Range(Sampler):
    def make(self, device, dtype):
        self.low = torch.tensor([0.0], device=device, dtype=dtype)  # silent: HS404
        self.uniform = Uniform(self.low, 1.0, validate_args=False)
        self.device = device

    def forward(self, count):
        return {"first": self.uniform.sample((count,)), "second": torch.rand(count, device=self.device)}


class Order(Range):
    def make(self, device, dtype):
        super().make(device, dtype)
        self.count = 3

    def forward(self, count):
        drawn = super().forward(count)
        drawn["order"] = torch.randperm(self.count, device=self.low.device)
        return drawn


class ByName(Source):
    """Is told by its constructor, through the default of another method."""

    def __init__(self, **ranges):
        super().__init__()
        self.ranges = ranges
        self.use_device()

    def use_device(self, device="cpu"):
        self.make(device)

    def make(self, device):
        self.samplers = {}
        for name, top in self.ranges.items():
            self.samplers[name] = torch.tensor([top], device=device)  # silent: HS404

    def forward(self, count):
        drawn = {}
        for name, top in self.samplers.items():
            drawn[name] = top.repeat(count)
        return drawn


class Table(nn.Module):
    """Others tell it of a device as well, so the copy may be one to the GPU."""

    def __init__(self):
        super().__init__()
        self.make(torch.device("cpu"))

    def make(self, device):
        self.table = torch.tensor([1.0, 2.0], device=device)  # expect: HS404

    def move(self, device):
        self.make(device)

    def forward(self, x):
        return x * self.table.to(x.device)  # expect: HS401


class Moved(Table):
    def forward(self, count):
        return {"moved": self.table.repeat(count)}
