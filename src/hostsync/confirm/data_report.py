"""A confirmation for programs: one JSON object. docs/confirm.md documents it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hostsync.catalogue.model import Rule
from hostsync.confirm.records import Joined, Judged, Missed, Total, WaitSite
from hostsync.confirm.summary import summary_of
from hostsync.findings import Verdict
from hostsync.report.formats.json import to_dict
from hostsync.runtime.executions import Span

VERSION = 1


def render_json(joined: Joined, rules: Mapping[str, Rule], paths: Mapping[str, Path]) -> Iterator[str]:
    """The text of the object. The arguments are those of `to_data`."""
    yield json.dumps(to_data(joined, rules, paths), indent=2)


def to_data(joined: Joined, rules: Mapping[str, Rule], paths: Mapping[str, Path]) -> dict[str, Any]:
    """The object.

    Args:
        joined: findings beside waits.
        rules: by code.
        paths: of the names that findings have of files, the absolute paths: the program may have changed its folder.
    """
    summary = summary_of(joined)
    return {
        "hostsync_confirm": VERSION,
        "runs": [{**run._asdict(), "program": list(run.program)} for run in joined.runs],
        "summary": {
            **summary._asdict(),
            "precision": _rounded(summary.precision),
            "recall": _rounded(summary.recall),
            "causes": joined.causes,
        },
        "findings": [_judged(one, joined, paths) for one in joined.judged if one.is_shown],
        "missed": [_missed(missed, rules, paths) for missed in joined.missed],
        "allowed": [_site(site, rules, paths) for site in joined.allowed],
        "memory": {kind: _total(total) for kind, total in sorted(joined.memory.items())},
        "elsewhere": _total(joined.elsewhere),
    }


def verdict_of(one: Judged, joined: Joined) -> Verdict:
    """The verdict of a finding, as `hostsync check --verdicts` would show it."""
    return verdict_over(joined, one.status, one.waits, one.waited, one.executions, one.seconds)


def verdict_over(
    joined: Joined, status: str, waits: int, waited: int | None, executions: int | None, seconds: float
) -> Verdict:
    """A verdict that says which runs it is from. The arguments are those of `findings.Verdict`."""
    return Verdict(
        status=status,
        waits=waits,
        waited=waited,
        executions=executions,
        seconds=seconds,
        device=", ".join(dict.fromkeys(run.device for run in joined.runs if run.device)),
        torch=", ".join(dict.fromkeys(run.torch for run in joined.runs if run.torch)),
        date=max((run.date for run in joined.runs), default=""),
    )


def _judged(one: Judged, joined: Joined, paths: Mapping[str, Path]) -> dict[str, Any]:
    filename = str(paths[one.finding.filename])
    finding = one.finding._replace(filename=filename, verdict=verdict_of(one, joined))
    return {**to_dict(finding), "allowed_waits": one.allowed, "inside_calls": one.is_through}


def _missed(missed: Missed, rules: Mapping[str, Rule], paths: Mapping[str, Path]) -> dict[str, Any]:
    hidden = missed.hidden
    found = None if hidden is None else {"code": hidden.code, "confidence": hidden.confidence}
    return {**_site(missed.site, rules, paths), "found_as": found}


def _site(site: WaitSite, rules: Mapping[str, Rule], paths: Mapping[str, Path]) -> dict[str, Any]:
    rule = None if site.code is None else rules.get(site.code)
    return {
        "code": site.code,
        "name": None if rule is None else rule.name,
        "filename": str(paths[site.filename]),
        **_location(site.span),
        "symbol": site.symbol,
        "expression": site.text,
        "kind": site.kind,
        "call": site.call,
        "operation": site.operation or None,
        "waits": site.waits,
        "waited": site.waited,
        "blocked_s": round(site.seconds, 9),
        "allowed": site.allowed,
        "library": site.library or None,
    }


def _location(span: Span) -> dict[str, Any]:
    return {
        "location": {"row": span.row, "column": span.column or None},
        "end_location": {"row": span.end_row, "column": span.end_column or None},
    }


def _total(total: Total) -> dict[str, Any]:
    return {"waits": total.waits, "blocked_s": round(total.seconds, 9)}


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
