"""A default device is none for `torch.Tensor`, and a type of the host as the default changes nothing."""

import torch


def by_device():
    torch.set_default_device("cuda")
    a = torch.Tensor([0.5, 1.0])  # silent: HS404
    b = torch.tensor([0.5, 1.0])  # expect: HS404
    return a.sum().item(), b.sum().item()  # expect: HS101


def by_type():
    torch.set_default_tensor_type("torch.DoubleTensor")
    return torch.Tensor([0.5, 1.0]).sum().item()  # silent: HS101
