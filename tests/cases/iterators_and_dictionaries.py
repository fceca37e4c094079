"""What goes through `itertools`, `collections` and dictionaries comes out again."""

import itertools
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass
from itertools import chain
from typing import TypedDict

import torch
from torch import Tensor


def iterators(x: Tensor, y: Tensor):
    for a, b in itertools.pairwise(x):
        if a > b:  # expect: HS201
            return 1
    for a, b in itertools.product(x, range(3)):
        if b > 2:  # silent: HS201
            return 2
        if a > b:  # expect: HS201
            return 3
    for a, b, c in itertools.combinations(x, 3):
        if c > 0:  # expect: HS201
            return 4
    for part in chain(x.split(2), y.split(2)):
        if part.any():  # expect: HS201
            return 5
    for part in itertools.islice(chain.from_iterable([x.split(2)]), 3):
        if part.any():  # expect: HS201
            return 6
    for i, part in zip(itertools.count(), itertools.cycle(x)):
        if i > 3:  # silent: HS201
            return 7
        if part > i:  # expect: HS201
            return 8
    for a, b in itertools.zip_longest(x, [1, 2]):
        if a > 3:  # expect: HS201
            return 9
    for _, group in itertools.groupby(x.unbind()):
        for part in group:
            print(part.item())  # expect: HS101
    first, second = itertools.tee(x)
    for part in second:
        if part > 0:  # expect: HS201
            return 10
    return [float(v) for v in itertools.takewhile(lambda v: True, x)]  # expect: HS103


def dictionaries(x: Tensor):
    d = dict(zip(["a", "b"], x.unbind()))
    if d["a"] > 0:  # expect: HS201
        return 1
    d = dict({"n": 3, "m": x.max()}, n=x.sum(), k=4)
    if d["n"] > 0:  # expect: HS201
        return 2
    if d["k"] > 0:  # silent: HS201
        return 3
    d.update(k=x.max(), n=4)
    if d["n"] > 0:  # silent: HS201
        return 4
    if d["k"] > 0:  # expect: HS201
        return 5
    e = d | {"n": x.min()}
    if e["n"] > 0:  # expect: HS201
        return 6
    ordered = OrderedDict(total=x.sum())
    return ordered["total"].item()  # expect: HS101


def collected(xs: list[Tensor]):
    by = defaultdict(list)
    counts = defaultdict(int)
    last = deque(maxlen=3)
    for x in xs:
        by[x.ndim].append(x.mean())
        counts[x.ndim] += 1
        last.append(x.sum())
    for key, values in by.items():
        if counts[key] > 3:  # silent: HS201
            return values
        if values[0] > 0:  # expect: HS201
            return torch.stack(values)
    return last[0].item()  # expect: HS101


def spread(x: Tensor):
    args = (x.max(), 2)

    def larger(a, b):
        if b > 3:  # silent: HS201
            return b
        return bool(a > b)  # expect: HS103

    return larger(*args)


@dataclass
class Output:
    loss: Tensor
    steps: int

    def __getitem__(self, key):
        return vars(self)[key]


def by_name(output: Output):
    if output["steps"] > 3:  # silent: HS201
        return output["missing"] > 0
    return 1 if output["loss"] > 2 else 2  # expect: HS201


class Batch(TypedDict):
    total: Tensor
    count: int


def typed(batch: Batch):
    if batch["count"] > 3:  # silent: HS201
        return batch["other"] > 0
    return batch["total"].item()  # expect: HS101


def zipped_with_what_a_call_gives(x: Tensor, n: int):
    return [(row, int(at)) for least, at, row in zip(*x.min(dim=0), range(n)) if least < 0]  # expect: HS103, HS201


def zipped_with_numbers(x: Tensor, n: int):
    return [(row, int(at)) for low, high, at in zip(*[(0, 1), (2, 3)], range(n)) for row in x if low < high]


def extended_by_tensors(x: Tensor):
    found, numbers = [], []
    for row in x:
        found.extend(row.flatten())
        numbers.extend(row.shape)
    sizes = torch.as_tensor(numbers, device="cpu")  # silent: HS104, HS404
    return sizes, torch.as_tensor(found, device=x.device)  # expect: HS104, HS404
