"""Which classes are derived from which, across the files of a project, and which methods they override."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from hostsync.infer.linking.plain import Plain

MOST_DERIVED: Final = 100
"""What has more classes derived from it is a framework's: to look at all of them anew costs more than it tells."""

Methods: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""By the name of a method, the files and classes that have one."""


class Lineages:
    """Which classes a class is derived from, across files.

    Args:
        bases: by file and class, those that it names; of its own file without the name of that.
    """

    def __init__(self, bases: Mapping[str, Plain]) -> None:
        self._bases: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}
        for key in sorted(bases):
            for name, near in bases[key].items():
                self._bases[f"{key}:{name}"] = [base if ":" in base else f"{key}:{base}" for base in near]

    def above(self, name: str) -> list[str]:
        """All of them, the nearest first."""
        known = self._above.get(name)
        if known is not None:
            return known
        found: dict[str, None] = {}
        waiting = list(self._bases.get(name, ()))
        while waiting:
            base = waiting.pop(0)
            if base not in found:
                found[base] = None
                waiting += self._bases.get(base, ())
        self._above[name] = list(found)
        return self._above[name]

    def below(self, name: str) -> int:
        """How many classes are derived from a class, by any number of steps."""
        if not self._counts:
            for derived in self._bases:
                for base in self.above(derived):
                    self._counts[base] = self._counts.get(base, 0) + 1
        return self._counts.get(name, 0)


class Overriding:
    """Which methods are put in the place of one, by classes that are derived from its own."""

    def __init__(self, methods: Methods, lineages: Lineages) -> None:
        self._methods = methods
        self._lineages = lineages
        self._known: dict[str, list[str]] = {}

    def __call__(self, symbol: str) -> list[str]:
        owner, _, method = symbol.rpartition(".")
        if method.startswith("__") or method not in self._methods:
            return []
        known = self._known.get(symbol)
        if known is None:
            known = self._known[symbol] = []
            if 0 < self._lineages.below(owner) <= MOST_DERIVED:
                for key, name in self._methods[method]:
                    if owner in self._lineages.above(f"{key}:{name}"):
                        known.append(f"{key}:{name}.{method}")
        return known
