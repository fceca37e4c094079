"""Worker processes that stay for a whole scan: each is handed work over a pipe of its own, and keeps what it learns.

The executors of `concurrent.futures` hand an item to whichever process is free; here the caller chooses, so that a file
can go back to the process that has parsed it already, and nobody is told twice what it knows.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from hostsync.project.collection import collect_never

if TYPE_CHECKING:
    # Imported where they are used: what is in the cache needs no processes.
    import queue
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

HERE = 0
"""Stands for this process where workers are numbered."""
MOST_ON_WINDOWS = 60
_SECONDS_TO_END = 10
_numbers = itertools.count(HERE + 1)


class Died:
    """Stands in for what a worker would have answered, had it not died."""


class Answer(NamedTuple):
    worker: int
    """Its number: another one for each process that was ever started."""
    ticket: object
    """What `hand` was given along with the work."""
    value: object
    """What the function returned, or `Died`."""


class _Worker:
    def __init__(self, number: int, process: BaseProcess, pipe: Connection) -> None:
        self.number = number
        self.process = process
        self.pipe = pipe
        self.tickets: deque[object] = deque()
        """Of the work in its hands, the oldest first."""


class Workers:
    """Processes that do what they are handed, in the order in which they are handed it.

    Args:
        count: how many; 0 stands for one per core.
        prepare: called in each of them first; a function that can be found by name in another process, or a partial
            application of one to plain data.
    """

    def __init__(self, count: int = 0, prepare: Callable[[], object] | None = None) -> None:
        self.count = max(1, count or core_count())
        if sys.platform == "win32":
            self.count = min(self.count, MOST_ON_WINDOWS)
        self._prepare = prepare
        self._workers: list[_Worker] = []
        self._ending: list[_Worker] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    def start(self, count: int | None = None) -> None:
        """Starts what is missing of the processes, or of the first `count`."""
        wanted = self.count if count is None else min(count, self.count)
        while len(self._workers) < wanted:
            self._workers.append(self._start())

    def idlest(self) -> tuple[int, int]:
        """The worker with the least in its hands, and how many pieces of work that is."""
        best = min(self._workers, key=lambda worker: len(worker.tickets))
        return best.number, len(best.tickets)

    @property
    def numbers(self) -> list[int]:
        """Those of the processes."""
        return [worker.number for worker in self._workers]

    @property
    def busy(self) -> bool:
        return any(worker.tickets for worker in self._workers)

    def hand(self, number: int, ticket: object, function: Callable[..., object], *args: object) -> None:
        """Lets a worker call `function`, which has to be found by name there; `wait` gives what comes of it."""
        worker = next(worker for worker in self._workers if worker.number == number)
        worker.tickets.append(ticket)
        try:
            worker.pipe.send((function, args))
        except (BrokenPipeError, ConnectionResetError):
            # `wait` finds out.
            return

    def wait(self) -> list[Answer]:
        """What the workers have answered since, at least one answer. A worker that has died is replaced.

        Raises:
            what a function has raised, or what `prepare` has.
        """
        from multiprocessing.connection import wait

        ready = set(wait([worker.pipe for worker in self._workers if worker.tickets]))
        found: list[Answer] = []
        for place, worker in enumerate(self._workers):
            if worker.pipe not in ready:
                continue
            try:
                is_value, value = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                found += [Answer(worker.number, ticket, Died()) for ticket in worker.tickets]
                worker.pipe.close()
                worker.process.join(_SECONDS_TO_END)
                self._workers[place] = self._start()
                continue
            if not is_value:
                raise value
            found.append(Answer(worker.number, worker.tickets.popleft(), value))
        return found

    def another(self) -> Workers:
        """One more process of the same kind, not started."""
        return Workers(1, self._prepare)

    def dismiss(self) -> None:
        """Lets the processes end, whatever they are doing: it takes a while to give back their memory."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.process.terminate()
            worker.pipe.close()
        self._ending += workers

    def end(self) -> None:
        """Ends the processes. Safe to call twice."""
        self.dismiss()
        workers, self._ending = self._ending, []
        for worker in workers:
            worker.process.join(_SECONDS_TO_END)

    def _start(self) -> _Worker:
        context = _context()
        ours, theirs = context.Pipe()
        inherited = ours if context.get_start_method() == "fork" else None
        process = context.Process(target=_serve, args=(theirs, inherited, self._prepare), daemon=True)  # type: ignore[attr-defined]
        process.start()
        # Only the worker holds its end now, so that the pipe breaks when the worker dies.
        theirs.close()
        return _Worker(next(_numbers), process, ours)


def core_count() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _context() -> BaseContext:
    """Forked workers share what is imported. macOS has fork, but its system libraries do not survive it."""
    import multiprocessing

    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


# --- in the worker -------------------------------------------------------------------------------


class _Serving:
    work: queue.SimpleQueue[tuple[Callable[..., object], Sequence[object]]] | None = None
    """What this process has been handed and has not begun; None outside of workers."""


def is_awaited() -> bool:
    """Whether a worker has been handed more than what it is doing."""
    return _Serving.work is not None and not _Serving.work.empty()


def _serve(pipe: Connection, inherited: Connection | None, prepare: Callable[[], object] | None) -> None:
    import queue
    import signal
    import threading
    from pickle import PicklingError

    if inherited is not None:
        # Else the pipe would not break when the parent dies. (The last worker that was forked notices first, as those
        # before it left their pipes to it.)
        inherited.close()
    # Ctrl-C reaches the whole process group; only the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    collect_never()
    work: queue.SimpleQueue[tuple[Callable[..., object], Sequence[object]]] = queue.SimpleQueue()
    _Serving.work = work
    threading.Thread(target=_take_in, args=(pipe, work), daemon=True).start()
    broken: Exception | None = None
    try:
        if prepare is not None:
            prepare()
    except Exception as error:
        broken = error
    while True:
        function, args = work.get()
        try:
            if broken is not None:
                raise broken
            answer = True, function(*args)
        except Exception as error:
            answer = False, error
        try:
            pipe.send(answer)
        except (TypeError, AttributeError, PicklingError) as error:
            pipe.send((False, RuntimeError(f"{answer[1]!r} can't be sent: {error}")))


def _take_in(pipe: Connection, work: Any) -> None:
    """Reads at once whatever is sent: were both sides to write, and none to read, they would wait for ever."""
    while True:
        try:
            work.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(1)
