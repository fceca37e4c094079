import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, name=None):
        super().__init__()
        self.name = name
        self.reset()

    def reset(self):
        self.last = 0

    def forward(self, *args, **kwargs):
        self.reset()
        return self.run(*args, **kwargs)

    def run(self, *args, **kwargs):
        raise NotImplementedError


class Cosine(Part):
    def run(self, a, b):
        a = nn.functional.normalize(a, dim=1)
        b = nn.functional.normalize(b, dim=1)
        return a @ b.t()


class Pick(Part):
    def __init__(self, low=0.1, high=0.9, **kwargs):
        super().__init__(**kwargs)
        self.low, self.high = low, high

    def run(self, sim, labels):
        keep = (sim > self.low) & (sim < self.high)
        idx = torch.where(keep)  # expect: HS301
        self.last = len(idx[0])
        return idx


class Mean(Part):
    def run(self, losses, mask=None):
        if mask is None:
            return losses.mean()
        if not torch.any(mask):  # expect: HS201
            return losses.sum() * 0
        return losses[mask].mean()  # expect: HS302


class Chain(Part):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.table = {"a": Cosine(), "b": Cosine()}

    def run(self, x, y):
        out = []
        for p in self.parts:
            out.append(p(x, y))
        for k, p in self.table.items():
            s = p(x, y)
            if s.max() > 1.0001:  # expect: HS201
                raise ValueError(k)
        return out
