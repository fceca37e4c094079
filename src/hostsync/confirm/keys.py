"""What a verdict knows a finding by, so that it is found again when other parts of the file have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    seen: Counter[tuple[str, str, str]] = Counter()
    for finding in sorted(findings, key=lambda f: (f.location[:2], f.end_location[:2], f.code)):
        text = normalised(lines, finding.location, finding.end_location)
        kind = (finding.symbol, finding.code, text)
        seen[kind] += 1
        yield finding, Key(*kind, seen[kind])


def normalised(lines: Sequence[str], start: Location, end: Location) -> str:
    """The text between two places without blanks, so that another layout of the same expression is the same."""
    if not 1 <= start.row <= end.row <= len(lines):
        return ""
    rows = list(lines[start.row - 1 : end.row])
    rows[-1] = rows[-1][: end.column - 1]
    rows[0] = rows[0][start.column - 1 :]
    return "".join("".join(rows).split())
