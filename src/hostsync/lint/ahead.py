"""Parsing before it is known who imports whom: what worker processes do while the main one finds that out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hostsync.lint.check import Plan, matters
from hostsync.lint.entries import Entry, content_digest
from hostsync.lint.studying import Process, plan_of
from hostsync.project.workers import Workers

SHARE: Final = 0.08
"""Of the source, for each worker: parsed in the time in which the main process reads the imports of all of it."""
MOST_BYTES: Final = 4_000_000
"""For each worker: what is parsed is kept until it is studied."""


class Ahead(NamedTuple):
    """One file to be parsed."""

    path: Path
    module: str
    plan: Plan
    key: str


def hand_out(workers: Workers, entries: Sequence[Entry]) -> dict[str, int]:
    """Lets each worker parse some of the files, the largest first.

    Args:
        workers: the processes, started and without work.
        entries: the files of a run.

    Returns:
        By the unique name of a file, the worker that has it parsed.
    """
    most = min(MOST_BYTES, int(SHARE * sum(entry.file.size for entry in entries)))
    parsed = [e for e in entries if e.given is None and not e.is_notebook and e.file.size <= most]
    parsed.sort(key=lambda entry: (-entry.file.size, entry.key))
    at, found = 0, {}
    for _ in range(workers.count):
        number, _ = workers.idlest()
        chunk: list[Ahead] = []
        size = 0
        while at < len(parsed) and size + parsed[at].file.size <= most:
            entry = parsed[at]
            chunk.append(Ahead(entry.file.path, entry.file.module, plan_of(entry.file), entry.key))
            size += entry.file.size
            found[entry.key] = number
            at += 1
        # As a ticket, no items: nothing waits for an answer.
        workers.hand(number, [], parse_ahead, chunk)
    return found


def parse_ahead(files: Sequence[Ahead]) -> list[object]:
    """Parses files in a worker, and keeps them until they are studied."""
    from hostsync.syntax.parse import parse_module

    for file in files:
        try:
            source = file.path.read_bytes()
            if matters(source, file.plan):
                Process.parsed[file.key] = content_digest(source), parse_module(source, file.module)
        except Exception:
            # It will fail again when the file is studied, and is reported then.
            continue
    return []
