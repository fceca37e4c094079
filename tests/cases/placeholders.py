"""Tensors that hold nothing are no evidence of where others live."""

import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(3, 4))

    def forward(self, heads, tails, kinds):
        picked = self.table[kinds]
        return picked + self.table[heads] - self.table[tails]


class OnHost(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(3, 4))

    def forward(self, heads, kinds):
        return self.table[heads] + self.table[kinds]  # expect: HS405


def run(scorer: Scorer, heads, tails):
    a = scorer(heads, tails, torch.tensor([]).long())
    b = scorer(heads, torch.empty(0, dtype=torch.long), torch.Tensor())
    return a, b


def rank(model: OnHost, heads):
    return model(heads, torch.tensor([1, 2, 0, 2]))
