"""Evidence of callers across the files of a project: which tensors the parameters of a function are handed.

A call of an imported function speaks for itself. A call of a method of something whose class nobody knows speaks for
the classes that it is named after: `self.scheduler.step(…)` for the methods `step` of all classes called `…Scheduler`.
Such a call only speaks of parameters that must be given, as others may mean something else in each class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from hostsync.infer.linking.handed import HELD, KEYS, PROMISED, common_class
from hostsync.infer.linking.plain import SEPARATOR, Plain, classes_in, functions_in
from hostsync.infer.linking.telling import (
    NUMBER_OF,
    Told,
    classes_of,
    element_plain,
    is_news,
    is_sure,
    join_plain,
    of_class,
    signature_of,
)
from hostsync.lint.calls import Calls, Changes, Customs, is_named_after, to_functions, to_named, to_overridden
from hostsync.lint.landmarks import marked
from hostsync.lint.lineages import MOST_DERIVED, Lineages, Methods, Overriding
from hostsync.lint.passing import pass_on

_MOST_DEFINERS: Final = 20
"""What more classes define is a convention, and tells of none."""
_MOST_PROMISED: Final = 64
"""Of more classes that derived classes keep in one attribute only the one that all are derived from counts."""
_UNRESOLVED: Final = "U"
"""Begins the plain form of what the attribute of some class holds."""
_NOTHING: Final = Told({}, [], {}, {}, {}, [], {}, {}, {}, {}, {}, {})


class Evidence:
    """What callers hand in, by file, function and parameter: the value and where it was seen.

    What files tell may be given anew, as further studies of them show more. Only what a change concerns is looked at
    again then.

    Args:
        tests: the files that hold tests, by `is_test`, whose calls don't count.
    """

    def __init__(self, tests: Collection[str] = ()) -> None:
        self._tests = tests
        self._told: Mapping[str, Told] = {}
        self._calls = Calls()
        self._held = _Held()
        self._methods: Methods = {}
        self._lineages = Lineages({})
        self._customs = Customs({}, {})
        self._keys: dict[str, list[Plain]] = {}
        self._found: dict[str, dict[str, dict[str, Plain]]] = {}
        """By file, function and parameter, what single calls hand in."""
        self._resting: set[tuple[str, str]] = set()
        """The functions that are handed what the attributes of classes hold."""

    def of(self, told: Mapping[str, Told]) -> dict[str, Plain]:
        """What callers hand in by what files tell, given by their keys."""
        if self._told and _is_alike(self._told, told):
            self._go_on(told)
        else:
            self._begin(told)
        first: dict[str, Plain] = {key: dict(symbols) for key, symbols in self._found.items()}
        counted = {key: data for key, data in told.items() if key not in self._tests}
        _of_derived(counted, told, self._lineages, first)
        overriding = Overriding(self._methods, self._lineages)
        passed = pass_on(first, told, self._tests, overriding, _add)
        _by_what_is_asked(told, self._lineages, passed)
        found: dict[str, Plain] = {}
        for key, data in told.items():
            mine = _of_one_class(passed.get(key, {}), self._lineages)
            known: dict[str, Plain] = {name: self._keys[name] for name in data.loaded if name in self._keys}
            if known:
                mine[KEYS] = known
            if mine:
                found[key] = mine
        return found

    def _begin(self, told: Mapping[str, Told]) -> None:
        self._told = told
        self._held = _Held(told)
        self._methods = _methods_in(told)
        self._lineages = Lineages({key: data.bases for key, data in told.items()})
        self._customs = Customs(told, self._methods)
        self._keys = _stored_in(told, self._tests)
        self._calls = Calls()
        self._found = {}
        self._resting = set()
        changes = Changes()
        for key in sorted(told):
            if key not in self._tests:
                changes.add(key, _NOTHING, told[key])
                self._calls.add(key, told[key])
        self._look_at(changes)

    def _go_on(self, told: Mapping[str, Told]) -> None:
        changes = Changes()
        changed = [key for key in sorted(told) if told[key] is not self._told[key]]
        if any(told[key].holds != self._told[key].holds for key in changed):
            self._held = _Held(told)
            changes.functions |= self._resting
        if any(told[key].stored != self._told[key].stored for key in changed):
            self._keys = _stored_in(told, self._tests)
        for key in changed:
            if key not in self._tests:
                changes.add(key, self._told[key], told[key])
                self._calls.remove(key, self._told[key])
                self._calls.add(key, told[key])
        self._told = told
        self._look_at(changes)

    def _look_at(self, changes: Changes) -> None:
        concerned = {(key, symbol) for key, symbol in changes.functions if key in self._told}
        for method in {**changes.bases, **changes.receivers}:
            bases, receivers = changes.bases.get(method, set()), changes.receivers.get(method, set())
            for file, name in () if method.startswith("__") else self._methods.get(method, ()):
                class_name = name.rpartition(".")[2]
                if not bases.isdisjoint(self._lineages.above(f"{file}:{name}")) or any(
                    is_named_after(receiver, class_name) for receiver in receivers
                ):
                    concerned.add((file, f"{name}.{method}"))
        for key, symbol in sorted(concerned):
            if symbol in self._told[key].open:
                self._look(key, symbol)

    def _look(self, key: str, symbol: str) -> None:
        """Finds out what calls hand in to one function that wants to know."""
        owner, _, method = symbol.rpartition(".")
        direct = self._calls.direct.get(f"{key}:{symbol}")
        named, called = None, None
        if owner and not method.startswith("__"):
            named, called = self._calls.named.get(method), self._calls.methods.get(method)
        found: dict[str, Plain] = {}
        if direct or named or called:
            signature = signature_of(self._told[key].open[symbol])
            is_resting = False
            for name, value, caller, row in (
                *to_functions(signature, direct or {}),
                *to_named(signature, owner, method, named or {}, self._customs),
                *to_overridden(signature, f"{key}:{owner}", called or {}, self._lineages),
            ):
                is_resting = is_resting or value[0] == _UNRESOLVED
                _add(found, name, self._held.resolved(value), caller, row)
            if is_resting:
                self._resting.add((key, symbol))
        if found:
            self._found.setdefault(key, {})[symbol] = found
        elif key in self._found:
            self._found[key].pop(symbol, None)


def _is_alike(old: Mapping[str, Told], new: Mapping[str, Told]) -> bool:
    """Whether files tell the same of their own functions and classes as before."""
    return old.keys() == new.keys() and all(
        data is old[key] or (data.open, data.bases) == (old[key].open, old[key].bases) for key, data in new.items()
    )


def _stored_in(told: Mapping[str, Told], tests: Collection[str]) -> dict[str, list[Plain]]:
    """What files put into dictionaries under keys that always hold a tensor."""
    keys: dict[str, list[Plain]] = {}
    for file in sorted(told):
        for name, (value, row) in () if file in tests else told[file].stored.items():
            if name in keys:
                keys[name][0] = join_plain(keys[name][0], value)
            else:
                keys[name] = [value, f"{marked(file, row)} puts a tensor under '{name}'"]
    return {name: held for name, held in keys.items() if is_sure(held[0])}


def mentioned(handed: Plain) -> set[str]:
    """The classes and functions of what callers hand in to a file, as `key:name`."""
    params = [value for symbol, held in handed.items() if symbol != KEYS for value, _ in held.values()]
    names = {name for value in params for name in (*classes_of(value), *classes_in(value))}
    names.update(option[1] for value in params for option in functions_in(value) if option[0] == "F")
    return names


class _Held:
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
        if value[0] != _UNRESOLVED:
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


def _methods_in(told: Mapping[str, Told]) -> Methods:
    found: dict[str, list[tuple[str, str]]] = {}
    for key in sorted(told):
        for symbol in told[key].open:
            owner, _, method = symbol.rpartition(".")
            if owner:
                found.setdefault(method, []).append((key, owner))
    return found


def is_test(name: str, module: str) -> bool:
    """Whether a file holds tests: these hand in whatever is handy, which says nothing of real use.

    Args:
        name: of the file.
        module: its dotted name. The folders above its package don't count: they say nothing of what it is.
    """
    is_named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_named or not _TESTS.isdisjoint(module.split(".")[:-1])


_TESTS: Final = frozenset({"test", "tests", "testing"})


def _by_what_is_asked(told: Mapping[str, Told], lineages: Lineages, found: dict[str, Plain]) -> None:
    """Adds the class of a parameter of which nothing else is known, if one alone has the methods that it calls."""
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
    for key in sorted(told):
        for symbol, params in told[key].asked.items():
            for param, methods in params.items():
                if param in found.get(key, {}).get(symbol, {}):
                    continue
                name = _one_that_has(methods, definers, lineages)
                if name is not None and of_numbers.isdisjoint((name, method) for method in methods):
                    text = f"of the project's classes, only {name.rpartition(':')[2]} has {methods[0]}"
                    found.setdefault(key, {}).setdefault(symbol, {})[param] = [of_class(name), text]


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


def _of_derived(told: Mapping[str, Told], files: Collection[str], lineages: Lineages, found: dict[str, Plain]) -> None:
    """Adds what classes have that are derived from those of a file, where these use it without knowing it."""
    for key in sorted(told):
        for base, values in told[key].promises.items():
            file, _, name = base.partition(SEPARATOR)
            if file not in files or lineages.below(base) > MOST_DERIVED:
                continue
            mine = found.setdefault(file, {}).setdefault(f"{PROMISED}{name}", {})
            for wanted, (value, row) in values.items():
                _add(mine, wanted, value, key, row)


def _of_one_class(found: Mapping[str, Plain], lineages: Lineages) -> dict[str, Plain]:
    """The same, but of several classes of objects only the one that all are derived from, if there is one."""
    result: dict[str, Plain] = {}
    for symbol, params in found.items():
        kept: dict[str, Plain] = {}
        for name, (value, text) in params.items():
            names = classes_of(value)
            if value[0] == "D" and not is_news(value):
                continue
            if not names:
                kept[name] = [value, text]
                continue
            if symbol.startswith(PROMISED) and 1 < len(names) <= _MOST_PROMISED:
                kept[name] = [value, text]
                continue
            shared = common_class(names, {one: lineages.above(one) for one in names})
            if shared is not None:
                kept[name] = [of_class(shared), text]
        if kept:
            result[symbol] = kept
    return result


def _add(params: dict[str, Plain], name: str, value: Plain, caller: str, row: str) -> None:
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
