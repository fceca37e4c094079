"""A measurement on disk: a line of JSON for what it is of, one for each item that is done, and one at the end.

Each line is written when its item is done, so that an interrupted measurement can go on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.calibrate.children import Outcome
from hostsync.calibrate.derive import Rows

ABOUT = ("torch", "device")
"""What has to be the same for a measurement to go on."""


class JournalError(ValueError):
    """A measurement can't be read, or is of something else."""


class Measurement(NamedTuple):
    """What was measured, summed up."""

    about: Mapping[str, str]
    """torch, device, python, date."""
    ops: Mapping[str, Rows]
    """By operation, then by the kinds of arguments."""
    errors: Mapping[str, str]
    """Calls that could not be made, and processes that broke."""
    skipped: int
    """Calls that were tried, though they need not be legal, and were not."""
    items: frozenset[str]
    """Items that are done."""
    seconds: float | None
    """How long it took; None for one that is not finished."""


def start(path: Path, about: Mapping[str, str]) -> None:
    """Begins a measurement at `path`. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"about": dict(about)}, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def append(path: Path, outcome: Outcome) -> None:
    """Adds what came of an item. Raises OSError."""
    _add(path, {"item": outcome.item, "records": outcome.records, "breaks": outcome.breaks})


def finish(path: Path, seconds: float) -> None:
    """Says that nothing is left to do. Raises OSError."""
    _add(path, {"finished": round(seconds, 1)})


def _add(path: Path, entry: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(json.dumps(entry, ensure_ascii=False) + "\n")


def resume(path: Path, about: Mapping[str, str]) -> Measurement:
    """Returns what is done at `path`, and takes away a line that was cut off while it was written.

    Raises:
        JournalError: it is no measurement, or one of another torch or device.
        OSError: it can't be written.
    """
    known = read_measurement(path)
    for key in ABOUT:
        if known.about.get(key) != about.get(key):
            raise JournalError(
                f"{path}: is a measurement of {key} {known.about.get(key)}, and this is {about.get(key)}; "
                "delete it, or leave out --resume"
            )
    lines = path.read_text(encoding="utf-8").splitlines()
    whole = [line for line in lines if _is_whole(line)]
    path.write_text("".join(f"{line}\n" for line in whole), encoding="utf-8", newline="\n")
    return known


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return '{"finished"' not in line


def read_measurement(path: Path) -> Measurement:
    """Reads a journal, or evidence (`rules/evidence/ops-*.json`). Raises JournalError."""
    try:
        text = path.read_text(encoding="utf-8")
        first, _, rest = text.partition("\n")
        if '"ops": {' in first:
            found = _of_evidence(json.loads(text))
        else:
            found = measurement(json.loads(first)["about"], _entries(rest.splitlines()))
        if not {*ABOUT, "date"} <= set(found.about):
            raise ValueError("it does not say what it is of")
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no measurement"
        raise JournalError(f"{path}: can't be read: {why}") from error


def _entries(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    entries = []
    for line in lines:
        try:
            entries.append(json.loads(line))
        except ValueError:
            continue
    return entries


def measurement(about: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> Measurement:
    """Sums entries up. Of an item that was done twice, both count."""
    ops: dict[str, dict[str, tuple[int, int, int]]] = {}
    errors: dict[str, str] = {}
    items: set[str] = set()
    skipped, seconds = 0, None
    for entry in entries:
        if "finished" in entry:
            seconds = float(entry["finished"])
            continue
        items.add(entry["item"])
        for number, broke in enumerate(entry["breaks"]):
            errors[f"{entry['item']} (process {number + 1})"] = broke
        for record in entry["records"]:
            if "error" in record:
                errors[f"{record['op']} ({record['kinds']})"] = record["error"]
            elif "waited" in record:
                rows = ops.setdefault(record["op"], {})
                calls, waited, warned = rows.get(record["kinds"], (0, 0, 0))
                rows[record["kinds"]] = (calls + 1, waited + record["waited"], warned + record["warned"])
            else:
                skipped += "skipped" in record
    texts = {key: str(value) for key, value in about.items()}
    return Measurement(texts, dict(sorted(ops.items())), errors, skipped, frozenset(items), seconds)


def _of_evidence(document: Mapping[str, Any]) -> Measurement:
    ops = {
        name: {kinds: (int(row[0]), int(row[1]), int(row[2])) for kinds, row in rows.items()}
        for name, rows in document["ops"].items()
    }
    about = {key: str(value) for key, value in document.items() if key != "ops"}
    return Measurement(about, ops, {}, 0, frozenset(), None)
