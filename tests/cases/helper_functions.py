from torch import nn
from typing import Optional

import torch
from torch import Tensor


def grid(height: int, width: int) -> Tensor:
    ys, xs = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([ys, xs], dim=-1)


def grid_on(height: int, width: int, device=None):
    return torch.zeros(height, width, device=device)


def identity(x):
    return x


def scaled(x: Tensor, factor: float):
    return x * factor


def both(n: int, device: torch.device):
    return torch.zeros(n), torch.zeros(n, device=device)


def use_of_results(x: Tensor):
    host = grid(4, 4)
    total = host.sum().item()  # silent: HS101
    moved = host.to(x.device)  # expect: HS401
    default = grid_on(4, 4)
    if default.max() > 0:  # silent: HS201
        total += 1
    placed = grid_on(4, 4, device=x.device)
    if placed.max() > 0:  # expect: HS201
        total += 1
    same = identity(host)
    total += same.max().item()  # silent: HS101
    mine = scaled(x, 2.0)
    total += mine.max().item()  # expect: HS101
    other = scaled(torch.ones(3), 2.0)
    total += other.max().item()  # silent: HS101
    first, second = both(3, x.device)
    total += first.sum().item()  # silent: HS101
    total += second.sum().item()  # expect: HS101
    return total, moved


def _last(values: Tensor):
    return values[-1].item()  # silent: HS101


def _fraction(values: Tensor):
    return float(values.sum() / values.numel())  # expect: HS103


def callers():
    schedule = torch.linspace(0, 1, 10)
    logits = torch.randn(10, device="cuda")
    return _last(schedule), _last(torch.arange(4)), _fraction(schedule), _fraction(logits)


def _sinusoid(length: int, dim: int, device="cpu"):
    positions = torch.arange(length, device=device)
    scale = torch.tensor([1.0 / dim] * dim, device=device)  # silent: HS404
    return positions[:, None] * scale


def tables():
    return _sinusoid(16, 8), _sinusoid(8, 8)


def make_mask(lengths: Tensor, limit: Optional[int] = None):
    if limit is None:  # silent: HS201
        limit = lengths.max().item()  # expect: HS101
    positions = torch.arange(limit, device=lengths.device)  # silent: HS104
    return positions[None, :] < lengths[:, None]


def masked_mean(x: Tensor, lengths: Tensor):
    mask = make_mask(lengths, x.shape[1])
    return x[mask].mean()  # expect: HS302


def recursive(x: Tensor, depth: int):
    if depth == 0:  # silent: HS201
        return x.sum()
    return recursive(x[0], depth - 1) + recursive(x[1], depth - 1)


def recursion(x: Tensor):
    return recursive(x, 3).item()  # expect: HS101


def batch_loss(logits: Tensor, labels: Tensor) -> float:
    return torch.nn.functional.cross_entropy(logits, labels).item()  # expect: HS101


def epochs(labels):
    logits = torch.zeros(8, 10, device="cuda")
    targets = torch.zeros(8, dtype=torch.long, device="cuda")
    total = 0.0
    for _ in range(3):
        total += batch_loss(logits, targets)  # expect: HS606
        shapes = sizes_of(logits)  # silent: HS606
    return total, shapes, batch_loss(logits, targets)  # silent: HS606


def sizes_of(x: Tensor):
    return x.shape[0], x.numel()


class Head(nn.Module):
    def forward(self, x: Tensor, targets=None):
        if targets is None:
            return x[:, [-1]]  # expect: HS405
        return x.mean()


def calls_of_forward(steps: int):
    head = Head()
    x = torch.zeros(4, 4, device="cuda")
    for _ in range(steps):
        x = x + head(x, x)  # silent: HS606
    return x


def total(values: list[torch.Tensor]):
    if len(values) == 0:
        return torch.tensor(0.0)
    return torch.stack(values).sum()


def spread(values: list[torch.Tensor], x: torch.Tensor):
    # What is made for want of elements says nothing of where the sum is.
    return total(values).to(x.device)  # silent: HS401


def only_default(values: list[torch.Tensor]):
    if len(values) == 0:
        return torch.tensor(0.0)


def spread_default(values: list[torch.Tensor], x: torch.Tensor):
    return only_default(values).to(x.device)  # expect: HS401


def either(values: list[torch.Tensor], flag: bool):
    if flag:
        return torch.tensor(0.0)
    return torch.stack(values).sum()


def spread_either(values: list[torch.Tensor], x: torch.Tensor, flag: bool):
    return either(values, flag).to(x.device)  # expect: HS401


def norm_of(parameters):
    grads = [p.grad for p in parameters if p.grad is not None]
    if not grads:
        return torch.tensor(0.0)
    return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))


def scale_by_norm(parameters, most: float):
    for p in parameters:
        p.grad.mul_((most / norm_of(parameters)).to(p.grad.device))  # silent: HS401


def pair_of(values: list[torch.Tensor], others: list[torch.Tensor]):
    if len(values) == 0 or not others:
        return torch.zeros(0), torch.zeros(0)
    return torch.stack(values), torch.stack(others)


def spread_pair(values: list[torch.Tensor], others: list[torch.Tensor], x: torch.Tensor):
    return pair_of(values, others)[1].to(x.device)  # silent: HS401


def is_nan(x):
    if isinstance(x, (int, float)):
        return x != x
    return torch.isnan(x).any()


def checked(loss: torch.Tensor, scale: float, step):
    if is_nan(loss):  # expect: HS201
        return None
    if is_nan(scale):  # silent: HS201
        return loss
    if is_nan(step):  # silent: HS201
        return loss
    return loss * scale
