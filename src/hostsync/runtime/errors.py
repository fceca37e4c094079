"""What the runtime raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hostsync.runtime.records import Wait

RAISED_SOON: dict[int, HostSyncError] = {}
"""Errors on their way into a thread that can only be handed a class, by the thread's identifier."""


class HostSyncError(RuntimeError):
    """The host waited for the GPU where that is forbidden. Can be pickled.

    Attributes:
        wait: what waited, where and for how long; None when the error was made without one.
        raised: whether it was raised in the code that waited.
    """

    wait: Wait | None
    raised: bool = False

    def __init__(self, message: str | None = None, wait: Wait | None = None) -> None:
        if message is None:
            # Raised into this thread by another one, which could hand over the class only.
            from threading import get_ident

            meant = RAISED_SOON.pop(get_ident(), None)
            if meant is not None:
                meant.raised = True
            message, wait = (str(meant), meant.wait) if meant else ("the host waited for the GPU", None)
        super().__init__(message)
        self.wait = wait

    def __reduce__(self) -> tuple[type[HostSyncError], tuple[str, Wait | None]]:
        return HostSyncError, (str(self), self.wait)


class OracleError(RuntimeError):
    """The oracle can't judge here: no CUDA, or a stream that is being captured. The message says what to do."""


class SourceError(RuntimeError):
    """A source of events can't be used here; the message says why, in one sentence."""


def describe(wait: Wait) -> str:
    """A sentence about a wait, as the text of an error."""
    place = wait.place
    where = "in code without a Python frame"
    if place is not None:
        column = f":{place.column}" if place.column else ""
        where = f"at {place.filename}:{place.row}{column} in {place.function}"
    what = wait.operation or wait.call
    details = [wait.call] if wait.operation else []
    if wait.memory:
        details.append(f"{wait.memory} memory")
    if wait.bytes is not None:
        details.append(f"{wait.bytes} bytes")
    more = f" ({', '.join(details)})" if details else ""
    return f"the host waited for the GPU {where}: {what}{more}"
