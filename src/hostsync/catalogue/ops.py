"""Loads what is known about torch's operations from `rules/ops/*.toml`.

A file of operations has a line per operation:

    torch = "2.13.0"

    [ops]
    "torch.nonzero" = { params = "input, *, out=None, as_tuple=False", dtype = "int", ndim = "2", waits = "always" }

Fields and their meaning are those of `Op`; one that equals its default is left out. `waits` is a condition, or a list
of conditions and of `{ when = "…", torch = "<2.15" }`. A condition is `always`, or tests joined by `and`, each a
parameter and a predicate of `ArgumentTest`.

TOML is read line by line while a file keeps to that layout, which costs a tenth of a full parse, and an entry is
understood when it is first looked up. A file laid out otherwise goes through the TOML parser.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import ArgumentTest, Op, OpParam, Wait

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RETURNS: Final = frozenset(
    ("tensor", "tensors", "list", "self", "python", "shape", "numpy", "device", "dtype", "module", "none", "object")
)
DEVICES: Final = frozenset(("args", "argument", "like", "cpu", "accelerator", "unknown"))
DTYPES: Final = frozenset(("", "bool", "int", "float", "same", "promoted", "summed"))
NDIMS: Final = frozenset(("", "same", "more", "reduce", "size", "broadcast"))
MEMORIES: Final = frozenset(("", "same", "maybe"))
EVENTS: Final = frozenset(("call", "read-back", "shape", "synchronize"))
PREDICATES: Final = frozenset(
    (
        "missing", "given", "tensor", "number", "negative", "positive", "true", "false", "data", "mask", "many", "cpu",
        "int", "float", "complex", "scalar", "matrix", "batch", "device",
        "validating",
    )
)  # fmt: skip

_FIELDS: Final = frozenset(
    (
        "params", "returns", "device", "dtype", "ndim", "memory", "positions", "waits", "event", "tensor_only",
        "property", "by_name", "indexed",
    )
)  # fmt: skip
_NAME: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
_LINE: Final = re.compile(r'"([^"\\\x00-\x1f]+)" = \{ ?([^\x00-\x08\x0a-\x1f]*?) ?\}')
_FIELD: Final = re.compile(r'([a-z_]+) = (?:"([^"\\\x00-\x1f]*)"|(true|false))(?:, |$)')
_HEADER: Final = re.compile(r'torch = "[^"\\\x00-\x1f]*"')
_LITERAL: Final = re.compile(r"'[^\s']+'|-?\d+")
_SPECIFIER: Final = re.compile(r"(<|<=|>|>=|==|!=)\d+(\.\d+)*(\s*,\s*(<|<=|>|>=|==|!=)\d+(\.\d+)*)*")


def split_params(text: str) -> list[str]:
    """Split a parameter list at its top-level commas; commas inside brackets or quotes stay.

    >>> split_params("input, dims=(0, 1), *, out=None")
    ['input', 'dims=(0, 1)', '*', 'out=None']
    """
    if "(" not in text and "[" not in text and "'" not in text and '"' not in text and "{" not in text:
        return [part.strip() for part in text.split(",") if part.strip()]
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_params(text: str) -> tuple[OpParam, ...]:
    """Read a parameter list as written in a `def`.

    Args:
        text: such as `input, *, out=None`; `*size` and `**kwargs` are kept as such, a `/` is passed over.

    Raises:
        ValueError: when a name is no identifier or occurs twice.
    """
    params: list[OpParam] = []
    kind = "normal"
    seen: set[str] = set()
    for part in split_params(text):
        if part == "*":
            kind = "keyword"
            continue
        if part == "/":
            continue
        name, equals, default = part.partition("=")
        name = name.strip()
        this = kind
        if name.startswith("**"):
            name, this = name[2:], "kwargs"
        elif name.startswith("*"):
            name, this, kind = name[1:], "args", "keyword"
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not a parameter name")
        if name in seen:
            raise ValueError(f"parameter {name!r} occurs twice")
        seen.add(name)
        params.append(OpParam(name, default.strip() if equals else None, this))
    return tuple(params)


def is_literal(predicate: str) -> bool:
    """Tell whether a predicate is a value, such as `'nuc'` or `-2`."""
    return _LITERAL.fullmatch(predicate) is not None


def parse_condition(text: str) -> tuple[ArgumentTest, ...]:
    """Read a condition: `always`, or `PARAM PREDICATE` joined by `and`.

    Raises:
        ValueError: when a test is not a parameter and a known predicate.
    """
    if text.strip() == "always":
        return ()
    tests: list[ArgumentTest] = []
    for part in text.split(" and "):
        words = part.split()
        if len(words) != 2 or not (words[1] in PREDICATES or is_literal(words[1])) or not words[0].isidentifier():
            raise ValueError(
                f"{part.strip()!r} is not a test; write `always`, or a parameter and one of "
                f"{', '.join(sorted(PREDICATES))}, or a value such as 'nuc' or -2, joined by `and`"
            )
        tests.append(ArgumentTest(words[0], words[1]))
    return tuple(tests)


def _parse_waits(value: object) -> tuple[Wait, ...]:
    if isinstance(value, str):
        return () if value == "never" else (Wait(parse_condition(value), ""),)
    if not isinstance(value, list):
        raise ValueError("waits must be a condition or a list")
    waits: list[Wait] = []
    for item in value:
        if isinstance(item, str):
            waits.append(Wait(parse_condition(item), ""))
            continue
        if not isinstance(item, dict) or set(item) - {"when", "torch"} or not isinstance(item.get("when"), str):
            raise ValueError('an item of waits must be a condition or { when = "…", torch = "…" }')
        specifier = item.get("torch", "")
        if not isinstance(specifier, str) or (specifier and not _SPECIFIER.fullmatch(specifier)):
            raise ValueError(f"{specifier!r} is not a version specifier such as `<2.15`")
        waits.append(Wait(parse_condition(item["when"]), specifier))
    return tuple(waits)


def _choice(table: Mapping[str, object], key: str, default: str, allowed: Iterable[str]) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{key} is {value!r}; it must be one of {', '.join(sorted(filter(None, allowed)))}")
    return value


def _flag(table: Mapping[str, object], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key} is {value!r}; it must be true or false")
    return value


def parse_op(name: str, table: Mapping[str, object]) -> Op:
    """Read one entry of an `[ops]` table, of this folder or of a rule file.

    Args:
        name: canonical name, e.g. `torch.nonzero` or `Tensor.item`.
        table: the entry's fields.

    Raises:
        CatalogueError: for an unknown field, a value that a field cannot have, or a condition on a parameter that the
            operation does not have. It has no file and line; `load_ops` adds them.
    """
    try:
        if not _NAME.fullmatch(name):
            raise ValueError("an operation is named by a dotted name such as `torch.nonzero` or `Tensor.item`")
        unknown = sorted(set(table) - _FIELDS)
        if unknown:
            raise ValueError(f"unknown field {unknown[0]!r}; known are {', '.join(sorted(_FIELDS))}")
        text = table.get("params", "")
        if not isinstance(text, str):
            raise ValueError("params must be a string")
        params = parse_params(text)
        ndim = table.get("ndim", "")
        if not isinstance(ndim, str) or not (ndim in NDIMS or ndim.isdigit()):
            raise ValueError(f"ndim is {ndim!r}; it must be a digit, same, more, reduce, size or broadcast")
        waits = _parse_waits(table.get("waits", "never"))
        if waits:
            names = {param.name for param in params}
            open_ended = any(param.kind == "kwargs" for param in params)
            for wait in waits:
                for test in wait.tests:
                    if test.param not in names and test.param != "self" and not open_ended:
                        raise ValueError(f"waits tests {test.param!r}, which is no parameter of it")
        return Op(
            name,
            params,
            _choice(table, "returns", "tensor", RETURNS),
            _choice(table, "device", "args", DEVICES),
            _choice(table, "dtype", "", DTYPES),
            ndim,
            _choice(table, "memory", "", MEMORIES),
            waits,
            _flag(table, "tensor_only"),
            _flag(table, "property"),
            _flag(table, "by_name"),
            _flag(table, "indexed"),
            _choice(table, "event", "call", EVENTS),
            _flag(table, "positions"),
        )
    except ValueError as error:
        if isinstance(error, CatalogueError):
            raise
        raise CatalogueError(str(error), key=name) from None


class _Source(NamedTuple):
    """An entry that was not understood yet."""

    fields: str | Mapping[str, object]
    """The text between the braces, or the parsed table."""
    path: Path
    row: int | None


def _understand(name: str, source: _Source) -> Op:
    fields = source.fields
    if isinstance(fields, str):
        table: dict[str, object] = {}
        position = 0
        while position < len(fields):
            match = _FIELD.match(fields, position)
            if match is None or match[1] in table:
                break
            table[match[1]] = match[2] if match[2] is not None else match[3] == "true"
            position = match.end()
        if position < len(fields):
            try:
                table = tomllib.loads(f"entry = {{ {fields} }}")["entry"]
            except tomllib.TOMLDecodeError as error:
                raise CatalogueError(str(error), path=source.path, row=source.row, key=name) from None
        fields = table
    try:
        return parse_op(name, fields)
    except CatalogueError as error:
        raise CatalogueError(error.message, path=source.path, row=source.row, key=name) from None


class OpTable(Mapping[str, Op]):
    """Operations by canonical name, each understood when it is first looked up."""

    __slots__ = ("_known", "_sources")

    def __init__(self, sources: Mapping[str, _Source]) -> None:
        self._sources = sources
        self._known: dict[str, Op] = {}

    def __getitem__(self, name: str) -> Op:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _understand(name, self._sources[name])
        return known

    def get(self, name: str, default: Any = None) -> Any:
        """Return the operation, or `default`; quicker than the inherited one for names that are not there."""
        known = self._known.get(name)
        if known is None and name in self._sources:
            return self[name]
        return default if known is None else known

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def flagged(self, flag: str) -> Iterator[str]:
        """As the function of that name."""
        written = f"{flag} = true"
        for name, source in self._sources.items():
            known = self._known.get(name)
            # Those that are not understood yet are shipped, and no text in these says so of anything else.
            if written in source.fields if known is None else getattr(known, flag):
                yield name

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def _read_lines(text: str, path: Path) -> dict[str, _Source] | None:
    """Read a file that keeps to the layout; None for any other, which may still be good TOML."""
    sources: dict[str, _Source] = {}
    in_ops = False
    for row, line in enumerate(text.split("\n"), 1):
        if not line or line[0] == "#":
            continue
        if in_ops:
            entry = _entry_of(line)
            if entry is None or entry[0] in sources:
                return None
            sources[entry[0]] = _Source(entry[1], path, row)
        elif line == "[ops]":
            in_ops = True
        elif not _HEADER.fullmatch(line):
            return None
    return sources if in_ops else None


def _entry_of(line: str) -> tuple[str, str] | None:
    """The name and the fields of an entry; None if it does not keep to the layout."""
    end = line.find('" = {', 1)
    name = line[1:end]
    if end > 0 and line[0] == '"' and line[-1] == "}" and line.isprintable() and '"' not in name and "\\" not in name:
        # What `_LINE` finds, in less than half of the time.
        return name, line[end + 5 : -1].strip(" ")
    match = _LINE.fullmatch(line)
    return None if match is None else (match[1], match[2])


def _row_of(text: str, key: str) -> int | None:
    for row, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith((f'"{key}"', f"'{key}'", key)):
            return row
    return None


def _read_toml(text: str, path: Path) -> dict[str, _Source]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        row = re.search(r"at line (\d+)", str(error))
        raise CatalogueError(str(error), path=path, row=int(row[1]) if row else None) from None
    for key, value in document.items():
        if key not in ("torch", "ops"):
            raise CatalogueError("unknown key; known are ops, torch", path=path, row=_row_of(text, key), key=key)
        if not isinstance(value, str if key == "torch" else dict):
            raise CatalogueError("wrong type", path=path, row=_row_of(text, key), key=key)
    sources: dict[str, _Source] = {}
    for name, fields in document.get("ops", {}).items():
        row_or_none = _row_of(text, name)
        if not isinstance(fields, dict):
            raise CatalogueError("an operation must be a table", path=path, row=row_or_none, key=name)
        sources[name] = _Source(fields, path, row_or_none)
    return sources


def load_ops(paths: Iterable[Path] | None = None, cache_dir: Path | None = None) -> Mapping[str, Op]:
    """Load operations.

    Args:
        paths: files to read, each checked entry by entry at once. None reads the shipped `rules/ops/*.toml`, whose
            entries are checked by the tests and understood here when they are looked up.
        cache_dir: where a compiled copy could be kept between runs. Nothing is kept: looking up from the files is
            as quick as reading a copy.

    Raises:
        CatalogueError: for a file that cannot be read, is not TOML, has an unknown key or a bad value, or repeats an
            operation of another file. For the shipped files, a bad entry raises at its look-up.
    """
    files = sorted((rules_dir() / "ops").glob("*.toml")) if paths is None else list(paths)
    sources: dict[str, _Source] = {}
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CatalogueError(f"cannot be read: {error}", path=path) from None
        found = _read_lines(text, path)
        if found is None:
            found = _read_toml(text, path)
        if len(files) > 1 and not sources.keys().isdisjoint(found):
            name = next(name for name in found if name in sources)
            raise CatalogueError(f"already in {sources[name].path}", path=path, row=found[name].row, key=name)
        sources.update(found)
    table = OpTable(sources)
    if paths is not None:
        for name in table:
            table[name]
    return table


def load_measured_ops(paths: Iterable[Path]) -> Mapping[str, Op]:
    """Load operations that somebody measured, to lay over the shipped ones.

    Args:
        paths: files, and folders of `*.toml` files; where two have an operation, the later one's holds.

    Raises:
        CatalogueError: as `load_ops` does, and for a path that does not exist and a folder without such a file.
    """
    merged: dict[str, Op] = {}
    for path in paths:
        if not path.is_dir():
            merged.update(load_ops([path]))
            continue
        files = sorted(path.glob("*.toml"))
        if not files:
            raise CatalogueError("has no .toml file with operations", path=path)
        merged.update(load_ops(files))
    return merged


def flagged(ops: Mapping[str, Op], flag: str) -> Iterator[str]:
    """The names of the operations that have a flag, such as `tensor_only`; they need not be understood for it."""
    if isinstance(ops, (OpTable, _Merged)):
        return ops.flagged(flag)
    return (name for name, op in ops.items() if getattr(op, flag))


class _Merged(Mapping[str, Op]):
    __slots__ = ("_base", "_extra")

    def __init__(self, base: Mapping[str, Op], extra: Mapping[str, Op]) -> None:
        self._base = base
        self._extra = extra

    def __getitem__(self, name: str) -> Op:
        return self._extra[name] if name in self._extra else self._base[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As that of `OpTable`."""
        found = self._extra.get(name)
        return self._base.get(name, default) if found is None else found

    def __contains__(self, name: object) -> bool:
        return name in self._extra or name in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from (name for name in self._extra if name not in self._base)

    def flagged(self, flag: str) -> Iterator[str]:
        """As the function of that name."""
        yield from (name for name in flagged(self._base, flag) if name not in self._extra)
        yield from flagged(dict(self._extra), flag)

    def __len__(self) -> int:
        return len(self._base) + sum(name not in self._base for name in self._extra)


def merge_ops(base: Mapping[str, Op], extra: Mapping[str, Op]) -> Mapping[str, Op]:
    """Return `base` with the operations of `extra` added; where both have one, that of `extra` holds."""
    return _Merged(base, dict(extra)) if extra else base
