import functools
import torch

__all__ = ["idx", "Helper", "size_of"]


def idx(n):
    return torch.arange(n)


def size_of(x):
    return x.sum(-1) > 0


def cached(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)

    return inner


def plain(fn):
    def inner(*args, **kwargs):
        out = fn(*args, **kwargs)
        return out

    return inner


@cached
def deco_idx(n):
    return torch.arange(n)


@plain
def deco2_idx(n):
    return torch.arange(n)


class Helper:
    table = torch.zeros(3)

    def __init__(self, n=3):
        self.n = n
        self.grid = torch.arange(n)

    @staticmethod
    def idx(n):
        return torch.arange(n)

    @classmethod
    def create(cls, n):
        return cls(n)

    def get(self):
        return self.grid

    @property
    def prop(self):
        return self.grid * 2


FUNCS = {"idx": idx, "size": size_of}
DEFAULT = torch.tensor([1.0, 2.0])
