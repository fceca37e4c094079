import torch

from .base import Operator
from .generators import Uniform


class Scale(Operator):
    def __init__(self):
        super().__init__()
        self._generator = Uniform()
        self.table = torch.arange(10)
        self.count = 4

    def compute(self, x):
        return x.sum()

    def size(self, x):
        return x.shape[0]


class Shift(Operator):
    def __init__(self):
        super().__init__()
        self._generator = Uniform()
        self.table = torch.zeros(3)
        self.count = 5

    def compute(self, x):
        return x.mean()

    def size(self, x):
        return x.shape[1]
