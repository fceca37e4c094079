"""torch's GPU trace callbacks as a source: waits for a device, a stream or an event that go through torch.

A callback comes right before the wait, in the thread that waits. Torch can't unregister one, so it is registered once
in the process and gated by a flag; what stays behind costs each wait, each allocation and each release of device
memory a few microseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from hostsync.runtime.errors import SourceError

OnTrace = Callable[[str, "int | None", "FrameType | None"], None]

_listeners: list[OnTrace] = []
is_registered = False
"""Whether torch calls back into Python, from then on until the process ends."""


def _frame() -> FrameType | None:
    """The innermost frame outside of torch's own callback registry."""
    try:
        frame: FrameType | None = sys._getframe(2)
    except ValueError:
        return None
    while frame is not None and frame.f_code.co_name == "fire_callbacks":
        frame = frame.f_back
    return frame


def _on_stream(stream: int) -> None:
    if _listeners:
        frame = _frame()
        for listener in tuple(_listeners):
            listener("stream", stream, frame)


def _on_device(*_: Any) -> None:
    if _listeners:
        frame = _frame()
        for listener in tuple(_listeners):
            listener("device", None, frame)


def _on_event(_: int) -> None:
    if _listeners:
        frame = _frame()
        for listener in tuple(_listeners):
            listener("event", None, frame)


class Trace:
    """Listens while it is started.

    Args:
        on_wait: called with the kind (`stream`, `device` or `event`), the handle of the stream (not its number) and the
            innermost Python frame.
    """

    def __init__(self, on_wait: OnTrace) -> None:
        self._on_wait = on_wait

    def start(self) -> None:
        """Begin to listen.

        Raises:
            SourceError: this torch has no such callbacks.
        """
        global is_registered
        try:
            import torch
            from torch.cuda import _gpu_trace

            if torch.version.cuda is None:
                raise SourceError("this torch is built without CUDA")
            if not is_registered:
                _gpu_trace.register_callback_for_stream_synchronization(_on_stream)
                _gpu_trace.register_callback_for_device_synchronization(_on_device)
                _gpu_trace.register_callback_for_event_synchronization(_on_event)
                torch._C._activate_gpu_trace()
                is_registered = True
        except (ImportError, AttributeError) as error:
            raise SourceError("this torch has no GPU trace callbacks") from error
        _listeners.append(self._on_wait)

    def stop(self) -> None:
        """Stop listening. Safe to call twice."""
        if self._on_wait in _listeners:
            _listeners.remove(self._on_wait)

    def forget(self) -> None:
        """In a forked child."""
        self.stop()
