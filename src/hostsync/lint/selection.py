"""Which rules are on: selectors are codes, prefixes of codes, names, or ALL, in any case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hostsync.catalogue.model import Rule
from hostsync.project.patterns import Patterns
from hostsync.project.settings import PerFileIgnore, Settings

ALL = "ALL"
_PREFIX = re.compile(r"[A-Z]+[0-9]*")


class UnknownSelectorError(ValueError):
    """A selector that names no rule; the message suggests what may have been meant."""


def expand(selector: str, rules: Iterable[Rule]) -> frozenset[str]:
    """The codes that `selector` stands for. Raises UnknownSelectorError."""
    rules = tuple(rules)
    begun = selector.upper()
    if begun == ALL:
        return frozenset(rule.code for rule in rules)
    exact = [rule.code for rule in rules if begun == rule.code or selector.lower() == rule.name]
    if exact:
        return frozenset(exact)
    codes = [rule.code for rule in rules if _PREFIX.fullmatch(begun) and rule.code.startswith(begun)]
    if not codes:
        raise UnknownSelectorError(f"unknown rule `{selector}`{_suggestion(selector, rules)}")
    return frozenset(codes)


def _suggestion(selector: str, rules: Sequence[Rule]) -> str:
    import difflib

    known = {name for rule in rules for name in (rule.code, rule.name, rule.code[:3])} | {ALL}
    near = difflib.get_close_matches(selector, known, n=3)
    near += difflib.get_close_matches(selector.upper(), known, n=3)
    names = sorted({f"`{name}`" for name in near})
    if not names:
        return "; `hostsync rules` lists them"
    return f"; did you mean {' or '.join(names)}?"


def enabled(settings: Settings, rules: Sequence[Rule]) -> frozenset[str]:
    """The codes that `settings` turn on.

    The more specific selector wins, so that `select = ["HS1"], ignore = ["HS101"]` leaves the rest of HS1 on and
    `select = ["HS101"], ignore = ["HS1"]` leaves HS101 on; between equals, ignoring wins.

    Raises UnknownSelectorError.
    """
    rank: dict[str, tuple[int, bool]] = {}
    groups = ((settings.select, True), (settings.extend_select, True), (settings.ignore, False))
    for selectors, is_on in groups:
        for selector in selectors:
            codes = expand(selector, rules)
            weight = _weight(selector, codes)
            for code in codes:
                if code not in rank or weight >= rank[code][0]:
                    rank[code] = (weight, is_on)
    return frozenset(code for code, (_, is_on) in rank.items() if is_on)


def _weight(selector: str, codes: frozenset[str]) -> int:
    """How specific a selector is."""
    begun = selector.upper()
    if begun == ALL:
        return 0
    return len(begun) if all(code.startswith(begun) for code in codes) else max(len(code) for code in codes)


class FileIgnores:
    """The `per-file-ignores` of one configuration."""

    def __init__(self, entries: Iterable[PerFileIgnore], root: Path, rules: Sequence[Rule]) -> None:
        """Raises UnknownSelectorError, and ValueError for a pattern that is none."""
        self._entries = []
        for pattern, selectors in entries:
            codes: frozenset[str] = frozenset().union(*(expand(selector, rules) for selector in selectors))
            self._entries.append((Patterns([pattern.removeprefix("!")], root), pattern.startswith("!"), codes))

    def ignored(self, path: Path) -> frozenset[str]:
        """The codes that are off in the file `path` (absolute)."""
        found: frozenset[str] = frozenset()
        for patterns, inverted, codes in self._entries:
            if (patterns.verdict(str(path), False) is True) != inverted:
                found |= codes
        return found


class Names:
    """The codes that a name in an allow comment stands for: a code, a prefix of codes or the name of a rule."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._known: dict[str, frozenset[str]] = {}

    def codes(self, name: str) -> frozenset[str]:
        """Empty if no rule is called so."""
        if name not in self._known:
            try:
                self._known[name] = expand(name, self._rules)
            except UnknownSelectorError:
                self._known[name] = frozenset()
        return self._known[name]
