"""The chain of open regions of each thread and task, and how a wait is handed to them.

Needs no torch. `regions` opens and closes them; `sources` delivers what it sees.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, NamedTuple, Protocol

from hostsync.runtime.errors import HostSyncError
from hostsync.runtime.records import Wait

WATCH, FORBID, ALLOW = range(3)


class Taker(Protocol):
    """A `Capture`, seen from here."""

    def add(self, wait: Wait) -> None: ...


class Region(NamedTuple):
    """A link in the chain of open regions, the innermost first. Never changed, so that tasks can share it."""

    kind: int
    reason: str
    owner: Any
    """The `Capture` of a watch, the `forbid` or the `Allowance` itself."""
    outer: Region | None


innermost: ContextVar[Region | None] = ContextVar("hostsync_regions", default=None)
"""The innermost open region of this thread and task."""
by_thread: dict[int, Region] = {}
"""The innermost region that each thread entered or left last, by its identifier: for waits elsewhere on its behalf."""
everywhere: list[Taker] = []
"""What takes in the waits of all threads."""
on_violation: list[Callable[[Wait], None]] = []
"""Called with each wait that a `forbid` raises for, in the thread that waited, before `everywhere` gets it."""
open_count = 0
"""Open `watch` and `forbid` regions in the process. While it is 0, `allow` does nothing on entering."""
_allow_count = 0
"""Allowances in the process that were entered while something watched."""
regions_open = False
"""Whether one of the two is not 0. One truth value, as torch.compile guards its code by each value that it reads."""
_count_lock = threading.Lock()


def _never() -> bool:
    return False


is_compiling: Callable[[], bool] = _never
"""`torch.compiler.is_compiling` once something has watched: a region leaves no trace in compiled code."""


def count(*, watching: int = 0, allows: int = 0) -> None:
    """Add to the numbers of what is open in the process."""
    global open_count, _allow_count, regions_open
    with _count_lock:
        open_count += watching
        _allow_count += allows
        regions_open = bool(open_count or _allow_count)


def push(region: Region) -> Token[Region | None]:
    """Make a region the innermost one; the token is for `pop`."""
    token = innermost.set(region)
    by_thread[threading.get_ident()] = region
    return token


def pop(token: Token[Region | None], region: Region | None) -> None:
    """Leave a region."""
    try:
        innermost.reset(token)
    except ValueError:
        # Left in another context than entered, as an asynchronous generator may be.
        innermost.set(region.outer if region is not None else None)
    note()


def note() -> None:
    """Let other threads know what is the innermost region of this one."""
    now = innermost.get()
    if now is None:
        by_thread.pop(threading.get_ident(), None)
    else:
        by_thread[threading.get_ident()] = now


def deliver(wait: Wait, region: Region | None, by_comment: str | None) -> HostSyncError | None:
    """Hand a wait to the regions around it.

    Args:
        wait: not yet marked as allowed.
        region: the innermost one of the code that waited.
        by_comment: the reason of an allow comment on its statement.

    Returns:
        The error to raise, if it is forbidden.
    """
    allowed = by_comment
    error = None
    served: list[Taker] = []
    while region is not None:
        if region.kind == ALLOW:
            allowed = allowed or region.reason
        elif region.kind == WATCH:
            served.append(region.owner)
            region.owner.add(wait if allowed is None else wait._replace(allowed=allowed))
        elif allowed is None and error is None:
            error = region.owner.violated(wait)
            for listener in tuple(on_violation):
                listener(wait)
        region = region.outer
    for capture in tuple(everywhere):
        if not served or not any(capture is one for one in served):
            capture.add(wait if allowed is None else wait._replace(allowed=allowed))
    return error
