"""Attributes that a method moves to the GPU for as long as it runs are on the CPU for all other methods."""

import torch
from torch import nn


class Evaluator:
    def __init__(self, model: nn.Module, count: int):
        self.model = model
        self.ranks = torch.empty(count).long()
        self.hits = torch.zeros(count)

    def evaluate(self, loader):
        use_cuda = next(self.model.parameters()).is_cuda
        if use_cuda:
            self.ranks = self.ranks.cuda()  # expect: HS401
            self.hits = self.hits.to("cuda")  # expect: HS401
        with torch.no_grad():
            for index, batch in enumerate(loader):
                self.ranks[index] = self.model(batch).argmax()
        if use_cuda:
            self.ranks = self.ranks.cpu()  # expect: HS102
            self.hits = self.hits.to("cpu")  # expect: HS102

    def mean_rank(self):
        return self.ranks.float().mean().item(), self.hits.mean().item()


class Offloading:
    def __init__(self, model: nn.Module, count: int):
        self.model = model
        self.ranks = torch.empty(count).long()

    def evaluate(self, loader, offload: bool):
        self.ranks = self.ranks.cuda()  # expect: HS401
        for index, batch in enumerate(loader):
            self.ranks[index] = self.model(batch).argmax()
        if offload:
            self.ranks = self.ranks.cpu()  # expect: HS102

    def mean_rank(self):
        return self.ranks.float().mean().item()  # expect: HS101


class Elsewhere:
    def __init__(self, model: nn.Module, count: int):
        self.model = model
        self.ranks = torch.empty(count).long()

    def evaluate(self, loader, again: bool):
        if again:
            self.ranks = self.ranks.cpu()  # expect: HS102
        if again:
            self.ranks = self.ranks.cuda()  # expect: HS401
        for index, batch in enumerate(loader):
            self.ranks[index] = self.model(batch).argmax()

    def mean_rank(self):
        return self.ranks.float().mean().item()  # expect: HS101


class Filled:
    def __init__(self, model: nn.Module):
        self.model = model
        self.ranks = torch.empty(3)

    def evaluate(self, batch, keep: bool):
        if keep:
            self.ranks = self.model(batch).cuda()
        if keep:
            self.ranks = self.ranks.cpu()  # expect: HS102

    def restart(self, batch):
        self.ranks = self.model(batch).cuda().argmax(-1)

    def mean_rank(self):
        return self.ranks.float().mean().item()  # expect: HS101
