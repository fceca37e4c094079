"""What becomes of a signal in programs that tests start, whatever becomes of it in the tests themselves."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def handled(number: int, how: signal.Handlers = signal.SIG_DFL) -> Iterator[None]:
    """Programs that are started meanwhile inherit it: under nohup, for one, a hangup is ignored by all."""
    before = signal.signal(number, how)
    try:
        yield
    finally:
        signal.signal(number, before)
