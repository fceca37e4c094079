"""The project behind a run: which files know which, what they tell each other, and what of it is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from hostsync.facts import Imported, Outline
from hostsync.lint.check import NOTEBOOK_SUFFIX, Plan, indexes_of, load_catalogue
from hostsync.project.cache import Cache, Plain, digest
from hostsync.project.discovery import SourceFile
from hostsync.project.graph import Graph, Module, build
from hostsync.project.index import interface_text, load_indexes
from hostsync.project.units import MOST_SCRIPTS, Units, place_of, root_of, unit_of

if TYPE_CHECKING:
    from hostsync.catalogue.model import Op
    from hostsync.infer.links import Library


class Entry(NamedTuple):
    """A file of the project."""

    file: SourceFile
    key: str
    """Its unique name."""
    content: str
    """A digest of its bytes; empty if it can't be read."""
    given: bytes | None = None
    """Its bytes, where they are not those on disk."""


class Project(NamedTuple):
    """Everything that is looked at to judge the files of a run."""

    entries: tuple[Entry, ...]
    """The files of the run first, in their order."""
    graph: Graph
    places: Mapping[str, int]
    """The place in `entries` by key."""
    units: tuple[str, ...]
    """Of each entry, what it shares with those whose calls count for it."""
    outlines: Mapping[str, Outline] = MappingProxyType({})
    """By key."""
    is_aided: bool = True
    """Indexes tell of other packages."""


def content_digest(source: bytes) -> str:
    return digest(b"", source)


def survey(
    files: Sequence[SourceFile],
    units: Units | None,
    name_of: Callable[[SourceFile], str],
    given: Mapping[Path, bytes],
) -> tuple[list[Entry], str]:
    """The files of a run and those of their packages, and a digest of what decides which others they may know.

    Args:
        files, units, name_of: as for `gather`, but for the files of the run alone.
        given: what to take for the content of some of the files.
    """
    listed = [*files, *(units.complete(files) if units is not None else ())]
    entries = [_entry(file, name_of(file), given.get(file.path)) for file in listed]
    places = sorted({root_of(file) for file in listed}) if units is not None else []
    return entries, digest(
        b"", *(name.encode("utf-8", errors="surrogateescape") for p in places for name in _folders(p))
    )


def _entry(file: SourceFile, key: str, given: bytes | None = None) -> Entry:
    if given is not None:
        return Entry(file, key, content_digest(given), given)
    try:
        # Without a buffer it is half the cost of `Path.read_bytes`, and this is all that a warm run does.
        with file.path.open("rb", buffering=0) as opened:
            return Entry(file, key, content_digest(opened.read()))
    except OSError:
        return Entry(file, key, "")


def _folders(place: Path) -> list[str]:
    try:
        with os.scandir(place) as found:
            return sorted(entry.name for entry in found if entry.is_dir())
    except OSError:
        return []


def gather(
    entries: list[Entry],
    units: Units | None,
    name_of: Callable[[SourceFile], str],
    outlines: Cache | None,
    *,
    is_aided: bool = True,
) -> Project:
    """The project of some files.

    Args:
        entries: the files, from `survey`.
        units: finds packages beside them that they import; None for none.
        name_of: gives a file its unique name.
        outlines: keeps outlines.
        is_aided: indexes tell of other packages.
    """
    found: dict[str, Outline] = {}
    waiting = entries
    entries = []
    while waiting:
        strangers: dict[str, tuple[SourceFile, set[str]]] = {}
        for entry in waiting:
            entries.append(entry)
            outline = _outline(entry, outlines)
            if outline is None:
                continue
            found[entry.key] = outline
            strangers.setdefault(place_of(entry.file), (entry.file, set()))[1].update(_first_names(outline))
        waiting = []
        for file, names in strangers.values() if units is not None else ():
            assert units is not None
            waiting += [_entry(other, name_of(other)) for other in units.named(file, names)]
    crowded = _crowded(entries)
    modules = [
        Module(
            e.key,
            str(e.file.path) if unit_of(e.file) in crowded else place_of(e.file),
            e.file.module,
            found[e.key],
            load_indexes(indexes_of(e.file.settings.index)) if is_aided else None,
        )
        for e in entries
        if e.key in found and e.file.path.suffix != NOTEBOOK_SUFFIX
    ]
    places = {entry.key: index for index, entry in enumerate(entries)}
    shared = ((unit_of(entry.file), str(entry.file.path)) for entry in entries)
    parts = tuple(own if u in crowded else u for u, own in shared)
    return Project(tuple(entries), build(modules), places, parts, found, is_aided)


def _first_names(outline: Outline) -> set[str]:
    """The first parts of the absolute imports that run with the module."""
    return {i.module.partition(".")[0] for i in outline.imports if not i.module.startswith(".") and not i.local}


def _crowded(entries: Iterable[Entry]) -> frozenset[str]:
    """The folders that hold so many scripts that these can't be parts of one program."""
    counts: dict[str, int] = {}
    for entry in entries:
        if "." not in entry.file.module:
            unit = unit_of(entry.file)
            counts[unit] = counts.get(unit, 0) + 1
    return frozenset(unit for unit, count in counts.items() if count > MOST_SCRIPTS)


def _outline(entry: Entry, outlines: Cache | None) -> Outline | None:
    from hostsync.syntax.outline import outline_of

    if not entry.content or entry.file.path.suffix == NOTEBOOK_SUFFIX:
        return None
    kept = None if outlines is None else _outline_from_plain(outlines.get(entry.key, entry.content))
    if kept is not None:
        return kept
    try:
        outline = outline_of(entry.file.path.read_bytes() if entry.given is None else entry.given)
    except OSError:
        return None
    if outlines is not None:
        outlines.put(entry.key, entry.content, [[list(i) for i in outline.imports], list(outline.names)])
    return outline


def _outline_from_plain(data: Plain) -> Outline | None:
    if not isinstance(data, list) or len(data) != 2:
        return None
    imports, names = data
    try:
        return Outline(tuple(Imported(*entry) for entry in imports), tuple(names))  # type: ignore[union-attr,misc,arg-type]
    except TypeError:
        return None


# --- what workers are told -----------------------------------------------------------------------


class Told(NamedTuple):
    """Interfaces for a worker."""

    run: str
    """The run that they belong to."""
    texts: Mapping[str, str]
    """By key, as JSON."""


class _Known:
    """What this process has been told."""

    run = ""
    texts: dict[str, str] = {}  # noqa: RUF012
    library: Library | None = None


def _load(key: str) -> Plain:
    text = _Known.texts.get(key) or interface_text(key)
    return None if text is None else json.loads(text)


def receive(told: object) -> None:
    """Takes in what the files at hand need to know of others."""
    if not isinstance(told, Told):
        return
    if told.run != _Known.run:
        _Known.run, _Known.texts, _Known.library = told.run, {}, None
    _Known.texts.update(told.texts)


def library() -> Library:
    """The interfaces that this process has been told."""
    from hostsync.infer.links import Library

    if _Known.library is None:
        _Known.library = Library(_remembering(_load))
    return _Known.library


def unmeasured(targets: Iterable[tuple[str, str]], module: str, plan: Plan) -> dict[str, str]:
    """The targets of a file, without what an index says of operations that are known by measurement.

    Where torch itself is scanned its own types and measured operations stand for what they are elsewhere, too.

    Args:
        targets: by import, as `links.Links` has them.
        module: the dotted name of the file.
        plan: which knowledge.
    """
    from hostsync.infer.links import KNOWN_BY_NAME
    from hostsync.infer.plain import is_indexed

    found = dict(targets)
    of_torch = module.partition(".")[0] == "torch"
    if not of_torch and not any(map(is_indexed, found.values())):
        return found
    ops = load_catalogue(plan.extend_rules, plan.ops).ops
    for written, target in list(found.items()):
        if of_torch:
            name = _public_name(target, ops)
            if name is not None:
                found[written] = KNOWN_BY_NAME + name
        elif is_indexed(target):
            name = written.strip().replace(" ", ".")
            if name in ops or (target.endswith(":") and any(op.startswith(f"{name}.") for op in ops)):
                del found[written]
    return found


_TYPES = frozenset(("torch.Tensor", "torch.nn.Module", "torch.nn.Parameter", "torch.nn.Buffer"))


def _public_name(target: str, ops: Mapping[str, Op]) -> str | None:
    """The name by which a module of torch, or what it defines, is known, as `torch.Tensor`; None if by none."""
    from hostsync.infer.plain import dotted_name

    *_, dotted = f".{dotted_name(target)}".partition(".torch.")
    parts = ["torch", *dotted.split(".")]
    if parts[-1] == "":
        name = ".".join(parts[:-1])
        return name if name != "torch" and any(op.startswith(f"{name}.") for op in ops) else None
    for depth in range(1, len(parts)):
        name = ".".join([*parts[:depth], parts[-1]])
        if name in _TYPES or name in ops:
            return name
    return None


def _remembering(load: Callable[[str], Plain]) -> Callable[[str], Plain]:
    held: dict[str, Plain] = {}

    def remembered(key: str) -> Plain:
        if key not in held:
            data = load(key)
            if data is None:
                return None
            held[key] = data
        return held[key]

    return remembered
