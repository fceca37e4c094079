"""Evidence of callers across the files of a project: which tensors the parameters of a function are handed.

A call of an imported function speaks for itself. A call of a method of something whose class nobody knows speaks for
the classes that it is named after: `self.scheduler.step(…)` for the methods `step` of all classes called `…Scheduler`.
Such a call only speaks of parameters that must be given, as others may mean something else in each class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from hostsync.infer.handed import HELD, KEYS, PROMISED, common_class
from hostsync.infer.plain import SEPARATOR, Plain, classes_in, functions_in
from hostsync.infer.telling import PLACE, classes_of, element_plain, is_news, is_sure, join_plain, of_class
from hostsync.lint.landmarks import marked
from hostsync.lint.passing import pass_on

_MOST_DERIVED: Final = 100
"""What has more classes derived from it is a framework's: to look at all of them anew costs more than it tells."""
_MOST_DEFINERS: Final = 20
"""What more classes define is a convention, and tells of none."""
_MOST_PROMISED: Final = 64
"""Of more classes that derived classes keep in one attribute only the one that all are derived from counts."""
_SHORTEST_NAME: Final = 4
"""A name of fewer letters says nothing of a class."""


def evidence(told: Mapping[str, Plain], asked: Mapping[str, Plain], tests: Collection[str] = ()) -> dict[str, Plain]:
    """What callers hand in, by file, function and parameter: the value and where it was seen.

    Args:
        told: by file, what it tells of others (`direct`, `named`), what its classes hold (`holds`) and what it puts
            into dictionaries (`stored`); see `telling.Told`.
        asked: the files that want to know, with the functions that are `open`.
        tests: the files that hold tests, by `is_test`, whose calls don't count.
    """
    direct: dict[str, list[tuple[str, Plain]]] = {}
    named: dict[str, list[tuple[str, Plain]]] = {}
    held = _Held()
    keys: dict[str, list[Plain]] = {}
    called: dict[str, dict[str, list[tuple[str, Plain]]]] = {}
    for key in sorted(told):
        calls, names, _, holds, stored, _, methods, *_ = told[key]
        for name, attributes in sorted(holds.items()):
            for attribute, value in attributes.items():
                held.add(name.rpartition(".")[2], attribute, value)
        if key in tests:
            continue
        for symbol, params in calls.items():
            direct.setdefault(symbol, []).append((key, params))
        for symbol, params in methods.items():
            owner, _, method = symbol.rpartition(".")
            owner = owner if ":" in owner else f"{key}:{owner}"
            called.setdefault(method, {}).setdefault(owner, []).append((key, params))
        for call in names:
            named.setdefault(call[1], []).append((key, call))
        for name, (value, row) in stored.items():
            if name in keys:
                keys[name][0] = join_plain(keys[name][0], value)
            else:
                keys[name] = [value, f"{marked(key, row)} puts a tensor under '{name}'"]
    keys = {name: held for name, held in keys.items() if is_sure(held[0])}
    found: dict[str, Plain] = {}
    lineages = _Lineages(told)
    methods_of = _methods_in(told)
    wanting = _Wanting({key: data[2] for key, data in asked.items()}, held)
    _add_direct(wanting, direct)
    _add_named(wanting, named, methods_of, _Customs(told, methods_of))
    _add_overridden(wanting, called, methods_of, lineages)
    first = wanting.found
    _of_derived({key: data for key, data in told.items() if key not in tests}, told, lineages, first)
    passed = pass_on(first, told, tests, _Overriding(methods_of, lineages), _add)
    _by_what_is_asked(told, lineages, passed)
    for key, data in asked.items():
        mine = _of_one_class(passed.get(key, {}), lineages)
        known = {name: keys[name] for name in data[5] if name in keys}
        if known:
            mine[KEYS] = known
        if mine:
            found[key] = mine
    return found


def mentioned(handed: Plain) -> set[str]:
    """The files that have the classes and functions of what callers hand in to a file."""
    params = [value for symbol, held in handed.items() if symbol != KEYS for value, _ in held.values()]
    names = {name for value in params for name in (*classes_of(value), *classes_in(value))}
    names.update(option[1] for value in params for option in functions_in(value) if option[0] == "F")
    return {name.partition(SEPARATOR)[0] for name in names}


class _Held:
    """What the attributes of classes hold, by the classes' names."""

    def __init__(self) -> None:
        self._by_attribute: dict[str, list[tuple[str, Plain]]] = {}
        self._known: dict[str, Plain] = {}

    def add(self, class_name: str, attribute: str, value: Plain) -> None:
        """Takes up what an attribute holds. All of them must be known before the first is asked for."""
        self._by_attribute.setdefault(attribute, []).append((class_name, value))

    def resolved(self, value: Plain) -> Plain:
        """The tensor that a value stands for; an element of what classes of that name hold, for `~name.attribute`."""
        if value[0] != "U":
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


_Methods: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""By the name of a method, the files and classes that have one."""


def _methods_in(told: Mapping[str, Plain]) -> _Methods:
    found: dict[str, list[tuple[str, str]]] = {}
    for key in sorted(told):
        for symbol in told[key][2]:
            owner, _, method = symbol.rpartition(".")
            if owner:
                found.setdefault(method, []).append((key, owner))
    return found


class _Wanting:
    """What the functions of some files are handed, as far as they want to know.

    Args:
        functions: by file, those that are `open`.
        held: what the attributes of classes hold.
    """

    def __init__(self, functions: Mapping[str, Plain], held: _Held) -> None:
        self._functions = functions
        self._held = held
        self.found: dict[str, Plain] = {key: {} for key in functions}

    def signature(self, key: str, symbol: str) -> Plain:
        """The fields of the function's `Signature`; None if it wants to know nothing."""
        functions = self._functions.get(key)
        return None if functions is None else functions.get(symbol)

    def add(self, key: str, symbol: str, values: Iterable[tuple[str, Plain]], where: str) -> None:
        """Adds what one call hands in, by parameter."""
        params = self.found[key].get(symbol, {})
        for name, value in values:
            _add(params, name, self._held.resolved(value), where)
        if params:
            self.found[key][symbol] = params


class _Customs:
    """How the classes that go by one name take the arguments of a method: they must agree before a call counts."""

    def __init__(self, told: Mapping[str, Plain], methods: _Methods) -> None:
        self._told = told
        self._methods = methods
        self._usual: dict[tuple[str, str, int], tuple[str, ...] | None] = {}

    def fits(self, receiver: str, method: str, names: list[str], count: int) -> bool:
        """Whether the first `count` parameters are those that most of the classes have."""
        key = (receiver, method, count)
        if key not in self._usual:
            votes: dict[tuple[str, ...], int] = {}
            for file, owner in self._methods.get(method, ()):
                others = tuple(self._told[file][2][f"{owner}.{method}"][0])
                if len(others) >= count and is_named_after(receiver, owner.rpartition(".")[2]):
                    votes[others[:count]] = votes.get(others[:count], 0) + 1
            best = max(votes, key=lambda first: (votes[first], first), default=None)
            self._usual[key] = best if best is not None and 2 * votes[best] > sum(votes.values()) else None
        return self._usual[key] == tuple(names[:count])


def is_test(name: str, module: str) -> bool:
    """Whether a file holds tests: these hand in whatever is handy, which says nothing of real use.

    Args:
        name: of the file.
        module: its dotted name. The folders above its package don't count: they say nothing of what it is.
    """
    return name.startswith("test_") or not _TESTS.isdisjoint(module.split(".")[:-1])


_TESTS: Final = frozenset({"test", "tests", "testing"})


def _add_direct(wanting: _Wanting, direct: Mapping[str, Sequence[tuple[str, Plain]]]) -> None:
    """Adds what is handed to functions that are imported."""
    for target in sorted(direct):
        key, _, symbol = target.partition(":")
        signature = wanting.signature(key, symbol)
        if signature is None:
            continue
        for caller, calls in direct[target]:
            for name, (value, row) in calls.items():
                if name in signature[1]:
                    wanting.add(key, symbol, ((name, value),), marked(caller, row))


def _add_named(
    wanting: _Wanting, named: Mapping[str, Sequence[tuple[str, Plain]]], methods: _Methods, customs: _Customs
) -> None:
    """Adds what is handed to methods of what is called as their class is."""
    for method in sorted(named):
        for key, owner in () if method.startswith("__") else methods.get(method, ()):
            symbol = f"{owner}.{method}"
            signature = wanting.signature(key, symbol)
            if signature is None:
                continue
            names, _, must = signature
            for caller, (receiver, _, args, keywords, row) in named[method]:
                if len(args) > len(names) or not is_named_after(receiver, owner.rpartition(".")[2]):
                    continue
                if any(name not in names for name in keywords) or not customs.fits(receiver, method, names, len(args)):
                    continue
                given = [*zip(names, args, strict=False), *keywords.items()]
                known = [(name, value) for name, value in given if value is not None and name in must]
                wanting.add(key, symbol, known, marked(caller, row))


class _Lineages:
    """Which classes a class is derived from, across files."""

    def __init__(self, told: Mapping[str, Plain]) -> None:
        self._bases: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}
        for key in sorted(told):
            for name, bases in told[key][7].items():
                self._bases[f"{key}:{name}"] = [base if ":" in base else f"{key}:{base}" for base in bases]

    def above(self, name: str) -> list[str]:
        """All of them, the nearest first."""
        known = self._above.get(name)
        if known is not None:
            return known
        found: dict[str, None] = {}
        waiting = list(self._bases.get(name, ()))
        while waiting:
            base = waiting.pop(0)
            if base not in found:
                found[base] = None
                waiting += self._bases.get(base, ())
        self._above[name] = list(found)
        return self._above[name]

    def below(self, name: str) -> int:
        """How many classes are derived from a class, by any number of steps."""
        if not self._counts:
            for derived in self._bases:
                for base in self.above(derived):
                    self._counts[base] = self._counts.get(base, 0) + 1
        return self._counts.get(name, 0)


def _by_what_is_asked(told: Mapping[str, Plain], lineages: _Lineages, found: dict[str, Plain]) -> None:
    """Adds the class of a parameter of which nothing else is known, if one alone has the methods that it calls."""
    definers: dict[str, list[str]] = {}
    for key in sorted(told):
        for name, methods in told[key][9].items():
            for method in methods:
                definers.setdefault(method, []).append(f"{key}:{name}")
    for key in sorted(told):
        for symbol, params in told[key][8].items():
            for param, methods in params.items():
                if param in found.get(key, {}).get(symbol, {}):
                    continue
                name = _one_that_has(methods, definers, lineages)
                if name is not None:
                    text = f"of the project's classes, only {name.rpartition(':')[2]} has {methods[0]}"
                    found.setdefault(key, {}).setdefault(symbol, {})[param] = [of_class(name), text]


def _one_that_has(methods: list[str], definers: Mapping[str, list[str]], lineages: _Lineages) -> str | None:
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


def _of_derived(
    told: Mapping[str, Plain], files: Collection[str], lineages: _Lineages, found: dict[str, Plain]
) -> None:
    """Adds what classes have that are derived from those of a file, where these use it without knowing it."""
    for key in sorted(told):
        for base, values in told[key][10].items():
            file, _, name = base.partition(SEPARATOR)
            if file not in files or lineages.below(base) > _MOST_DERIVED:
                continue
            mine = found.setdefault(file, {}).setdefault(f"{PROMISED}{name}", {})
            for wanted, (value, row) in values.items():
                _add(mine, wanted, value, marked(key, row))


class _Overriding:
    """Which methods are put in the place of one, by classes that are derived from its own."""

    def __init__(self, methods: _Methods, lineages: _Lineages) -> None:
        self._methods = methods
        self._lineages = lineages
        self._known: dict[str, list[str]] = {}

    def __call__(self, symbol: str) -> list[str]:
        owner, _, method = symbol.rpartition(".")
        if method.startswith("__") or method not in self._methods:
            return []
        known = self._known.get(symbol)
        if known is None:
            known = self._known[symbol] = []
            if 0 < self._lineages.below(owner) <= _MOST_DERIVED:
                for key, name in self._methods[method]:
                    if owner in self._lineages.above(f"{key}:{name}"):
                        known.append(f"{key}:{name}.{method}")
        return known


def _add_overridden(
    wanting: _Wanting,
    called: Mapping[str, Mapping[str, Sequence[tuple[str, Plain]]]],
    methods: _Methods,
    lineages: _Lineages,
) -> None:
    """Adds what is handed to methods that others override: `self.step(x)` in a base class."""
    for method in sorted(called):
        of_classes = called[method]
        for key, owner in () if method.startswith("__") else methods.get(method, ()):
            symbol = f"{owner}.{method}"
            signature = wanting.signature(key, symbol)
            if signature is None:
                continue
            names, is_open, _ = signature
            for base in lineages.above(f"{key}:{owner}"):
                if base not in of_classes or lineages.below(base) > _MOST_DERIVED:
                    continue
                for caller, handed in of_classes[base]:
                    for at, (value, row) in handed.items():
                        name = _named_at(names, at)
                        if name in is_open:
                            wanting.add(key, symbol, ((name, value),), marked(caller, row))


def _named_at(names: Sequence[str], at: str) -> str:
    """The parameter of a method that one of another is for, which is given by name or by its place."""
    place = at[len(PLACE) :] if at.startswith(PLACE) else ""
    return at if not place else names[int(place)] if int(place) < len(names) else ""


def _of_one_class(found: Mapping[str, Plain], lineages: _Lineages) -> dict[str, Plain]:
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


def _add(params: dict[str, Plain], name: str, value: Plain, where: str) -> None:
    if value is None:
        return
    known = params.get(name)
    if known is None:
        what = _in_words(value)
        params[name] = [value, f"{where} hands in {what} for {name}"]
    else:
        known[0] = join_plain(known[0], value)


def _in_words(value: Plain) -> str:
    if classes_of(value):
        return "an object"
    if functions_in(value):
        return "a function"
    return "a tensor" if value[0] == "T" else "a device" if value[0] == "D" else "tensors"


def is_named_after(name: str, class_name: str) -> bool:
    """Whether something called `name` is likely to be of the class `class_name`."""
    words = [word.capitalize() for word in name.split("_") if word]
    if not words or len(words[-1]) < _SHORTEST_NAME:
        return False
    return class_name.endswith(("".join(words), words[-1]))
