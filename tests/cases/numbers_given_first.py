"""Older forms of operations, whose first argument is the number that is given by name today."""

import torch
from torch.nn import functional as F


def older_forms(p: torch.Tensor, g: torch.Tensor):
    p.add_(-g.norm(), g)  # expect: HS104
    p.sub_(g.norm(), g)  # expect: HS104
    torch.add(p, g.norm(), g)  # expect: HS104
    p.addcdiv_(-g.norm(), g, g)  # expect: HS605
    p.addcmul_(-g.norm(), g, g)  # expect: HS605
    p.addmm_(g.norm(), g, g)  # expect: HS605


def numbers(p: torch.Tensor, g: torch.Tensor, lr: float):
    p.add_(-lr, g)
    p.addcdiv_(-lr, g, g)
    torch.add(p, 0.1, g)
    p.add_(-g.norm() * g)
    torch.add(p, g.norm())


def trust_ratio(optimizer: torch.optim.Optimizer):
    for group in optimizer.param_groups:
        for p in group["params"]:
            norm = p.grad.norm()
            ratio = 1.0 if p.grad.is_sparse else norm / 2
            p.data.add_(p.grad, alpha=-ratio)  # expect: HS104
            p.data.add_(-group["lr"] * ratio, p.grad)  # expect: HS104


def a_learning_rate(p: torch.Tensor, g: torch.Tensor, lr: "float | torch.Tensor"):
    p.add_(g, alpha=-lr)


def one_of_several(x, weight, kind):
    if kind == "linear":
        op = F.linear
    elif kind == "group":
        op = F.group_norm
    else:
        op = F.conv2d
    # `weight` is the number of groups for one of them, which is not what it is called with, then.
    return op(x, weight)  # silent: HS605


def groups_of_a_tensor(x: torch.Tensor, groups: torch.Tensor):
    return F.group_norm(x, groups)  # expect: HS605
