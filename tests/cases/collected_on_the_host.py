"""What is calculated, and collected in a tensor that is made on the CPU, is copied there each time."""

from collections import defaultdict, deque
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


class FilledByAMethod:
    """A method that does nothing but append fills an attribute too."""

    def __init__(self):
        self.parts = []
        self.kept = []
        self.by_name = {}
        self.by_key = defaultdict(list)
        self.table = {}
        self.last = deque(maxlen=3)

    def add(self, x):
        self.parts.append(x.cpu())  # expect: HS102

    def add_more(self, xs):
        self.parts.extend([x.cpu() for x in xs])  # expect: HS102

    def keep(self, x):
        self.kept.append(x.cuda())  # expect: HS401

    def add_to(self, name, x):
        self.by_name.setdefault(name, []).append(x.cpu())  # expect: HS102

    def add_by_key(self, x):
        self.by_key["a"].append(x.cpu())  # expect: HS102

    def set(self, x):
        self.table.update({"a": x.cpu()})  # expect: HS102

    def push(self, x):
        self.last.append(x.cpu())  # expect: HS102

    def read(self):
        if torch.cat(self.parts).sum() > 3:
            return self.parts[0].sum().item()
        for part in self.parts:
            part.sum().item()
        torch.stack(self.kept).tolist()  # expect: HS101
        for name, parts in self.by_name.items():
            torch.cat(parts).tolist()
        torch.cat(self.by_name["b"]).tolist()
        torch.cat(self.by_key["a"]).tolist()
        torch.stack(list(self.last)).tolist()
        return self.table["a"].tolist()


def filled_under_a_key(xs):
    found, kept = {}, {}
    for x in xs:
        found.setdefault("a", []).append(x.cpu())  # expect: HS102
        kept.setdefault("a", []).append(x.cuda())  # expect: HS401
    return torch.cat(found["a"]).mean().item(), torch.cat(kept["a"]).mean().item()  # expect: HS101


def row_by_row(model, batches, places):
    found = torch.zeros(2, 100)
    for row, (batch, place) in enumerate(zip(batches, places)):
        found[row][place] = model(batch).argmax(-1)  # expect: HS102
    return found
