import torch

from .helpers import Box, Closer, Holder, OnHost, doubled, is_flat, on_host


def run(n: int):
    x = torch.zeros(n, device="cuda")
    Holder(x, 3.0).read()
    Closer(x, 2.0).close()
    return doubled(x)


def prepare(n: int):
    y = torch.zeros(n)
    return on_host(y), OnHost(y).read()


def corners(n: int):
    return Box([(0, 0), (n, n)]).area(), is_flat((1, n))
