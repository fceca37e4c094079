"""Verdict files: what `hostsync confirm` found out, for `hostsync check --verdicts`.

The file is JSON, sorted, one verdict on a line, to read well in a diff. Files of several runs add up.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.confirm.records import CONFIRMED, REFUTED, Judged, RunInfo
from hostsync.findings import Finding, Verdict
from hostsync.report.keys import Key

VERSION = 1


class VerdictsError(ValueError):
    """A verdict file that can't be read or written; the message names the file and what is wrong."""


class Count(NamedTuple):
    """What runs showed of one finding."""

    waits: int
    waited: int | None
    executions: int | None
    seconds: float
    runs: frozenset[int]
    """Indices of the runs."""


class Run(NamedTuple):
    """A run that verdicts are from."""

    program: tuple[str, ...]
    date: str
    torch: str
    device: str


class Verdicts(NamedTuple):
    """A verdict file."""

    runs: tuple[Run, ...]
    files: Mapping[str, Mapping[Key, Count]]
    """By the file, relative to the folder of the verdict file, with forward slashes."""


NONE = Verdicts((), {})


def of(judged: Iterable[tuple[str, Key, Judged]], runs: Iterable[RunInfo]) -> Verdicts:
    """The verdicts to be kept: what was not reached has none.

    Args:
        judged: findings, each with the file as the verdict file calls it, and its key.
        runs: what they are from.
    """
    kept = tuple(Run(run.program, run.date, run.torch, run.device) for run in runs)
    files: dict[str, dict[Key, Count]] = {}
    for file, key, one in judged:
        if one.status in (CONFIRMED, REFUTED):
            count = Count(one.waits, one.waited, one.executions, one.seconds, frozenset(range(len(kept))))
            files.setdefault(file, {})[key] = count
    return Verdicts(kept, files)


def merged(one: Verdicts, other: Verdicts) -> Verdicts:
    """Both together: counts add."""
    shift = len(one.runs)
    files = {file: dict(counts) for file, counts in one.files.items()}
    for file, counts in other.files.items():
        into = files.setdefault(file, {})
        for key, count in counts.items():
            moved = count._replace(runs=frozenset(index + shift for index in count.runs))
            into[key] = _added(into[key], moved) if key in into else moved
    return Verdicts((*one.runs, *other.runs), files)


def _added(one: Count, other: Count) -> Count:
    return Count(
        one.waits + other.waits,
        None if one.waited is None or other.waited is None else one.waited + other.waited,
        None if one.executions is None or other.executions is None else one.executions + other.executions,
        one.seconds + other.seconds,
        one.runs | other.runs,
    )


def verdict(count: Count, runs: tuple[Run, ...]) -> Verdict:
    """What a count says."""
    mine = [runs[index] for index in sorted(count.runs)]
    return Verdict(
        status=CONFIRMED if count.waits else REFUTED,
        waits=count.waits,
        waited=count.waited,
        executions=count.executions,
        seconds=count.seconds,
        device=", ".join(dict.fromkeys(run.device for run in mine if run.device)),
        torch=", ".join(dict.fromkeys(run.torch for run in mine if run.torch)),
        date=max((run.date for run in mine), default=""),
    )


class Marked(NamedTuple):
    """Findings with their verdicts."""

    findings: tuple[Finding, ...]
    stale: tuple[Key, ...]
    """Verdicts of findings that are not there any more."""


def mark(findings: Iterable[tuple[Finding, Key]], counts: Mapping[Key, Count], runs: tuple[Run, ...]) -> Marked:
    """Raises what is confirmed to certain, and demotes what is refuted to possible.

    Args:
        findings: all of a file, with their keys (`keys.keyed`).
        counts: what the verdict files say of the file.
        runs: what the counts are from.
    """
    left = dict(counts)
    marked = []
    for finding, key in findings:
        count = left.pop(key, None)
        if count is not None:
            said = verdict(count, runs)
            confidence = "certain" if said.status == CONFIRMED else "possible"
            finding = finding._replace(verdict=said, confidence=confidence)
        marked.append(finding)
    return Marked(tuple(marked), tuple(left))


# --- files ---------------------------------------------------------------------------------------


def read(path: Path) -> Verdicts:
    """The verdicts in the file at `path`. Raises VerdictsError."""
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise VerdictsError(f"{path}: there is no such verdict file; `hostsync confirm --verdicts` writes it") from None
    except OSError as error:
        raise VerdictsError(f"{path}: can't read this verdict file: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise VerdictsError(f"{path}: this verdict file is no JSON: {error}") from error
    if not isinstance(data, dict) or data.get("hostsync_verdicts") != VERSION:
        raise VerdictsError(
            f"{path}: not a verdict file of version {VERSION}; `hostsync confirm --verdicts` writes one"
        )
    try:
        runs = tuple(_run(entry) for entry in data["runs"])
        files: dict[str, dict[Key, Count]] = {}
        for entry in data["verdicts"]:
            file, key, count = _entry(entry, len(runs))
            files.setdefault(file, {})[key] = count
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        what = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
        raise VerdictsError(f"{path}: this verdict file is damaged: {what}") from None
    return Verdicts(runs, files)


def write(path: Path, verdicts: Verdicts) -> None:
    """Writes a verdict file. Raises VerdictsError."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text("".join(_lines(verdicts)), encoding="ascii", newline="\n")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise VerdictsError(f"{path}: can't write this verdict file: {error.strerror or error}") from error


def file_key(path: Path, verdicts: Path) -> str:
    """How a verdict file calls the file `path`; both are absolute."""
    try:
        return Path(os.path.relpath(path, verdicts.parent)).as_posix()
    except ValueError:  # another drive of Windows
        return path.as_posix()


def _lines(verdicts: Verdicts) -> Iterator[str]:
    yield f'{{\n "hostsync_verdicts": {VERSION},\n "runs": ['
    yield from _listed(json.dumps({**run._asdict(), "program": list(run.program)}) for run in verdicts.runs)
    yield '],\n "verdicts": ['
    yield from _listed(
        json.dumps(
            {
                "file": file,
                **key._asdict(),
                "status": CONFIRMED if count.waits else REFUTED,
                "waits": count.waits,
                "waited": count.waited,
                "executions": count.executions,
                "blocked_s": round(count.seconds, 9),
                "runs": sorted(count.runs),
            }
        )
        for file, counts in sorted(verdicts.files.items())
        for key, count in sorted(counts.items())
    )
    yield "]\n}\n"


def _listed(entries: Iterable[str]) -> Iterator[str]:
    separator = "\n  "
    for entry in entries:
        yield separator + entry
        separator = ",\n  "
    yield "" if separator == "\n  " else "\n "


def _run(entry: Any) -> Run:
    return Run(
        tuple(_text(word) for word in entry["program"]),
        _text(entry["date"]),
        _text(entry["torch"]),
        _text(entry["device"]),
    )


def _entry(entry: Any, runs: int) -> tuple[str, Key, Count]:
    key = Key(_text(entry["symbol"]), _text(entry["code"]), _text(entry["text"]), _number(entry["occurrence"]))
    seconds = entry["blocked_s"]
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < float("inf"):
        raise ValueError("expected seconds in `blocked_s`")
    indices = frozenset(_number(index) for index in entry["runs"])
    if any(index >= runs for index in indices):
        raise ValueError("`runs` names a run that is not listed")
    count = Count(
        _number(entry["waits"]),
        None if entry["waited"] is None else _number(entry["waited"]),
        None if entry["executions"] is None else _number(entry["executions"]),
        float(seconds),
        indices,
    )
    return _text(entry["file"]), key, count


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, not {json.dumps(value)[:40]}")
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a number, 0 or more, not {json.dumps(value)[:40]}")
    return value
