"""Which sources of events are active, and how what they see becomes waits.

A source is started when the first region that wants it opens, and stopped when the last one closes. Before CUDA is
initialized nothing is started, so that a program which forks first still can; the sources then start with CUDA.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple, Protocol

from hostsync.runtime import chain, places, trace
from hostsync.runtime.driver import Driver, Seen
from hostsync.runtime.errors import HostSyncError, SourceError
from hostsync.runtime.merge import Merger
from hostsync.runtime.raising import armed_error, disarm, raise_in, raise_soon
from hostsync.runtime.records import SOURCES, Wait

ORDER = ("driver", "trace", "debug")
"""The sources that can be asked for, the most complete first."""

BLIND = {
    "driver": (),
    "trace": (
        "copies that wait by themselves: to the host into pageable memory, to the device from much pageable memory",
        "waits for freed device memory and new pinned memory",
        "waits inside of libraries that call CUDA without torch",
        "how long each wait took",
    ),
    "debug": (
        "torch.cuda.synchronize and Event.synchronize",
        "copies that wait by themselves, waits for freed device memory and new pinned memory",
        "waits inside of libraries that call CUDA without torch",
        "which expression of a backward pass waited, and how long each wait took",
    ),
}
"""What each source can't see."""


class Active(NamedTuple):
    """The sources of a region."""

    names: tuple[str, ...]
    """Those that are active, the most complete first; none when torch can't use a GPU, or hasn't begun to."""
    unavailable: tuple[tuple[str, str], ...]
    """Those that were tried in vain, and why."""
    blind: tuple[str, ...]
    """What none of the active ones can see."""


NOTHING_ACTIVE = Active((), (), ())


class _Source(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def forget(self) -> None: ...


class _Running(NamedTuple):
    source: _Source
    users: set[int]


_lock = threading.RLock()
_running: dict[str, _Running] = {}
_merger = Merger(frozenset())
_next = 0


class Session:
    """What one region asked for. Made by `open_session`."""

    def __init__(self, number: int, wanted: tuple[str, ...]) -> None:
        self._number = number
        self._wanted = wanted
        self._names: tuple[str, ...] = ()
        self._unavailable: list[tuple[str, str]] = []
        self._is_open = True

    @property
    def active(self) -> Active:
        """The state of things."""
        blind: tuple[str, ...] = ()
        if self._names:
            blind = BLIND[min(self._names, key=ORDER.index)]
        return Active(self._names, tuple(self._unavailable), blind)

    def start(self) -> None:
        """Start the sources.

        Raises:
            SourceError: none works, or one that was asked for by name doesn't.
        """
        with _lock:
            if not self._is_open:
                return
            automatic = self._wanted[0] == "auto"
            for name in ORDER if automatic else self._wanted:
                if automatic and self._names and name not in self._wanted:
                    continue
                try:
                    _use(name, self._number)
                except SourceError as error:
                    self._unavailable.append((name, str(error)))
                    if automatic:
                        continue
                    self._release()
                    raise SourceError(f"{SOURCES[name]} can't be used: {error}") from error
                self._names = (*self._names, name)
            if not self._names:
                reasons = "; ".join(f"{SOURCES[name]}: {why}" for name, why in self._unavailable)
                raise SourceError(f"no source of host waits works here: {reasons}")

    def start_late(self) -> None:
        """Start when CUDA is initialized. A failure is kept in `active`: it must not break the program."""
        try:
            self.start()
        except SourceError:
            return
        except Exception as error:
            self._unavailable.append((self._wanted[0], f"{type(error).__name__}: {error}"))

    def close(self) -> None:
        """End the use of the sources."""
        with _lock:
            self._is_open = False
            self._release()

    def _release(self) -> None:
        for name in self._names:
            _unuse(name, self._number)


def open_session(wanted: tuple[str, ...]) -> Session:
    """Begin to use sources.

    Args:
        wanted: names out of `ORDER`; or `auto`, which may be followed by names to add where they work.

    Returns:
        A session to close. Where torch is missing or built without CUDA, `auto` gives one without sources: nothing can
        wait there.

    Raises:
        ValueError: there is no source of that name.
        SourceError: as `Session.start`, if CUDA is initialized already; or torch can't use CUDA and sources
            were asked for by name.
    """
    global _next
    unknown = [name for name in wanted if name not in ORDER and name != "auto"]
    if unknown or not wanted or "auto" in wanted[1:]:
        raise ValueError(
            f"sources must be 'auto' or names out of {', '.join(ORDER)}, not {', '.join(unknown or wanted)!r}"
        )
    with _lock:
        _next += 1
        session = Session(_next, wanted)
    reason = ""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        reason = "torch isn't installed"
    else:
        if torch.version.cuda is None:
            reason = "this torch is built without CUDA"
    if reason:
        if wanted[0] != "auto":
            raise SourceError(f"{SOURCES[wanted[0]]} can't be used: {reason}")
        session._unavailable += [(name, reason) for name in ORDER]
        return session
    chain.is_compiling = torch.compiler.is_compiling
    if torch.cuda.is_initialized() or hasattr(torch.cuda._tls, "is_initializing"):
        session.start()
    else:
        torch.cuda._lazy_call(session.start_late)
    return session


def _use(name: str, user: int) -> None:
    global _merger
    running = _running.get(name)
    if running is None:
        source = _MAKE[name]()
        source.start()
        running = _running[name] = _Running(source, set())
        _merger = Merger(frozenset(_running))
    running.users.add(user)


def _unuse(name: str, user: int) -> None:
    global _merger
    running = _running.get(name)
    if running is None:
        return
    running.users.discard(user)
    if not running.users:
        _merger.flush()
        del _running[name]
        _merger = Merger(frozenset(_running))
        running.source.stop()


def keep_up() -> None:
    """Put back what a program may have taken away from a source: `warnings.catch_warnings` undoes more than it did."""
    with _lock:
        for running in _running.values():
            again = getattr(running.source, "keep_up", None)
            if again is not None:
                again()


@atexit.register
def _stop_all() -> None:
    # No callback may come once the interpreter is being taken down.
    with _lock:
        for running in _running.values():
            running.source.stop()
        _running.clear()


def _forget_all() -> None:
    global _lock
    _lock = threading.RLock()
    for running in _running.values():
        running.source.forget()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# --- from what a source saw to a wait ------------------------------------------------------------


driver_listeners: list[Callable[[Seen], None]] = []
"""Called with every driver call of `cupti.CALLS`, those that don't wait too, in the thread that made it."""


class _State(threading.local):
    muted = False
    """Whether the thread waits on hostsync's own behalf."""
    copied: tuple[int, int, int | None] | None = None
    """The frame, instruction and stream of the last wait of this thread, if it was a copy."""


_state = _State()


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Inside of it, what this thread waits for isn't reported."""
    before, _state.muted = _state.muted, True
    try:
        yield
    finally:
        _state.muted = before


def _on_driver(seen: Seen, frame: FrameType | None) -> None:
    state = _state
    if state.muted:
        return
    stream = seen.stream
    copied = state.copied
    if copied is not None or seen.bytes is not None:
        spot = (id(frame), frame.f_lasti if frame is not None else 0, stream)
        state.copied = spot if seen.bytes is not None and stream is not None else None
        if copied == spot and seen.kind == "stream":
            # The second half of a blocking copy, which has waited already. Other sources see this half only.
            if len(_running) > 1:
                _merger.saw("driver", "stream", spot[:2], lambda: None)
            return
    wait = _saw("driver", seen, frame)
    if wait is not None:
        _raise(*wait)


def _on_trace(kind: str, stream: int | None, frame: FrameType | None) -> None:
    number = 7 if stream == 0 else None
    wait = _saw("trace", Seen(kind, f"{kind} synchronization", number, 0.0, None, "", True), frame)
    if wait is not None:
        _raise(*wait)


def _on_debug(frame: FrameType | None) -> None:
    while frame is not None and frame.f_code.co_filename.endswith("warnings.py"):
        frame = frame.f_back
    found = _saw("debug", Seen("stream", "synchronizing operation", None, 0.0, None, "", True), frame)
    # A better source may have reported the wait already, with an error that is on its way; here it can be raised.
    error = found[0] if found is not None else armed_error()
    if error is not None:
        if trace.is_registered:
            # Torch calls Python for each block of memory that it frees from then on, also while it passes an error on,
            # which loses the error. So it is raised after the operation.
            if found is not None:
                _raise(*found)
            return
        disarm()
        error.raised = True
        raise error


def _raise(error: HostSyncError, frame: FrameType | None, thread: int | None) -> None:
    if thread is not None:
        raise_in(thread, error)
    elif frame is not None:
        raise_soon(frame, error)


_Found = tuple[HostSyncError, "FrameType | None", "int | None"]


def _saw(source: str, seen: Seen, frame: FrameType | None) -> _Found | None:
    """Report what a source saw. Returns the error to raise, with the frame or the other thread to raise it in."""
    if _state.muted:
        return None
    innermost = chain.innermost.get()
    waiting: FrameType | None = None
    thread: int | None = None
    node = ""
    if innermost is None:
        node = _autograd_node()
        if node or frame is None:
            found = _thread_in_backward()
            if found is not None:
                thread, waiting = found
                innermost = chain.by_thread.get(thread)
                if thread == threading.get_ident():
                    thread = None
        if innermost is None and not chain.everywhere:
            return None
    if len(_running) == 1:
        # No other source sees it, so there is nothing to merge.
        wait, comment = _wait(source, seen, frame, waiting, node)
        error = chain.deliver(wait, innermost, comment)
        return None if error is None else (error, frame, thread)
    at = frame or waiting
    spot = (id(at), at.f_lasti) if at is not None else (0, 0)
    made: list[tuple[Wait, str | None]] = []

    def report() -> _Found | None:
        wait, comment = made[0] if made else _wait(source, seen, frame, waiting, node)
        error = chain.deliver(wait, innermost, comment)
        return None if error is None else (error, frame, thread)

    if source == "trace" and "driver" in _running:
        # It may be reported later, when the frame has moved on.
        made.append(_wait(source, seen, frame, waiting, node))
    found_error: _Found | None = _merger.saw(source, seen.kind, spot, report)
    return found_error


def _wait(
    source: str, seen: Seen, frame: FrameType | None, waiting: FrameType | None, node: str
) -> tuple[Wait, str | None]:
    located = places.locate(frame)
    phase = located.phase
    if waiting is not None and (located.place is None or not _is_users(located.place.filename)):
        # The thread of a backward pass: the expression is the one that started the pass.
        started = places.locate(waiting)
        located = started._replace(
            library=located.library or located.place or started.library,
            first_use=located.first_use or started.first_use,
        )
    if not node and phase == "backward":
        node = _autograd_node()
    if node:
        phase = "backward"
    operation = node or located.operation
    wait = Wait(
        seen.kind,
        seen.call,
        operation,
        located.place,
        located.library,
        located.callers,
        seen.stream,
        _thread_name(),
        phase,
        seen.seconds,
        seen.bytes,
        seen.memory,
        source,
        None,
        located.first_use or (seen.kind == "free" and _freed.is_first(operation)),
    )
    return wait, located.comment


class _Freed(threading.local):
    """The operations in which this thread has freed memory of the device."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def is_first(self, operation: str) -> bool:
        """Whether memory is freed in `operation` for the first time: cuBLAS and its like do so when they set up.

        What is there to give memory back is no set-up.
        """
        if operation in self._known or operation.endswith(("empty_cache", "emptyCache")):
            return False
        self._known.add(operation)
        return True


_freed = _Freed()


def _is_users(filename: str) -> bool:
    return places.owner_of_file(filename) == places.USER


def _autograd_node() -> str:
    global _current_node
    if _current_node is None:
        torch = sys.modules.get("torch")
        _current_node = getattr(getattr(torch, "_C", None), "_current_autograd_node", None) or _no_node
    node = _current_node()
    return node.name() if node is not None else ""


def _no_node() -> None:
    return None


_current_node: Callable[[], Any] | None = None


def _thread_in_backward() -> tuple[int, FrameType] | None:
    """The thread that waits for a backward pass to end, and its frame; one with open regions first."""
    found = None
    for ident, frame in sys._current_frames().items():
        if frame.f_code.co_name == "_engine_run_backward" and places.owner(frame.f_code) == places.TORCH:
            if chain.by_thread.get(ident) is not None:
                return ident, frame
            found = found or (ident, frame)
    return found


_threads: dict[int, threading.Thread] = getattr(threading, "_active", {})


def _thread_name() -> str:
    ident = threading.get_ident()
    thread = _threads.get(ident)
    return thread.name if thread is not None else f"thread {ident}"


def _driver() -> _Source:
    return Driver(_on_driver, driver_listeners)


def _debug() -> _Source:
    from hostsync.runtime.debug_mode import DebugMode

    return DebugMode(_on_debug)


def _trace() -> _Source:
    return trace.Trace(_on_trace)


_MAKE: dict[str, Callable[[], _Source]] = {"driver": _driver, "debug": _debug, "trace": _trace}
