"""Torch releases, and which of them a statement about an operation speaks of."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

FIRST, LAST = (2, 4), (2, 15)
"""The releases that the shipped knowledge covers."""

_PART: Final = re.compile(r"\s*(<=|>=|<|>|==)\s*(\d+)\.(\d+)\s*")


class TorchRange(NamedTuple):
    """The releases that a scan speaks of, both ends included."""

    first: tuple[int, int] = FIRST
    last: tuple[int, int] = LAST


def parse_release(text: str) -> TorchRange:
    """`2.11` or `2.11.0+cu130` as the range of that one release.

    Raises ValueError when it is no release number.
    """
    match = re.match(r"(\d+)\.(\d+)", text)
    if match is None:
        raise ValueError(f"{text!r} is no torch release; write it like 2.11")
    release = (int(match[1]), int(match[2]))
    return TorchRange(release, release)


def overlaps(torch: TorchRange, specifier: str) -> bool:
    """Whether any release of the range satisfies a specifier such as `<2.15` or `>=2.7,<2.14`; empty means all."""
    first, last = torch
    for part in filter(None, specifier.split(",")):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"{specifier!r} is no version specifier; write it like >=2.7,<2.15")
        operator, release = match[1], (int(match[2]), int(match[3]))
        if operator in {"<", "<="}:
            last = min(last, release if operator == "<=" else (release[0], release[1] - 1))
        elif operator in {">", ">="}:
            first = max(first, release if operator == ">=" else (release[0], release[1] + 1))
        else:
            first, last = max(first, release), min(last, release)
    return first <= last
