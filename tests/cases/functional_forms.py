"""Python's functional forms: what `map`, `reduce` and `operator` do with tensors, and texts that want whole numbers."""

import functools
import operator
from functools import reduce

import torch
from torch import Tensor


def whole_numbers(x: Tensor, name: str):
    at = x.argmax()
    letter = "abc"[at]  # expect: HS104
    byte = b"abc"[at]  # expect: HS104
    part = name[at]  # expect: HS104
    texts = chr(at), hex(at), oct(at), bin(at)  # expect: HS104, HS104, HS104, HS104
    count = torch.ones((), dtype=torch.int64, device="cuda")
    row = "-" * count, count * "-"  # expect: HS104, HS104
    grid = "<image>" * at  # expect-possible: HS104
    return letter, byte, part, texts, row, grid


def whole_numbers_of_the_host(x: Tensor, name: str):
    at = x.shape[0]
    parts = "abc"[at], b"abc"[at], name[at], name[1:]  # silent: HS104
    return parts, chr(at), hex(at), "-" * at, "-" * x.cpu().sum()  # expect: HS102


def texts_of_each(x: Tensor):
    losses = [x.sum(), x.mean()]
    shown = ", ".join(map(str, losses))  # expect: HS105
    again = " ".join(map(repr, losses))  # expect: HS105
    sizes = ", ".join(map(str, x.shape))  # silent: HS105
    return shown, again, sizes


def methods_of_each(x: Tensor):
    losses = [x.sum(), x.mean()]
    values = list(map(torch.Tensor.item, losses))  # expect: HS101
    kept = list(map(torch.Tensor.detach, losses))  # silent: HS101
    rows = [float(row) for row in map(torch.sum, x)]  # expect: HS103
    return values, kept, rows


def folded(x: Tensor, sizes: list[int]):
    losses = [x.sum(), x.mean()]
    if functools.reduce(torch.maximum, losses) > 3:  # expect: HS201
        return 1
    if reduce(operator.add, losses) > 3:  # expect: HS201
        return 2
    if operator.mul(losses[0], 2) > 3:  # expect: HS201
        return 3
    if reduce(torch.add, losses, x.new_zeros(())) > 3:  # expect: HS201
        return 4
    if reduce(operator.mul, x.shape) > 3 or reduce(operator.add, sizes) > 3:  # silent: HS201
        return 5
    if operator.mul(x.shape[0], 2) > 3:  # silent: HS201
        return 6
    if reduce(operator.isub, losses) > 3 or operator.rshift(losses[0].long(), 1) > 3:  # expect: HS201
        return 7
    if reduce(operator.isub, x.shape) > 3 or operator.rshift(x.shape[0], 1) > 3:  # silent: HS201
        return 8
    return 9


def asserted(x: Tensor):
    torch._assert(x.max() < 10, "big")  # expect: HS203
    torch._assert(x.shape[0] < 10, "many")  # silent: HS203
    torch._assert(x.cpu().max() < 10, "big")  # expect: HS102
