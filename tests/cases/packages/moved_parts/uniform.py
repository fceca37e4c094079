"""Derived in another file, and told by way of two."""

import torch

from .limits import bounds, place
from .samplers import Holder, Sampler


class Uniform(Sampler):
    def __init__(self, low, high) -> None:
        self.low = low
        self.high = high
        super().__init__()

    def build(self, device: torch.device) -> None:
        self.limits = torch.tensor([0.0, 1.0], device=device)  # expect: HS404
        self.scale = bounds((0.5, 2.0), device)

    def draw(self) -> torch.Tensor:
        where = place([self.low, self.high])
        first = self.limits.to(torch.device("cpu"))  # expect: HS102
        return first + self.scale.to(device=where)  # expect: HS102


class Drawing(Holder):
    def __init__(self) -> None:
        super().__init__()
        self.sampler = Uniform(0.0, 1.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.sampler.draw().to(x)  # expect: HS401
