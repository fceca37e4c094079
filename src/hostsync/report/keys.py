"""What a finding is known by, so that it is found again when other parts of the file have changed.

Verdict files and the fingerprints of reports share this key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hostsync.findings import Finding, Location


class Key(NamedTuple):
    """A finding, without its place."""

    symbol: str
    code: str
    text: str
    """The expression, with what is blank left out."""
    occurrence: int
    """1-based, among the findings of the symbol with the same code and text."""


def keyed(findings: Iterable[Finding], lines: Sequence[str]) -> Iterator[tuple[Finding, Key]]:
    """The key of each finding.

    Args:
        findings: all of a file, of every rule and confidence: those that an option hides count as occurrences.
        lines: the source that their rows count in.
    """
    return keyed_in_cells(findings, lambda cell: lines)


def keyed_in_cells(
    findings: Iterable[Finding], lines: Callable[[int | None], Sequence[str]]
) -> Iterator[tuple[Finding, Key]]:
    """As `keyed`, where rows may count in cells of a notebook.

    Args:
        findings: all of a file.
        lines: the source of a cell; of the file for None.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    for finding in sorted(findings, key=_order):
        text = normalised(lines(finding.location.cell), finding.location, finding.end_location)
        kind = (finding.symbol, finding.code, text)
        seen[kind] += 1
        yield finding, Key(*kind, seen[kind])


def _order(finding: Finding) -> tuple[int, tuple[int, int], tuple[int, int], str]:
    start, end = finding.location, finding.end_location
    return (start.cell or 0, (start.row, start.column), (end.row, end.column), finding.code)


def normalised(lines: Sequence[str], start: Location, end: Location) -> str:
    """The text between two places without blanks, so that another layout of the same expression is the same.

    A column of 0 is one that is not known: the text then goes to the beginning or end of its line.
    """
    if not 1 <= start.row <= end.row <= len(lines):
        return ""
    rows = list(lines[start.row - 1 : end.row])
    if end.column:
        rows[-1] = rows[-1][: end.column - 1]
    rows[0] = rows[0][max(start.column - 1, 0) :]
    return "".join("".join(rows).split())


def fingerprint(path: str, key: Key) -> str:
    """A short name for a finding that stays while other parts of its file change.

    Args:
        path: of its file, as every machine calls it.
        key: of the finding.
    """
    return digest(path, *key[:3], str(key.occurrence))


def digest(*parts: str) -> str:
    """64 hexadecimal digits that stand for the texts `parts`."""
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
