"""For programs: a list, with the key names of ruff where ruff has the key. File names are absolute, as ruff's are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from hostsync.findings import Diagnostic, Finding, Location, Verdict
from hostsync.report import Report, in_order


def render(report: Report) -> Iterator[str]:
    """A list of findings; a diagnostic is an entry whose code is null and whose name is its kind."""
    separator = "["
    absolute: dict[str, str] = {}
    for entry in in_order(report):
        if entry.filename not in absolute:
            absolute[entry.filename] = _absolute(entry.filename)
        yield f"{separator}\n  {_indented(to_dict(entry, absolute[entry.filename]), '  ')}"
        separator = ","
    yield "[]\n" if separator == "[" else "\n]\n"


_quoted: Final[Callable[[str], str]] = json.encoder.encode_basestring_ascii


def _indented(value: object, margin: str) -> str:
    """As `json.dumps` with an indent of 2, which takes several times as long, below a margin."""
    if value is None:
        return "null"
    if type(value) is str:
        return _quoted(value)
    if type(value) is int:
        return str(value)
    inner = margin + "  "
    if isinstance(value, dict) and value:
        # Most are texts, which are spared a call.
        parts = [
            f'{inner}"{key}": {_quoted(item) if type(item) is str else _indented(item, inner)}'
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(parts) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join([inner + _indented(item, inner) for item in value]) + f"\n{margin}]"
    return json.dumps(value)


def _absolute(filename: str) -> str:
    return str(Path(filename).absolute())


def to_dict(entry: Finding | Diagnostic, absolute: str | None = None) -> dict[str, Any]:
    """One entry of the list; `absolute` is its absolute file name, if that is known already."""
    if absolute is None:
        absolute = _absolute(entry.filename)
    if isinstance(entry, Diagnostic):
        return {
            "code": None,
            "name": entry.kind,
            "message": entry.message,
            "filename": absolute,
            "location": _location(entry.location),
            "end_location": _location(entry.location),
            "confidence": None,
            "symbol": None,
            "hot": None,
            "chain": [],
            "fix": None,
            "url": None,
            "help": None,
            "versions": None,
            "verdict": None,
        }
    return {
        "code": entry.code,
        "name": entry.name,
        "message": entry.message,
        "filename": absolute,
        "location": _location(entry.location),
        "end_location": _location(entry.end_location),
        "confidence": entry.confidence,
        "symbol": entry.symbol,
        "hot": entry.hot,
        "chain": [{"row": step.row, "text": step.text} for step in entry.chain],
        "fix": None,
        "url": entry.url,
        "help": entry.help,
        "versions": entry.versions,
        "verdict": None if entry.verdict is None else verdict_dict(entry.verdict),
    }


def verdict_dict(verdict: Verdict) -> dict[str, Any]:
    """What runs showed of a finding."""
    return {
        "status": verdict.status,
        "waits": verdict.waits,
        "waited": verdict.waited,
        "executions": verdict.executions,
        "blocked_s": round(verdict.seconds, 9),
        "device": verdict.device or None,
        "torch": verdict.torch or None,
        "date": verdict.date or None,
    }


def _location(location: Location) -> dict[str, int]:
    place = {"row": location.row, "column": location.column}
    return place if location.cell is None else {**place, "cell": location.cell}
