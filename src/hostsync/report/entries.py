"""What a report holds, in the words and numbers that the formats for machines share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hostsync.findings import Diagnostic, Finding, Location, Verdict
from hostsync.report import Report, in_order
from hostsync.report.escape import visible
from hostsync.report.keys import Key, digest, fingerprint, keyed_in_cells
from hostsync.report.place import certainty
from hostsync.report.root import path_from
from hostsync.report.verdict import verdict_text

ERROR, WARNING, NOTE = "error", "warning", "note"
SETTLED = ("confirmed", "refuted")
"""The statuses of verdicts that say whether it waited."""


class Region(NamedTuple):
    """A part of a file; columns are 0 where they are not known."""

    row: int
    column: int
    end_row: int
    end_column: int


class Entry(NamedTuple):
    """A finding or diagnostic. Its texts hold nothing that could steer what shows them."""

    source: Finding | Diagnostic
    code: str
    """Of the rule, or the kind of a diagnostic."""
    name: str
    """Of the rule; empty for a diagnostic."""
    message: str
    help: str
    severity: str
    """error, warning or note."""
    path: str
    """Relative to the root of the report, with forward slashes, and as the file system has it."""
    region: Region
    """Of the file. That of a notebook is its beginning, as no row of a cell is a row of the file."""
    symbol: str
    """The function; empty for a diagnostic."""
    fingerprint: str
    """The same as long as the expression, its function and its file are."""

    @property
    def title(self) -> str:
        """`HS101 item-read-back`."""
        return f"{self.code} {self.name}".rstrip()

    @property
    def place(self) -> str:
        """`src/train.py:41:18`."""
        column = f":{self.region.column}" if self.region.column else ""
        return f"{visible(self.path)}:{self.region.row}{column}"


def entries(report: Report) -> Iterator[Entry]:
    """What is reported, in order."""
    return _made(in_order(report), report)


def covered_entries(report: Report) -> Iterator[Entry]:
    """What is covered, in the order of `report.covered`."""
    return _made((one.finding for one in report.covered), report)


def severity(shown: Finding | Diagnostic) -> str:
    """error: could not be scanned. warning: a wait. note: it may be none, or runs have shown none."""
    if isinstance(shown, Diagnostic):
        return ERROR
    if shown.verdict is not None and shown.verdict.status != "confirmed":
        return NOTE
    return NOTE if shown.confidence == "possible" else WARNING


def steps(finding: Finding) -> Iterator[tuple[int, str]]:
    """The rows of the chain with their texts."""
    for step in finding.chain:
        yield step.row, visible(step.text)


def _made(shown: Iterable[Finding | Diagnostic], report: Report) -> Iterator[Entry]:
    keys = _Keys(report)
    seen: dict[str, int] = {}
    for one in shown:
        path = path_from(report.root, one.filename)
        if isinstance(one, Diagnostic):
            kind = digest(path, one.kind, one.message)
            seen[kind] = seen.get(kind, 0) + 1
            yield Entry(
                one,
                one.kind,
                "",
                visible(_in_cell(one.location) + one.message),
                "",
                severity(one),
                path,
                _region(one.location, one.location),
                "",
                digest(kind, str(seen[kind])),
            )
        else:
            yield Entry(
                one,
                one.code,
                one.name,
                visible(_in_cell(one.location) + _sentence(one)),
                visible(one.help),
                severity(one),
                path,
                _region(one.location, one.end_location),
                visible(one.symbol),
                fingerprint(path, keys.of(one)),
            )


def _in_cell(location: Location) -> str:
    if location.cell is None:
        return ""
    return f"cell {location.cell}, row {location.row}, column {location.column}: "


def _region(start: Location, end: Location) -> Region:
    if start.cell is not None:
        return Region(1, 0, 1, 0)
    return Region(max(start.row, 1), start.column, max(end.row, start.row, 1), end.column)


def _sentence(finding: Finding) -> str:
    text = f"{finding.message} ({certainty(finding)})"
    if finding.versions is not None:
        text += f"; in torch {finding.versions} only"
    return text if finding.verdict is None else f"{text}; {_told(finding.verdict)}"


def _told(verdict: Verdict) -> str:
    title, evidence = verdict_text(verdict)
    return f"{title}: {evidence}" if verdict.status in SETTLED else title


_Spot = tuple[Location, Location, str, str]


class _Keys:
    """The keys of findings, file by file."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._shown: dict[str, list[Finding]] = {}
        for finding in (*report.findings, *(one.finding for one in report.covered)):
            self._shown.setdefault(finding.filename, []).append(finding)
        self._known: dict[str, Mapping[_Spot, Key]] = {}

    def of(self, finding: Finding) -> Key:
        name = finding.filename
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name][_spot(finding)]

    def _made(self, name: str) -> Mapping[_Spot, Key]:
        # A verdict changes a finding, but not what it is known by.
        spots = {_spot(one): one for one in (*self._report.every(name), *self._shown[name])}

        def lines(cell: int | None) -> Sequence[str]:
            return self._report.lines(name, cell)

        return {_spot(one): key for one, key in keyed_in_cells(spots.values(), lines)}


def _spot(finding: Finding) -> _Spot:
    return (finding.location, finding.end_location, finding.code, finding.symbol)
