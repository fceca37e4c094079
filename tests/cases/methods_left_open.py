"""A method that does nothing is left to those that override it: what it gives is not known, rather than None."""

from abc import ABC
from typing import Protocol

import torch


class Trainable(Protocol):
    def __call__(self, tokens, return_type=None): ...


class Base(ABC):
    def hook(self, x):
        """Derived classes may."""

    def skipped(self, x):
        pass

    def nothing(self, x):
        self.seen = x


def train(model: Trainable, base: Base, tokens: torch.Tensor):
    loss = model(tokens, return_type="loss")
    loss.backward()
    print(loss.item())  # expect: HS101
    print(base.hook(tokens).item())  # expect: HS101
    print(base.skipped(tokens).item())  # expect: HS101
    print(base.nothing(tokens).item())


def does_nothing(x):
    pass


def plain(x: torch.Tensor):
    return does_nothing(x).item()
