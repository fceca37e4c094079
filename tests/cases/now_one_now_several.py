"""Functions that return now one value and now several, as a flag says."""

import torch
from torch import Tensor, nn
from torch.distributions import Normal


def fired(alphas, threshold, return_mask=False):
    fires = torch.cumsum(alphas, 1)
    mask = fires >= threshold
    if return_mask:
        return fires, mask
    return fires


def taken_apart(alphas: Tensor, hidden: Tensor):
    fires, found = fired(alphas, 1.0, return_mask=True)
    return hidden[found], fires.tolist()  # expect: HS101, HS302


def as_it_is(alphas: Tensor):
    return fired(alphas, 1.0).max().item()  # expect: HS101


class Encoder(nn.Module):
    def __init__(self, gives_distribution):
        super().__init__()
        self.mean = nn.Linear(3, 3)
        self.gives_distribution = gives_distribution

    def forward(self, x: Tensor):
        mean = self.mean(x)
        given = Normal(mean, mean.exp())  # expect: HS602
        if self.gives_distribution:
            return given, given.rsample()
        return mean, x.shape[0], given.rsample()


class Model(nn.Module):
    def __init__(self, several):
        super().__init__()
        self.encoder = Encoder(True)
        self.several = several

    def forward(self, x: Tensor):
        given, z = self.encoder(x)
        checked = given.log_prob(z)  # expect: HS602
        mean, count, _ = self.encoder(x)
        return checked, torch.zeros(count), mean.tolist()  # expect: HS101  # silent: HS104

    def other(self, x):
        (first, second), third = self.encoder(x)
        return first, second, third, fired(x, 0.5).numel()


def on_the_host(rows, known):
    found = [row for row in rows if row in known]
    if len(found) == len(rows):
        return found
    return found, torch.zeros(len(rows))


def taken_from(rows, known, x: Tensor):
    found, weights = on_the_host(rows, known)
    return len(found), weights.to(x.device)  # expect: HS401


def not_of_what_comes_after(alphas: Tensor, table):
    found = fired(alphas, 1.0)
    with table.opened() as (name, row):
        if row:  # silent: HS201
            return name, found
    return found
