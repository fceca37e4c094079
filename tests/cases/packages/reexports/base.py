import torch
from torch import nn
from . import utils


def helper(n):
    return torch.ones(n)


class Base:
    offset = None

    def __init__(self, n, mean=(0.0,), **kwargs):
        self.n = n
        self.mean = torch.tensor(mean)
        self.helper = utils.Helper(n)
        self.late = None
        self.setup(**kwargs)

    def setup(self, scale=1.0):
        self.scale = torch.full((3,), scale)

    def prepare(self):
        self.late = torch.zeros(4)

    @property
    def table(self):
        return torch.linspace(0, 1, self.n)

    def make(self, n):
        return torch.rand(n)


class NetBase(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.anchors = torch.rand(n, 4)
        self.register_buffer("steps", torch.arange(n))
