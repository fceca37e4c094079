"""What the scan believes of one row of a file, as a run over its project gives it."""

from __future__ import annotations

from typing import NamedTuple

from hostsync.lint.checked import Checked
from hostsync.lint.scan import check_files, rows_of
from hostsync.project.discovery import SourceFile
from hostsync.project.units import Units


class Explained(NamedTuple):
    """One row of a file."""

    beliefs: tuple[Told, ...]
    checked: Checked
    """Everything that was found in the file, before selection."""


class Told(NamedTuple):
    """What an expression is believed to be."""

    symbol: str
    row: int
    column: int
    end_row: int
    end_column: int
    what: str
    chain: tuple[tuple[int, str], ...]
    """Rows and words, oldest first; empty words where the row says it."""


def explain_row(file: SourceFile, row: int, units: Units | None) -> Explained:
    """Checks a file anew, in this process, and takes down what is inferred of one row.

    Args:
        file: the file.
        row: from 1.
        units: finds the files of its packages, as for `check_files`.
    """
    from hostsync.infer.beliefs import recording

    rows = rows_of(None, {})
    with recording(file.module, row) as recorder:
        (checked,) = check_files([file], workers=1, units=units, rows=rows)
    told = (
        Told(b.symbol, *b.span, b.what, tuple((reason.span[0], rows.shown(reason.text)) for reason in b.chain))
        for b in recorder.beliefs()
    )
    return Explained(tuple(told), checked)
