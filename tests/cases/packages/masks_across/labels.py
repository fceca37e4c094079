"""Comparisons of what is handed in."""

from typing import Union

from torch import Tensor


def is_known(labels):
    return labels >= 0


def is_unknown(labels) -> Union[bool, Tensor]:
    return labels < 0


def is_within(labels, count):
    inside = labels >= 0
    return ~(labels < 0) & inside


def shifted(labels):
    return -labels
