"""What generators of NumPy draw is on the host."""

import numpy as np
import torch


class Randomizable:
    R: np.random.RandomState = np.random.RandomState()

    def one(self, items):
        return items[self.R.multinomial(1, [0.5, 0.5]).argmax()]  # silent: HS104

    def some(self, items):
        return self.R.choice(len(items), 3).tolist()  # silent: HS101


class Sampler:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def rows(self, x: torch.Tensor):
        order = self.rng.permutation(len(x))
        self.rng.shuffle(order)
        some = self.rng.choice(len(x), 3)
        x[self.rng.integers(0, 5)]  # silent: HS104, HS308, HS405
        return x[order], some.tolist()  # expect: HS405

    def scale(self, x: torch.Tensor):
        if self.rng.random() < 0.5:  # silent: HS201
            return x
        return x * float(self.rng.normal())  # silent: HS103


def handed_in(x: torch.Tensor, rng: np.random.Generator):
    noise = rng.normal(size=3).tolist()  # silent: HS101
    return x[rng.permutation(5)], noise  # expect: HS405


def of_torch(x: torch.Tensor, generator: torch.Generator):
    return torch.rand(3, generator=generator, device=x.device).tolist()  # expect: HS101


class Either:
    rng: np.random.Generator = np.random.default_rng()

    def set(self, seed):
        self.rng = np.random.default_rng(seed)

    def some(self, items):
        return self.rng.choice(len(items), 3).tolist()  # silent: HS101
