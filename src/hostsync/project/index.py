"""Reads indexes: what `hostsync index` has found out about installed packages, as files of plain data.

An index is JSON, a value in each line: the head (format, hostsync, package), a table of the package's modules, then the
interfaces. An interface is decoded when something asks for it, so that a large index costs little; a shipped index is
not read before something asks for its package.
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

FORMAT = 2
SUFFIX = ".jsonl"
KIND = "hostsync-index"
_OWN = "<@>/"
"""Stands in interfaces for what the keys of the index begin with, so that a new index differs where it says so."""


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

    def __init__(self, path: Path, prefix: str, modules: Iterable[Indexed], lines: Sequence[bytes]) -> None:
        self.path = path
        self.prefix = prefix
        """What the keys of its modules begin with."""
        self.modules = {module.dotted: module for module in modules}
        self.packages = frozenset(dotted.partition(".")[0] for dotted in self.modules)
        self.lines = lines


class Indexes:
    """What several indexes know; of two that know a module, the later holds.

    Args:
        indexes: that have been read.
        waiting: files that are read when something asks for their package, by its name. They are not asked for what
            the others know.
    """

    def __init__(self, indexes: Sequence[Index], waiting: Mapping[str, Path]) -> None:
        self._modules: dict[str, Indexed] = {}
        for index in indexes:
            self._modules.update(index.modules)
        self._waiting = {name: path for name, path in waiting.items() if name not in self._modules}

    def _module(self, dotted: str) -> Indexed | None:
        found = self._modules.get(dotted)
        if found is None:
            package = next((name for name in self._waiting if f"{dotted}.".startswith(f"{name}.")), None)
            if package is not None:
                self._modules = {**read(self._waiting.pop(package)).modules, **self._modules}
                return self._module(dotted)
        return found

    def resolve(self, dotted: str, name: str | None) -> str | None:
        """What `from dotted import name` stands for, or `import dotted` where `name` is None.

        Returns `key:name`, `key:` for a module, None for what no index knows.
        """
        module = self._module(dotted)
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
        module = self._module(dotted)
        if module is None:
            return []
        return sorted(name for name in (*module.names, *module.passed_on) if not name.startswith("_"))


_INTERFACES: dict[str, tuple[Index, int]] = {}
"""Where the interface of a module stands, by its key, of all the indexes that this process has read."""


def interface_text(key: str, shipped: Path) -> str | None:
    """The interface of an indexed module, as JSON; None if no index that was read has it, nor one of those in the
    folder `shipped`, of which it is read now."""
    if key not in _INTERFACES and key.startswith("<"):
        package, _, _ = key.removeprefix("<").partition("@")
        path = shipped / f"{package}{SUFFIX}"
        if path.is_file() and _begins_keys(path, key):
            read(path)
    held = _INTERFACES.get(key)
    if held is None:
        return None
    index, line = held
    return index.lines[line].decode("utf-8").replace(_OWN, index.prefix)


def _begins_keys(path: Path, key: str) -> bool:
    """Whether an index is the one that a key is of, and not of another release of the package, or made anew."""
    head = _parsed(head_of(path))
    return isinstance(head, dict) and key.startswith(str(head.get("key")))


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
def load_indexes(paths: tuple[Path, ...], shipped: Path) -> Indexes | None:
    """The indexes in some files and folders; None for no paths.

    Those in the folder `shipped`, if that is among them, are read when something asks for them. Each is called as its
    package is.

    Raises:
        IndexFileError: as for `files_of` and `read`.
    """
    if not paths:
        return None
    waiting = files_of([shipped]) if shipped in paths else ()
    own = files_of(path for path in paths if path != shipped)
    return Indexes([read(path) for path in own], {path.name.removesuffix(SUFFIX): path for path in waiting})


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
        prefix = str(head["key"])
        index = Index(path, prefix, _modules(_parsed(lines[0]), prefix, len(lines)), lines)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        raise IndexFileError(f"{path}: is damaged; {anew}") from None
    for module in index.modules.values():
        if module.line is not None:
            _INTERFACES[module.key] = (index, module.line)
    return index


def head_of(path: Path) -> bytes:
    """The head of an index, which holds a digest of the rest. Raises IndexFileError."""
    try:
        with path.open("rb") as file:
            return file.readline()
    except OSError as error:
        raise _unreadable(path, error) from error


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
    prefix = str(head["key"])
    texts = [text.replace(prefix, _OWN) for text in interfaces]
    rest = "\n".join([_compact(modules), *texts]).encode("utf-8") + b"\n"
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
