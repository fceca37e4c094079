"""How a text report names a place."""

from __future__ import annotations

from hostsync.findings import Diagnostic, Finding
from hostsync.report.escape import visible

HOT = {"loop": "in loop", "forward": "in forward", "step": "in step"}


def place(entry: Finding | Diagnostic) -> str:
    """`path:row:column`, in a notebook `path:cell 3:row:column`."""
    cell = "" if entry.location.cell is None else f":cell {entry.location.cell}"
    return f"{visible(entry.filename)}{cell}:{entry.location.row}:{entry.location.column}"


def certainty(finding: Finding) -> str:
    """`certain, in loop`."""
    return finding.confidence if finding.hot is None else f"{finding.confidence}, {HOT.get(finding.hot, finding.hot)}"


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """A diagnostic on one line."""
    return f"{place(diagnostic)}: {diagnostic.kind}: {visible(diagnostic.message)}"
