"""What is compiled inside of a function may never be, and what runs is not always what was compiled."""

import torch
from torch import Tensor
from torch.distributions import Normal


def fast(function):
    return torch.compile(function)


@torch.compiler.disable
def of_one(mean: Tensor, std: Tensor):
    return Normal(mean, std)  # expect: HS602
