"""For the widget of a GitLab merge request: a code quality report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hostsync.findings import Diagnostic
from hostsync.report import Report
from hostsync.report.entries import NOTE, Entry, entries
from hostsync.report.escape import visible


def render(report: Report) -> Iterator[str]:
    """A list of issues."""
    separator = "["
    for entry in entries(report):
        yield f"{separator}\n  " + json.dumps(_issue(entry), indent=2).replace("\n", "\n  ")
        separator = ","
    yield "[]\n" if separator == "[" else "\n]\n"


def _issue(entry: Entry) -> dict[str, Any]:
    return {
        "description": f"{entry.title}: {entry.message}",
        "check_name": entry.code,
        "fingerprint": entry.fingerprint,
        "severity": _severity(entry),
        "location": {
            "path": visible(entry.path),
            "lines": {"begin": entry.region.row, "end": entry.region.end_row},
        },
    }


def _severity(entry: Entry) -> str:
    if entry.severity == NOTE:
        return "info"
    return "major" if isinstance(entry.source, Diagnostic) or entry.source.confidence == "certain" else "minor"
