"""Reads indexes: what `hostsync index` has found out about installed packages, as files of plain data.

An index is JSON, a value in each line: the head (format, hostsync, package), a table of the package's modules, then the
interfaces. An interface is decoded when something asks for it, so that a large index costs little.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hostsync import __version__
from hostsync.project.cache import digest
from hostsync.project.config import ConfigError

FORMAT = 1
SUFFIX = ".jsonl"
KIND = "hostsync-index"


class IndexFileError(ConfigError):
    """An index that can't be used. The message names the file and what to do about it."""


class Indexed(NamedTuple):
    """A module of an index."""

    key: str
    """The name under which interfaces speak of it. It holds a digest of the package, so that no two are alike."""
    dotted: str
    """Its dotted name; that of a package is without `__init__`."""
    names: frozenset[str]
    """What it defines."""
    passed_on: Mapping[str, str]
    """What it only passes on, as `key:name`."""
    line: int | None
    """Where its interface stands; None if it has none."""


class Index:
    """One file."""

    def __init__(self, path: Path, modules: Iterable[Indexed], lines: Sequence[bytes]) -> None:
        self.path = path
        self.modules = {module.dotted: module for module in modules}
        self.packages = frozenset(dotted.partition(".")[0] for dotted in self.modules)
        self.lines = lines


class Indexes:
    """What several indexes know; of two that know a module, the later holds."""

    def __init__(self, indexes: Sequence[Index]) -> None:
        self._modules: dict[str, Indexed] = {}
        for index in indexes:
            self._modules.update(index.modules)

    def resolve(self, dotted: str, name: str | None) -> str | None:
        """What `from dotted import name` stands for, or `import dotted` where `name` is None.

        Returns `key:name`, `key:` for a module, None for what no index knows.
        """
        module = self._modules.get(dotted)
        if name is None:
            return None if module is None or module.line is None else f"{module.key}:"
        if module is not None:
            if name in module.names:
                return None if module.line is None else f"{module.key}:{name}"
            if name in module.passed_on:
                return module.passed_on[name]
        return self.resolve(f"{dotted}.{name}", None)

    def public(self, dotted: str) -> list[str]:
        """The names that `from dotted import *` brings."""
        module = self._modules.get(dotted)
        if module is None:
            return []
        return sorted(name for name in (*module.names, *module.passed_on) if not name.startswith("_"))


_INTERFACES: dict[str, tuple[Index, int]] = {}
"""Where the interface of a module stands, by its key, of all the indexes that this process has read."""


def interface_text(key: str) -> str | None:
    """The interface of an indexed module, as JSON; None if no index that was read has it."""
    held = _INTERFACES.get(key)
    return None if held is None else held[0].lines[held[1]].decode("utf-8")


def files_of(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that the given files and folders stand for. Raises IndexFileError, also for what does not exist."""
    found: list[Path] = []
    for path in paths:
        try:
            path.stat()
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from error
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(path.glob(f"*{SUFFIX}"))
        if not inside:
            raise IndexFileError(f"{path}: there is no index (*{SUFFIX}) in this folder; `hostsync index` makes one")
        found += inside
    return tuple(found)


@lru_cache(maxsize=8)
def load_indexes(paths: tuple[Path, ...]) -> Indexes | None:
    """The indexes in some files and folders; None for no paths. Raises IndexFileError."""
    if not paths:
        return None
    return Indexes([read(path) for path in files_of(paths)])


def read(path: Path) -> Index:
    """Reads one file.

    Raises:
        IndexFileError: it can't be read, is damaged or no index, has another format, or was made by another hostsync.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    first, _, rest = data.partition(b"\n")
    head = _parsed(first)
    if not isinstance(head, dict) or head.get("kind") != KIND:
        raise IndexFileError(f"{path}: is no index of hostsync")
    anew = f"make it anew with `hostsync index {_shown(head.get('package'))}`"
    if head.get("format") != FORMAT:
        raise IndexFileError(f"{path}: has format {_shown(head.get('format'))}, this hostsync reads {FORMAT}; {anew}")
    if head.get("hostsync") != __version__:
        made = f"was made by hostsync {_shown(head.get('hostsync'))}, this is {__version__}"
        raise IndexFileError(f"{path}: {made}; {anew}")
    lines = rest.splitlines()
    try:
        if head.get("digest") != digest(b"", rest):
            raise ValueError
        index = Index(path, _modules(_parsed(lines[0]), str(head["key"]), len(lines)), lines)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise IndexFileError(f"{path}: is damaged; {anew}") from None
    for module in index.modules.values():
        if module.line is not None:
            _INTERFACES[module.key] = (index, module.line)
    return index


def _unreadable(path: Path, error: OSError | ValueError) -> IndexFileError:
    why = error.strerror if isinstance(error, OSError) else None
    return IndexFileError(f"{path}: can't read this index: {why or error}")


def written(head: Mapping[str, Any], modules: Sequence[Mapping[str, Any]], interfaces: Sequence[str]) -> bytes:
    """The bytes of an index; `read` takes them back.

    Args:
        head: what is said of the package; the format, the version of hostsync and a digest are added.
        modules: for each module `file` (the rest of its key), `name`, `names`, `from` and `line`, as `Indexed` has
            them; targets in `from` are `number of the module:name`.
        interfaces: the interfaces, as JSON; the first is line 1.
    """
    rest = "\n".join([_compact(modules), *interfaces]).encode("utf-8") + b"\n"
    full = {"kind": KIND, "format": FORMAT, "hostsync": __version__, **head, "digest": digest(b"", rest)}
    return _compact(full).encode("utf-8") + b"\n" + rest


def _compact(data: object) -> str:
    # ASCII only, so that no character inside a text ends a line.
    return json.dumps(data, separators=(",", ":"))


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _modules(table: Any, prefix: str, count: int) -> list[Indexed]:
    keys = [f"{prefix}{entry['file']}" for entry in table]
    found = []
    for key, entry in zip(keys, table, strict=True):
        targets = {}
        for name, target in entry["from"].items():
            number, _, rest = target.partition(":")
            targets[name] = f"{keys[int(number)]}:{rest}"
        line = entry["line"]
        if line is not None and not 0 < line < count:
            raise ValueError("no such line")
        found.append(Indexed(key, str(entry["name"]), frozenset(entry["names"]), targets, line))
    return found


def _shown(value: object) -> str:
    return str(value) if isinstance(value, (str, int)) else "?"
