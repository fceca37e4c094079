"""An order that a function draws on the CPU unless a caller hands one in; tensors that hold nothing yet; positions."""

import torch
from torch import Tensor


def mixed(x: Tensor, order: Tensor | None = None):
    if order is None:
        drawn = torch.randperm(x.shape[0])
    else:
        drawn = order
    return x[drawn]  # expect: HS405


def mixed_on_device(x: Tensor, order: Tensor | None = None):
    drawn = torch.randperm(x.shape[0], device=x.device) if order is None else order
    return x[drawn]  # silent: HS405


class State:
    def __init__(self):
        self.loss = torch.Tensor()
        self.scale = torch.ones(1)

    def check(self):
        if torch.isnan(self.loss).any():  # expect: HS201
            return False
        return bool(torch.isnan(self.scale).any())  # silent: HS103


def unfinished_beams(scores: Tensor, done: list, device):
    unfinished = [i for i in range(len(done)) if not done[i]]
    not_finished = torch.tensor(unfinished, device=scores.device)  # expect: HS404
    return scores[not_finished]  # silent: HS302


def beams(scores: Tensor, done: list):
    not_finished = torch.tensor([not one for one in done], device=scores.device)  # expect: HS404
    return scores[not_finished]  # expect: HS302
