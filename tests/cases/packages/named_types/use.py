"""What is made of a number on the CPU is there, also where an alias says that it may be one."""

import torch
from torch import Tensor

from .kinds import Count, Input, Scalar


def as_tensor(value) -> Tensor:
    return value.clone() if isinstance(value, Tensor) else torch.tensor(value)


def order(n: Count, m: int | Tensor) -> int:
    n = as_tensor(n)
    m = as_tensor(m)
    if m > n:
        raise ValueError
    return int(n)


def scaled(x: Tensor, factor: Scalar) -> Tensor:
    factor = as_tensor(factor)
    if factor == 0:
        return x
    return x * factor


def read(data: Input) -> float:
    data = as_tensor(data)
    return float(data)  # expect: HS103
