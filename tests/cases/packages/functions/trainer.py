"""Calls functions that others hand in: another file says which."""

import torch


class Trainer:
    def __init__(self, loss_fn, score=None, log=None):
        self.loss_fn = loss_fn
        self.score = score
        self.log = log

    def fit(self, x, y):
        loss = self.loss_fn(x, y)
        if loss > 3:  # expect: HS201
            return None
        if self.score is not None and self.score(x) > 2:  # expect: HS201
            return 1
        if self.log is not None and self.log(x) > 2:  # silent: HS201
            return 2
        return float(loss)  # expect: HS103


def best(f, x):
    v = f(x)
    if v > 1:  # expect: HS201
        return torch.zeros(1)
    return v


def again(f, x):
    return best(f, x)


def mine(f, x):
    if f(x) > 3:  # expect: HS201
        return 1
    return 2


def own(x):
    return x.sum()
