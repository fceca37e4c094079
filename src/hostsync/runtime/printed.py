"""Waits for a line that the program prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

LONGEST = 10_000
"""Characters of a line that are looked at, its last ones."""
_ENDS = re.compile(r"[\r\n]")


class Printed:
    """Calls a function when the program has written text that matches to standard output or standard error.

    What is written through `sys.stdout` and `sys.stderr` is seen: `print`, `logging`, progress bars. What C code or
    child processes write is not.

    Args:
        pattern: searched for in the line that is being written, each time that something is.
        call: called once, after the write.
    """

    def __init__(self, pattern: re.Pattern[str], call: Callable[[], None]) -> None:
        self._pattern = pattern
        self._call = call
        self._watched: list[tuple[Any, Any]] = []

    def start(self) -> None:
        """Begin to look. A stream that can't be looked at, such as None under pythonw, is left out."""
        for stream in {id(stream): stream for stream in (sys.stdout, sys.stderr)}.values():
            original = getattr(stream, "write", None)
            if original is None:
                continue
            write = self._writing(original)
            try:
                stream.write = write  # type: ignore[method-assign]
            except AttributeError:
                continue
            self._watched.append((stream, write))

    def stop(self) -> None:
        """End it. Safe to call twice."""
        watched, self._watched = self._watched, []
        for stream, write in watched:
            # The program may have put a function of its own in the place, which then calls ours.
            if vars(stream).get("write") is write:
                del stream.write

    def _writing(self, original: Callable[[str], Any]) -> Callable[[str], Any]:
        line = ""

        def write(text: str) -> Any:
            nonlocal line
            written = original(text)
            if self._watched and isinstance(text, str):
                # A line may come in pieces; each is searched as soon as it is there.
                *done, rest = _ENDS.split(line + text)
                line = rest[-LONGEST:]
                if any(self._pattern.search(one) for one in (*done, line)):
                    self.stop()
                    self._call()
            return written

        return write
