"""Lists and numbers of Python are small: a copy of them that need not be waited for is staged, and does not wait."""

import numpy as np
import torch


def at_once(x):
    order = [0, 2, 1]
    return x[torch.tensor(order).to(x.device, non_blocking=True)]  # silent: HS403


def of_anything(x, order):
    return x[torch.tensor(order).to(x.device, non_blocking=True)]  # expect: HS403


def of_an_array(x, path):
    return x + torch.tensor(np.load(path)).to(x.device, non_blocking=True)  # expect: HS403


def by_a_name(x):
    table = torch.tensor([[0, 2, 1], [3, 0, 1]], dtype=torch.long)
    table = table.to(device=x.device, non_blocking=True)  # silent: HS403
    return x[table]


def large(x):
    frames = torch.rand(8, 1024, 1024)
    return x + frames.to(x.device, non_blocking=True)  # expect: HS403


def one_of_two(x, big):
    table = torch.tensor([1, 2])
    if big:
        table = torch.rand(8, 1024, 1024)
    return x + table.to(x.device, non_blocking=True)  # expect: HS403


def waited_for(x, order):
    return x[torch.tensor(order).to(x.device)]  # expect: HS401


def left_out(x, table=None):
    if table is None:
        table = torch.tensor([1, 2])
    return x + table.to(x.device, non_blocking=True)  # expect-possible: HS403  # silent: HS403
