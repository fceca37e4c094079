import torch
from ...utils import idx as base_idx
from ... import utils as uu


def core_idx(n):
    return base_idx(n) + 1


def two(n):
    return uu.idx(n), torch.zeros(n)


def as_dict(n):
    return {"a": torch.zeros(n), "b": n}
