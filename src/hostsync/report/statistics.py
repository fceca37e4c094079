"""Counts by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hostsync.report import Report

FORMATS = ("full", "concise", "json")
"""The formats that have counts."""


def render_statistics(report: Report, name: str) -> Iterator[str]:
    """The number of findings of each rule, the most first: a table, for the format `json` a list. `name` is one of
    `FORMATS`."""
    counts = Counter((finding.code, finding.name) for finding in report.findings)
    counts.update((diagnostic.kind, "") for diagnostic in report.diagnostics)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if name == "json":
        import json

        yield json.dumps([{"code": c, "name": n or None, "count": count} for (c, n), count in rows], indent=2) + "\n"
        return
    margin = max((len(str(count)) for _, count in rows), default=0)
    for (code, title), count in rows:
        yield f"{count:{margin}}  {report.style.code(code)}  {title}".rstrip() + "\n"
