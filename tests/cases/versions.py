"""Waits that some releases of torch have: reported unless a release without them is asked for."""
import torch
from torch import Tensor


def normal(mean: Tensor, std: Tensor):
    a = torch.normal(mean, std)  # expect: HS605
    b = torch.normal(mean, 1.0)  # silent: HS605
    c = mean + std * torch.randn_like(mean)  # silent: HS605
    return a, b, c


def stores(index: Tensor):
    x = torch.zeros(4, device="cuda")
    x[0] = 1.0  # expect: HS406
    x[index.long()] = 0.0  # expect: HS406
    x[0:1] = 1.0  # silent: HS406
    x[0] = torch.ones((), device="cuda")  # silent: HS406
    return x
