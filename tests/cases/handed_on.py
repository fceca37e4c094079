"""Arguments that one function hands on to another as a whole: `*args` and `**options`."""

import torch
from torch import nn


class Criterion(nn.Module):
    """Finds its losses by their names and hands on to them what it is given."""

    def __init__(self, names=("labels", "points")):
        super().__init__()
        self.names = names

    def one_loss(self, name, *args):
        return getattr(self, f"loss_{name}")(*args)

    def loss_labels(self, targets, indices):
        return torch.cat([target[columns] for target, (_, columns) in zip(targets, indices)])  # expect: HS405

    def loss_points(self, targets, indices):
        rows, columns = self.joined(indices)
        return torch.stack(targets)[rows.to(targets[0].device), columns]  # expect: HS401, HS405

    def joined(self, indices):
        rows = torch.cat([torch.full_like(columns, row) for row, (_, columns) in enumerate(indices)])
        return rows, torch.cat([columns for _, columns in indices])

    def forward(self, targets):
        indices = [(torch.arange(3), torch.arange(3)) for _ in targets]
        return [self.one_loss(name, targets, indices) for name in self.names]


def shifted(values, *, by, scale=1.0):
    return values * scale + by.to(values.device)  # expect: HS401


def shifted_twice(values, **options):
    return shifted(shifted(values, **options), **options)


def shifted_here(values: torch.Tensor):
    return shifted_twice(values, by=torch.ones(3), scale=2.0)


def scaled(values, *factors):
    for factor in factors:
        if factor > 0.5:  # expect: HS201
            values = values * factor
    return values


def scaled_by_two(values: torch.Tensor):
    return scaled(values, values.max(), values.min())


def counted(values, *sizes):
    return [float(size) for size in sizes] + [len(values)]  # silent: HS103


def counted_on_host(values: torch.Tensor):
    return counted(values, torch.ones(()), torch.zeros(()))


def anything(*args, **options):
    """What others of no interest hand in tells nothing."""
    return [float(arg) for arg in args] + [float(option) for option in options.values()]


def with_numbers():
    return anything(1, 2, three=3)
