"""Measures all there is, in child processes that share the GPU. Needs no torch itself."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.calibrate import journal
from hostsync.calibrate.children import ChildError, work
from hostsync.calibrate.journal import JournalError, Measurement

COMMAND = (sys.executable, "-m", "hostsync.calibrate.measure")
CATALOGUE = "?"
"""The item whose answer says what there is to measure."""
HANG_SECONDS = 150.0
MEMORY_PER_PROCESS = 3 << 30
MOST_PROCESSES = 12


class Inventory(NamedTuple):
    """What there is to measure, and on what."""

    about: Mapping[str, str]
    items: tuple[str, ...]
    free_memory: int
    """Of the GPU, in bytes; 0 if not known."""


def inventory(command: Sequence[str] = COMMAND) -> Inventory:
    """Asks a child. Raises ChildError."""
    (outcome,) = work([CATALOGUE], command, jobs=1, limit=HANG_SECONDS)
    if not outcome.records:
        raise ChildError(f"a child process can't say what there is to measure: it {outcome.breaks[0]}")
    found: dict[str, Any] = outcome.records[0]
    about = {key: str(value) for key, value in found["about"].items() if key != "free_memory"}
    about["date"] = date.today().isoformat()
    return Inventory(about, tuple(found["items"]), int(found["about"].get("free_memory", 0)))


def processes(free_memory: int) -> int:
    """How many processes to use: three for four cores, as far as the memory of the GPU reaches."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    by_memory = free_memory // MEMORY_PER_PROCESS if free_memory else MOST_PROCESSES
    return int(max(1, min(MOST_PROCESSES, cores * 3 // 4, by_memory)))


def survey(
    path: Path,
    *,
    only: str = "",
    resume: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    command: Sequence[str] = COMMAND,
) -> Measurement:
    """Measures, and keeps everything at `path` as it comes.

    Args:
        path: the journal.
        only: a regular expression; items without a match are left out.
        resume: go on with the journal.
        jobs: number of processes; None chooses.
        progress: is told how many items are done, of how many.
        command: starts a child.

    Raises:
        ChildError: children can't start.
        JournalError: the journal is of something else, or there is nothing to measure.
        OSError: the journal can't be written.
    """
    started = time.monotonic()
    found = inventory(command)
    pattern = re.compile(only)
    wanted = [item for item in found.items if pattern.search(item)]
    if not wanted:
        raise JournalError(f"nothing that can be measured matches `{only}`")
    done: frozenset[str] = frozenset()
    earlier = 0.0
    if resume and path.exists():
        known = journal.resume(path, found.about)
        done, earlier = known.items, known.seconds or 0.0
    else:
        journal.start(path, found.about)
    left = [item for item in wanted if item not in done]
    count = len(wanted) - len(left)
    progress(count, len(wanted))
    limit = HANG_SECONDS
    for outcome in work(left, command, jobs=jobs or processes(found.free_memory), limit=limit):
        journal.append(path, outcome)
        count += 1
        progress(count, len(wanted))
    journal.finish(path, earlier + time.monotonic() - started)
    return journal.read_measurement(path)
