"""Hands tensors on the GPU to helpers, which hand them on."""

import torch

from .first import Runner, first, sized
from .model import Model


def run():
    x = torch.rand(10, 3, device="cuda")
    first(x.sum(), x)
    sized(x.shape[0])
    Runner(Model().to("cuda")).go({"x": x, "n": x.sum()})
