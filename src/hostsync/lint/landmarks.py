"""Names for the rows of a file that stay the same while other rows come and go.

What a file tells of others says where, and that ends in what is found there: `pkg/b.py:4 hands in a tensor`. With the
rows themselves each line that somebody adds would make all of it news, for the file and for those that it tells of. So
a row goes by the text of its line until a finding is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import Final

from hostsync.lint.checked import Checked

_MARK: Final = re.compile("\2([^\2\3]*)\2([0-9]+)-([0-9a-f]+)-([0-9]+)\3")
"""A row of a file in a text: the name of the file, the length of the line, what it sums up to, and how many such lines
there are before. A source may hold the same; that can do no harm, as only files of the run are opened for it."""


class Landmarks:
    """The rows of one source.

    Args:
        text: gives the lines of the source. It is asked once, if at all.
    """

    def __init__(self, text: Callable[[], Sequence[str]]) -> None:
        self._text = text
        self._names: dict[int, str] = {}

    @cached_property
    def _lines(self) -> Sequence[str]:
        return self._text()

    @cached_property
    def _first(self) -> dict[str, int]:
        """Where each line is for the first time."""
        backwards = range(len(self._lines) - 1, -1, -1)
        return dict(zip(reversed(self._lines), backwards, strict=True))

    @cached_property
    def _counts(self) -> Counter[str]:
        """How often each line is there."""
        return Counter(self._lines)

    def named(self, row: int) -> str:
        """The name of a row, which counts from 1."""
        known = self._names.get(row)
        if known is None:
            is_there = 0 < row <= len(self._lines)
            line = self._lines[row - 1] if is_there else ""
            end = row - 1 if is_there else len(self._lines)
            # Most lines are the first of their kind.
            first = self._first.get(line, end)
            before = self._lines[first:end].count(line) if first < end else 0
            known = self._names[row] = f"{len(line)}-{_sum(line)}-{before}"
        return known

    def row(self, length: int, own: str, before: int) -> int | None:
        """The row that a name stands for; None if the source has no such line."""
        line = next((line for line in self._counts if len(line) == length and _sum(line) == own), None)
        rows = (row for row, other in enumerate(self._lines, start=1) if other == line)
        return next(islice(rows, before, None), None)


def _sum(line: str) -> str:
    return blake2b(line.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def marked(key: str, name: str) -> str:
    """A row of a file as it stands in a text, given the name of the file and that of the row."""
    return f"\2{key}\2{name}\3"


class Rows:
    """Puts rows in the place of their names.

    Args:
        lines_of: gives the lines of a file by its name; none if it can't be read any more.
    """

    def __init__(self, lines_of: Callable[[str], Sequence[str]]) -> None:
        self._lines_of = lines_of
        self.names: set[str] = set()
        """The files that may be asked for, to be filled in."""
        self._known: dict[str, Landmarks] = {}

    def shown(self, text: str) -> str:
        """`text` with `file:row` for each row that it names."""
        return _MARK.sub(self._shown, text) if "\2" in text else text

    def _shown(self, found: re.Match[str]) -> str:
        key, length, own, before = found.groups()
        if key not in self.names:
            return found.group()
        if key not in self._known:
            self._known[key] = Landmarks(lambda: self._lines_of(key))
        row = self._known[key].row(int(length), own, int(before))
        return key if row is None else f"{key}:{row}"

    def located(self, checked: Iterable[Checked]) -> list[Checked]:
        """What files gave, with rows in the chains of its findings."""
        return [self._in_chains(one) for one in checked]

    def _in_chains(self, checked: Checked) -> Checked:
        if not any("\2" in step.text for finding in checked.findings for step in finding.chain):
            return checked
        findings = (
            finding._replace(chain=tuple(step._replace(text=self.shown(step.text)) for step in finding.chain))
            for finding in checked.findings
        )
        return checked._replace(findings=tuple(findings))
