"""Which module of a project needs which: imports resolved to where a name is defined, in an order without circles.

Everything here follows from the outlines alone, so it is the same for a run over one file and over all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from hostsync.facts import KNOWN_BY_NAME, Imported, Outline

INIT: Final = "__init__"
_LONGEST_WAY: Final = 12
"""How many re-exports a name is followed through."""
_MOST_STARS: Final = 4
"""How many `import *` behind each other are followed."""


class Outside(Protocol):
    """What is known of modules that are no part of the project; see `index.Indexes`."""

    def resolve(self, dotted: str, name: str | None) -> str | None:
        """What `from dotted import name` stands for, or `import dotted` where `name` is None."""

    def public(self, dotted: str) -> list[str]:
        """The names that `from dotted import *` brings."""


class Module(NamedTuple):
    """A module of the project."""

    key: str
    """Its unique name."""
    place: str
    """What its absolute imports start from: modules of one place see each other."""
    dotted: str
    """Its dotted name; that of a package ends in `.__init__`."""
    outline: Outline
    outside: Outside | None = None
    """What it knows beyond the project."""
    roots: tuple[str, ...] = ()
    """Further folders that its absolute imports may start from, the nearest first."""


class Need(NamedTuple):
    """What one module needs of others."""

    targets: tuple[tuple[str, str], ...]
    """The module and name of an import, as written and joined by a blank, and the `key:name` that it stands for.
    A name of `*` stands once for each name that it brings. What a module of the project passes on from outside stands
    for `=` and its dotted name. Also `key:name` of what is looked up in a module that has
    it from another, and what that stands for."""
    modules: tuple[str, ...]
    """The keys of the modules that must be known first."""


class Graph(NamedTuple):
    needs: Mapping[str, Need]
    """By key, and without circles."""
    asked: Mapping[str, tuple[str, ...]]
    """By key, the names that other modules ask for, sorted; a `*` among them stands for all."""


def build(modules: Iterable[Module]) -> Graph:
    """The graph of `modules`.

    What is imported for its types only, or in a function, is known too, unless that makes a circle.

    Circles are broken at a place that the names alone decide: first packages stop to need what their `__init__` only
    passes on, then of two modules in a circle the one that comes later by its key knows the other.
    """
    resolver = _Resolver(modules)
    targets = {key: resolver.targets(module) for key, module in resolver.modules.items()}
    edges: dict[str, set[str]] = {}
    for key, found in targets.items():
        edges[key] = ({target.partition(":")[0] for _, target in found} - {key}) & resolver.modules.keys()
    _break(edges)
    for key, found in _without_circles(resolver, edges).items():
        targets[key] += found
        edges[key] |= {target.partition(":")[0] for _, target in found} & resolver.modules.keys()
    needs: dict[str, Need] = {}
    asked: dict[str, set[str]] = {}
    for key, found in targets.items():
        kept = []
        for written, target in found:
            module, _, name = target.partition(":")
            if module not in resolver.modules:
                kept.append((written, target))
            elif module in edges[key]:
                kept.append((written, target))
                asked.setdefault(module, set()).add(name or "*")
        needs[key] = Need(tuple(dict.fromkeys(kept)), tuple(sorted(edges[key])))
    return Graph(needs, {key: tuple(sorted(names)) for key, names in asked.items()})


def _without_circles(resolver: _Resolver, edges: Mapping[str, set[str]]) -> dict[str, list[tuple[str, str]]]:
    """The targets of imports that don't run with their module, but for those that would make a circle."""
    late = {
        key: found
        for key, module in resolver.modules.items()
        if not _is_init(key) and (found := resolver.targets(module, late=True))
    }
    both = {key: set(others) for key, others in edges.items()}
    for key, found in late.items():
        both[key] |= ({target.partition(":")[0] for _, target in found} - {key}) & resolver.modules.keys()
    circle_of = {key: number for number, circle in enumerate(_circles(both)) for key in circle}
    kept: dict[str, list[tuple[str, str]]] = {}
    for key, found in late.items():
        mine = circle_of.get(key)
        for written, target in found:
            other = target.partition(":")[0]
            if other != key and (mine is None or circle_of.get(other) != mine):
                kept.setdefault(key, []).append((written, target))
    return kept


def passed_on(modules: Iterable[Module]) -> dict[str, dict[str, str]]:
    """By key, the names that a module has from others of `modules`, and the `key:name` that they stand for."""
    resolver = _Resolver(modules)
    return {key: resolver.passed_on(module) for key, module in resolver.modules.items()}


class _Stars(NamedTuple):
    """What the `from base import *` of a module may bring."""

    near: Mapping[str, str]
    """By name, the first base that has it, itself or by such an import of its own."""
    far: Sequence[str]
    """The bases that are to be asked for each name: those outside of the project, in circles, or behind too many
    others."""
    is_whole: bool
    """It is the same whichever module asks for it."""


class _Resolver:
    def __init__(self, modules: Iterable[Module]) -> None:
        self.modules = {module.key: module for module in sorted(modules, key=lambda m: m.key)}
        self._by_name = {(m.place, m.dotted): m.key for m in self.modules.values()}
        self._own = {(m.place, m.dotted.partition(".")[0]) for m in self.modules.values()}
        """The packages of the project, which nothing from outside stands in for."""
        self._exports: dict[str, dict[str, Imported]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._stars: dict[str, _Stars] = {}
        self._publics: dict[tuple[str, Outside | None, str, int], list[str]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._by_path = {_path(m.place, m.dotted): m.key for m in self.modules.values()}
        self._from_roots: dict[tuple[tuple[str, ...], str], str | None] = {}
        self._absolutes: dict[tuple[str, str], str | None] = {}

    def targets(self, module: Module, *, late: bool = False) -> list[tuple[str, str]]:
        """The imports of a module that stand for something of the project, as written, and what they stand for.

        With `late`, those that don't run with it: for types only, or in a function.
        """
        found: list[tuple[str, str]] = []
        chains: dict[str, list[str]] = {}
        for alias, chain in module.outline.attributes:
            chains.setdefault(alias, []).append(chain)
        for imported in module.outline.imports:
            if (imported.typing or imported.local) != late:
                continue
            if imported.name is None:
                key = self._module(module, imported.module)
                if key is not None and key != module.key:
                    found.append((f"{imported.module} ", f"{key}:"))
                    found += self._members(module, key, chains.get(imported.alias, ()))
                elif key is None:
                    beyond = self._beyond(module, imported.module, None)
                    if beyond is not None:
                        found.append((f"{imported.module} ", beyond))
                continue
            base = self._base(module, imported)
            if base is None:
                continue
            written = f"{imported.module} {imported.name}"
            if imported.name == "*":
                for name in self._public(module, base):
                    target = self._resolve(module, base, name, 0)
                    if target is not None:
                        found.append((f"{written}{name}", target))
                continue
            target = self._resolve(module, base, imported.name, 0)
            if target is not None:
                found.append((written, target))
                if target.endswith(":"):
                    found += self._members(module, target[:-1], chains.get(imported.alias, ()))
        return found

    def _members(self, asker: Module, key: str, chains: Iterable[str]) -> list[tuple[str, str]]:
        """What `part.name` stands for in a module, as far as the module itself has it from others: by `key:part`."""
        found: dict[str, str] = {}
        for chain in chains:
            at = key
            for part in chain.split("."):
                held = self.modules.get(at)
                if held is None or part in self._defined(held):
                    break
                target = self._resolve(held, _name_of(held), part, 0)
                if target is None:
                    break
                found[f"{at}:{part}"] = target
                if not target.endswith(":"):
                    break
                at = target[:-1]
        return list(found.items())

    def passed_on(self, module: Module) -> dict[str, str]:
        """The names that a module has from others, and what they stand for."""
        own = module.dotted.removesuffix(f".{INIT}")
        imports = module.outline.imports
        names = {i.alias for i in imports if i.name != "*" and not i.local}.union(self._public(module, own))
        targets = {name: self._resolve(module, own, name, 0) for name in sorted(names - self._defined(module))}
        return {
            name: target
            for name, target in targets.items()
            if target is not None and not target.startswith(KNOWN_BY_NAME)
        }

    def _beyond(self, module: Module, dotted: str, name: str | None) -> str | None:
        """What is known outside of the project, as `module` sees it."""
        if module.outside is None or (module.place, dotted.partition(".")[0]) in self._own:
            return None
        return module.outside.resolve(dotted, name)

    def _by_name_of(self, place: str, dotted: str) -> str | None:
        """What a module passes on from outside of the project, such as `torch.where`: others get it by that name."""
        return None if (place, dotted.partition(".")[0]) in self._own else KNOWN_BY_NAME + dotted

    def _base(self, module: Module, imported: Imported) -> str | None:
        """The absolute name of the module that an import names."""
        if not imported.module.startswith("."):
            return imported.module
        about = (module.dotted, imported.module)
        if about not in self._absolutes:
            self._absolutes[about] = _absolute(*about)
        return self._absolutes[about]

    def _module(self, asker: Module, dotted: str) -> str | None:
        place = asker.place
        key = self._by_name.get((place, dotted))
        if key is None:
            key = self._by_name.get((place, f"{dotted}.{INIT}" if dotted else INIT))
        return self._from_root(asker.roots, dotted) if key is None and asker.roots and dotted else key

    def _from_root(self, roots: tuple[str, ...], dotted: str) -> str | None:
        """The module that lies where `dotted` says, below one of some folders."""
        about = (roots, dotted)
        if about not in self._from_roots:
            paths = (_path(root, name) for root in roots for name in (dotted, f"{dotted}.{INIT}"))
            self._from_roots[about] = next((self._by_path[path] for path in paths if path in self._by_path), None)
        return self._from_roots[about]

    def _public(self, asker: Module, dotted: str, depth: int = 0) -> list[str]:
        """The names that `from dotted import *` brings to `asker`."""
        about = (asker.place, asker.outside, dotted, depth)
        if about not in self._publics:
            self._publics[about] = self._look_for_public(asker, dotted, depth)
        return self._publics[about]

    def _look_for_public(self, asker: Module, dotted: str, depth: int) -> list[str]:
        key = self._module(asker, dotted)
        if depth > _MOST_STARS:
            return []
        if key is None:
            known = asker.outside is not None and (asker.place, dotted.partition(".")[0]) not in self._own
            return asker.outside.public(dotted) if known and asker.outside is not None else []
        module = self.modules[key]
        names = {*module.outline.names}
        for imported in module.outline.imports:
            base = self._base(module, imported) if imported.name == "*" else None
            if base is not None and not imported.typing:
                names.update(self._public(module, base, depth + 1))
            elif imported.name is not None and imported.name != "*" and not imported.local:
                names.add(imported.alias)
        return sorted(name for name in names if not name.startswith("_"))

    def _resolve(self, asker: Module, dotted: str, name: str, depth: int) -> str | None:
        """Where `from dotted import name` in `asker` finds it: `key:name`, or `key:` for a module."""
        key = self._module(asker, dotted)
        if key is None and (asker.place, dotted.partition(".")[0]) not in self._own and not asker.roots:
            return self._beyond(asker, dotted, name)
        if key is None or depth > _LONGEST_WAY:
            return self._submodule(asker, dotted, name) or self._beyond(asker, dotted, name)
        known = (key, name)
        if known in self._found:
            return self._found[known]
        self._found[known] = None
        self._found[known] = found = self._look(key, name, depth)
        return found

    def _look(self, key: str, name: str, depth: int) -> str | None:
        module = self.modules[key]
        place, dotted = module.place, _name_of(module)
        if name in self._defined(module):
            return f"{key}:{name}"
        imported = self._exported(module).get(name)
        if imported is not None:
            if imported.name is None:
                target = self._module(module, imported.module)
                if target is not None:
                    return f"{target}:"
                return self._beyond(module, imported.module, None) or self._by_name_of(place, imported.module)
            base = self._base(module, imported)
            found = None if base is None else self._resolve(module, base, imported.name, depth + 1)
            # `from . import part` in the package itself leads back here.
            found = found or self._submodule(module, dotted, name)
            return found if found or base is None else self._by_name_of(place, f"{base}.{imported.name}")
        inside = self._submodule(module, dotted, name)
        if inside is not None:
            return inside
        near, far, _ = self._starred(module)
        for base in (near[name], *far) if name in near else far:
            found = self._resolve(module, base, name, depth + 1)
            if found is not None:
                return found
        return None

    def _starred(self, module: Module, above: tuple[str, ...] = ()) -> _Stars:
        """What `from base import *` in a module may bring, as modules `above` that bring it in turn see it."""
        known = self._stars.get(module.key)
        if known is not None:
            return known
        near: dict[str, str] = {}
        far: list[str] = []
        is_whole = True
        for star in module.outline.imports:
            base = self._base(module, star) if star.name == "*" else None
            if base is None:
                continue
            key = self._module(module, base)
            if key is None or key in above or key == module.key or len(above) > _MOST_STARS:
                is_whole = is_whole and (key is None or key == module.key)
                far.append(base)
                continue
            other = self.modules[key]
            inside, outside, is_all = self._starred(other, (*above, module.key))
            is_whole = is_whole and is_all
            for name in (*self._defined(other), *self._exported(other), *inside):
                near.setdefault(name, base)
            if outside:
                far.append(base)
        found = _Stars(near, far, is_whole)
        if is_whole or not above:
            self._stars[module.key] = found
        return found

    def _submodule(self, asker: Module, dotted: str, name: str) -> str | None:
        key = self._module(asker, f"{dotted}.{name}" if dotted else name)
        return None if key is None else f"{key}:"

    def _defined(self, module: Module) -> frozenset[str]:
        if module.key not in self._names:
            self._names[module.key] = frozenset(module.outline.names)
        return self._names[module.key]

    def _exported(self, module: Module) -> dict[str, Imported]:
        if module.key not in self._exports:
            self._exports[module.key] = {i.alias: i for i in module.outline.imports if i.name != "*" and not i.local}
        return self._exports[module.key]


def _name_of(module: Module) -> str:
    """The dotted name by which others import a module."""
    return "" if module.dotted == INIT else module.dotted.removesuffix(f".{INIT}")


def _path(folder: str, dotted: str) -> str:
    """Where a module lies below a folder, without the end of its file."""
    return f"{folder}{os.sep}{dotted.replace('.', os.sep)}"


def _absolute(dotted: str, written: str) -> str | None:
    """The absolute name of the module that an import statement in the module `dotted` names."""
    if not written.startswith("."):
        return written
    rest = written.lstrip(".")
    parts = dotted.split(".")
    up = len(written) - len(rest)
    if up > len(parts):
        return None
    return ".".join([*parts[:-up], *([rest] if rest else [])])


# --- circles -------------------------------------------------------------------------------------


def _break(edges: dict[str, set[str]]) -> None:
    """Takes edges out until there is no circle."""
    for circle in _circles(edges):
        for key in circle:
            if _is_init(key):
                edges[key] -= circle
    for circle in _circles(edges):
        for key in circle:
            edges[key] = {other for other in edges[key] if other not in circle or other < key}


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
