"""Which module of a project needs which, in an order without circles.

Everything here follows from the outlines alone, so it is the same for a run over one file and over all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from hostsync.facts import Outline
from hostsync.project.imports import INIT, Module, Resolver
from hostsync.project.test_files import is_test

Targets: TypeAlias = tuple[tuple[str, str], ...]


class Need(NamedTuple):
    """What one module needs of others."""

    targets: Targets
    """The module and name of an import, as written and joined by a blank, and the `key:name` that it stands for.
    A name of `*` stands once for each name that it brings. What a module of the project passes on from outside stands
    for `=` and its dotted name. Also `key:name` of what is looked up in a module that has
    it from another, and what that stands for."""
    modules: tuple[str, ...]
    """The keys of the modules that must be known first."""


class Written(NamedTuple):
    """All that the imports of a module stand for, those too that would make a circle."""

    early: Targets
    """Of the imports that run with the module."""
    late: Targets = ()
    """Of those that don't: for types only, or in a function."""


class Graph(NamedTuple):
    needs: Mapping[str, Need]
    """By key, and without circles."""
    asked: Mapping[str, tuple[str, ...]]
    """By key, the names that other modules ask for, sorted; a `*` among them stands for all."""
    written: Mapping[str, Written] = MappingProxyType({})
    """By key, where that is more than `needs` has, or is of imports that don't run with their module."""


def build(modules: Iterable[Module]) -> Graph:
    """The graph of `modules`.

    What is imported for its types only, or in a function, is known too, as far as that makes no circle.

    Circles are broken at a place that the names alone decide: first packages stop to need what their `__init__` only
    passes on, then modules know those of their circle of which they import classes, as far as that makes none, then
    those of which they import something else by name, then those in which they look something up; first those that come
    earlier by their key. What can be known besides without making a circle is known as well.
    """
    resolver = Resolver(modules)
    return _put_together(_all_written(resolver), _tests(resolver))


def rebuilt(graph: Graph, modules: Iterable[Module], before: Mapping[str, Outline]) -> Graph:
    """The graph of `modules` after some of them changed: what `build` gives for them, and much sooner.

    Args:
        graph: as `build` gave it before.
        modules: all of them, as they are now.
        before: by key, the outlines that others had then.

    Returns:
        `graph` itself where the imports of all modules stand for what they stood for.
    """
    resolver = Resolver(modules)
    concerned = resolver.concerned(before)
    if concerned is None:
        return _put_together(_all_written(resolver), _tests(resolver))
    every = {key: graph.written.get(key) or Written(graph.needs[key].targets) for key in resolver.modules}
    news = {key: _written(resolver, resolver.modules[key]) for key in sorted(concerned)}
    if every.keys() == graph.needs.keys() and all(every[key] == written for key, written in news.items()):
        return graph
    return _put_together({**every, **news}, _tests(resolver))


def _all_written(resolver: Resolver) -> dict[str, Written]:
    return {key: _written(resolver, module) for key, module in resolver.modules.items()}


def _tests(resolver: Resolver) -> frozenset[str]:
    """The keys of the modules that hold tests."""
    names = ((key, module.dotted) for key, module in resolver.modules.items())
    return frozenset([key for key, dotted in names if is_test(f"{dotted.rpartition('.')[2]}.py", dotted)])


def _written(resolver: Resolver, module: Module) -> Written:
    early = tuple(dict.fromkeys(resolver.targets(module)))
    if _is_init(module.key):
        return Written(early)
    return Written(early, tuple(dict.fromkeys(resolver.targets(module, late=True))))


def _put_together(every: Mapping[str, Written], tests: Collection[str]) -> Graph:
    """The graph of what imports stand for, by key. Who asks for private names in `tests` is no user of theirs."""
    early = {key: _modules(written.early, every) for key, written in every.items()}
    edges = {key: others - {key} for key, others in early.items()}
    _break(edges, every)
    kept = _without_circles(every, edges)
    needs: dict[str, Need] = {}
    asked: dict[str, set[str]] = {}
    more: dict[str, Written] = {}
    for key, written in every.items():
        late = kept.get(key, ())
        if late:
            edges[key] |= _modules(late, every)
        targets = written.early
        if late or not early[key] <= edges[key]:
            known = edges[key]
            targets = tuple(
                dict.fromkeys(
                    one
                    for one in (*written.early, *late)
                    if (module := one[1].partition(":")[0]) in known or module not in every
                )
            )
        if written.late or targets is not written.early:
            more[key] = written
        for _, target in targets:
            module, _, name = target.partition(":")
            if module in every and not (name.startswith("_") and key in tests):
                asked.setdefault(module, set()).add(name or "*")
        needs[key] = Need(targets, tuple(sorted(edges[key])))
    return Graph(needs, {key: tuple(sorted(names)) for key, names in asked.items()}, more)


def _modules(targets: Targets, every: Collection[str]) -> set[str]:
    """The modules of the project that something of is imported."""
    return {key for _, target in targets if (key := target.partition(":")[0]) in every}


def _without_circles(every: Mapping[str, Written], edges: Mapping[str, set[str]]) -> dict[str, Targets]:
    """The targets of imports that don't run with their module, but for those that would make a circle."""
    both = {key: set(others) for key, others in edges.items()}
    late = {key: _modules(written.late, every) - {key} for key, written in every.items() if written.late}
    for key, others in late.items():
        both[key] |= others
    circle_of: dict[str, int] = {}
    fitting: set[tuple[str, str]] = set()
    for number, circle in enumerate(_circles(both)):
        circle_of.update(dict.fromkeys(circle, number))
        wanted = [(key, other) for key in sorted(circle) for other in sorted(late.get(key, ())) if other in circle]
        fitting.update(_fitting(circle, edges, wanted))
    found: dict[str, Targets] = {}
    for key in late:
        mine = circle_of.get(key)
        others_of = ((one, one[1].partition(":")[0]) for one in every[key].late)
        kept = [
            one
            for one, other in others_of
            if other != key and (mine is None or circle_of.get(other) != mine or (key, other) in fitting)
        ]
        if kept:
            found[key] = tuple(kept)
    return found


def _break(edges: dict[str, set[str]], every: Mapping[str, Written]) -> None:
    """Takes edges out until there is no circle."""
    for circle in _circles(edges):
        for key in circle:
            if _is_init(key):
                edges[key] -= circle
    for circle in _circles(edges):
        worth = {(key, other): rank for key in circle for other, rank in _worth(every[key].early, edges[key] & circle)}
        for key in circle:
            edges[key] -= circle
        inside = sorted(worth, key=lambda edge: (worth[edge], edge[1] > edge[0], edge))
        for key, other in _fitting(circle, edges, inside):
            edges[key].add(other)


def _worth(targets: Targets, others: Collection[str]) -> Iterable[tuple[str, int]]:
    """What a module needs others for, the least number first: classes, something else by name, or what it looks up.

    What is derived from a class rests on it, so modules that can be imported need each other's like that in no circle.
    """
    found = dict.fromkeys(others, 2)
    for written, target in targets:
        key, _, name = target.partition(":")
        if key in found and ":" not in written:
            found[key] = min(found[key], 0 if name[:1].isupper() and not name.isupper() else 1)
    return found.items()


def _fitting(circle: set[str], edges: Mapping[str, set[str]], more: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of some edges those that can be added, one after the other, without making a circle.

    Args:
        circle: the modules that these are between.
        edges: what there is, without circles.
        more: the edges, as they are to be tried.
    """
    from graphlib import TopologicalSorter

    inside = {key: edges[key] & circle for key in sorted(circle)}
    bit = {key: 1 << place for place, key in enumerate(inside)}
    # By module, itself and all that it needs, as bits: a set of some hundred modules for each costs ten times as much.
    reached: dict[str, int] = {}
    for key in TopologicalSorter(inside).static_order():
        bits = bit[key]
        for other in inside[key]:
            bits |= reached[other]
        reached[key] = bits
    found = []
    for key, other in more:
        if reached[other] & bit[key]:
            continue
        found.append((key, other))
        if not reached[key] & bit[other]:
            for one, bits in reached.items():
                if bits & bit[key]:
                    reached[one] = bits | reached[other]
    return found


def _is_init(key: str) -> bool:
    return key.endswith(f"{INIT}.py")


def _circles(edges: Mapping[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one module (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on: set[str] = set()
    found: list[set[str]] = []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            key, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in on:
                    low[key] = min(low[key], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[key])
                if low[key] == index[key]:
                    circle = set()
                    while True:
                        other = stack.pop()
                        on.discard(other)
                        circle.add(other)
                        if other == key:
                            break
                    if len(circle) > 1:
                        found.append(circle)
    return found
