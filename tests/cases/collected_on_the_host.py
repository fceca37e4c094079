"""What is calculated, and collected in a tensor that is made on the CPU, is copied there each time."""

from typing import cast

import torch
from torch import Tensor, nn


def losses_by_step(model: nn.Module, images: Tensor, steps: int):
    losses = torch.zeros(steps, images.shape[0])
    for step in range(steps):
        logits = model(images)
        losses[step] = logits.mean(dim=1) + 0  # expect: HS102
    return losses


def parts(spans: Tensor, count: int):
    roots = torch.zeros(count, 4)
    for at in range(count):
        roots[at] = spans[at, 0]  # silent: HS102
    return roots


class Parts(nn.Module):
    def forward(self, spans: Tensor, count: int):
        roots = torch.zeros(count, 4)
        for at in range(count):
            roots[at] = spans[at, 0]  # expect: HS102
        return roots


class Bookkeeper:
    def __init__(self, steps: int):
        self.losses = torch.zeros(steps)

    def note(self, step: int, loss: Tensor):
        self.losses[step] = loss * 2  # silent: HS102


def like_the_rest(spans: Tensor, count: int):
    roots = torch.zeros(count, 4, device=spans.device)
    for at in range(count):
        roots[at] = spans[at].exp()  # silent: HS102
    return roots


def of_host_values(count: int):
    noise = torch.rand(count, 4)
    roots = torch.zeros(count, 4)
    for at in range(count):
        roots[at] = noise[at].exp()  # silent: HS102
    return roots


def strengths(weight: Tensor, count: int):
    found = []
    for at in range(count):
        found.append(weight[at].norm())
    return torch.Tensor(found)  # expect: HS104


def host_strengths(count: int):
    weight = torch.rand(count, 4)
    return torch.Tensor([weight[at].norm() for at in range(count)])  # silent: HS104


class Counter:
    def __init__(self):
        self.total = 0

    def compute(self):
        return cast(Tensor, self.total).item()  # expect: HS101

    def as_number(self):
        return cast(int, self.total).bit_length()


class Limits(nn.Module):
    def __init__(self, limits: Tensor, chosen: list[int]):
        super().__init__()
        self.register_buffer("limits", limits[torch.tensor(chosen)])  # silent: HS405

    def forward(self, x: Tensor, chosen: list[int]):
        return x[torch.tensor(chosen)] + self.limits  # expect: HS405
