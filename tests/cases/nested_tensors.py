"""Tensors of several lengths: the bounds of a jagged one are made on the host."""

import torch
from torch import Tensor


def made(x: Tensor):
    parts = [x[:3], x[:2]]
    jagged = torch.nested.as_nested_tensor(parts, layout=torch.jagged)  # expect: HS605
    another = torch.nested.nested_tensor(parts, layout=torch.jagged)  # expect: HS605
    return jagged, another, torch.nested.as_nested_tensor(parts)  # silent: HS605
