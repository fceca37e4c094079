"""The worker pool: order, processes that die, errors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hostsync.project import pool, workers
from hostsync.project.pool import Job, Order
from hostsync.project.workers import Died, Workers, is_awaited

HEAVY = 1_000_000


def run(
    jobs: Sequence[Job[int]],
    work: Callable[[int], Any],
    *,
    workers: int,
    prepare: Callable[[], object] | None = None,
    **more: Any,
) -> list[Any]:
    with Workers(workers, prepare) as processes:
        return pool.run(jobs, work, workers=processes, **more)


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


PREPARED: list[int] = []


def prepared(_: int) -> list[int]:
    return PREPARED


def break_in() -> None:
    assert "hostsync.project.workers" in sys.modules


def test_processes_may_be_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_context", lambda: multiprocessing.get_context("spawn"))
    jobs = [Job(n, HEAVY) for n in range(20)]
    assert run(jobs, square, workers=2, prepare=break_in) == [n * n for n in range(20)]


def test_each_worker_is_prepared_once() -> None:
    assert (
        run([Job(n, HEAVY) for n in range(20)], prepared, workers=2, prepare=partial(PREPARED.append, 7)) == [[7]] * 20
    )
    assert PREPARED == []


def break_down() -> None:
    raise ValueError("nothing to work with")


def test_what_preparing_raises_comes_out() -> None:
    with pytest.raises(ValueError, match="nothing to work with"):
        run([Job(n, HEAVY) for n in range(20)], square, workers=2, prepare=break_down)


def unsendable(number: int) -> object:
    return (number for _ in range(3)) if number == 7 else number


def test_what_cannot_be_sent_is_an_error_and_no_wait_for_ever() -> None:
    with pytest.raises(RuntimeError, match="can't be sent"):
        run([Job(n, HEAVY) for n in range(20)], unsendable, workers=2)


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

    def finished(self, index: int, result: int | Died, worker: int) -> None:
        assert not isinstance(result, Died)
        self.results[index] = result

    def shared(self, indexes: Sequence[int], worker: int) -> object:
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
    waiting = pool._Run(jobs, int, Workers(2), None, Waiting())
    taken = [len(waiting._chunk(1)) for _ in range(3)]
    assert sum(taken) < 8 and waiting.ready == (8 - sum(taken)) * 50_000
    assert len(pool._Run(jobs, int, Workers(2), None, Order())._chunk(1)) > 8


class AtHome(Order[int]):
    """Every other item is at home with a worker."""

    def __init__(self, homes: Sequence[int]) -> None:
        self.homes = homes

    def home(self, index: int) -> int | None:
        return self.homes[index % 2]


def is_told_of_more() -> bool:
    for _ in range(2000):
        if is_awaited():
            return True
        time.sleep(0.005)
    return False


def test_a_worker_knows_that_it_has_been_handed_more() -> None:
    assert not is_awaited()
    with Workers(1) as one:
        one.start()
        (number,) = one.numbers
        one.hand(number, "first", is_told_of_more)
        one.hand(number, "second", is_awaited)
        answers = []
        while one.busy:
            answers += [(answer.ticket, answer.value) for answer in one.wait()]
    assert answers == [("first", True), ("second", False)]


def test_items_go_where_they_are_at_home() -> None:
    with Workers(2) as processes:
        processes.start()
        numbers = [worker.number for worker in processes._workers]
        pids = {worker.number: worker.process.pid for worker in processes._workers}
        found = pool.run([Job(n, HEAVY) for n in range(400)], slowly, workers=processes, order=AtHome([*numbers]))
    at_home = sum(pid == pids[numbers[n % 2]] for n, pid in enumerate(found))
    assert at_home > 300 and set(found) == set(pids.values())


def slowly(_: int) -> int:
    time.sleep(0.001)
    return os.getpid()


def test_items_whose_home_has_nothing_left_to_do_go_elsewhere() -> None:
    assert set(run([Job(n, HEAVY) for n in range(40)], square, workers=2, order=AtHome([10**9, 10**9]))) == {
        n * n for n in range(40)
    }


# --- the processes themselves --------------------------------------------------------------------


def large(size: int) -> bytes:
    return bytes(size)


def length(data: bytes) -> int:
    return len(data)


def test_neither_side_waits_for_the_other_to_read() -> None:
    with Workers(1) as processes:
        processes.start()
        number, _ = processes.idlest()
        for ticket in range(4):
            processes.hand(number, ticket, large, 5_000_000)
            processes.hand(number, ticket, length, bytes(5_000_000))
        answers = []
        while processes.busy:
            answers += processes.wait()
    assert [answer.ticket for answer in answers] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [a.value if isinstance(a.value, int) else len(a.value) for a in answers] == [5_000_000] * 8


def test_a_worker_that_dies_is_replaced_by_another() -> None:
    with Workers(1) as processes:
        processes.start()
        first, _ = processes.idlest()
        processes.hand(first, "a", os._exit, 3)
        processes.hand(first, "b", square, 3)
        answers = processes.wait()
        assert [(a.worker, a.ticket) for a in answers] == [(first, "a"), (first, "b")]
        assert all(isinstance(answer.value, Died) for answer in answers)
        second, handed = processes.idlest()
        assert second != first and not handed
        processes.hand(second, "b", square, 3)
        assert processes.wait() == [(second, "b", 9)]


def test_the_processes_end_with_the_workers() -> None:
    with Workers(2) as processes:
        processes.start()
        started = [worker.process for worker in processes._workers]
        processes.hand(processes.idlest()[0], None, time.sleep, 60)
    assert not any(process.is_alive() for process in started)


def test_processes_that_are_dismissed_are_not_waited_for_until_the_end() -> None:
    with Workers(2) as processes:
        processes.start()
        started = [worker.process for worker in processes._workers]
        processes.hand(processes.idlest()[0], None, time.sleep, 60)
        processes.dismiss()
        assert not processes.numbers and not processes.busy
        processes.start()
        processes.hand(processes.idlest()[0], None, square, 3)
        assert [answer.value for answer in processes.wait()] == [9]
    assert not any(process.is_alive() for process in started)


class _Waiting(Order[int]):
    """Notes what has been finished when this process has time for something else."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.count = 0

    def finished(self, index: int, result: int | Died, worker: int) -> None:
        self.count += 1

    def meanwhile(self) -> None:
        self.seen.append(self.count)


def test_while_the_workers_are_busy_this_process_does_something_else_once() -> None:
    order = _Waiting()
    run([Job(n, HEAVY) for n in range(50)], square, workers=2, order=order)
    assert order.seen == [0] and order.count == 50
    alone = _Waiting()
    run([Job(n, HEAVY) for n in range(50)], square, workers=1, order=alone)
    assert not alone.seen


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_the_processes_end_with_a_parent_that_is_killed() -> None:
    script = """
import os, signal
from hostsync.project.workers import Workers
processes = Workers(3)
processes.start()
print(*(worker.process.pid for worker in processes._workers), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    left = [int(pid) for pid in ran.stdout.split()]
    assert len(left) == 3
    until = time.monotonic() + 30
    while any(is_running(pid) for pid in left) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_running(pid) for pid in left)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] not in {"Z", "X"}
