"""A list of slices is an index like a tuple of them, and copies nothing; so does a tuple of whatever."""

import torch
from torch import Tensor


def gradient(x: Tensor, dim: int):
    ahead, behind = [slice(None), slice(None)], [slice(None), slice(None)]
    while len(ahead) < x.ndim:
        ahead = ahead + [slice(1, -1)]
        behind = behind + [slice(1, -1)]
    ahead[dim] = slice(2, None)
    behind[dim] = slice(None, -2)
    return x[ahead] - x[behind]  # silent: HS405


def cut(x: Tensor, sizes):
    window = [slice(0, size) for size in sizes]
    x[window] = 0.0  # silent: HS405
    rows = [int(size) for size in sizes]
    return x[rows]  # expect: HS405


def around(x: Tensor, ahead):
    def at(others: dict) -> list:
        out: list = [slice(None), slice(None)]
        for d in range(2, x.ndim):
            out.append(others.get(d, slice(1, -1)))
        return out

    first = [slice(None), 0, ahead]
    return x[at({0: slice(2, None)})] - x[at({})], x[first]  # silent: HS405


class Batched:
    mean: Tensor
    scale: Tensor

    def __getitem__(self, index):
        assert isinstance(index, tuple)
        return self.mean[index + (slice(None),)], self.scale[index]  # silent: HS405


def of_a_list(x: Tensor, index):
    assert isinstance(index, list)
    return x[index]  # expect: HS405


def annotated(x: Tensor, at: tuple, rows: list):
    return x[at], x[at + (slice(None),)], x[rows]  # expect: HS405


def neighbours(pos: Tensor, batch: Tensor, radius: float):
    r = torch.cdist(pos, pos)
    index = ((r < radius) & (r > 0)).nonzero().T  # expect: HS301
    index = index[:, batch[index[0]] == batch[index[1]]]  # expect: HS302
    return index


def messages(pos: Tensor, batch: Tensor):
    # A mask of what has two dimensions leaves two, where a slice stands for the other.
    edges = neighbours(pos, batch, 1.0)
    source = edges[0]
    near = pos[source]  # silent: HS308
    return near, pos[source[0]]  # expect: HS308
