"""Reads rule files, and finds the rule that takes an event.

A rule file is TOML front matter between two `+++` lines, then the page that a user reads. CONTRIBUTING.md, *A rule is
one file*, has the keys.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.catalogue.blocks import python_blocks, sections
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.model import EventMatch, Help, Op, Rule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KINDS = ("read-back", "control-flow", "shape", "copy", "index", "synchronize", "call")
"""The kinds of event that a rule may name. A test holds them equal to the keys of `hostsync.infer.events.KINDS`."""

_STRINGS = ("code", "name", "summary", "message", "help", "since", "hot", "fix")
_KEYS = (*_STRINGS, "events", "helps", "ops")
_EVENT_KEYS = ("kind", "ops", "forms")
_HELP_KEYS = ("ops", "help")
_CODE = re.compile(r"[A-Z]{2,5}[0-9]{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_FENCE = "+++"
_FIELD = re.compile(r"\{([^{}]*)\}")
_NOT_RULES = ("README.md",)


class RuleFile(NamedTuple):
    """What one rule file holds."""

    rule: Rule
    ops: Mapping[str, Op]
    """Knowledge of operations that the rule brings along, by canonical name."""


def load_rules(directories: Iterable[Path]) -> tuple[RuleFile, ...]:
    """Reads every rule file (`*.md`, except README.md) directly inside `directories`.

    Returns them in order of their codes. Raises CatalogueError for a directory that can't be read, a rule file with a
    mistake in it, and two rules of one code or name.
    """
    files: list[RuleFile] = []
    for directory in directories:
        try:
            paths = sorted(p for p in directory.iterdir() if p.suffix == ".md" and p.name not in _NOT_RULES)
        except OSError as error:
            raise CatalogueError(f"can't read this directory of rules: {error.strerror}", path=directory) from error
        files += [load_rule(path) for path in paths]
    seen: dict[str, Rule] = {}
    for rule in (file.rule for file in files):
        for key in (rule.code, rule.name):
            if key in seen:
                raise CatalogueError(f"{key} is taken by {seen[key].path}", path=rule.path)
            seen[key] = rule
    return tuple(sorted(files, key=lambda file: file.rule.code))


def load_rule(path: Path) -> RuleFile:
    """Reads the rule file `path`. Raises CatalogueError, naming file and line, where it is not as it has to be."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogueError(f"can't read this rule: {error}", path=path) from error
    return parse_rule(text, path)


def parse_rule(text: str, path: Path) -> RuleFile:
    """The rule in `text`, which was read from `path`. Raises CatalogueError as `load_rule` does."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        message = f"a rule starts with a line `{_FENCE}`, its front matter and another `{_FENCE}`"
        raise CatalogueError(message, path=path, row=1)
    end = next((row for row, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise CatalogueError(f"the front matter has no closing `{_FENCE}` line", path=path, row=len(lines))
    # The fence stays as an empty first line, so that rows in errors are rows of the file.
    head = ["", *lines[1:end]]
    try:
        table = tomllib.loads("\n".join(head))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise CatalogueError(str(error), path=path, row=int(found[1]) if found else end + 1) from error
    page = "\n".join(lines[end + 1 :]).strip() + "\n"
    return _Reader(path, head).read(table, page)


class _Reader:
    """Turns the front matter `head` (its rows are those of the file `path`) into a rule."""

    def __init__(self, path: Path, head: list[str]) -> None:
        self._path = path
        self._head = head

    def read(self, table: dict[str, Any], page: str) -> RuleFile:
        for key in table:
            if key not in _KEYS:
                raise self._error(key, f"unknown key `{key}`; a rule has {', '.join(_KEYS)}")
        texts = {key: self._string(table, key) for key in _STRINGS}
        if not _CODE.fullmatch(texts["code"]):
            raise self._error("code", f"`{texts['code']}` is no code: capital letters and three digits, as in HS101")
        if not _NAME.fullmatch(texts["name"]):
            raise self._error("name", f"`{texts['name']}` is no name: lower-case words with hyphens between them")
        expected = f"{texts['code']}-{texts['name']}.md"
        if self._path.name != expected:
            raise self._error("code", f"the file of this rule has to be named {expected}")
        self._one_of(texts, "hot", ("always", "hot-only"))
        self._one_of(texts, "fix", ("none", "unsafe", "safe"))
        for field in _FIELD.findall(texts["message"]):
            if field not in ("op", "subject"):
                raise self._error("message", f"unknown field {{{field}}}; a message may use {{op}} and {{subject}}")
        parts = sections(page)
        rule = Rule(
            code=texts["code"],
            name=texts["name"],
            summary=texts["summary"],
            message=texts["message"],
            help=texts["help"],
            since=texts["since"],
            hot_only=texts["hot"] == "hot-only",
            fix=texts["fix"],
            events=self._events(table.get("events", [])),
            page=page,
            bad=python_blocks(parts.get("Bad", "")),
            good=python_blocks(parts.get("Good", "")),
            path=self._path,
            helps=self._helps(table.get("helps", [])),
        )
        return RuleFile(rule, self._ops(table.get("ops", {})))

    def _events(self, value: object) -> tuple[EventMatch, ...]:
        matches = []
        for index, item in self._tables(value, "events", "an event", _EVENT_KEYS):
            kind = item.get("kind")
            if kind not in KINDS:
                message = f"an event's kind is one of {', '.join(KINDS)}"
                raise self._error("kind", message, "[[events]]", index)
            patterns = [self._patterns(item, key, "[[events]]", index) for key in ("ops", "forms")]
            matches.append(EventMatch(kind, patterns[0], patterns[1]))
        return tuple(matches)

    def _helps(self, value: object) -> tuple[Help, ...]:
        helps = []
        for index, item in self._tables(value, "helps", "a help", _HELP_KEYS):
            text = item.get("help")
            if not isinstance(text, str) or not text.strip() or "\n" in text:
                raise self._error("help", "`help` is one line of text", "[[helps]]", index)
            ops = self._patterns(item, "ops", "[[helps]]", index)
            if not ops:
                raise self._error("ops", "ops names no operation", "[[helps]]", index)
            helps.append(Help(ops, text))
        return tuple(helps)

    def _tables(self, value: object, name: str, one: str, keys: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The tables under lines `[[name]]`, with their numbers. Raises for anything else, and for unknown keys."""
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._error(name, f"{name} are tables, each under a line `[[{name}]]`")
        for index, item in enumerate(value):
            for key in item:
                if key not in keys:
                    raise self._error(key, f"unknown key `{key}`; {one} has {', '.join(keys)}", f"[[{name}]]", index)
            yield index, item

    def _patterns(self, item: dict[str, Any], key: str, table: str, index: int) -> tuple[str, ...]:
        value = item.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self._error(key, f"{key} is a list of strings", table, index)
        if any("[" in text for text in value):
            raise self._error(key, f"{key} may use `*` and `?`, not `[…]`", table, index)
        return tuple(value)

    def _ops(self, value: object) -> dict[str, Op]:
        if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
            table = "[ops" if isinstance(value, dict) else ""
            raise self._error("ops", "ops is a table of tables, one for each operation", table)
        if not value:
            return {}
        from hostsync.catalogue.ops import parse_op

        ops = {}
        for name, item in value.items():
            try:
                ops[name] = parse_op(name, item)
            except CatalogueError as error:
                raise self._error(name, f"{name}: {error.message}", "[ops") from error
        return ops

    def _string(self, table: dict[str, Any], key: str) -> str:
        if key not in table:
            raise CatalogueError(f"the front matter lacks `{key}`", path=self._path, row=1)
        value = table[key]
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self._error(key, f"`{key}` is one line of text")
        return value

    def _one_of(self, texts: dict[str, str], key: str, allowed: tuple[str, ...]) -> None:
        if texts[key] not in allowed:
            raise self._error(key, f"`{key}` is {' or '.join(allowed)}, not `{texts[key]}`")

    def _error(self, key: str, message: str, table: str = "", index: int = 0) -> CatalogueError:
        return CatalogueError(message, path=self._path, row=self._row(key, table, index))

    def _row(self, key: str, table: str, index: int) -> int:
        """The row of `key` in the `index`-th table whose heading starts with `table` (empty: the top level), of that
        table's heading if the key is not spelled there, or 1."""
        current, seen, heading = "", -1, 1
        wanted = re.compile(rf"""\s*(\[+\s*)?(ops\s*\.\s*)?["']?{re.escape(key)}["']?\s*(=|\]|\.)""")
        for row, line in enumerate(self._head, start=1):
            if line.lstrip().startswith("["):
                current = line.strip()
                if table and current.startswith(table):
                    seen += 1
                    heading = row if seen == index else heading
            at_heading = line.lstrip().startswith("[")
            inside = current.startswith(table) and seen >= index if table else not current or at_heading
            if inside and wanted.match(line):
                return row
        return heading


# --- matching ------------------------------------------------------------------------------------

Rank = tuple[int, int, int, int]
"""How specific a match is: of the operation, then of the form, each as in `_rank`."""


def _is_pattern(text: str) -> bool:
    return "*" in text or "?" in text


def _rank(pattern: str | None) -> tuple[int, int]:
    """None (anything goes) is below a pattern, a pattern below literal text; of two patterns the one with more literal
    characters is the more specific."""
    if pattern is None:
        return (0, 0)
    if _is_pattern(pattern):
        return (1, len(pattern) - pattern.count("*") - pattern.count("?"))
    return (2, 0)


class _Entry(NamedTuple):
    """One pair of patterns of one rule."""

    rule: Rule
    kind: str
    op: str | None
    form: str | None

    @property
    def rank(self) -> Rank:
        return (*_rank(self.op), *_rank(self.form))


class RuleIndex:
    """Finds the rule that takes an event: of the rules that match, the one that matches most specifically.

    A literal operation beats a pattern, the longer pattern beats the shorter, and a pattern beats none; between equals,
    the same holds of the forms. Raises CatalogueError when two rules would take one event with equal right.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        entries = sorted((entry for rule in rules for entry in _entries(rule)), key=lambda e: e.rank, reverse=True)
        _reject_ties(entries)
        self._literal: dict[tuple[str, str], list[_Entry]] = {}
        self._other: dict[str, list[_Entry]] = {}
        for entry in entries:
            if entry.op is not None and not _is_pattern(entry.op):
                self._literal.setdefault((entry.kind, entry.op), []).append(entry)
            else:
                self._other.setdefault(entry.kind, []).append(entry)
        self._found: dict[tuple[str, str, str], Rule | None] = {}

    def match(self, kind: str, op: str, form: str) -> Rule | None:
        """The rule for an event of this kind, operation and form; None if no rule takes it."""
        key = (kind, op, form)
        if key not in self._found:
            entries = chain(self._literal.get((kind, op), ()), self._other.get(kind, ()))
            self._found[key] = next((e.rule for e in entries if _fits(op, e.op) and _fits(form, e.form)), None)
        return self._found[key]


def _entries(rule: Rule) -> Iterator[_Entry]:
    for match in rule.events:
        for op in match.ops or (None,):
            for form in match.forms or (None,):
                yield _Entry(rule, match.kind, op, form)


def _fits(text: str, pattern: str | None) -> bool:
    return pattern is None or text == pattern or (_is_pattern(pattern) and fnmatchcase(text, pattern))


def _reject_ties(entries: list[_Entry]) -> None:
    groups: dict[tuple[str, Rank, str], list[_Entry]] = {}
    for entry in entries:
        literal = entry.op if entry.op is not None and not _is_pattern(entry.op) else ""
        groups.setdefault((entry.kind, entry.rank, literal), []).append(entry)
    for group in groups.values():
        for index, first in enumerate(group):
            for second in group[index + 1 :]:
                if first.rule.code != second.rule.code and _overlap(first, second):
                    what = f"{first.kind} events of {first.op or 'any operation'}"
                    raise CatalogueError(f"takes the same {what} as {first.rule.path}", path=second.rule.path)


def _overlap(first: _Entry, second: _Entry) -> bool:
    return patterns_meet(first.op or "*", second.op or "*") and patterns_meet(
        "*" if first.form is None else first.form, "*" if second.form is None else second.form
    )


def patterns_meet(first: str, second: str) -> bool:
    """Whether some text matches both `fnmatch` patterns (of `*` and `?` only)."""
    # Pairs of positions reachable by consuming the same text in both patterns.
    pending, seen = [(0, 0)], {(0, 0)}
    while pending:
        i, j = pending.pop()
        if i == len(first) and j == len(second):
            return True
        steps = []
        a = first[i] if i < len(first) else ""
        b = second[j] if j < len(second) else ""
        if a == "*":
            steps.append((i + 1, j))
        if b == "*":
            steps.append((i, j + 1))
        if a and b and (a == b or a in "*?" or b in "*?"):
            steps.append((i if a == "*" else i + 1, j if b == "*" else j + 1))
        for step in steps:
            if step not in seen:
                seen.add(step)
                pending.append(step)
    return False
