"""Classes whose constructor is made of their fields: what they are made with is in them."""

from collections import namedtuple
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, NamedTuple

import attrs
import torch
from torch import Tensor


@dataclass
class Found:
    value: Any
    count: Any = 0
    history: list = field(default_factory=list)
    limit: ClassVar = 3


@dataclass
class FoundMore(Found):
    extra: Any = None
    _: KW_ONLY
    name: str = ""
    cached: Any = field(default=None, init=False)


class Step(NamedTuple):
    size: Any
    number: int


@attrs.define
class Kept:
    best: Any


@dataclass(init=False)
class Own:
    value: Any


class Plain:
    def __init__(self, value, count):
        self.value = value
        self.count = count


def make(x: Tensor):
    return [
        Found(x.sum(), len(x)),
        FoundMore(x.min(), 2, [], x.max(), name="more"),
        Step(x.norm(), 3),
        Kept(best=x.mean()),
        Own(),
        Plain(x.prod(), len(x)),
    ]


def use_found(found: Found):
    if found.value > 0:  # expect: HS201
        return found.limit
    if found.count > 0:  # silent: HS201
        return 1
    if found.history:  # silent: HS201
        return 2
    return 3


def use_more(found: FoundMore):
    if found.value > 0:  # expect: HS201
        return found.name
    if found.extra > 0:  # expect: HS201
        return found.count
    if found.cached > 0:  # silent: HS201
        return 1
    return 2


def use_step(step: Step):
    size, number = step
    if number > 2:  # silent: HS201
        return 1
    if size > 2:  # expect: HS201
        return 2
    return 2 if step[0] > 3 else 1  # expect: HS201


def use_others(kept: Kept, own: Own, plain: Plain):
    if own.value > 0:  # silent: HS201
        return 1
    if plain.count > 0:  # silent: HS201
        return 2
    if plain.value > 0:  # expect: HS201
        return 3
    return torch.zeros(3) if kept.best > 0 else None  # expect: HS201


Pair = namedtuple("Pair", ["first", "second"])
Sums = namedtuple("Sums", "total, count", defaults=(0,))


def pairs(x: Tensor):
    pair = Pair(x.sum(), second=len(x))
    if pair.second > 2:  # silent: HS201
        return pair.first > 0
    if pair.first > 0:  # expect: HS201
        return pair
    first, second = pair
    while second > 0:  # silent: HS202
        second -= 1
    return Sums(x.sum()) if first > 1 else None  # expect: HS201


def use_sums(sums: Sums):
    if sums.count > 1:  # silent: HS201
        return 1
    return 2 if sums.total > 1 else 3  # expect: HS201


@dataclass
class Level:
    level: Any


@dataclass
class Named(Level):
    name: str


def named(x: Tensor):
    return Named(x.sum(), "sum")


def use_named(named: Named):
    if named.name > "a":  # silent: HS201
        return 1
    return 2 if named.level > 0 else 3  # expect: HS201


@dataclass
class Packed:
    ids: torch.LongTensor
    mask: Tensor


def pack(rows):
    return Packed(ids=torch.zeros(len(rows), dtype=torch.long), mask=torch.ones(len(rows)))


def of_the_host(model, rows, device):
    packed = pack(rows)
    count = packed.mask.sum().item()  # silent: HS101
    return model(packed.ids.to(device)), count  # expect: HS401


class Rows:
    def __init__(self, order: Tensor):
        self.order = order

    def of(self, x: Tensor):
        # Users make such objects, too.
        return x[self.order.sum().item()]  # expect: HS101


def in_order(x: Tensor):
    return Rows(torch.arange(4)).of(x)


@dataclass
class Anywhere:
    value: Tensor


def made_in_two_places(x):
    return Anywhere(torch.zeros(())), Anywhere(x.cuda())  # expect: HS401


def of_either(x):
    one, other = made_in_two_places(x)
    return one.value.item() + other.value.item()  # expect: HS101, HS101


class Hypothesis(NamedTuple):
    tokens: Tensor
    score: float = 0.0


def ended(hypotheses: list[Hypothesis], end: int):
    hypotheses = [h._replace(score=0.0) for h in hypotheses]
    return [h for h in hypotheses if h.tokens[-1] == end]  # expect: HS201
