"""Methods that only raise an error give what those give that override them, and nothing where there are none."""

import abc

import torch
from torch import Tensor


class Noise:
    def draw(self, n: int):
        raise NotImplementedError

    def scale(self, x):
        """To be written."""
        raise NotImplementedError

    def __call__(self, x: Tensor):
        drawn = self.draw(len(x)).to(x.device)  # expect: HS401
        kept = torch.where(x > 0, self.scale(x), x)  # silent: HS301
        found = torch.where(x > 0)  # expect: HS301
        return drawn, kept, found


class Uniform(Noise):
    def draw(self, n: int):
        return torch.rand(n)


class Gaussian(Noise):
    def draw(self, n: int):
        return torch.randn(n)


class Elsewhere:
    def draw(self, n: int):
        raise NotImplementedError

    def __call__(self, x: Tensor):
        return self.draw(len(x)).to(x.device)  # silent: HS401


class OnTheDevice(Elsewhere):
    def draw(self, n: int):
        return torch.rand(n, device="cuda")


def required(x: Tensor):
    if x.dim() != 2:
        raise ValueError("two dimensions")
    return x.tolist()  # expect: HS101


class Chooser(abc.ABC):
    """Hands its work to a method that does nothing here, and is marked so."""

    @abc.abstractmethod
    def chosen(self, scores):
        """Positions."""

    def distinct(self, scores):
        return self.chosen(scores).unique()  # expect: HS304

    @abc.abstractmethod
    def count(self, scores):
        pass

    def counted(self, scores):
        return float(self.count(scores))  # silent: HS103


class ByScore(Chooser):
    def chosen(self, scores):
        return torch.nonzero(scores > 0)  # expect: HS301

    def count(self, scores):
        return len(scores)
