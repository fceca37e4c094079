"""The project behind a run: which files it looks at, and which of them know which."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.facts import Outline
from hostsync.lint.check import indexes_of, shipped_indexes
from hostsync.lint.entries import Entry, entry_of
from hostsync.lint.sketches import Outlines, Sketch, sketch_of
from hostsync.lint.stamps import Stamps
from hostsync.project.cache import Cache, digest, encoded
from hostsync.project.discovery import SourceFile
from hostsync.project.graph import Graph, Need, Written, build, rebuilt
from hostsync.project.imports import Module
from hostsync.project.index import load_indexes
from hostsync.project.paths import is_own_place
from hostsync.project.units import MOST_SCRIPTS, Units, is_importable, place_of, root_of, unit_of


class Memory(NamedTuple):
    """Where an earlier run left what follows from the imports."""

    outlines: Outlines
    graphs: Cache
    stamps: Stamps
    mark_of: Callable[[SourceFile], bytes]
    """A digest of all that decides the outcome for a file besides the sources."""


class Project(NamedTuple):
    """Everything that is looked at to judge the files of a run."""

    entries: tuple[Entry, ...]
    """The files of the run first, in their order."""
    graph: Graph
    places: Mapping[str, int]
    """The place in `entries` by key."""
    units: tuple[str, ...]
    """Of each entry, what it shares with those whose calls count for it."""
    sketches: Mapping[str, Sketch]
    """By key."""
    is_aided: bool = True
    """Indexes tell of other packages."""


def survey(
    files: Sequence[SourceFile],
    units: Units | None,
    name_of: Callable[[SourceFile], str],
    given: Mapping[Path, bytes],
    stamps: Stamps | None = None,
) -> tuple[list[Entry], str]:
    """The files of a run and those of their packages, and a digest of what decides which others they may know.

    Args:
        files, units, name_of: as for `gather`, but for the files of the run alone.
        given: what to take for the content of some of the files.
        stamps: spares to read what an earlier run has read.
    """
    listed = [*files, *(units.complete(files) if units is not None else ())]
    # To look up a path costs more than the rest, and hardly any run is given anything.
    entries = [entry_of(file, name_of(file), given.get(file.path) if given else None, stamps) for file in listed]
    places = sorted({root_of(file) for file in listed}) if units is not None else []
    around = [encoded(name) for place in places for name in _folders(place)]
    if units is not None:
        # Of the folders further up, too, what lies in them decides.
        above = sorted(
            {root for place in places for root in units.roots.of(place) if not is_own_place(root, place)} - set(places)
        )
        around += [
            encoded(part) for root in above for part in (root, *sorted(filter(is_importable, units.roots.names(root))))
        ]
    return entries, digest(b"", *around)


def _folders(place: str) -> list[str]:
    try:
        with os.scandir(place) as found:
            return sorted(entry.name for entry in found if is_importable(entry.name) and entry.is_dir())
    except OSError:
        return []


def gather(
    entries: list[Entry],
    units: Units | None,
    name_of: Callable[[SourceFile], str],
    memory: Memory | None,
    *,
    is_aided: bool = True,
) -> Project:
    """The project of some files.

    Args:
        entries: the files, from `survey`.
        units: finds packages beside them that they import; None for none.
        name_of: gives a file its unique name.
        memory: spares what an earlier run has worked out.
        is_aided: indexes tell of other packages.
    """
    found: dict[str, Sketch] = {}
    stamps = None if memory is None else memory.stamps
    waiting = entries
    entries = []
    while waiting:
        strangers: dict[str, tuple[SourceFile, list[Sketch]]] = {}
        for entry in waiting:
            entries.append(entry)
            sketch = sketch_of(entry) if memory is None else memory.outlines.sketch(entry)
            if sketch is None:
                continue
            found[entry.key] = sketch
            strangers.setdefault(place_of(entry.file), (entry.file, []))[1].append(sketch)
        waiting = []
        for file, sketches in strangers.values() if units is not None else ():
            assert units is not None
            named = units.named(file, _Imports(sketches))
            waiting += [entry_of(other, name_of(other), None, stamps) for other in named]
    crowded = _crowded(entries)
    placed = {
        e.key: (e, str(e.file.path) if unit_of(e.file) in crowded else place_of(e.file))
        for e in entries
        if e.key in found
    }
    roots = {
        key: units.roots.of(place) if units is not None and place == root_of(e.file) else ()
        for key, (e, place) in placed.items()
    }

    def modules() -> list[Module]:
        return [
            Module(
                key,
                place,
                e.file.module,
                found[key].outline,
                load_indexes(indexes_of(e.file.settings.index), shipped_indexes()) if is_aided else None,
                roots[key],
                found[key].text,
            )
            for key, (e, place) in placed.items()
        ]

    if memory is None:
        graph = build(modules())
    else:
        about: list[bytes] = []
        for key, (entry, place) in sorted(placed.items()):
            about += [*map(encoded, (key, place, entry.file.module, *roots[key]))]
            about += [memory.mark_of(entry.file)]
        name = digest(b"", *map(encoded, sorted(placed)))
        kept = {key: found[key] for key in sorted(placed)}
        graph = _kept_graph(memory, name, digest(b"", *about), kept, modules)
    places = {entry.key: index for index, entry in enumerate(entries)}
    shared = ((unit_of(entry.file), str(entry.file.path)) for entry in entries)
    parts = tuple(own if u in crowded else u for u, own in shared)
    return Project(tuple(entries), graph, places, parts, found, is_aided)


def _kept_graph(
    memory: Memory, name: str, mark: str, sketches: Mapping[str, Sketch], modules: Callable[[], Iterable[Module]]
) -> Graph:
    """The graph that is kept under `name` and `mark`, brought up to date; else a new one. It is kept then."""
    marks = " ".join(sketch.digest for sketch in sketches.values())
    graph, kept, text = None, None, ""
    check, _, held = (memory.graphs.get_text(name, mark) or "").partition("\n")
    if held and digest(b"", encoded(held)) == check:
        then, _, text = held.partition("\n")
        kept = _from_plain(json.loads(text))
        if then == marks:
            return kept
        before = _outlines_before(sketches, then, memory.outlines)
        graph = None if before is None else rebuilt(kept, modules(), before)
    if graph is None:
        graph = build(modules())
    if graph is not kept:
        text = json.dumps(graph, separators=(",", ":"))
    held = f"{marks}\n{text}"
    memory.graphs.put_text(name, mark, f"{digest(b'', encoded(held))}\n{held}")
    return graph


def _from_plain(data: Any) -> Graph:
    needs, asked, written = data
    return Graph(
        {key: Need(tuple(map(tuple, targets)), tuple(others)) for key, (targets, others) in needs.items()},
        {key: tuple(names) for key, names in asked.items()},
        {key: Written(tuple(map(tuple, early)), tuple(map(tuple, late))) for key, (early, late) in written.items()},
    )


def _outlines_before(sketches: Mapping[str, Sketch], then: str, outlines: Outlines) -> dict[str, Outline] | None:
    """The outlines that others have become since, given their digests; None if one of them is lost."""
    found = {}
    for (key, sketch), mark in zip(sketches.items(), then.split(" "), strict=True):
        if mark != sketch.digest:
            before = outlines.latest(key, mark)
            if before is None:
                return None
            found[key] = before
    return found


def _crowded(entries: Iterable[Entry]) -> frozenset[str]:
    """The folders that hold so many scripts that these can't be parts of one program."""
    counts: dict[str, int] = {}
    for entry in entries:
        if "." not in entry.file.module:
            unit = unit_of(entry.file)
            counts[unit] = counts.get(unit, 0) + 1
    return frozenset(unit for unit, count in counts.items() if count > MOST_SCRIPTS)


class _Imports(Mapping[str, Iterable[str]]):
    """What some files import, as dotted names, by the first of their parts. Most of them nobody asks for."""

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        self._sketches = sketches
        self._first = sorted({name for sketch in sketches for name in sketch.first_names})

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)

    def __getitem__(self, first: str) -> Iterable[str]:
        found: set[str] = set()
        for sketch in self._sketches:
            for module, name, *_ in sketch.whole[0] if first in sketch.first_names else ():
                if str(module).partition(".")[0] == first:
                    found.add(f"{module}.{name}" if name else str(module))
        return found
