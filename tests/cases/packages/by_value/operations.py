"""What is called by way of the base class."""

from torch import Tensor

from .base import Operation


class Shift(Operation):
    def change(self, x: Tensor, order, shift) -> Tensor:
        for _ in order.tolist():  # silent: HS101
            x = x + shift.to(x)  # expect: HS401
        return x

    def undo(self, x: Tensor, order, shift) -> Tensor:
        if order.max() > 1:  # silent: HS201
            return x
        return x - shift.to(x)  # expect: HS401
