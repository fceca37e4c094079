"""Types with names of their own, and functions that are known by what they are said to give."""
from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Optional, Protocol, TypeVar, Union

import torch
from torch import Tensor

MaybeTensor = Union[Tensor, None]
Tensors = list[Tensor]
Pair = tuple[Tensor, int]
Either = Tensor | None
Sizes = list[int]
AnyTensor = TypeVar("AnyTensor", bound=torch.Tensor)
Loss = Callable[[Tensor, Tensor], Tensor]


class Scores(Protocol):
    def score(self, x: Tensor) -> Tensor: ...

    def count(self, x: Tensor) -> int: ...


class Base:
    def level(self, x: Tensor) -> Tensor:
        """Of the whole batch."""
        raise NotImplementedError


class Parts(NamedTuple):
    loss: Tensor
    step: int


def maybe(x: MaybeTensor, y: Either):
    if x is not None and x > 0:  # expect: HS201
        return y.item()  # expect: HS101
    return None


def several(xs: Tensors, pair: Pair, sizes: Sizes):
    for x in xs:
        if x > 0:  # expect: HS201
            return x
    if pair[1] > 0 or sizes[0] > 0:  # silent: HS201
        return None
    return pair[0].item()  # expect: HS101


def bound(x: AnyTensor) -> AnyTensor:
    return x if x > 0 else -x  # expect: HS201


def by_protocol(scorer: Scores, base: Base, x: Tensor):
    if scorer.score(x) > 0:  # expect: HS201
        return 1
    if scorer.count(x) > 0:  # silent: HS201
        return 2
    return 3 if base.level(x) > 0 else 4  # expect: HS201


def by_signature(loss: Loss, log: Callable[[str], int], x: Tensor):
    if log("x") > 0:  # silent: HS201
        return None
    return float(loss(x, x))  # expect: HS103


def made(kind: type[Base], x: Tensor):
    return float(kind().level(x))  # expect: HS103


def parts(found: Parts, others: list[Parts]):
    loss, step = found
    if step > 0:  # silent: HS201
        return loss.item()  # expect: HS101
    return None if found[0] > 0 else others[0].loss.tolist()  # expect: HS201, HS101


def total(x: Tensor, scale: float) -> Tensor:
    return x.sum() * scale


def half(x: int, y: int) -> int:
    return x // y


def fixed(x: Tensor):
    twice = partial(total, scale=2.0)
    if twice(x) > 0:  # expect: HS201
        return partial(half, 4)(2) > 0
    summed = functools.partial(torch.sum, x)
    return summed().item()  # expect: HS101


def closures(x: Tensor, n: int):
    limit = x.max()
    above = lambda y: y > limit
    below = lambda y: y < n
    if below(3):  # silent: HS201
        return 0
    return 1 if above(2.0) else 2  # expect: HS201


def columns(rows: list[tuple[Tensor, int]], x: Tensor):
    tensors, counts = zip(*[(row[0], row[1]) for row in rows])
    if counts[0] > 0:  # silent: HS201
        return None
    for a, b in zip(*[[x], [x]]):
        if a > b:  # expect: HS201
            return a
    return tensors[0].item()  # expect: HS101


def by_keyword(**named: Tensor):
    return named["loss"].item()  # expect: HS101


class Kept:
    def __init__(self):
        self.last: dict[str, Tensor] = {}
        self.sizes: dict[str, int] = {}
        self.best: Optional[Tensor] = None

    def report(self):
        if self.sizes["a"] > 0:  # silent: HS201
            return 0
        return 1 if self.last["a"] > 0 else 2  # expect: HS201
