"""One line for each finding."""

from __future__ import annotations

from collections.abc import Iterator

from hostsync.findings import Diagnostic
from hostsync.report import Report, in_order
from hostsync.report.escape import visible
from hostsync.report.place import diagnostic_line, place


def render(report: Report) -> Iterator[str]:
    """`path:row:column: CODE message (confidence)`."""
    style = report.style
    for entry in in_order(report):
        if isinstance(entry, Diagnostic):
            yield diagnostic_line(entry) + "\n"
        else:
            code = style.code(entry.code)
            yield f"{style.strong(place(entry))}: {code} {visible(entry.message)} ({entry.confidence})\n"
