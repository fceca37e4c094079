"""Renders findings. Each format is one module of `formats`, named as the option value, with a `render` function."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from hostsync.findings import Covered, Diagnostic, Finding
from hostsync.report.quantities import counted
from hostsync.report.style import Style

Lines = Callable[[str, "int | None"], Sequence[str]]
"""The lines of a file, or of one code cell of a notebook; empty if they can't be had."""


class About(Protocol):
    """What formats say of a rule."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def page(self) -> str:
        """Markdown."""
        ...


def _none(filename: str) -> Sequence[Finding]:
    return ()


class Report(NamedTuple):
    """What is to be rendered. All but the first four are for formats that machines read."""

    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    lines: Lines
    style: Style = Style()
    rules: Mapping[str, About] = MappingProxyType({})
    """By code."""
    root: Path | None = None
    """The folder that paths are relative to; None for the current one."""
    every: Callable[[str], Sequence[Finding]] = _none
    """All findings of a file, also those that options hide: a fingerprint counts them, so that it does not change with
    the options."""
    covered: tuple[Covered, ...] = ()
    """What comments and baselines cover, if it is to be written."""
    notes: tuple[str, ...] = ()
    """What is to be said of the whole, such as what could not be seen; one sentence each."""


class Totals(NamedTuple):
    """Counts for the summary line."""

    files: int
    suppressed: int
    baselined: int


@lru_cache(maxsize=1)
def format_names() -> tuple[str, ...]:
    """The names that `--output-format` takes."""
    from hostsync.report import formats

    return tuple(sorted(module.name for module in pkgutil.iter_modules(formats.__path__)))


def render(report: Report, name: str) -> Iterator[str]:
    """The pieces of `report` in the format `name`, one of `format_names`."""
    pieces: Iterator[str] = import_module(f"hostsync.report.formats.{name}").render(report)
    return pieces


def render_lines(report: Report, name: str) -> Sequence[str]:
    """As `render`, in lines without their ends."""
    text = "".join(render(report, name))
    return text.removesuffix("\n").split("\n") if text else ()


def in_order(report: Report) -> Iterable[Finding | Diagnostic]:
    """Findings and diagnostics together, by file and place."""
    entries: list[Finding | Diagnostic] = [*report.findings, *report.diagnostics]
    return sorted(entries, key=lambda e: (e.filename, e.location.cell or 0, e.location.row, e.location.column))


def summary(report: Report, totals: Totals) -> str:
    """The closing line."""
    count = len(report.findings)
    files = len({finding.filename for finding in report.findings})
    if count:
        text = f"Found {counted(count, 'finding')} in {files} of {counted(totals.files, 'file')}"
    else:
        text = f"No findings in {counted(totals.files, 'file')}"
    notes = []
    if totals.suppressed:
        notes.append(f"{totals.suppressed} allowed by comments")
    if totals.baselined:
        notes.append(f"{totals.baselined} in the baseline")
    text += f" ({', '.join(notes)})." if notes else "."
    if report.diagnostics:
        where = len({diagnostic.filename for diagnostic in report.diagnostics})
        in_full = " in full" if all(diagnostic.location.cell is not None for diagnostic in report.diagnostics) else ""
        text += f" {counted(where, 'file')} could not be scanned{in_full}."
    return text
