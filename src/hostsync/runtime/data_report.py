"""The report of a run for programs: JSON, JSON lines, and a trace that Perfetto and chrome://tracing show.

docs/reference/output.md documents the keys.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostsync.runtime.cause import Causes
from hostsync.runtime.inside import parts_of
from hostsync.runtime.read_report import VERSION
from hostsync.runtime.records import Part, Place, Site, Wait
from hostsync.runtime.session import Seen
from hostsync.runtime.source import text_at


def render_json(seen: Seen, causes: Causes) -> Iterator[str]:
    """One object: the run, and under `sites` every site."""
    yield json.dumps(document(seen, causes), indent=2)


def document(seen: Seen, causes: Causes) -> dict[str, Any]:
    """The object that `render_json` writes, and that `read_report` reads."""
    return {**run_dict(seen), "sites": [site_dict(site, seen.seconds, causes) for site in seen.sites]}


def render_jsonl(seen: Seen, causes: Causes) -> Iterator[str]:
    """One object on each line, told apart by `type`: the run, every site, and the single waits that were kept."""
    yield json.dumps({"type": "run", **run_dict(seen)})
    for site in seen.sites:
        yield json.dumps({"type": "site", **site_dict(site, seen.seconds, causes)})
    for event in seen.events:
        yield json.dumps({"type": "wait", "end_s": _rounded(event.end), **wait_dict(event.wait)})


def sample_note(seen: Seen) -> str:
    """That single waits are a sample; empty where all were kept."""
    if not seen.is_sampled:
        return ""
    waits = seen.totals.waits + seen.totals.allowed
    return f"Single waits, as in --trace and jsonl, are a random sample: {len(seen.events):,} of {waits:,}."


def run_dict(seen: Seen) -> dict[str, Any]:
    """What is said of the run as a whole."""
    totals = seen.totals
    return {
        "hostsync_run": VERSION,
        "program": [*(["-m"] if seen.program.is_module else []), seen.program.name, *seen.program.args],
        "exit_code": seen.ended.code,
        "ended_by": seen.ended.how or None,
        "rank": seen.rank,
        "used_cuda": seen.used_cuda,
        "sources": list(seen.sources),
        "blind_spots": list(seen.blind_spots),
        "wall_s": _rounded(seen.seconds),
        "waits": totals.waits,
        "blocked_s": _rounded(totals.seconds),
        "allowed_waits": totals.allowed,
        "allowed_blocked_s": _rounded(totals.allowed_seconds),
        "skipped_waits": totals.skipped,
        "skipped_blocked_s": _rounded(totals.skipped_seconds),
        "waits_without_room": totals.crowded,
        "optimizer_steps": seen.steps,
        "allocations": None if seen.allocations is None else seen.allocations._asdict(),
        "events_are_sampled": seen.is_sampled,
        "environment": dict(seen.environment),
    }


def site_dict(site: Site, seconds: float, causes: Causes) -> dict[str, Any]:
    """One site, with its share of `seconds` of wall time. The first keys are those of a finding."""
    rule = causes.rule(site.code)
    example = site.example
    return {
        "code": site.code,
        "name": None if rule is None else rule.name,
        **place_dict(site.place),
        "expression": text_at(site.place) if site.place is not None else None,
        "kind": site.kind,
        "call": example.call,
        "operation": site.operation or None,
        "count": site.count,
        "blocked_s": _rounded(site.seconds),
        "mean_s": _rounded(site.seconds / site.count),
        "longest_s": _rounded(site.longest),
        "share": round(site.seconds / seconds, 6) if seconds else None,
        "bytes": site.bytes,
        "memory": site.memory or None,
        "streams": list(site.streams),
        "phase": site.phase,
        "thread": example.thread,
        "seen_by": example.source,
        "allowed": site.allowed,
        "library": _place_or_none(example.library),
        "inside": [_part_dict(part) for part in parts_of(site)],
        "callers": [place_dict(caller) for caller in example.callers],
        "help": causes.help_of(example, site.code) or None,
    }


def wait_dict(wait: Wait) -> dict[str, Any]:
    """One single wait."""
    return {
        **place_dict(wait.place),
        "kind": wait.kind,
        "call": wait.call,
        "operation": wait.operation or None,
        "blocked_s": _rounded(wait.seconds),
        "bytes": wait.bytes,
        "memory": wait.memory or None,
        "stream": wait.stream,
        "phase": wait.phase,
        "thread": wait.thread,
        "allowed": wait.allowed,
        "library": _place_or_none(wait.library),
    }


def _part_dict(part: Part) -> dict[str, Any]:
    return {
        "library": _place_or_none(part.library),
        "operation": part.operation or None,
        "count": part.count,
        "blocked_s": _rounded(part.seconds),
        "longest_s": _rounded(part.longest),
    }


def _place_or_none(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else place_dict(place)


def place_dict(place: Place | None) -> dict[str, Any]:
    """A place, with the keys of a finding. A column is null where Python doesn't tell it."""
    if place is None:
        return {"filename": None, "location": None, "end_location": None, "symbol": None}
    # A pseudo file such as `<stdin>` has no absolute name.
    name = place.filename if place.filename.startswith("<") else str(Path(place.filename).absolute())
    return {
        "filename": name,
        "location": {"row": place.row, "column": place.column or None},
        "end_location": {"row": place.end_row, "column": place.end_column or None},
        "symbol": place.function,
    }


def render_trace(seen: Seen, causes: Causes) -> Iterator[str]:
    """The kept waits in the Trace Event Format: a slice for each, on the thread that waited."""
    pid = os.getpid()
    numbers: dict[str, int] = {}
    process = " ".join((seen.program.name, *seen.program.args))
    # Other keys of the object are shown as what is known of the whole trace.
    sample = sample_note(seen)
    whole = f'"otherData": {json.dumps({"note": sample})}, ' if sample else ""
    yield f'{{"displayTimeUnit": "ms", {whole}"traceEvents": ['
    yield json.dumps({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": process}})
    for event in seen.events:
        wait = event.wait
        if wait.thread not in numbers:
            numbers[wait.thread] = len(numbers) + 1
            name = {"ph": "M", "name": "thread_name", "pid": pid, "tid": numbers[wait.thread]}
            yield "," + json.dumps({**name, "args": {"name": wait.thread}})
        text = text_at(wait.place) if wait.place is not None else ""
        code = causes.code_of(wait)
        where = None if wait.place is None else f"{wait.place.filename}:{wait.place.row}:{wait.place.column}"
        yield "," + json.dumps(
            {
                "ph": "X",
                "name": text or wait.operation or wait.call,
                "cat": f"{code or 'wait'},{wait.kind}",
                "ts": round(max(event.end - wait.seconds, 0.0) * 1e6, 3),
                "dur": round(wait.seconds * 1e6, 3),
                "pid": pid,
                "tid": numbers[wait.thread],
                "args": {"where": where, "code": code, **wait_dict(wait)},
            }
        )
    yield "]}"


def _rounded(seconds: float) -> float:
    return round(seconds, 9)
