"""Child processes: answers, deaths, hangs, and children that can't start. None needs torch or a GPU here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hostsync.calibrate.children import ChildError, Outcome, work

CHILD = """\
import os, time
from hostsync.calibrate.children import serve

def handle(item, skip, write):
    print("what the work prints is no answer")
    for call in range(3):
        if call < skip:
            continue
        if item == "dies" and call == 1:
            os._exit(7)
        if item == "hangs" and call == 1:
            time.sleep(60)
        write({"item": item, "call": call, "pid": os.getpid()})

serve(handle)
"""


@pytest.fixture
def child(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "child.py"
    path.write_text(CHILD, encoding="utf-8")
    return (sys.executable, str(path))


def calls(outcome: Outcome) -> list[int]:
    return [record["call"] for record in outcome.records]


def test_every_item_is_done_once_by_some_child(child: tuple[str, ...]) -> None:
    outcomes = list(work([f"item {n}" for n in range(6)], child, jobs=2, limit=60))
    assert sorted(outcome.item for outcome in outcomes) == [f"item {n}" for n in range(6)]
    assert all(calls(outcome) == [0, 1, 2] and not outcome.breaks for outcome in outcomes)
    assert len({record["pid"] for outcome in outcomes for record in outcome.records}) <= 2


def test_a_death_costs_one_call(child: tuple[str, ...]) -> None:
    before, dead, after = work(["a", "dies", "b"], child, jobs=1, limit=60)
    assert calls(before) == calls(after) == [0, 1, 2]
    assert calls(dead) == [0, 2]
    assert dead.breaks == ("ended with exit code 7",)
    assert before.records[0]["pid"] != after.records[0]["pid"]


def test_a_hang_is_ended_and_the_next_item_goes_on(child: tuple[str, ...]) -> None:
    hung, after = work(["hangs", "b"], child, jobs=1, limit=3)
    assert calls(hung) == [0]
    assert hung.breaks == ("took longer than 3 s",)
    assert calls(after) == [0, 1, 2]


def test_a_child_that_cannot_start() -> None:
    command = (sys.executable, "-c", "raise SystemExit('no torch to be seen')")
    with pytest.raises(ChildError, match="can't start: it ended with exit code 1: no torch to be seen"):
        list(work(["a", "b"], command, jobs=2, limit=60))


def test_nothing_to_do(child: tuple[str, ...]) -> None:
    assert list(work([], child, jobs=4, limit=60)) == []
