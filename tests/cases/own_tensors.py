"""Tensors of a class of the project, which has methods that torch's tensors have as well, and that do something else."""

import torch
from torch import Tensor


class Coded(Tensor):
    def inverse(self) -> "Coded":
        raise NotImplementedError

    def tolist(self) -> list:
        return super().tolist()  # expect: HS101


class Whole(Coded):
    def inverse(self) -> "Whole":
        return -self


def undone(code: Coded) -> Coded:
    return code.inverse()  # silent: HS601


def wrapped(data: Tensor) -> Coded:
    return data.neg().as_subclass(Whole).inverse()  # silent: HS601


def read(code: Coded):
    factors = torch.linalg.inv(code)  # expect: HS601
    return factors, code.tolist()  # expect: HS101
