"""Raising an error in code that is inside of a C call, as soon as that call is over.

A callback of the driver can't raise: what it raises never reaches the interpreter. Instead the frame that made the
call gets a trace function, which raises when the frame begins another line under the same exception handler, or
returns. Raised anywhere else it would skip the clean-up of a `with` or `finally`: when nothing went wrong, Python
leaves these by instructions that no handler covers. Tracing by instruction would raise earlier; it isn't done because
Python 3.12.3 crashed in a test of it, for a reason that was not found.
"""

from __future__ import annotations

import ctypes
import dis
import sys
import threading
from types import FrameType
from typing import Any

from hostsync.runtime.errors import RAISED_SOON, HostSyncError


class _Armed(threading.local):
    frame: FrameType | None = None
    error: HostSyncError | None = None
    handler: int | None = None
    tracer: Any = None
    """The thread's trace function before ours."""
    local: Any = None


_armed = _Armed()


def raise_soon(frame: FrameType, error: HostSyncError) -> None:
    """Raise an error in a frame of this thread when it begins another line under the same handler, or returns.

    Has no effect while another error is on its way in this thread.
    """
    if _armed.frame is not None:
        return
    _armed.frame, _armed.error = frame, error
    _armed.handler = _handler_at(frame)
    _armed.tracer = sys.gettrace()
    _armed.local = frame.f_trace
    frame.f_trace = _local
    sys.settrace(_ignore)


def _handler_at(frame: FrameType) -> int | None:
    """The offset of the exception handler around a frame's instruction, -1 without one; None where it can't be told.

    Python 3.10 keeps its handlers out of reach.
    """
    parse = getattr(dis, "_parse_exception_table", None)
    if parse is None:
        return None
    # The innermost handler's entry is the only one that covers an instruction.
    entries: list[Any] = parse(frame.f_code)
    return next((entry.target for entry in entries if entry.start <= frame.f_lasti < entry.end), -1)


def _ignore(frame: FrameType, event: str, argument: object) -> None:
    return None


def _local(frame: FrameType, event: str, argument: object) -> Any:
    error = _armed.error
    if frame is not _armed.frame or error is None:
        return None
    if event == "exception":
        # The operation raised by itself; that goes first.
        disarm()
        return None
    if event == "line" and (_armed.handler is None or _handler_at(frame) != _armed.handler):
        return _local
    _reset(frame)
    error.raised = True
    raise error


def _reset(frame: FrameType) -> None:
    frame.f_trace = _armed.local
    _armed.frame = _armed.error = _armed.local = None


def armed_error() -> HostSyncError | None:
    """The error that is on its way in this thread."""
    return _armed.error


def disarm() -> None:
    """Take back an error that has not been raised, and give the thread its trace function back."""
    if _armed.frame is not None:
        _reset(_armed.frame)
    if sys.gettrace() in (None, _ignore) and (_armed.tracer is not None or sys.gettrace() is _ignore):
        # Python takes the trace function away when it raises.
        sys.settrace(_armed.tracer)
    _armed.tracer = None


def raise_in(thread: int, error: HostSyncError) -> None:
    """Raise an error in another thread, where its Python code goes on next.

    Args:
        thread: its identifier, as `threading.get_ident()` gives it there.
    """
    if thread in RAISED_SOON:
        return
    RAISED_SOON[thread] = error
    raised = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(HostSyncError))
    if raised == 0:
        RAISED_SOON.pop(thread, None)
