"""Modules in `ModuleList`, `ModuleDict` and `Sequential` are known by their classes."""

import torch
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.linear = nn.Linear(d, d)
        self.gate = nn.Parameter(torch.zeros(1))

    def forward(self, x, limit):
        y = self.linear(x)
        if limit > 0:  # expect: HS201
            return y, y > 0
        return y, y < 0

    def strength(self):
        return self.gate.sigmoid()

    def width(self):
        return 3


class Head(nn.Module):
    def forward(self, x):
        if x.ndim > 3:  # silent: HS201
            return x
        return x.any()


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block(8) for _ in range(n)])
        self.named = nn.ModuleDict({"a": Block(8), "b": Head()})
        self.grown = nn.ModuleList()
        for _ in range(n):
            self.grown.append(Block(8))
        self.more = nn.ModuleDict()
        self.more["c"] = Block(8)
        self.head = nn.Sequential(nn.Linear(8, 8), Head())
        self.chain = nn.Sequential(*[Block(8) for _ in range(n)])

    def forward(self, x: Tensor):
        kept = []
        for block in self.blocks[1:]:
            x, mask = block(x, x.max())
            kept.append(x[mask])  # expect: HS302
            if block.strength() > 0.5:  # expect: HS201
                break
            if block.width() > 2:  # silent: HS201
                break
        for i, block in enumerate(self.grown):
            if block.strength() > i:  # expect: HS201
                break
        y, chosen = self.blocks[0](x, x.max())
        kept.append(y[chosen])  # expect: HS302
        for name, block in self.more.items():
            if block.strength() > 0.5:  # expect: HS201
                return name
        if self.named["a"].strength() > 0.5:  # expect: HS201
            return y
        if self.head(y):  # expect: HS201
            return kept
        for block in self.chain:
            if block.strength() > 0.5:  # expect: HS201
                return block.width()
        return self.more["c"].strength().item()  # expect: HS101


class Scaled(nn.Linear):
    def forward(self, x):
        out = super().forward(x)
        if out.sum() > 3:  # expect: HS201
            return out
        return 2 * out


def scaled(layer: Scaled, x: Tensor):
    out = layer(x)
    if (out > 2).any():  # expect: HS201
        return out
    return None


class Level(nn.Linear):
    def forward(self, x):
        return super().forward(x)


def leveled(layer: Level, x: Tensor):
    return 1 if layer(x) > 3 else 2  # expect: HS201


class Peaks:
    """To be derived from beside a module."""

    def forward(self, x):
        out = super().forward(x)
        if out is not None:
            return x.sum().item()  # expect: HS101
        return out


class Gate(nn.Module):
    """Only what stands before it tells what it is handed."""

    def forward(self, h):
        return h if h > 3 else None  # expect: HS201


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gated = nn.Sequential(nn.Linear(8, 8), Gate())

    def forward(self, x: Tensor):
        return self.gated(x)
