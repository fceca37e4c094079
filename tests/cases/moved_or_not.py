"""What was moved to the place that a caller names, or nobody knows where it is, does not come from the host there.

It counts as coming from the host if other callers name the CPU, but to those it is no copy.
"""

import torch
from torch import Tensor


def converted(data, device=None):
    if isinstance(data, torch.Tensor):
        return data.to(device=device)
    return data.anything(device).sum()


def normalized(shape, device=None):
    shape = converted(shape, device=device)
    return shape.clone().to(dtype=torch.float64, device=device)  # silent: HS401


def normalized_or_not(shape, ask, device=None):
    shape = shape.to(device) if ask else torch.ones(2)
    return shape.clone().to(dtype=torch.float64, device=device)  # expect: HS401


def use(theta: Tensor, shape, ask):
    first = normalized(shape, theta.device), normalized(shape, "cpu")
    return first, normalized_or_not(shape, ask, theta.device), normalized_or_not(shape, ask, "cpu")
