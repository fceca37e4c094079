"""What `hostsync check --why FILE:ROW` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hostsync.cli.exits import FOUND, OK, WRONG, CommandError
from hostsync.findings import Finding
from hostsync.lint.check import rules_by_code
from hostsync.lint.decision import Decided, Judge
from hostsync.lint.sources import Sources
from hostsync.lint.why import Explained, Told, explain_row
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.paths import is_folder, is_missing, mode_of
from hostsync.project.units import Units
from hostsync.report import Report, render_lines
from hostsync.report.escape import visible
from hostsync.report.style import Style, wants_colour

LONGEST = 60


def parse_place(text: str) -> tuple[Path, int]:
    """The file and the row of `FILE:ROW` or `FILE:ROW:COLUMN`. Raises CommandError."""
    name, _, row = text.rpartition(":")
    if row.isdigit() and name.rpartition(":")[2].isdigit() and mode_of(Path(name)) is None:
        name, _, row = name.rpartition(":")
    if not name or not row.isdigit() or int(row) < 1:
        raise CommandError(f"--why takes FILE:ROW, such as train.py:41, not `{text}`")
    path = Path(name)
    if is_missing(path) or is_folder(path):
        raise CommandError(f"--why: no such file: `{name}`")
    if path.suffix == ".ipynb":
        raise CommandError("--why can't explain notebooks yet: rows of cells are not told apart")
    return path, int(row)


def explain(place: str, resolver: Resolver, exit_zero: bool) -> int:
    """Prints what is believed of a row, or why the file can't be scanned. Returns the exit code.

    Args:
        place: `FILE:ROW`.
        resolver: finds the settings of a file.
        exit_zero: return 0 even if the file can't be scanned.

    Raises:
        CommandError: there is no such file or row.
    """
    path, row = parse_place(place)
    found = discover([path], resolver.settings)
    if not found.files:
        raise CommandError(f"--why: `{path}` is excluded, or can't be read")
    file = found.files[0]
    sources = Sources({file.filename: file.path}, {})
    lines = list(sources.lines(file.filename))
    # Without any it can't be read or decoded, which the scan tells.
    # What follows the last line end is no line.
    count = len(lines) - (lines[-1:] == [""])
    if lines and row > count:
        raise CommandError(f"--why: {file.filename} has {count} {'line' if count == 1 else 'lines'}")
    explained = explain_row(file, row, Units(found.settings_for, found.given))
    judge = Judge(file.settings, rules_by_code(file.settings.extend_rules))
    decided = judge.decide(explained.checked, file.path, file.filename)
    filename = file.filename
    style = Style(wants_colour(os.environ, sys.stdout.isatty()))
    if decided.diagnostics:
        for line in render_lines(Report((), decided.diagnostics, sources.lines, style), "concise"):
            click.echo(line)
        if any(diagnostic.kind == "internal-error" for diagnostic in decided.diagnostics):
            return WRONG
        return OK if exit_zero else FOUND
    for line in _told(filename, row, explained, decided, lines, style):
        click.echo(line)
    return OK


def _told(
    filename: str, row: int, explained: Explained, decided: Decided, lines: list[str], style: Style
) -> Iterator[str]:
    yield f"{style.strong(f'{visible(filename)}:{row}')}: {visible(lines[row - 1].strip())}"
    symbol = ""
    for told in explained.beliefs:
        if told.symbol != symbol:
            symbol = told.symbol
            yield style.dim(f"in {visible(symbol)}")
        yield f"  {visible(_text(told, lines))}: {visible(told.what)}"
        for at, words in told.chain:
            text = words or (_cropped(lines[at - 1].strip()) if at <= len(lines) else "")
            yield style.dim(f"      line {at}: {visible(text)}")
    if not explained.beliefs:
        yield "  No expression on this row was followed: it holds none, or the file does not use torch."
    reported = {_key(finding) for finding in decided.findings}
    found = [finding for finding in explained.checked.findings if finding.location.row == row]
    for finding in found:
        known = _key(finding) in reported
        how = "reported" if known else "not reported, see the settings, allow comments and --min-confidence"
        yield f"{style.code(finding.code)} {finding.name} ({finding.confidence}): {how}"
    if not found:
        yield "Nothing on this row waits, as far as that goes."


def _key(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.location.row, finding.location.column


def _text(told: Told, lines: list[str]) -> str:
    rows = lines[told.row - 1 : told.end_row]
    if not rows:
        return ""
    rows[-1] = rows[-1][: told.end_column - 1]
    rows[0] = rows[0][told.column - 1 :]
    return _cropped(" ".join(" ".join(rows).split()))


def _cropped(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
