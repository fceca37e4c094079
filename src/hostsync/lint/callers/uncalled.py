"""What the files of a project tell of others apart from calls: by what they keep, derive from and ask for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from hostsync.infer.linking.handed import HELD, PROMISED
from hostsync.infer.linking.plain import SEPARATOR, Plain, functions_in
from hostsync.infer.linking.telling import NUMBER_OF, Told, classes_of, element_plain, is_sure, join_plain
from hostsync.lint.callers.calls import is_named_after
from hostsync.lint.callers.lineages import MOST_DERIVED, Lineages, Methods
from hostsync.lint.landmarks import marked

UNRESOLVED: Final = "U"
"""Begins the plain form of what the attribute of some class holds."""
_MOST_DEFINERS: Final = 20
"""What more classes define is a convention, and tells of none."""


def methods_in(functions: Mapping[str, Iterable[str]]) -> Methods:
    """The methods of files, given by file their functions that may be told something."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key in sorted(functions):
        for symbol in functions[key]:
            owner, _, method = symbol.rpartition(".")
            if owner:
                found.setdefault(method, []).append((key, owner))
    return found


class Held:
    """What the attributes of classes hold, by the classes' names."""

    def __init__(self, told: Mapping[str, Told] = MappingProxyType({})) -> None:
        self._by_attribute: dict[str, list[tuple[str, Plain]]] = {}
        self._known: dict[str, Plain] = {}
        for key in sorted(told):
            for name, attributes in sorted(told[key].holds.items()):
                for attribute, value in attributes.items():
                    self._by_attribute.setdefault(attribute, []).append((name.rpartition(".")[2], value))

    def resolved(self, value: Plain) -> Plain:
        """The tensor that a value stands for; an element of what classes of that name hold, for `~name.attribute`."""
        if value[0] != UNRESOLVED:
            return value
        name = value[1].removeprefix(HELD)
        if name not in self._known:
            receiver, _, attribute = name.rpartition(".")
            found: Plain = None
            for class_name, data in self._by_attribute.get(attribute, ()):
                if is_named_after(receiver, class_name):
                    found = data if found is None else join_plain(found, data)
            self._known[name] = None if found is None else element_plain(found)
        return self._known[name]


def stored_in(told: Mapping[str, Told], tests: Collection[str]) -> dict[str, list[Plain]]:
    """What files put into dictionaries under keys that always hold a tensor."""
    keys: dict[str, list[Plain]] = {}
    for file in sorted(told):
        for name, (value, row) in () if file in tests else told[file].stored.items():
            if name in keys:
                keys[name][0] = join_plain(keys[name][0], value)
            else:
                keys[name] = [value, f"{marked(file, row)} puts a tensor under '{name}'"]
    return {name: held for name, held in keys.items() if is_sure(held[0])}


def loaded_in(data: Told, keys: Mapping[str, Plain]) -> list[str]:
    """Of the keys that a file looks up in dictionaries, those of `stored_in`."""
    return [name for name in data.loaded if name in keys]


def promised_in(told: Mapping[str, Told], tests: Collection[str], lineages: Lineages) -> dict[str, Plain]:
    """What classes have that are derived from those of another file, where these use it without knowing it.

    Returns:
        By file, class (behind `PROMISED`) and name: the value and where it was seen.
    """
    found: dict[str, Plain] = {}
    for key in sorted(told):
        for base, values in () if key in tests else told[key].promises.items():
            file, _, name = base.partition(SEPARATOR)
            if lineages.below(base) > MOST_DERIVED:
                continue
            mine = found.setdefault(file, {}).setdefault(f"{PROMISED}{name}", {})
            for wanted, (value, row) in values.items():
                add_seen(mine, wanted, value, key, row)
    return found


def asked_in(told: Mapping[str, Told], lineages: Lineages) -> list[list[str]]:
    """Parameters of which one class alone has the methods that are called of them: file, function, parameter, class and
    the first of the methods."""
    definers: dict[str, list[str]] = {}
    of_numbers: set[tuple[str, str]] = set()
    """The methods that give no tensor, with their class."""
    for key in sorted(told):
        for name, methods in told[key].defines.items():
            for method in methods:
                plain = method.removeprefix(NUMBER_OF)
                definers.setdefault(plain, []).append(f"{key}:{name}")
                if plain != method:
                    of_numbers.add((f"{key}:{name}", plain))
    found: list[list[str]] = []
    for key in sorted(told):
        for symbol, params in told[key].asked.items():
            for param, methods in params.items():
                name = _one_that_has(methods, definers, lineages)
                if name is not None and of_numbers.isdisjoint((name, method) for method in methods):
                    found.append([key, symbol, param, name, methods[0]])
    return found


def _one_that_has(methods: list[str], definers: Mapping[str, list[str]], lineages: Lineages) -> str | None:
    """The one class that defines all of some methods, or has them of others; those derived from it don't count."""
    having: list[set[str]] = []
    for method in methods:
        owners = definers.get(method, ())
        if not owners or len(owners) > _MOST_DEFINERS:
            return None
        having.append(set(owners))
    every = set().union(*having)
    fitting = {name for name in every if all(name in owners or owners & set(lineages.above(name)) for owners in having)}
    topmost = [name for name in sorted(fitting) if fitting.isdisjoint(lineages.above(name))]
    return topmost[0] if len(topmost) == 1 else None


def add_seen(params: dict[str, Plain], name: str, value: Plain, caller: str, row: str) -> None:
    """Adds a value to what is known of the parameters of a function, given the file and the row of the call."""
    if value is None:
        return
    known = params.get(name)
    if known is None:
        what = _in_words(value)
        params[name] = [value, f"{marked(caller, row)} hands in {what} for {name}"]
    else:
        known[0] = join_plain(known[0], value)


def _in_words(value: Plain) -> str:
    if classes_of(value):
        return "an object"
    if functions_in(value):
        return "a function"
    return "a tensor" if value[0] == "T" else "a device" if value[0] == "D" else "tensors"
