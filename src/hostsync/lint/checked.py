"""What one file gave before any selection, and its plain form for the cache.

Findings of every rule and confidence are kept, so that options which only choose among them never scan anew. Rows count
through the whole source here; those of a notebook become rows of a cell when they are shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hostsync.catalogue.model import Rule
from hostsync.facts import Allow, Span
from hostsync.findings import CONFIDENCES, ChainStep, Diagnostic, Finding, Location

if TYPE_CHECKING:
    from hostsync.project.cache import Plain

DOCS_URL = "https://hostsync.dev/rules/"


class Cell(NamedTuple):
    """A code cell of a notebook."""

    number: int
    """1-based, among the code cells."""
    first_row: int
    """The row of the whole source that is row 1 of the cell."""


class Checked(NamedTuple):
    findings: tuple[Finding, ...] = ()
    allows: tuple[Allow, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    cells: tuple[Cell, ...] = ()
    """Of a notebook, in order."""


def cells_of(rows: Iterable[tuple[int, int]]) -> tuple[Cell, ...]:
    """The cells of a notebook, from the cell and the row in it of each row of the whole source."""
    return tuple(Cell(number, place) for place, (number, row) in enumerate(rows, start=1) if row == 1)


def rule_url(rule: Rule) -> str:
    """The address of the page that documents `rule`."""
    return f"{DOCS_URL}{rule.code}-{rule.name}"


Shown = TypeVar("Shown", Finding, Diagnostic)


def located(shown: Shown, filename: str, cells: tuple[Cell, ...]) -> Shown:
    """`shown` with its file name, and with rows inside cells if there are any."""
    if isinstance(shown, Diagnostic):
        return shown._replace(filename=filename, location=_in_cell(shown.location, cells))
    if not cells:
        return shown._replace(filename=filename)
    start = _in_cell(shown.location, cells)
    chain = tuple(_step_in_cell(step, start.cell, cells) for step in shown.chain)
    end = _in_cell(shown.end_location, cells)
    return shown._replace(filename=filename, location=start, end_location=end, chain=chain)


def _in_cell(location: Location, cells: tuple[Cell, ...]) -> Location:
    if not cells:
        return location
    cell = cells[max(0, bisect_right([cell.first_row for cell in cells], location.row) - 1)]
    return Location(max(1, location.row - cell.first_row + 1), location.column, cell.number)


def _step_in_cell(step: ChainStep, current: int | None, cells: tuple[Cell, ...]) -> ChainStep:
    """A step of another cell says so in its text, as a step has a row only."""
    place = _in_cell(Location(step.row, 1), cells)
    return ChainStep(place.row, step.text if place.cell == current else f"cell {place.cell}: {step.text}")


# --- plain form ----------------------------------------------------------------------------------


def to_plain(checked: Checked, rules: Mapping[str, Rule]) -> Plain:
    """`checked` as JSON can hold it. What follows from the code of a rule is left out."""
    if checked == Checked():
        return 0
    return [
        [_finding_to_plain(finding, rules[finding.code]) for finding in checked.findings],
        [[list(allow.span), list(allow.codes), *allow[2:]] for allow in checked.allows],
        [[d.kind, list(d.location), d.message] for d in checked.diagnostics],
        [[cell.number, cell.first_row] for cell in checked.cells],
    ]


def from_plain(data: object, rules: Mapping[str, Rule]) -> Checked | None:
    """What `to_plain` made; None if `data` is anything else, such as part of a damaged cache."""
    if data == 0:
        return Checked()
    try:
        findings, allows, diagnostics, cells = _list(data)
        return Checked(
            tuple(_finding(_list(item), rules) for item in _list(findings)),
            tuple(_allow(_list(item)) for item in _list(allows)),
            tuple(_diagnostic(_list(item)) for item in _list(diagnostics)),
            tuple(Cell(*(_int(part) for part in _list(item))) for item in _list(cells)),
        )
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _finding_to_plain(finding: Finding, rule: Rule) -> Plain:
    return [
        finding.code,
        finding.message,
        [finding.location.row, finding.location.column, finding.end_location.row, finding.end_location.column],
        CONFIDENCES.index(finding.confidence),
        finding.symbol,
        finding.hot,
        [[step.row, step.text] for step in finding.chain],
        finding.versions,
        "" if finding.help == rule.help else finding.help,
    ]


def _finding(data: list[object], rules: Mapping[str, Rule]) -> Finding:
    code, message, span, confidence, symbol, hot, chain, versions, own_help = data
    rule = rules[_str(code)]
    row, column, end_row, end_column = (_int(part) for part in _list(span))
    return Finding(
        code=rule.code,
        name=rule.name,
        message=_str(message),
        filename="",
        location=Location(row, column),
        end_location=Location(end_row, end_column),
        confidence=CONFIDENCES[_int(confidence)],
        symbol=_str(symbol),
        hot=None if hot is None else _str(hot),
        chain=tuple(ChainStep(_int(row), _str(text)) for row, text in (_list(step) for step in _list(chain))),
        help=_str(own_help) or rule.help,
        versions=None if versions is None else _str(versions),
        url=rule_url(rule),
    )


def _allow(data: list[object]) -> Allow:
    span, codes, reason, whole_file, first_row, last_row, is_malformed, unknown = data
    return Allow(
        Span(*(_int(part) for part in _list(span))),
        tuple(_str(code) for code in _list(codes)),
        _str(reason),
        bool(whole_file),
        _int(first_row),
        _int(last_row),
        bool(is_malformed),
        _str(unknown),
    )


def _diagnostic(data: list[object]) -> Diagnostic:
    kind, place, message = data
    row, column, cell = _list(place)
    location = Location(_int(row), _int(column), None if cell is None else _int(cell))
    return Diagnostic(_str(kind), "", location, _str(message))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value
