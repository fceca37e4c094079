"""Waits made by hand, for tests of what is done with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hostsync.runtime.records import Place, Wait


def place(filename: str | Path = "train.py", row: int = 1, column: int = 1, end: int = 5, function: str = "f") -> Place:
    return Place(str(filename), row, column, row, end, function)


def wait(at: Place | None = None, **changes: Any) -> Wait:
    """A wait of one millisecond on stream 7."""
    plain = Wait(
        kind="stream",
        call="cuStreamSynchronize",
        operation="",
        place=at,
        library=None,
        callers=(),
        stream=7,
        thread="MainThread",
        phase="other",
        seconds=0.001,
        bytes=None,
        memory="",
        source="driver",
        allowed=None,
    )
    return plain._replace(**changes)


def marked(path: Path, row: int, text: str) -> Place:
    """The place of `text` in a row of a file."""
    line = path.read_text(encoding="utf-8").splitlines()[row - 1]
    start = line.index(text)
    return Place(str(path), row, start + 1, row, start + 1 + len(text), "f")
