"""A line on the terminal while something takes long."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TextIO

from hostsync.lint.scan import Progress

PATIENCE = 1.0
"""Seconds before anything is shown."""
PAUSE = 0.1


class ProgressLine:
    """Rewrites one line of a terminal, and takes it away at the end."""

    def __init__(self, stream: TextIO | None, unit: str = "files") -> None:
        """
        Args:
            stream: the terminal; None shows nothing.
            unit: what is counted.
        """
        self._stream = stream
        self._unit = unit
        self._next = time.monotonic() + PATIENCE
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()

    def update(self, progress: Progress) -> None:
        """Shows how far it is, if it is time to."""
        now = time.monotonic()
        if self._stream is None or now < self._next:
            return
        self._next = now + PAUSE
        share = progress.done / max(1, progress.total)
        filled = int(share * 24)
        text = f"[{'#' * filled}{'.' * (24 - filled)}] {progress.done:,} of {progress.total:,} {self._unit}"
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)
