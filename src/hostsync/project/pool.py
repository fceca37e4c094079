"""Maps a function over items with one process per core, and survives what happens to the processes.

A worker that dies takes down neither the run nor the results of others: the items that were in its hands are tried
again one by one, and only the item that kills again is given up.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST_ITEMS_IN_CHUNK = 32
CHUNKS_PER_WORKER = 12
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
) -> list[R | Died]:
    """Maps `work` over the items of `jobs`.

    Args:
        jobs: the items.
        work: a function that can be found by name in another process.
        workers: number of processes; 0 stands for one per core, 1 works in this process.
        prepare: imports what `work` needs; it runs where forked processes then share it.
        done: is told how many items have been finished so far.

    Returns:
        The results in the order of `jobs`.

    Raises:
        what `work` raises; KeyboardInterrupt, after the processes have been ended.
    """
    workers = min(workers or core_count(), len(jobs))
    if sys.platform == "win32":
        workers = min(workers, MOST_JOBS_ON_WINDOWS)
    weight = sum(job.weight for job in jobs)
    if workers <= 1 or len(jobs) < WORTHWHILE_ITEMS or weight < WORTHWHILE_BYTES:
        return list(_here(jobs, work, done))
    if prepare is not None and _context().get_start_method() == "fork":
        prepare()
    results: dict[int, R | Died] = {}
    pending = _chunks(jobs, workers)
    while pending:
        for chunk in _run_chunks(pending, work, workers, results, done):
            for entry in chunk:
                _run_alone(entry, work, results)
                if done is not None:
                    done(len(results))
    return [results[index] for index in range(len(jobs))]


Entry = tuple[int, T]
"""An item with its place among the jobs."""


def _here(jobs: Sequence[Job[T]], work: Callable[[T], R], done: Callable[[int], None] | None) -> Iterator[R]:
    with _sparse_collection():
        for count, job in enumerate(jobs, start=1):
            yield work(job.item)
            if done is not None:
                done(count)


def _chunks(jobs: Sequence[Job[T]], workers: int) -> list[list[Entry[T]]]:
    """The items in chunks of about equal weight; the heaviest items are at the end, as chunks are taken from there."""
    order = sorted(range(len(jobs)), key=lambda index: (-jobs[index].weight, index))
    target = max(1, sum(job.weight for job in jobs) // (workers * CHUNKS_PER_WORKER))
    chunks: list[list[Entry[T]]] = []
    weight = 0
    for index in order:
        if not chunks or weight + jobs[index].weight > target or len(chunks[-1]) >= MOST_ITEMS_IN_CHUNK:
            chunks.append([])
            weight = 0
        chunks[-1].append((index, jobs[index].item))
        weight += jobs[index].weight
    chunks.reverse()
    return chunks


def _run_chunks(
    pending: list[list[Entry[T]]],
    work: Callable[[T], R],
    workers: int,
    results: dict[int, R | Died],
    done: Callable[[int], None] | None,
) -> list[list[Entry[T]]]:
    """Runs chunks off the end of `pending` until it is empty or a worker dies; the chunks that were lost then."""
    running: dict[Future[list[R]], list[Entry[T]]] = {}
    lost: list[list[Entry[T]]] = []
    others = set(multiprocessing.active_children())
    with _executor(workers) as executor:
        try:
            while (pending or running) and not lost:
                while pending and len(running) < 2 * workers:
                    chunk = pending.pop()
                    try:
                        running[executor.submit(_work_chunk, work, [item for _, item in chunk])] = chunk
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
                    results.update(zip((index for index, _ in chunk), values, strict=True))
                    if done is not None:
                        done(len(results))
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
    return lost + list(running.values())


def _run_alone(entry: Entry[T], work: Callable[[T], R], results: dict[int, R | Died]) -> None:
    index, item = entry
    with _executor(1) as executor:
        try:
            results[index] = executor.submit(_work_chunk, work, [item]).result()[0]
        except BrokenProcessPool:
            results[index] = Died()


def _executor(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=_context(), initializer=_start_worker)


def _context() -> BaseContext:
    """Forked workers share what is imported. macOS has fork, but its system libraries do not survive it."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _start_worker() -> None:
    # Ctrl-C reaches the whole process group; only the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()


def _work_chunk(work: Callable[[T], R], items: list[T]) -> list[R]:
    with _sparse_collection():
        return [work(item) for item in items]


@contextmanager
def _sparse_collection() -> Iterator[None]:
    """Keeps the garbage collector from walking live syntax trees over and over."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
