"""What the files of a project tell of others, read only as far as somebody asks.

To find the calls of one function not all files have to be taken out of the cache: beside them is kept, for each, a line
with the names that it speaks of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from hostsync.infer.linking.plain import Plain
from hostsync.infer.linking.telling import Told
from hostsync.lint.callers.calls import names_in

NOTHING: Final = Told({}, [], {}, {}, {}, [], {}, {}, {}, {}, {}, {})
"""What a file tells that tells nothing."""
_MOST_SOUGHT: Final = 40
"""To look for more names than these one by one takes longer than to read all lines."""


class LostError(Exception):
    """What a file told is no longer in the cache."""


class Heard(Mapping[str, Told]):
    """What files tell, by their keys.

    Args:
        marks: by key, a digest of what it tells.
        load: gives what a file tells. Raises LostError if that is gone.
        lines: by digest, what an earlier `lines` gave, of all or some.
    """

    def __init__(
        self,
        marks: Mapping[str, str],
        load: Callable[[str], Told],
        lines: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.marks = dict(sorted(marks.items()))
        self._load = load
        self._lines = dict(lines)
        self._known: dict[str, Told] = {}
        self._speaking: dict[str, list[str]] | None = None

    def __getitem__(self, key: str) -> Told:
        known = self._known.get(key)
        if known is None:
            if key not in self.marks:
                raise KeyError(key)
            known = self._known[key] = self._load(key)
        return known

    def __contains__(self, key: object) -> bool:
        return key in self.marks

    def __iter__(self) -> Iterator[str]:
        return iter(self.marks)

    def __len__(self) -> int:
        return len(self.marks)

    def changed(self, before: Heard) -> list[str]:
        """The files that tell something else than before, or tell something of which one alone knows."""
        every = sorted({**before.marks, **self.marks})
        return [key for key in every if self.marks.get(key) != before.marks.get(key)]

    def lines(self, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """The line of each file, by the digest of what it tells. `known` are lines that are at hand."""
        return {mark: known.get(mark) or self._line(key) for key, mark in self.marks.items()}

    def bases(self) -> dict[str, Plain]:
        """By file, the classes that its classes are derived from."""
        return {key: self._part(key, 0, lambda told: told.bases) for key in self.marks}

    def open(self) -> dict[str, Iterable[str]]:
        """By file, its functions that may be told something."""
        return {key: self._part(key, 1, lambda told: told.open) for key in self.marks}

    def speaking_of(self, names: Collection[str]) -> set[str]:
        """The files that may call what goes by some names: `file:function`, `file:class.method` or `*method`."""
        found = {file for name in names if (file := name.partition(":")[0]) in self.marks}
        if len(names) > _MOST_SOUGHT:
            if self._speaking is None:
                self._speaking = {}
                for key in self.marks:
                    for name in self._part(key, 2, names_in):
                        self._speaking.setdefault(name, []).append(key)
            for name in names:
                found.update(self._speaking.get(name, ()))
        else:
            quoted = [json.dumps(name) for name in names]
            found.update(key for key in self.marks if any(name in self._line(key) for name in quoted))
        return found

    def _line(self, key: str) -> str:
        line = self._lines.get(self.marks[key])
        if line is None:
            line = self._lines[self.marks[key]] = _line_of(self[key])
        return line

    def _part(self, key: str, number: int, told: Callable[[Told], Any]) -> Any:
        line = None if key in self._known else self._lines.get(self.marks[key])
        return told(self[key]) if line is None else json.loads(line.split("\t")[number])


def told_in(text: str) -> Told:
    """What a file tells, from JSON."""
    return Told(*json.loads(text))


def _line_of(told: Told) -> str:
    # No character inside of a text is a tab in JSON.
    parts = (told.bases, list(told.open), names_in(told))
    return "\t".join(json.dumps(part, separators=(",", ":")) for part in parts)


class Arrived:
    """What files tell in a run, read as it comes in: by then, others are still being studied."""

    def __init__(self) -> None:
        self.told: dict[str, Told] = {}
        """By its digest."""
        self.lines: dict[str, str] = {}
        """By the same, the lines of `Heard`; of what came in alone."""

    def add(self, mark: str, text: str) -> None:
        """Takes in what a file tells, as JSON, and its digest."""
        if mark not in self.told:
            told = self.told[mark] = told_in(text)
            self.lines[mark] = _line_of(told)


def heard_at_once(told: Mapping[str, Told]) -> Heard:
    """What files tell where all of that is at hand."""
    return Heard({key: json.dumps(data) for key, data in told.items()}, told.__getitem__)
