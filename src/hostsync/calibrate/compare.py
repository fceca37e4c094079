"""Holds what is known of operations to what was measured: every operation, every sample. Needs no torch."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from hostsync.calibrate.derive import Rows, bind, compact, holds
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Op, Wait

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WAITED, SILENT = "waits", "does not wait"
_KEYS = frozenset(("ops", "seen", "because", "arguments", "kinds"))


class Known(NamedTuple):
    """A disagreement that is known, and why it is there."""

    ops: tuple[str, ...]
    """Patterns (`fnmatch`) of operations."""
    seen: str
    """What the GPU does against what is known: `waits` or `does not wait`."""
    because: str
    arguments: tuple[str, ...]
    """Patterns of parameters; the exception holds only where one is given, and `kinds` fit. Empty: always."""
    kinds: tuple[str, ...]

    def covers(self, found: Disagreement) -> bool:
        """Whether this is the reason of a disagreement."""
        if found.seen != self.seen or not _fits(found.op, self.ops):
            return False
        return not self.arguments or any(
            _fits(name, self.arguments) and _fits(kind, self.kinds) for name, kind in found.arguments.items()
        )


def _fits(text: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


class Disagreement(NamedTuple):
    """Samples of one kind, some or all of which did what is not known of them."""

    op: str
    kinds: str
    arguments: Mapping[str, str]
    seen: str
    samples: int
    """That disagree."""
    of: int


class Comparison(NamedTuple):
    operations: int
    """That were measured and are known."""
    samples: int
    """Of these operations."""
    disagreements: tuple[Disagreement, ...]
    """Those without a reason."""
    excepted: tuple[tuple[Disagreement, Known], ...]
    unused: tuple[Known, ...]
    """Exceptions that nothing needed."""
    unknown: tuple[str, ...]
    """Measured, and not in the files: subscripts, Python's own functions, other forms."""
    unmeasured: int
    """Known, and not measured."""


def foretold(op: Op, kinds: str, release: str) -> bool:
    """Whether a call waits, by what is known of its operation."""
    arguments = bind(op.name, op.params, kinds)
    for wait in op.waits:
        if not in_release(wait, release):
            continue
        if not wait.tests or (arguments is not None and all(holds(test, arguments) for test in wait.tests)):
            return True
    return False


def in_release(wait: Wait, release: str) -> bool:
    """Whether a wait is one of a release such as `2.11.0+cu130`."""
    here = _numbers(release)
    return all(_meets(here, part.strip()) for part in wait.torch.split(",") if part.strip())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:2])


def _meets(here: tuple[int, ...], specifier: str) -> bool:
    match = re.fullmatch(r"(<=|>=|==|!=|<|>)\s*([\d.]+)", specifier)
    if match is None:
        return True
    there = _numbers(match[2])
    return {
        "<": here < there,
        "<=": here <= there,
        ">": here > there,
        ">=": here >= there,
        "==": here == there,
        "!=": here != there,
    }[match[1]]


def disagreements(op: Op, rows: Rows, release: str) -> list[Disagreement]:
    """Where an operation did what is not known of it."""
    found = []
    for kinds, (calls, waited, _) in compact(rows).items():
        expected = any(not wait.tests and in_release(wait, release) for wait in op.waits) if kinds == "*" else None
        expects = foretold(op, kinds, release) if expected is None else expected
        wrong = calls - waited if expects else waited
        if wrong:
            arguments = bind(op.name, op.params, kinds) or {}
            found.append(Disagreement(op.name, kinds, arguments, SILENT if expects else WAITED, wrong, calls))
    return found


def compare(
    ops: Mapping[str, Op], measured: Mapping[str, Rows], release: str, exceptions: Iterable[Known] = ()
) -> Comparison:
    """Holds operations to what was measured.

    Args:
        ops: what is known.
        measured: rows by operation.
        release: the torch that was measured.
        exceptions: disagreements that are known.
    """
    known = tuple(exceptions)
    open_: list[Disagreement] = []
    excepted: list[tuple[Disagreement, Known]] = []
    for name, rows in measured.items():
        for found in disagreements(ops[name], rows, release) if name in ops else ():
            reason = next((one for one in known if one.covers(found)), None)
            if reason is None:
                open_.append(found)
            else:
                excepted.append((found, reason))
    names = [name for name in measured if name in ops]
    used = {id(reason) for _, reason in excepted}
    return Comparison(
        operations=len(names),
        samples=sum(row[0] for name in names for row in measured[name].values()),
        disagreements=tuple(open_),
        excepted=tuple(excepted),
        unused=tuple(one for one in known if id(one) not in used),
        unknown=tuple(sorted(name for name in measured if name not in ops)),
        unmeasured=sum(name not in measured for name in ops),
    )


def load_exceptions(path: Path | None = None) -> tuple[Known, ...]:
    """Reads exceptions (None: the shipped ones). Raises CatalogueError."""
    path = path or rules_dir() / "evidence" / "exceptions.toml"
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("exception", [])
        return tuple(_known(entry) for entry in entries)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError, KeyError, ValueError) as error:
        raise CatalogueError(f"can't read these exceptions: {error}", path=path) from error


def _known(entry: Mapping[str, object]) -> Known:
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; known are {', '.join(sorted(_KEYS))}")
    seen = entry["seen"]
    if seen not in (WAITED, SILENT):
        raise ValueError(f"seen is {seen!r}; it must be {WAITED!r} or {SILENT!r}")
    because = str(entry["because"])
    if not because.strip():
        raise ValueError("an exception needs a reason")
    if ("arguments" in entry) != ("kinds" in entry):
        raise ValueError("arguments and kinds go together")
    ops, arguments, kinds = (tuple(str(entry.get(key, "")).split()) for key in ("ops", "arguments", "kinds"))
    return Known(ops, str(seen), because, arguments, kinds)
