"""Counts how often the lines of chosen files are begun while a program runs.

Python 3.12 and later tell it through `sys.monitoring`, in which code of other files costs one call for each function.
Older ones need a trace function. Counted is each place in the bytecode at which a line begins: a line of several
statements, or one that a call of several lines comes back to, has more than one; `executions` makes sense of them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple

MOST_CODES = 100_000
"""Code objects that are told apart. What runs in further ones is not counted."""
_TOOL_IDS = (4, 3, 2, 5, 1, 0)
"""Those of `sys.monitoring`, the ones that nobody has a claim to first."""


class Begun(NamedTuple):
    """A place in the bytecode at which a line began."""

    row: int
    offset: int
    """Of the instruction."""
    times: int


class CoveredCode(NamedTuple):
    """A code object of a chosen file, and what of it was begun."""

    code: CodeType
    begun: tuple[Begun, ...]


class _Counts:
    """Of one code object."""

    __slots__ = ("code", "places")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.places: dict[tuple[int, int], int] = {}


class Coverage:
    """Counts lines of this process, in all threads that begin after `start`.

    Counts may be a few too low where threads run the same line at the same moment.
    """

    def __init__(self, is_chosen: Callable[[str], bool]) -> None:
        """
        Args:
            is_chosen: whether the lines of a file, by the name that its code objects carry, are to be counted.
        """
        self._is_chosen = is_chosen
        # The code object is kept with its counts, so that its identity stays its own.
        self._codes: dict[int, _Counts] = {}
        self._chosen: dict[str, bool] = {}
        self._rows: dict[str, dict[int, int]] = {}
        # Reentrant: a signal handler of the program may interrupt its own thread in here.
        self._lock = threading.RLock()
        self._tool: int | None = None
        self._tracing = False
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why counts are missing or may be too low; one sentence, empty where all is well."""
        return self._trouble

    @property
    def is_on(self) -> bool:
        return self._tool is not None or self._tracing

    def start(self) -> bool:
        """Begins to count. Returns whether it can; where not, `trouble` says why."""
        return self._start_monitoring() if sys.version_info >= (3, 12) else self._start_tracing()

    def stop(self) -> None:
        """Ends counting, and leaves everything as it was. May be called again."""
        if self._tool is not None:
            self._stop_monitoring()
        if self._tracing:
            self._stop_tracing()

    def entered(self, filename: str, row: int) -> int:
        """How often a row was begun so far, by the name of the file that its code objects carry."""
        rows = self._rows.get(filename)
        return 0 if rows is None else rows.get(row, 0)

    def codes(self) -> Mapping[str, tuple[CoveredCode, ...]]:
        """What was begun, by the file name of the code objects."""
        found: dict[str, list[CoveredCode]] = {}
        with self._lock:
            counted = list(self._codes.values())
        for counts in counted:
            places = sorted(counts.places.copy().items())
            begun = tuple(Begun(row, offset, times) for (row, offset), times in places)
            found.setdefault(counts.code.co_filename, []).append(CoveredCode(counts.code, begun))
        return {filename: tuple(codes) for filename, codes in found.items()}

    def _counts_of(self, code: CodeType) -> _Counts | None:
        """Where to count the lines of `code`; None if it is not of a chosen file."""
        filename = code.co_filename
        chosen = self._chosen.get(filename)
        if chosen is None:
            chosen = self._chosen[filename] = self._is_chosen(filename)
        if not chosen:
            return None
        counts = self._codes.get(id(code))
        if counts is not None:
            return counts
        with self._lock:
            if len(self._codes) >= MOST_CODES:
                self._trouble = f"More than {MOST_CODES:,} functions ran; those after that were not counted."
                return None
            self._rows.setdefault(filename, {})
            return self._codes.setdefault(id(code), _Counts(code))

    def _count(self, counts: _Counts, row: int, offset: int) -> None:
        places, place = counts.places, (row, offset)
        places[place] = places.get(place, 0) + 1
        rows = self._rows[counts.code.co_filename]
        rows[row] = rows.get(row, 0) + 1

    # --- Python 3.12 and later -------------------------------------------------------------------

    def _start_monitoring(self) -> bool:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events = monitoring.events
        tool = next((number for number in _TOOL_IDS if monitoring.get_tool(number) is None), None)
        if tool is None:
            self._trouble = "All tools of sys.monitoring are taken by others, so executions were not counted."
            return False
        monitoring.use_tool_id(tool, "hostsync")
        disable = monitoring.DISABLE
        frame_above = sys._getframe

        # From Python 3.13 on, a function whose body begins in the row of its `def` or `lambda` tells of no line where
        # its own begin is not monitored as well (gh-155992 of python/cpython).
        counted = disable if sys.version_info < (3, 13) else None

        def began(code: CodeType, offset: int) -> Any:
            if id(code) in self._codes:
                return counted
            if self._counts_of(code) is None:
                return disable
            monitoring.set_local_events(tool, code, events.LINE)
            return counted

        def line(code: CodeType, row: int) -> Any:
            counts = self._codes.get(id(code))
            if counts is None:
                return disable
            self._count(counts, row, frame_above(1).f_lasti)
            return None

        monitoring.register_callback(tool, events.PY_START, began)
        monitoring.register_callback(tool, events.LINE, line)
        # An earlier owner of the number may have left places switched off.
        monitoring.restart_events()
        monitoring.set_events(tool, events.PY_START)
        self._tool = tool
        return True

    def _stop_monitoring(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        tool, self._tool = self._tool, None
        monitoring.set_events(tool, 0)
        for counts in list(self._codes.values()):
            monitoring.set_local_events(tool, counts.code, 0)
        for event in (monitoring.events.PY_START, monitoring.events.LINE):
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

    # --- before ----------------------------------------------------------------------------------

    def _start_tracing(self) -> bool:
        if sys.gettrace() is not None or threading.gettrace() is not None:
            self._trouble = (
                "Another tool traces this program (a debugger, or a measurement of coverage), so executions were not "
                "counted; in Python 3.12 and later both can."
            )
            return False
        self._tracing = True
        threading.settrace(self._called)
        sys.settrace(self._called)
        return True

    def _stop_tracing(self) -> None:
        self._tracing = False
        if threading.gettrace() == self._called:
            threading.settrace(None)  # type: ignore[arg-type,unused-ignore]
        if sys.gettrace() == self._called:
            sys.settrace(None)
        elif sys.gettrace() is not None:
            self._trouble = "Another tool began to trace this program, so executions after that were not counted."

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self._tracing:
            return None
        counts = self._counts_of(frame.f_code)
        if counts is None:
            return None

        def traced(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                self._count(counts, frame.f_lineno, frame.f_lasti)
            return traced if self._tracing else None

        return traced
