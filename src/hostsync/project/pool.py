"""Maps a function over items with one process per core, and survives what happens to the processes.

A worker that dies takes down neither the run nor the results of others: the items that were in its hands are tried
again one by one, and only the item that kills again is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hostsync.project.collection import sparse_collection
from hostsync.project.workers import HERE, Died, Workers

T = TypeVar("T")
R = TypeVar("R")

MOST_ITEMS_IN_CHUNK = 32
CHUNKS_PER_WORKER = 12
SMALL_CHUNK = 40_000
"""Bytes that are handed to a worker even if others have to wait for them: some 30 ms of work."""
WORTHWHILE_BYTES = 150_000
"""Below this much source the start of processes costs more than it saves."""
WORTHWHILE_ITEMS = 4
HANDED = 2
"""Chunks in the hands of a worker: the second spares it to wait for this process."""


@dataclass(frozen=True)
class Job(Generic[T]):
    """One item, and how much work it is expected to be (bytes)."""

    item: T
    weight: int


def run(
    jobs: Sequence[Job[T]],
    work: Callable[[T], R],
    *,
    workers: Workers,
    done: Callable[[int], None] | None = None,
    order: Order[R] | None = None,
) -> list[R | Died]:
    """Maps `work` over the items of `jobs`.

    Args:
        jobs: the items.
        work: a function that can be found by name in another process.
        workers: the processes; they are started if there is work for them. One alone isn't: its work is done here.
        done: is told how many items have been finished so far.
        order: what must be finished before what, and what finished items tell later ones.

    Returns:
        The results in the order of `jobs`.

    Raises:
        what `work` raises.
    """
    return _Run(jobs, work, workers, done, order or Order()).results()


class Order(Generic[R]):
    """How the items of a run depend on each other. This one: not at all."""

    def after(self, index: int) -> Collection[int]:
        """The items that must be finished before this one."""
        return ()

    def known(self, index: int) -> R | None:
        """The result of an item, if it need not be worked out. Asked once all that is before it is finished."""
        return None

    def home(self, index: int) -> int | None:
        """The worker that can do an item with less effort than others; None for no such worker."""
        return None

    def finished(self, index: int, result: R | Died, worker: int) -> None:
        """Takes note of a result, and of the worker that it is from."""

    def meanwhile(self) -> None:
        """What this process does once all workers have been handed something."""

    def shared(self, indexes: Sequence[int], worker: int) -> object:
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
        workers: Workers,
        done: Callable[[int], None] | None,
        order: Order[R],
    ) -> None:
        self.jobs = jobs
        self.work = work
        self.workers = workers
        self.count = min(workers.count, len(jobs))
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
        self.chunk_weight = max(1, sum(job.weight for job in jobs) // (max(1, self.count) * CHUNKS_PER_WORKER))
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
                ready += self._finish(index, result, HERE)
        if fresh:
            self.todo += [self.rank[index] for index in fresh]
            self.ready += sum(self.jobs[index].weight for index in fresh)
            self.todo.sort()

    def _finish(self, index: int, result: R | Died, worker: int) -> list[int]:
        """Takes in a result; what has become ready by it."""
        self.found[index] = result
        self.rest -= self.jobs[index].weight
        self.order.finished(index, result, worker)
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
            if self.count > 1 and len(self.todo) >= WORTHWHILE_ITEMS and self.rest >= WORTHWHILE_BYTES:
                return
            index = self.by_rank[self.todo.pop()]
            self.ready -= self.jobs[index].weight
            self.order.receive()(self.order.shared([index], HERE))
            self._arrived(self._finish(index, self.work(self.jobs[index].item), HERE))

    def _in_processes(self) -> None:
        self.workers.start(self.count)
        self._hand_out()
        self.order.meanwhile()
        while self.todo or self.workers.busy:
            self._hand_out()
            for answer in self.workers.wait():
                chunk: list[Entry[T]] = answer.ticket  # type: ignore[assignment]
                if isinstance(answer.value, Died):
                    for entry in chunk:
                        self._arrived(self._finish(entry[0], self._alone(entry), HERE))
                    continue
                values: list[R] = answer.value  # type: ignore[assignment]
                for (index, _), value in zip(chunk, values, strict=True):
                    self._arrived(self._finish(index, value, answer.worker))

    def _hand_out(self) -> None:
        """Gives the workers something to do, first those that have nothing."""
        while self.todo:
            worker, handed = self.workers.idlest()
            if handed >= HANDED:
                return
            self._hand(self.workers, worker, self._chunk(worker))

    def _hand(self, workers: Workers, worker: int, chunk: list[Entry[T]]) -> None:
        shared = self.order.shared([index for index, _ in chunk], worker)
        items = [item for _, item in chunk]
        workers.hand(worker, chunk, _work_chunk, self.work, items, self.order.receive(), shared)

    def _alone(self, entry: Entry[T]) -> R | Died:
        """Tries an item that was in the hands of a worker when it died, in a process of its own."""
        with self.workers.another() as one:
            one.start()
            self._hand(one, one.idlest()[0], [entry])
            (answer,) = one.wait()
            return answer.value if isinstance(answer.value, Died) else answer.value[0]  # type: ignore[index]

    def _chunk(self, worker: int) -> list[Entry[T]]:
        """The next items for a worker, the most urgent first; few where others wait for them, or little is ready."""
        taken: list[Entry[T]] = []
        weight = 0
        share = self.ready // (2 * self.count)
        most, most_needed = (min(size, max(share, SMALL_CHUNK)) for size in (self.chunk_weight, self.chunk_weight // 4))
        while self.todo and len(taken) < MOST_ITEMS_IN_CHUNK:
            at = self._next(worker)
            index = self.by_rank[self.todo[at]]
            cost = self.jobs[index].weight
            if taken and weight + cost > (most_needed if index in self.needed_by else most):
                break
            del self.todo[at]
            taken.append((index, self.jobs[index].item))
            weight += cost
        self.ready -= weight
        return taken

    def _next(self, worker: int) -> int:
        """Where in `todo` the next item for a worker is: the most urgent that is not another's, or of all."""
        for at in range(len(self.todo) - 1, -1, -1):
            if self.order.home(self.by_rank[self.todo[at]]) in (None, worker):
                return at
        return len(self.todo) - 1


def _work_chunk(work: Callable[[T], R], items: list[T], receive: Callable[[object], None], shared: object) -> list[R]:
    receive(shared)
    return [work(item) for item in items]
