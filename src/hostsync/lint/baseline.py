"""Baselines: findings that are known and accepted for now, counted by file, scope and code.

Line numbers are not kept, so that a baseline holds while code around its findings moves. The file is JSON, sorted, one
count per line, to read well in a diff.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from hostsync.findings import Finding

VERSION = 1


class BaselineError(ValueError):
    """A baseline that can't be read or written; the message names the file and what is wrong."""


class Key(NamedTuple):
    file: str
    """Relative to the folder of the baseline, with forward slashes."""
    scope: str
    code: str


class Stale(NamedTuple):
    """An entry that records more findings than there are."""

    key: Key
    recorded: int
    found: int


class Seen(NamedTuple):
    """What a run found out about one file that it was to look at."""

    findings: tuple[Finding, ...]
    unshown: tuple[Finding, ...] = ()
    """What was found as well, and is hidden by options of this run alone."""
    is_whole: bool = True
    """Whether all of the file could be read and parsed."""
    off: frozenset[str] = frozenset()
    """The codes that are off in this file alone."""

    def may_be(self, key: Key, recorded: int, found: int) -> int:
        """How many of the findings that are `recorded` for `key` there may still be, of which `found` are shown."""
        if not self.is_whole or key.code in self.off:
            return recorded
        return min(recorded, found + sum(1 for f in self.unshown if (f.symbol, f.code) == (key.scope, key.code)))


class Applied(NamedTuple):
    findings: tuple[Finding, ...]
    """What is left to report."""
    hidden: int
    stale: tuple[Stale, ...]


Counts = Mapping[Key, int]


def read(path: Path) -> Counts:
    """The counts in the baseline at `path`. Raises BaselineError."""
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise BaselineError(f"{path}: there is no such baseline; `--update-baseline` writes it") from None
    except OSError as error:
        raise BaselineError(f"{path}: can't read this baseline: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: this baseline is no JSON: {error}") from error
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise BaselineError(
            f"{path}: not a baseline of version {VERSION}; move it away and run with `--update-baseline`"
        )
    counts: dict[Key, int] = {}
    try:
        for file, scopes in data["files"].items():
            for scope, codes in scopes.items():
                for code, count in codes.items():
                    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                        raise BaselineError(f"{path}: {file}: {scope}: {code}: expected a count of 1 or more")
                    counts[Key(file, scope, code)] = count
    except (KeyError, AttributeError):
        raise BaselineError(f"{path}: expected files, in them scopes, in them a count for each code") from None
    return counts


def write(path: Path, counts: Counts) -> None:
    """Writes a baseline. Raises BaselineError."""
    files: dict[str, dict[str, dict[str, int]]] = {}
    for key, count in sorted(counts.items()):
        files.setdefault(key.file, {}).setdefault(key.scope, {})[key.code] = count
    text = json.dumps({"version": VERSION, "files": files}, indent=2) + "\n"
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="ascii", newline="\n")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise BaselineError(f"{path}: can't write this baseline: {error.strerror or error}") from error


def file_key(path: Path, baseline: Path) -> str:
    """How the baseline calls the file `path`; both are absolute."""
    try:
        return Path(os.path.relpath(path, baseline.parent)).as_posix()
    except ValueError:  # another drive of Windows
        return path.as_posix()


def apply(seen: Mapping[str, Seen], counts: Counts, enabled: Collection[str]) -> Applied:
    """Hides what the baseline knows of.

    Args:
        seen: what was found, by `file_key`, also of files that are clean.
        counts: the baseline.
        enabled: the codes that this run looked for; entries of others are not judged stale.
    """
    left: list[Finding] = []
    hidden: Counter[Key] = Counter()
    for file, one in seen.items():
        for finding in one.findings:
            key = Key(file, finding.symbol, finding.code)
            if hidden[key] < counts.get(key, 0):
                hidden[key] += 1
            else:
                left.append(finding)
    stale = tuple(
        Stale(key, count, hidden[key])
        for key, count in sorted(counts.items())
        if key.file in seen and key.code in enabled and seen[key.file].may_be(key, count, hidden[key]) < count
    )
    return Applied(tuple(left), hidden.total(), stale)


def updated(seen: Mapping[str, Seen], counts: Counts, enabled: Collection[str], missing: Collection[str]) -> Counts:
    """The baseline that accepts what was found as it is.

    What this run could not see stays: other files, except those that are `missing` by now, and those that could not be
    read or parsed; other codes; and as much as may be among what options of this run hide.
    """
    fresh = Counter(Key(file, f.symbol, f.code) for file, one in seen.items() for f in one.findings)
    kept: dict[Key, int] = {}
    for key, count in counts.items():
        if key.file in missing:
            continue
        if key.file in seen and key.code in enabled:
            count = max(fresh[key], seen[key.file].may_be(key, count, fresh[key]))
        if count:
            kept[key] = count
    return {**fresh, **kept}


def files_of(counts: Counts) -> Iterable[str]:
    """The files that a baseline speaks of."""
    return {key.file for key in counts}
