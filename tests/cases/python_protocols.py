import math
import operator
import time

import torch
from torch import Tensor


def numbers(loss: Tensor, x: Tensor):
    a = float(loss)  # expect: HS103
    b = int(x.argmax())  # expect: HS103
    c = bool(x.all())  # expect: HS103
    d = math.sqrt(loss)  # expect: HS103
    e = math.isnan(loss)  # expect: HS103
    f = math.sqrt(x.shape[-1])  # silent: HS103
    g = int(x.numel() / 2)  # silent: HS103
    h = float("inf")  # silent: HS103
    i = abs(loss)  # silent: HS103
    j = loss**2  # silent: HS103
    return a, b, c, d, e, f, g, h, i, j


def sizes(count: Tensor, x: Tensor, n: int):
    for i in range(count.sum()):  # expect: HS104
        x = x + i
    padding = [0] * count.max()  # expect: HS104
    for i in range(x.shape[0]):  # silent: HS104
        x = x - i
    blank = [0] * x.size(1)  # silent: HS104
    zeros = torch.zeros(n, x.shape[1])  # silent: HS104
    added = x.add(x, alpha=2.0)  # silent: HS104
    return padding, blank, zeros, added


def reductions(a: Tensor, b: Tensor, losses: list[Tensor], numbers: list[float]):
    largest = max(a.sum(), b.sum())  # expect: HS106
    floor = min(a.mean(), 1.0)  # expect: HS106
    ordered = sorted(losses)  # expect: HS106
    worst = max(losses)  # expect: HS106
    found = 3 in a  # expect: HS106
    positive = all(a > 0)  # expect: HS106
    some = any(a.isnan())  # expect: HS106
    total = sum(losses)  # silent: HS106
    known = max(numbers)  # silent: HS106
    rows = max(a.shape[0], b.shape[0])  # silent: HS106
    every = all(x > 0 for x in numbers)  # silent: HS106
    present = 3 in numbers  # silent: HS106
    on_device = torch.maximum(a, b)  # silent: HS106
    by_size = sorted(losses, key=lambda t: t.numel())  # silent: HS106
    return largest, floor, ordered, worst, found, positive, some, total, known, rows, every, present, on_device, by_size


def comparisons(a: Tensor, b: Tensor):
    same = torch.equal(a, b)  # expect: HS107
    close = torch.allclose(a, b, atol=1e-5)  # expect: HS107
    zero = torch.is_nonzero(a.sum())  # expect: HS107
    mine = a.equal(b)  # expect: HS107
    alike = torch.isclose(a, b).all()  # silent: HS107
    shapes = a.shape == b.shape  # silent: HS107
    elementwise = torch.eq(a, b)  # silent: HS107
    return same, close, zero, mine, alike, shapes, elementwise


def iteration(x: Tensor, names: list[str]):
    total = 0
    for row in x:  # silent: HS104
        total = total + row.sum()
    for name, row in zip(names, x):
        print(name, row.shape)  # silent: HS105
    first, second = x[0], x[1]
    rows = list(x)  # silent: HS101
    lookup = {row: 1 for row in rows}
    return total, len(x), first, second, lookup


def others(x: Tensor):
    a = operator.add(x, x)
    time.sleep(0.1)  # silent: HS103
    b = round(3.7)  # silent: HS103
    c = divmod(7, 2)
    return a, b, c, isinstance(x, Tensor), id(x), hash(x), x is None


def best_by_key(losses: list[Tensor]):
    return max(losses, key=lambda t: t.shape[0])  # silent: HS106


def asserted_close(x: Tensor, y: Tensor):
    torch.testing.assert_close(x, y)  # expect: HS107  # silent: HS605
