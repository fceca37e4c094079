"""For the log of a GitHub Actions job: workflow commands, which GitHub shows as annotations at the lines."""

from __future__ import annotations

from collections.abc import Iterator

from hostsync.report import Report
from hostsync.report.entries import ERROR, NOTE, WARNING, Entry, entries
from hostsync.report.escape import visible

_COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


def render(report: Report) -> Iterator[str]:
    """One command on each line."""
    for entry in entries(report):
        properties = ",".join(f"{name}={escaped_property(value)}" for name, value in _properties(entry))
        text = f"{entry.place}: {entry.title}: {entry.message}"
        if entry.help:
            text += f"\nhelp: {entry.help}"
        yield f"::{_COMMANDS[entry.severity]} {properties}::{escaped(text)}\n"


def _properties(entry: Entry) -> Iterator[tuple[str, str]]:
    region = entry.region
    yield "title", entry.title
    yield "file", visible(entry.path)
    yield "line", str(region.row)
    yield "endLine", str(region.end_row)
    # GitHub rejects columns where the lines differ.
    if region.row == region.end_row and region.column:
        yield "col", str(region.column)
        yield "endColumn", str(region.end_column)


def escaped(text: str) -> str:
    """Text that stands behind the `::` of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """The value of a property of a command."""
    return escaped(text).replace(":", "%3A").replace(",", "%2C")
