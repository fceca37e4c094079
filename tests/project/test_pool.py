"""The worker pool: order, processes that die, errors."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Collection, Sequence

import pytest

from hostsync.project import pool
from hostsync.project.pool import Died, Job, Order, run

HEAVY = 1_000_000


def square(number: int) -> int:
    return number * number


def process(_: int) -> int:
    return os.getpid()


def die_on_seven(number: int) -> int:
    if number % 10 == 7:
        os._exit(9)
    return number


def fail_on_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_are_in_order(workers: int) -> None:
    jobs = [Job(number, HEAVY * (number % 5)) for number in range(200)]
    seen: list[int] = []
    assert run(jobs, square, workers=workers, done=seen.append) == [n * n for n in range(200)]
    assert seen[-1] == 200
    assert seen == sorted(seen)


def test_little_work_stays_in_this_process() -> None:
    assert set(run([Job(n, 10) for n in range(50)], process, workers=2)) == {os.getpid()}
    assert set(run([Job(0, HEAVY)], process, workers=2)) == {os.getpid()}
    assert run([], process, workers=2) == []


def test_much_work_is_spread() -> None:
    assert os.getpid() not in run([Job(n, HEAVY) for n in range(50)], process, workers=2)


def test_a_worker_that_dies_costs_only_its_item() -> None:
    results = run([Job(n, HEAVY) for n in range(60)], die_on_seven, workers=2)
    died = [n for n, result in enumerate(results) if isinstance(result, Died)]
    assert died == [7, 17, 27, 37, 47, 57]
    assert [result for result in results if not isinstance(result, Died)] == [n for n in range(60) if n % 10 != 7]


def test_what_work_raises_comes_out() -> None:
    with pytest.raises(ValueError, match="seven"):
        run([Job(n, HEAVY) for n in range(20)], fail_on_seven, workers=2)


def test_processes_may_be_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_context", lambda: multiprocessing.get_context("spawn"))
    prepared: list[int] = []
    results = run([Job(n, HEAVY) for n in range(20)], square, workers=2, prepare=lambda: prepared.append(1))
    assert results == [n * n for n in range(20)]
    assert prepared == []


TOLD: dict[int, int] = {}


def take(told: object) -> None:
    assert isinstance(told, dict)
    TOLD.update(told)


def sum_of_parts(number: int) -> int:
    return 1 + sum(TOLD[part] for part in parts_of(number))


def parts_of(number: int) -> list[int]:
    return [part for part in (number // 2, number // 3) if 0 < part < number]


class Parts(Order[int]):
    """Each number needs its half and its third."""

    def __init__(self, known: dict[int, int]) -> None:
        self.results: dict[int, int] = {}
        self.kept = known

    def after(self, index: int) -> Collection[int]:
        return set(parts_of(index))

    def known(self, index: int) -> int | None:
        return self.kept.get(index)

    def finished(self, index: int, result: int | Died) -> None:
        assert not isinstance(result, Died)
        self.results[index] = result

    def shared(self, indexes: Sequence[int]) -> object:
        return {part: self.results[part] for index in indexes for part in parts_of(index)}

    def receive(self) -> Callable[[object], None]:
        return take


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_items_wait_for_what_they_need(workers: int) -> None:
    jobs = [Job(number, HEAVY) for number in range(300)]
    expected: list[int] = []
    for number in range(300):
        expected.append(1 + sum(expected[part] for part in parts_of(number)))
    assert run(jobs, sum_of_parts, workers=workers, order=Parts({})) == expected
    assert run(jobs, sum_of_parts, workers=workers, order=Parts(dict(enumerate(expected[:200])))) == expected


def test_little_that_is_ready_is_shared_out_among_the_workers() -> None:
    """Else one worker would take all of it, and the other wait for what depends on it."""

    class Waiting(Order[int]):
        def after(self, index: int) -> Collection[int]:
            return range(8) if index >= 8 else ()

    jobs = [Job(number, 50_000) for number in range(1_000)]
    waiting = pool._Run(jobs, int, 2, None, None, Waiting())
    taken = [len(waiting._chunk()) for _ in range(3)]
    assert sum(taken) < 8 and waiting.ready == (8 - sum(taken)) * 50_000
    assert len(pool._Run(jobs, int, 2, None, None, Order())._chunk()) > 8
