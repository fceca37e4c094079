"""Raising an error in code that is inside of a C call, as soon as that call is over.

A callback of the driver can't raise: what it raises never reaches the interpreter. Instead the frame that made the
call gets a trace function, which raises when the frame begins its next line or returns. (Tracing by instruction would
raise earlier, but Python 3.12 crashes when that is switched on in the middle of an instruction.)
"""

from __future__ import annotations

import ctypes
import sys
import threading
from types import FrameType
from typing import Any

from hostsync.runtime.errors import RAISED_SOON, HostSyncError


class _Armed(threading.local):
    frame: FrameType | None = None
    error: HostSyncError | None = None
    tracer: Any = None
    """The thread's trace function before ours."""
    local: Any = None


_armed = _Armed()


def raise_soon(frame: FrameType, error: HostSyncError) -> None:
    """Raise an error in a frame of this thread when it begins another line or returns.

    Has no effect while another error is on its way in this thread.
    """
    if _armed.frame is not None:
        return
    _armed.frame, _armed.error = frame, error
    _armed.tracer = sys.gettrace()
    _armed.local = frame.f_trace
    frame.f_trace = _local
    sys.settrace(_ignore)


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
