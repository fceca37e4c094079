"""Comparisons of what is handed in."""

from typing import Union

from torch import Tensor


def known_of(labels):
    return labels >= 0


def unknown_of(labels) -> Union[bool, Tensor]:
    return labels < 0


def within(labels):
    inside = labels >= 0
    return inside & (labels < 5)


def left(labels):
    return ~(labels < 0)


def shifted(labels):
    return -labels
