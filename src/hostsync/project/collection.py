"""When Python looks for garbage and frees it: a scan makes next to none, and a look walks through all that it keeps."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SELDOM = (100_000_000, 20, 100)
"""With 5 million for the first, a scan of 1.1 million lines in one process took 1.9 s longer, and no less memory."""


def collect_seldom() -> None:
    """For the rest of the process."""
    gc.set_threshold(*_SELDOM)


def collect_never() -> None:
    """For the rest of a worker process: a tenth of the time. On 1.1 million lines no worker was larger for it."""
    gc.freeze()
    gc.disable()


def keep_to_the_end() -> None:
    """From now on `held` holds what it is given: the process ends after the scan, without freeing anything first."""
    _Held.is_on = True


def held(*things: object) -> None:
    """Takes what a scan leaves behind, so that a process that ends soon need not free it piece by piece.

    On 1.1 million lines with one changed file that took 0.07 of 0.92 s.
    """
    if _Held.is_on:
        _Held.things.extend(things)


class _Held:
    is_on = False
    things: Final[list[object]] = []


@contextmanager
def sparse_collection() -> Iterator[None]:
    """Inside of it, as `collect_seldom`."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
