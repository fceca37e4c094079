"""Parsing before it is known who imports whom: what worker processes do while the main one finds that out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hostsync.lint.check import NOTEBOOK_SUFFIX, Plan, matters
from hostsync.lint.entries import content_digest
from hostsync.lint.studying import Process, plan_of
from hostsync.project.discovery import SourceFile
from hostsync.project.workers import Died, Workers, is_awaited

MOST_BYTES: Final = 10_000_000
"""For each worker: what is parsed is kept until it is studied."""
MOST_OF_ALL: Final = 64_000_000
"""For all workers together."""


class Ahead(NamedTuple):
    """One file to be parsed."""

    path: Path
    module: str
    plan: Plan
    key: str


def hand_out(workers: Workers, files: Iterable[SourceFile], name_of: Callable[[SourceFile], str]) -> None:
    """Lets the workers parse files until they are handed something else, the largest first.

    Args:
        workers: the processes, started and without work.
        files: those of a run that are on disk as they are to be judged.
        name_of: gives a file its unique name.
    """
    numbers = workers.numbers
    most = min(MOST_BYTES, MOST_OF_ALL // len(numbers))
    parsed = [f for f in files if f.size <= most and f.path.suffix.lower() != NOTEBOOK_SUFFIX]
    parsed.sort(key=lambda file: (-file.size, str(file.path)))
    for place, number in enumerate(numbers):
        chunk: list[Ahead] = []
        size = 0
        for file in parsed[place :: len(numbers)]:
            size += file.size
            if size > most:
                break
            chunk.append(Ahead(file.path, file.module, plan_of(file), name_of(file)))
        workers.hand(number, None, parse_ahead, chunk)


def parsed_by(workers: Workers) -> dict[str, int]:
    """Ends what `hand_out` began. By the unique name of a file, the worker that has it parsed."""
    for number in workers.numbers:
        workers.hand(number, None, _nothing)
    found: dict[str, int] = {}
    while workers.busy:
        for answer in workers.wait():
            if not isinstance(answer.value, Died):
                keys: list[str] = answer.value  # type: ignore[assignment]
                found.update((key, answer.worker) for key in keys)
    return found


def parse_ahead(files: Sequence[Ahead]) -> list[str]:
    """Parses files in a worker, and keeps them until they are studied. Returns the unique names of these."""
    from hostsync.syntax.parse import parse_module

    found: list[str] = []
    for file in files:
        if is_awaited():
            break
        try:
            source = file.path.read_bytes()
            if matters(source, file.plan):
                Process.parsed[file.key] = content_digest(source), parse_module(source, file.module)
                found.append(file.key)
        except Exception:
            # It will fail again when the file is studied, and is reported then.
            continue
    return found


def _nothing() -> list[str]:
    return []
