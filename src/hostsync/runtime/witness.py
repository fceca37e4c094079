"""Beside the waits of a run: in how many executions of an expression the host waited, and through which calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from hostsync.runtime.coverage import Coverage
from hostsync.runtime.records import Place, Wait

MOST_PLACES = 50_000
"""Places that are told apart; nothing is said of further ones."""


Key = TypeVar("Key")


class Passed(NamedTuple):
    """Waits inside of what an expression calls."""

    waits: int
    waited: int
    seconds: float


class _Tally:
    __slots__ = ("last", "seconds", "waited", "waits")

    def __init__(self) -> None:
        self.waits = 0
        self.waited = 0
        self.seconds = 0.0
        self.last = -1

    def add(self, seconds: float, begun: int) -> None:
        self.waits += 1
        self.seconds += seconds
        if begun != self.last:
            # The line has begun anew since the last wait.
            self.waited += 1
            self.last = begun


class Witness:
    """Is shown each wait where it happens, while lines are counted."""

    def __init__(self, coverage: Coverage, is_scanned: Callable[[str], bool], warmup: int = 0) -> None:
        """
        Args:
            coverage: counts the lines of the scanned files.
            is_scanned: whether a file, by the name that its code objects carry, is one of them.
            warmup: the first times that a line of a scanned file is begun that do not count.
        """
        self._coverage = coverage
        self._is_scanned = is_scanned
        self._warmup = warmup
        self._own: dict[tuple[Place, str], _Tally] = {}
        self._calls: dict[Place, _Tally] = {}
        self._skipped = 0
        # Reentrant: a wait in a signal handler or a finalizer may interrupt its own thread in here.
        self._lock = threading.RLock()

    @property
    def skipped(self) -> int:
        """Waits that belong to the warm-up."""
        return self._skipped

    def keep(self, wait: Wait) -> bool:
        """Takes a wait in. Returns whether it counts."""
        place = wait.place
        if place is None or not self._is_scanned(place.filename):
            return True
        begun = self._coverage.entered(place.filename, place.row)
        with self._lock:
            if self._coverage.is_on and begun <= self._warmup:
                self._skipped += 1
                return False
            _tally(self._own, (place, wait.kind), wait.seconds, begun)
            for caller in wait.callers:
                if self._is_scanned(caller.filename):
                    above = self._coverage.entered(caller.filename, caller.row)
                    if above > self._warmup:
                        _tally(self._calls, caller, wait.seconds, above)
        return True

    def waited(self, place: Place, kind: str) -> int | None:
        """In how many executions of `place` the host waited; None if that was not counted."""
        tally = self._own.get((place, kind))
        return None if tally is None or not self._coverage.entered(place.filename, place.row) else tally.waited

    def passed(self) -> Mapping[Place, Passed]:
        """The expressions of scanned files that called what waited."""
        with self._lock:
            return {place: Passed(t.waits, t.waited, t.seconds) for place, t in self._calls.items()}


def _tally(tallies: dict[Key, _Tally], key: Key, seconds: float, begun: int) -> None:
    tally = tallies.get(key)
    if tally is None:
        if len(tallies) >= MOST_PLACES:
            return
        tally = tallies[key] = _Tally()
    tally.add(seconds, begun)
