"""Python's functions that compare, test and fold, with what they are told to compare by."""

import bisect
import functools
import heapq
import operator

import torch
from torch import Tensor


def extremes(x: Tensor, rows: list[Tensor], names: list[str]):
    pairs = [(row.sum(), i) for i, row in enumerate(rows)]
    best = max(pairs)  # expect: HS106
    best = max(pairs, key=lambda pair: pair[0])  # expect: HS106
    best = max(pairs, key=lambda pair: pair[1])  # silent: HS106
    table = {"a": x.sum(), "b": x.mean()}
    top = max(table, key=table.get)  # expect: HS106
    longest = max(names, key=len)  # silent: HS106
    shortest = min(rows, key=len)  # silent: HS106
    by_name = sorted(table)  # silent: HS106
    return best, top, longest, shortest, by_name


def orders(rows: list[Tensor]):
    pairs = [(row.sum(), i) for i, row in enumerate(rows)]
    pairs.sort(key=lambda pair: pair[0])  # expect: HS106
    pairs.sort(key=lambda pair: pair[1])  # silent: HS106
    first = sorted(pairs, key=operator.itemgetter(0))  # expect: HS106
    second = sorted(pairs, key=operator.itemgetter(1))  # silent: HS106
    return first, second


def heaps(x: Tensor, heap, numbers, values: list[Tensor]):
    heapq.heappush(heap, (x.sum(), 3))  # expect: HS106
    heapq.heappush(numbers, (3, x.sum()))  # silent: HS106
    most = heapq.nlargest(2, values)  # expect: HS106
    at = bisect.bisect_left(values, x.mean())  # expect: HS106
    return most, at


def tests(x: Tensor, rows: list[Tensor]):
    kept = list(filter(lambda row: row.sum() > 3, rows))  # expect: HS103
    for row in filter(lambda row: row.sum() > 3, rows):  # expect: HS103
        kept.append(row)
    long = list(filter(lambda row: row.shape[0] > 3, rows))  # silent: HS103
    total = functools.reduce(lambda held, row: held + row.sum(), rows, 0)
    if total > 3:  # expect: HS201
        return operator.index(x.sum().long())  # expect: HS104
    return kept, long


def found(x: Tensor, skip, done=()):
    if x.sum() in done:  # expect: HS106
        return 1
    if x.shape[0] in skip:  # silent: HS106
        return 2
    return 3


def what_others_put_there(model: torch.nn.Module, samples):
    own = {name: param.grad_sample for name, param in model.named_parameters()}
    for name, sample in own.items():
        if not torch.allclose(sample, samples[name], 1e-3):  # expect: HS107
            return False
    return True
