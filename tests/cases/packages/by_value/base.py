"""What calls methods that others define."""

from typing import Any, Callable

import torch
from torch import Tensor, nn


def _not_given(self: nn.Module, *inputs: Any) -> Tensor:
    raise NotImplementedError(type(self).__name__)


def _doubled(self: "Operation", x: Tensor) -> Tensor:
    if self.scale.sum() > 2:  # expect: HS201
        return x
    return x * 2


class Operation(nn.Module):
    change: Callable[..., Tensor] = _not_given
    doubled = _doubled

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def undo(self, x: Tensor, *inputs: Any) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        order, shift = torch.randperm(4), torch.rand(4)
        changed = self.change(self.doubled(x), order, shift)
        return self.undo(changed, order, shift)
