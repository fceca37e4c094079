"""Attributes that a class binds to one kind of object, and methods to whatever they are handed."""

import numpy as np
import torch
from torch import Tensor


class Drawing:
    state: np.random.RandomState = np.random.RandomState()
    own = np.random.RandomState()
    scale: Tensor
    factor = 1.0
    device = "cpu"

    def set_up(self, state, own, scale, factor, device):
        self.state = state
        self.own = own
        self.scale = scale
        self.factor = factor
        self.device = device

    def pick(self, x):
        i = self.state.choice(len(x), 3).tolist()  # silent: HS101
        j = self.own.permutation(3).tolist()  # silent: HS101
        if float(self.factor) > 0.5:  # silent: HS103
            return x, i, j
        return self.scale.tolist(), torch.tensor([1.0], device=self.device)  # expect: HS101, HS404


class Derived(Drawing):
    def __call__(self, x):
        return x, self.state.multinomial(1, [1.0]).argmax().item()  # silent: HS101


class Unknown:
    state = None

    def set_up(self, state):
        self.state = state

    def pick(self, x: Tensor):
        return x, self.state.draw(x).tolist()  # expect: HS101
