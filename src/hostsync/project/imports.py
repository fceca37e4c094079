"""Imports resolved to where a name is defined: through re-exports, `import *` and sub-modules of a project."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from hostsync.facts import KNOWN_BY_NAME, Imported, Outline
from hostsync.project.paths import is_own_place, own_name

INIT: Final = "__init__"
_LONGEST_WAY: Final = 12
"""How many re-exports a name is followed through."""
_STAR: Final = ('"*"',)
_MOST_STARS: Final = 4
"""How many `import *` behind each other are followed."""


class Outside(Protocol):
    """What is known of modules that are no part of the project; see `index.Indexes`."""

    def resolve(self, dotted: str, name: str | None) -> str | None:
        """What `from dotted import name` stands for, or `import dotted` where `name` is None."""

    def public(self, dotted: str) -> list[str]:
        """The names that `from dotted import *` brings."""


class Module:
    """A module of the project.

    Attributes:
        key: its unique name.
        place: what its absolute imports start from: modules of one place see each other.
        dotted: its dotted name; that of a package ends in `.__init__`.
        outside: what it knows beyond the project.
        roots: further folders that its absolute imports may start from, the nearest first.
    """

    def __init__(
        self,
        key: str,
        place: str,
        dotted: str,
        outline: Callable[[], Outline],
        outside: Outside | None = None,
        roots: tuple[str, ...] = (),
        text: Callable[[], str | None] | None = None,
    ) -> None:
        """
        Args:
            key, place, dotted, outside, roots: as the attributes.
            outline: gives its outline. It is asked once, if at all.
            text: gives a text in which each ASCII name of the outline stands, and `"*"` for an `import *`; None if
                there is none.
        """
        self.key = key
        self.place = place
        self.dotted = dotted
        self.outside = outside
        self.roots = roots
        self._load = outline
        self._outline: Outline | None = None
        self._load_text = text
        self._text: str | None = None

    @property
    def outline(self) -> Outline:
        """What it imports and defines."""
        if self._outline is None:
            self._outline = self._load()
        return self._outline

    def may_have(self, names: Collection[str]) -> bool:
        """Whether its outline may have one of some names, as far as that is known without loading it."""
        if self._load_text is not None:
            self._text, self._load_text = self._load_text(), None
        text = self._text
        return text is None or any(name in text or not name.isascii() for name in names)


def passed_on(modules: Iterable[Module]) -> dict[str, dict[str, str]]:
    """By key, the names that a module has from others of `modules`, and the `key:name` that they stand for."""
    resolver = Resolver(modules)
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


class Resolver:
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
        self._open: dict[tuple[str, str], int] = {}
        """The questions that are being answered, and how deep each stands."""
        self._cut = _LONGEST_WAY
        """How deep the outermost open question stands that what is being looked for came upon."""
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

    def concerned(self, before: Mapping[str, Outline]) -> set[str] | None:
        """The modules whose imports may stand for something else after some outlines changed; None if all may.

        Args:
            before: by key, what the outlines were.
        """
        names: set[str] = set()
        for key, old in before.items():
            new = self.modules[key].outline
            if _stars_in(old) != _stars_in(new):
                return None
            names.update(_names_of_change(old, new))
        found = set(before)
        if not names:
            return found
        near = self._add_aliases(names)
        for key, module in self.modules.items():
            if key not in near:
                continue
            _, _, attributes = module.outline
            if any(imported.name in names for imported in module.outline.imports) or any(
                not names.isdisjoint(chain.split(".")) for _, chain in attributes
            ):
                found.add(key)
        return found | self._bringing(found)

    def _add_aliases(self, names: set[str]) -> set[str]:
        """Adds the names by which modules pass on what goes by one of `names`; the modules that may have any."""
        near: set[str] = set()
        news = set(names)
        while news:
            aliases: set[str] = set()
            for key, module in self.modules.items():
                if module.may_have(news):
                    near.add(key)
                    aliases.update([imported.alias for imported in module.outline.imports if imported.name in news])
            news = aliases - names
            names |= news
        return near

    def _bringing(self, keys: Iterable[str]) -> set[str]:
        """The modules that have all of what some modules hold by `import *`, over any number of others."""
        importing: dict[str, list[str]] = {}
        for key, module in self.modules.items():
            for star in _stars_in(module.outline) if module.may_have(_STAR) else ():
                base = self._base(module, star)
                held = None if base is None else self._module(module, base)
                if held is not None:
                    importing.setdefault(held, []).append(key)
        found: set[str] = set()
        waiting = list(keys)
        while waiting:
            for key in importing.get(waiting.pop(), ()):
                if key not in found:
                    found.add(key)
                    waiting.append(key)
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
            first = dotted.partition(".")[0]
            # The first is the folder that the module is in.
            bases = [r for r in roots if not is_own_place(r, roots[0]) or own_name(r, roots[0]) == first]
            paths = (_path(root, name) for root in bases for name in (dotted, f"{dotted}.{INIT}"))
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
            elif imported.name != "*" and not imported.local:
                names.add(imported.alias)
        return sorted(name for name in names if not name.startswith("_"))

    def _resolve(self, asker: Module, dotted: str, name: str, depth: int) -> str | None:
        """Where `from dotted import name` in `asker` finds it: `key:name`, or `key:` for a module."""
        key = self._module(asker, dotted)
        if key is None and (asker.place, dotted.partition(".")[0]) not in self._own and not asker.roots:
            return self._beyond(asker, dotted, name)
        if key is None or depth > _LONGEST_WAY:
            if key is not None:
                self._cut = -1
            return self._submodule(asker, dotted, name) or self._beyond(asker, dotted, name)
        known = (key, name)
        if known in self._found:
            return self._found[known]
        if known in self._open:
            self._cut = min(self._cut, self._open[known])
            return None
        self._open[known] = depth
        cut, self._cut = self._cut, _LONGEST_WAY
        found = self._look(key, name, depth)
        del self._open[known]
        # What rests on a question that is still open may come out otherwise once that is answered, and which one was
        # asked first must not matter.
        if self._cut >= depth:
            self._found[known] = found
            self._cut = cut
        else:
            self._cut = min(cut, self._cut)
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
        if known is not None and (known.is_whole or not above):
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


def _stars_in(outline: Outline) -> list[Imported]:
    return [imported for imported in outline.imports if imported.name == "*"]


def _names_of_change(before: Outline, after: Outline) -> set[str]:
    """The names by which a module may hold something else than before."""
    names = set(before.names) ^ set(after.names)
    if before.imports != after.imports:
        # One that comes later counts in place of one of the same alias, so which stand behind which matters as well.
        held: dict[str, list[Imported]] = {}
        was: dict[str, list[Imported]] = {}
        for found, imports in ((was, before.imports), (held, after.imports)):
            for imported in imports:
                found.setdefault(imported.alias, []).append(imported)
        names.update(alias for alias in (*was, *held) if was.get(alias) != held.get(alias))
    return names


def _name_of(module: Module) -> str:
    """The dotted name by which others import a module."""
    return "" if module.dotted == INIT else module.dotted.removesuffix(f".{INIT}")


def _path(folder: str, dotted: str) -> str:
    """Where a module lies below a folder, without the end of its file."""
    return f"{folder.rstrip(os.sep)}{os.sep}{dotted.replace('.', os.sep)}"


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
