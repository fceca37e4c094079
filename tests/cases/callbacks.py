"""Functions that are handed to others, which call them."""

import torch
from torch import Tensor


class Boxes:
    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    def _apply(self, change):
        return Boxes(change(self.tensor))

    def above(self, scores: Tensor):
        keep = scores > 0
        return self._apply(lambda t: t[keep])  # expect: HS302

    def on_host(self):
        return self._apply(lambda t: t.cpu())  # expect: HS102

    def flat(self):
        return self._apply(lambda t: t.reshape(-1))  # silent: HS102, HS302


def tested(test, x: Tensor):
    return [test(x[0]), test(x[1])]


def is_large(row):
    return row.sum() > 3


def is_long(row):
    if row > 3:  # expect: HS201
        return True
    return False


def used(x: Tensor):
    return tested(is_large, x), tested(is_long, x.flatten())


def averaged(x: Tensor, read=lambda t: t.item()):  # expect: HS101
    return read(x.mean())


def default(value, d):
    if value is not None:
        return value
    return d() if callable(d) else d


def chosen_by_default(x: torch.Tensor, start=None, number=None):
    start = default(start, lambda: torch.zeros_like(x))
    number = default(number, 1)
    if number > 0 and start.sum() > 0:  # expect: HS201
        return x[number - 1]  # silent: HS308
    return None
