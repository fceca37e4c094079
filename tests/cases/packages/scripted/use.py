"""What TorchScript runs waits at its call, in whatever file that is."""

import torch
from torch import Tensor

from .means import Means, counted, filled, read


class Soft(Means):
    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        return self._shift(x, before)  # expect: HS606


def use(x: Tensor, mask: Tensor) -> Tensor:
    value = read(x)
    host = counted(torch.rand(8, device="cpu"), torch.rand(8, device="cpu") > value)
    return filled(x, mask) + counted(x, mask) + host.to(x.device)  # expect: HS606, HS401
