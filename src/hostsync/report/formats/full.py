"""For reading: the source line with the expression marked, why we think it waits, and one thing to do."""

from __future__ import annotations

from collections.abc import Iterator

from hostsync.findings import Diagnostic, Finding
from hostsync.report import Report, in_order
from hostsync.report.escape import visible
from hostsync.report.frame import frame
from hostsync.report.place import certainty, diagnostic_line, place
from hostsync.report.style import Style
from hostsync.report.verdict import verdict_text


def render(report: Report) -> Iterator[str]:
    """One block for each finding, with an empty line after it."""
    for entry in in_order(report):
        if isinstance(entry, Diagnostic):
            yield report.style.strong(diagnostic_line(entry)) + "\n\n"
        else:
            yield "\n".join(_block(entry, report)) + "\n\n"


def _block(finding: Finding, report: Report) -> Iterator[str]:
    style = report.style
    lines = report.lines(finding.filename, finding.location.cell)
    yield f"{style.strong(place(finding))}: {style.code(finding.code)} {finding.name} ({certainty(finding)})"
    yield from frame(lines, finding.location, finding.end_location, visible(finding.message), style)
    indent = " " * len(str(min(finding.end_location.row, max(len(lines), finding.location.row))))
    for text in _notes(finding, style):
        yield f"{indent} {style.frame('=')} {text}"


def _notes(finding: Finding, style: Style) -> Iterator[str]:
    if finding.chain:
        steps = " -> ".join(f"{visible(step.text)} (line {step.row})" for step in finding.chain)
        yield f"{style.strong('why')}: {steps}"
    if finding.versions is not None:
        yield f"{style.strong('torch')}: waits in {finding.versions} only"
    if finding.help:
        yield f"{style.help('help')}: {visible(finding.help)}"
    if finding.verdict is not None:
        title, evidence = verdict_text(finding.verdict)
        yield f"{style.strong(title)}: {evidence}"
