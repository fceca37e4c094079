"""Whose waits they are: every wait of the process is booked to a phase of a test, or to none.

One watch over all threads sees the waits. A wait is a test's when it happens in the thread that runs the test, in a
thread that was started since the test began, or in a backward pass. The regions of `hostsync.runtime.regions` aren't
asked for it: an event loop that a fixture has made runs the test in a context of its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hostsync.runtime.records import Site, Wait

MOST_WAITS = 1_000
"""Single waits that a phase keeps."""
MOST_GROUPS = 5_000
"""Groups that a phase tells apart; further waits are booked without a place."""
MOST_STREAMS = 32

CHECKED, FIRST_USE, SHARED = "checked", "first use", "shared"
"""Why a wait isn't judged with its test: an assertion inside the test has judged it; torch.compile, an autotuner,
the recording of CUDA graphs or the set-up of a library made it, which happens once; it belongs to the set-up of a
fixture that tests share."""


class Group(NamedTuple):
    """Waits that are alike in everything that a judgement may ask for."""

    site: Site
    fate: str
    """Empty for waits to be judged; else CHECKED, FIRST_USE or SHARED."""


class Record:
    """The waits of one phase, added up in bounded memory. Any thread may add."""

    def __init__(self) -> None:
        self._groups: dict[tuple[Any, ...], list[Any]] = {}
        self._waits: list[Wait] = []
        # Reentrant: a wait in a finalizer may interrupt `add` in its own thread.
        self._lock = threading.RLock()

    def add(self, wait: Wait, fate: str = "") -> None:
        """Take in one wait."""
        with self._lock:
            if len(self._waits) < MOST_WAITS:
                self._waits.append(wait)
            key: tuple[Any, ...] = (
                *(wait.place, wait.library, wait.callers, wait.kind, wait.call, wait.memory, wait.phase),
                *(wait.operation if wait.phase == "backward" or wait.place is None else "", wait.allowed, fate),
            )
            group = self._groups.get(key)
            if group is None:
                if len(self._groups) >= MOST_GROUPS:
                    wait = wait._replace(place=None, library=None, callers=(), kind="other", operation="", memory="")
                    key = (None, wait.allowed, fate)
                group = self._groups.setdefault(key, [0, 0.0, 0.0, 0, set(), wait, fate])
            group[0] += 1
            group[1] += wait.seconds
            group[2] = max(group[2], wait.seconds)
            group[3] += wait.bytes or 0
            if wait.stream is not None and len(group[4]) < MOST_STREAMS:
                group[4].add(wait.stream)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """The first waits, in order."""
        with self._lock:
            return tuple(self._waits)

    def groups(self) -> tuple[Group, ...]:
        """What was added."""
        with self._lock:
            rows = [(*group[:4], tuple(sorted(group[4])), *group[5:]) for group in self._groups.values()]
        return tuple(
            Group(
                Site(
                    *(wait.place, wait.kind, wait.operation, count, seconds, longest, size, wait.memory),
                    *(streams, wait.phase, None, wait.allowed, wait),
                ),
                fate,
            )
            for count, seconds, longest, size, streams, wait, fate in rows
        )

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._groups.clear()
            self._waits.clear()


class _Thread(threading.local):
    checked = False
    """Whether an assertion inside the test has taken the wait that is being delivered."""


class Ledger:
    """Books the waits of the process.

    Attributes:
        elsewhere: waits that belong to no test.
    """

    def __init__(self) -> None:
        self.elsewhere = Record()
        self._record: Record | None = None
        self._owner = 0
        self._known: frozenset[threading.Thread] = frozenset()
        self._shared = 0
        self._thread = _Thread()

    def begin(self) -> None:
        """A test begins in this thread."""
        self._owner = threading.get_ident()
        self._known = frozenset(threading.enumerate())
        self._shared = 0

    @contextmanager
    def phase(self, record: Record) -> Iterator[None]:
        """Inside of it, the waits of the test go to `record`."""
        self._record = record
        try:
            yield
        finally:
            self._record = None

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Inside of it, a fixture is set up that tests share."""
        self._shared += 1
        try:
            yield
        finally:
            self._shared -= 1

    def check(self, _: Wait) -> None:
        """The wait that is being delivered in this thread is judged by an assertion."""
        self._thread.checked = True

    def book(self, wait: Wait) -> None:
        """Book a wait; called in the thread that waited, after the regions around it."""
        checked, self._thread.checked = self._thread.checked, False
        record = self._record
        if record is None or not self._is_of_the_test(wait):
            self.elsewhere.add(wait)
            return
        fate = ""
        if checked:
            fate = CHECKED
        elif self._shared and threading.get_ident() == self._owner:
            fate = SHARED
        elif wait.allowed is None and (wait.first_use or _is_compiling()):
            fate = FIRST_USE
        record.add(wait, fate)

    def _is_of_the_test(self, wait: Wait) -> bool:
        ident = threading.get_ident()
        if ident == self._owner:
            return True
        active: dict[int, threading.Thread] = getattr(threading, "_active", {})
        thread = active.get(ident)
        if thread is None or isinstance(thread, threading._DummyThread):
            # Python has not started it: a thread of a backward pass, or a library's own.
            return wait.phase == "backward"
        return thread not in self._known


def _is_compiling() -> bool:
    """Whether the thread is in torch.compile's compiler, which may run code of the program."""
    context = getattr(sys.modules.get("torch._guards"), "CompileContext", None)
    return context is not None and context.try_get() is not None
