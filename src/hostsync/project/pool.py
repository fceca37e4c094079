"""Maps a function over items with one process per core, and survives what happens to the processes.

A worker that dies takes down neither the run nor the results of others: the items that were in its hands are tried
again one by one, and only the item that kills again is given up.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from hostsync.project.collection import collect_never, sparse_collection

if TYPE_CHECKING:
    # Imported where they are used: what is in the cache needs no processes.
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.context import BaseContext

T = TypeVar("T")
R = TypeVar("R")

MOST_ITEMS_IN_CHUNK = 32
CHUNKS_PER_WORKER = 12
SMALL_CHUNK = 40_000
"""Bytes that are handed to a worker even if others have to wait for them: some 30 ms of work."""
WORTHWHILE_BYTES = 150_000
"""Below this much source the start of processes costs more than it saves."""
WORTHWHILE_ITEMS = 4
MOST_JOBS_ON_WINDOWS = 60


@dataclass(frozen=True)
class Job(Generic[T]):
    """One item, and how much work it is expected to be (bytes)."""

    item: T
    weight: int


class Died:
    """Stands in for the result of an item whose worker process died."""


def core_count() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def run(
    jobs: Sequence[Job[T]],
    work: Callable[[T], R],
    *,
    workers: int = 0,
    prepare: Callable[[], None] | None = None,
    done: Callable[[int], None] | None = None,
    order: Order[R] | None = None,
) -> list[R | Died]:
    """Maps `work` over the items of `jobs`.

    Args:
        jobs: the items.
        work: a function that can be found by name in another process.
        workers: number of processes; 0 stands for one per core, 1 works in this process.
        prepare: imports what `work` needs; it runs where forked processes then share it.
        done: is told how many items have been finished so far.
        order: what must be finished before what, and what finished items tell later ones.

    Returns:
        The results in the order of `jobs`.

    Raises:
        what `work` raises; KeyboardInterrupt, after the processes have been ended.
    """
    workers = min(workers or core_count(), len(jobs))
    if sys.platform == "win32":
        workers = min(workers, MOST_JOBS_ON_WINDOWS)
    return _Run(jobs, work, max(1, workers), prepare, done, order or Order()).results()


class Order(Generic[R]):
    """How the items of a run depend on each other. This one: not at all."""

    def after(self, index: int) -> Collection[int]:
        """The items that must be finished before this one."""
        return ()

    def known(self, index: int) -> R | None:
        """The result of an item, if it need not be worked out. Asked once all that is before it is finished."""
        return None

    def finished(self, index: int, result: R | Died) -> None:
        """Takes note of a result."""

    def shared(self, indexes: Sequence[int]) -> object:
        """What a worker has to be told before it works on these items: plain data, None for nothing."""
        return None

    def receive(self) -> Callable[[object], None]:
        """The function, to be found by name in another process, that takes in what `shared` gives."""
        return _ignore


def _ignore(_: object) -> None:
    pass


Entry = tuple[int, T]
"""An item with its place among the jobs."""


class _Run(Generic[T, R]):
    """One run: which items are ready, which are in the hands of a worker, and what came out."""

    def __init__(
        self,
        jobs: Sequence[Job[T]],
        work: Callable[[T], R],
        workers: int,
        prepare: Callable[[], None] | None,
        done: Callable[[int], None] | None,
        order: Order[R],
    ) -> None:
        self.jobs = jobs
        self.work = work
        self.workers = workers
        self.prepare = prepare
        self.done = done
        self.order = order
        self.found: dict[int, R | Died] = {}
        self.needed_by: dict[int, list[int]] = {}
        self.left: dict[int, int] = {}
        for index in range(len(jobs)):
            before = order.after(index)
            self.left[index] = len(before)
            for other in before:
                self.needed_by.setdefault(other, []).append(index)
        urgency = self._urgencies()
        self.by_rank = sorted(range(len(jobs)), key=lambda index: (urgency[index], -index))
        """The items by how urgent they are; the most urgent is the last."""
        self.rank = {index: rank for rank, index in enumerate(self.by_rank)}
        self.rest = sum(job.weight for job in jobs)
        """The weight of what is not finished."""
        self.chunk_weight = max(1, sum(job.weight for job in jobs) // (workers * CHUNKS_PER_WORKER))
        self.todo: list[int] = []
        """The ranks of what is ready and not known, sorted."""
        self.ready = 0
        """The weight of that."""
        self._arrived([index for index, count in self.left.items() if not count])

    def results(self) -> list[R | Died]:
        with sparse_collection():
            self._here()
        if self.todo:
            self._in_processes()
        return [self.found[index] for index in range(len(self.jobs))]

    def _urgencies(self) -> list[int]:
        """The work that waits for an item, along the longest chain."""
        result = [job.weight for job in self.jobs]
        waiting = {index: len(others) for index, others in self.needed_by.items()}
        ready = [index for index in range(len(self.jobs)) if index not in waiting]
        while ready:
            index = ready.pop()
            for other in self.order.after(index):
                result[other] = max(result[other], self.jobs[other].weight + result[index])
                waiting[other] -= 1
                if not waiting[other]:
                    ready.append(other)
        return result

    def _arrived(self, ready: list[int]) -> None:
        """Sorts out what has become ready: what is known is finished at once."""
        fresh = []
        while ready:
            index = ready.pop()
            result = self.order.known(index)
            if result is None:
                fresh.append(index)
            else:
                ready += self._finish(index, result)
        if fresh:
            self.todo += [self.rank[index] for index in fresh]
            self.ready += sum(self.jobs[index].weight for index in fresh)
            self.todo.sort()

    def _finish(self, index: int, result: R | Died) -> list[int]:
        """Takes in a result; what has become ready by it."""
        self.found[index] = result
        self.rest -= self.jobs[index].weight
        self.order.finished(index, result)
        if self.done is not None:
            self.done(len(self.found))
        ready = []
        for other in self.needed_by.get(index, ()):
            self.left[other] -= 1
            if not self.left[other]:
                ready.append(other)
        return ready

    def _here(self) -> None:
        """Works in this process, as long as that is no less quick than to start others."""
        while self.todo:
            if self.workers > 1 and len(self.todo) >= WORTHWHILE_ITEMS and self.rest >= WORTHWHILE_BYTES:
                return
            index = self.by_rank[self.todo.pop()]
            self.ready -= self.jobs[index].weight
            self.order.receive()(self.order.shared([index]))
            self._arrived(self._finish(index, self.work(self.jobs[index].item)))

    def _in_processes(self) -> None:
        if self.prepare is not None and _context().get_start_method() == "fork":
            self.prepare()
        lost: list[list[Entry[T]]] = []
        while self.todo:
            lost += self._run_chunks()
            for chunk in lost:
                for entry in chunk:
                    result = _run_alone(entry, self.work, self.order)
                    self._arrived(self._finish(entry[0], result))
            lost = []

    def _chunk(self) -> list[Entry[T]]:
        """The next items for a worker, the most urgent first; few where others wait for them, or little is ready."""
        taken: list[Entry[T]] = []
        weight = 0
        share = self.ready // (2 * self.workers)
        most, most_needed = (min(size, max(share, SMALL_CHUNK)) for size in (self.chunk_weight, self.chunk_weight // 4))
        while self.todo and len(taken) < MOST_ITEMS_IN_CHUNK:
            index = self.by_rank[self.todo[-1]]
            cost = self.jobs[index].weight
            if taken and weight + cost > (most_needed if index in self.needed_by else most):
                break
            self.todo.pop()
            taken.append((index, self.jobs[index].item))
            weight += cost
        self.ready -= weight
        return taken

    def _run_chunks(self) -> list[list[Entry[T]]]:
        """Runs chunks until nothing is left or a worker dies; the chunks that were lost then."""
        import multiprocessing
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        running: dict[Future[list[R]], list[Entry[T]]] = {}
        lost: list[list[Entry[T]]] = []
        others = set(multiprocessing.active_children())
        with _executor(self.workers) as executor:
            try:
                while (self.todo or running) and not lost:
                    while self.todo and len(running) < self.workers + 1:
                        chunk = self._chunk()
                        shared = self.order.shared([index for index, _ in chunk])
                        items = [item for _, item in chunk]
                        try:
                            future = executor.submit(_work_chunk, self.work, items, self.order.receive(), shared)
                            running[future] = chunk
                        except BrokenProcessPool:
                            lost.append(chunk)
                            break
                    for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                        chunk = running.pop(future)
                        try:
                            values = future.result()
                        except BrokenProcessPool:
                            lost.append(chunk)
                            continue
                        for (index, _), value in zip(chunk, values, strict=True):
                            self._arrived(self._finish(index, value))
            except BaseException:
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()
                # Waits for the executor's own thread, which the interpreter's end would run into otherwise.
                executor.shutdown(wait=True, cancel_futures=True)
                raise
        return lost + list(running.values())


def _run_alone(entry: Entry[T], work: Callable[[T], R], order: Order[R]) -> R | Died:
    from concurrent.futures.process import BrokenProcessPool

    index, item = entry
    with _executor(1) as executor:
        try:
            return executor.submit(_work_chunk, work, [item], order.receive(), order.shared([index])).result()[0]
        except BrokenProcessPool:
            return Died()


def _executor(workers: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, mp_context=_context(), initializer=_start_worker)


def _context() -> BaseContext:
    """Forked workers share what is imported. macOS has fork, but its system libraries do not survive it."""
    import multiprocessing

    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _start_worker() -> None:
    # Ctrl-C reaches the whole process group; only the parent answers it.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_never()


def _work_chunk(work: Callable[[T], R], items: list[T], receive: Callable[[object], None], shared: object) -> list[R]:
    receive(shared)
    return [work(item) for item in items]
