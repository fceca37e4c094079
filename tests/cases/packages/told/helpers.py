"""What these take is told by those who call them, in another file and in this one."""

from typing import Union

import torch


def doubled(x):
    return x * 2


def report(anything):
    total = doubled(anything)
    if total > 0:  # expect: HS201
        print("positive")


def upper(anything):
    return doubled(anything)


def count_down(anything):
    left = upper(anything)
    while left:  # expect: HS202
        left = left - 1


def on_host(y):
    return y + y


def report_on_host(anything):
    if on_host(anything) > 0:
        print("positive")


def size_of(box):
    low, high = box
    return high - low


def is_flat(box):
    return bool(size_of(box))


class Holder:
    def __init__(self, x, limit):
        self.x = x
        self.limit = limit

    def read(self):
        return self.x.tolist()  # expect: HS101

    def is_over(self):
        if self.x.sum() > self.limit:  # expect: HS201
            return True
        return self.limit > 3


class Closer(Holder):
    def close(self):
        while self.x.max() > 1:  # expect: HS202
            self.x = self.x / 2


class OnHost:
    def __init__(self, x):
        self.x = x

    def read(self):
        return self.x.tolist()


class Box:
    def __init__(self, corners):
        self.corners = corners

    def area(self):
        (a, b), (c, d) = self.corners
        if (c - a) * (d - b) == 0:
            return 0
        return (c - a) * (d - b)


def twice(x):
    return doubled(doubled(x))


def run_twice():
    start = torch.ones(3, device="cuda")
    end = twice(start)
    return float(end.sum())  # expect: HS103


def is_first(t: Union[int, torch.Tensor]):
    if t == 0:  # expect: HS201
        return True
    return False


def is_last(t: Union[int, torch.Tensor]):
    if t == 9:
        return True
    return False


def step_of(t: Union[int, torch.Tensor]):
    return t + 1 if torch.is_tensor(t) else int(t)
