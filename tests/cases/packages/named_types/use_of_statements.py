"""A type that a statement names is what it stands for."""

import torch
from torch import Tensor

from .statements import Number, Pair


def scaled(x: Tensor, factor: Number) -> Tensor:
    factor = factor.clone() if isinstance(factor, Tensor) else torch.tensor(factor)
    if factor == 0:
        return x
    return x * factor


def first(pair: Pair[Tensor]) -> float:
    return pair[0].item()  # expect: HS101
