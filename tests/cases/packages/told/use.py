import torch

from .helpers import Box, Closer, Holder, OnHost, doubled, is_first, is_flat, is_last, on_host, step_of


def run(n: int):
    x = torch.zeros(n, device="cuda")
    Holder(x, 3.0).read()
    Closer(x, 2.0).close()
    if is_first(x.sum()) or is_last(n):
        return x
    return doubled(x) + step_of(x.max())


def prepare(n: int):
    y = torch.zeros(n)
    return on_host(y), OnHost(y).read()


def corners(n: int):
    return Box([(0, 0), (n, n)]).area(), is_flat((1, n))
