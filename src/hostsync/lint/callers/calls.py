"""The calls that files tell of: of which functions they speak, and what they hand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from hostsync.infer.linking.handed import COMMON
from hostsync.infer.linking.plain import Plain
from hostsync.infer.linking.telling import PLACE, Told, is_vague, signature_of
from hostsync.infer.records import Signature
from hostsync.lint.callers.lineages import MOST_DERIVED, Lineages, Methods

_SHORTEST_NAME: Final = 4
"""A name of fewer letters says nothing of a class."""


def _different(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> list[str]:
    if not old:
        return list(new)
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def _owner(key: str, symbol: str) -> tuple[str, str]:
    """The class of a method, as others know it, and its name there."""
    owner, _, method = symbol.rpartition(".")
    return owner if ":" in owner else f"{key}:{owner}", method


BY_NAME: Final = "*"
"""Begins what stands for the methods of one name, whatever class they are of."""


def names_in(told: Told) -> list[str]:
    """What the calls that a file tells of speak of: functions, methods, and with `BY_NAME` the names of methods.

    Those of its own classes are without the name of the file.
    """
    return sorted({*told.direct, *told.methods, *(f"{BY_NAME}{call[1]}" for call in told.named)})


class Changes:
    """What files tell otherwise than before, by what it speaks of."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        """By file and name."""
        self.bases: dict[str, set[str]] = {}
        """By the name of a method, the classes that it is called of."""
        self.receivers: dict[str, set[str]] = {}
        """By the name of a method, what it is called of where only that has a name."""

    def add(self, key: str, old: Told, new: Told) -> None:
        for target in _different(old.direct, new.direct):
            file, _, symbol = target.partition(":")
            self.functions.add((file, symbol))
        for target in _different(old.methods, new.methods):
            base, method = _owner(key, target)
            self.bases.setdefault(method, set()).add(base)
        for call in (*old.named, *new.named):
            if call not in old.named or call not in new.named:
                self.receivers.setdefault(call[1], set()).add(call[0])


class Calls:
    """The calls that files tell of, by what they speak of and by the file."""

    def __init__(self) -> None:
        self.direct: dict[str, dict[str, Plain]] = {}
        """By function, what it is handed."""
        self.named: dict[str, dict[str, list[Plain]]] = {}
        """By the name of a method."""
        self.vague: dict[str, dict[str, list[Plain]]] = {}
        """As `named`, those that tell nothing of what they hand in."""
        self.methods: dict[str, dict[str, dict[str, list[Plain]]]] = {}
        """By the name of a method and the class that it is called of, what it is handed."""

    def add(self, key: str, told: Told) -> None:
        for symbol, params in told.direct.items():
            self.direct.setdefault(symbol, {})[key] = params
        for symbol, params in told.methods.items():
            owner, method = _owner(key, symbol)
            self.methods.setdefault(method, {}).setdefault(owner, {}).setdefault(key, []).append(params)
        for call in told.named:
            held = self.vague if is_vague(call) else self.named
            held.setdefault(call[1], {}).setdefault(key, []).append(call)

    def remove(self, key: str, told: Told) -> None:
        """Undoes `add`."""
        for symbol in told.direct:
            del self.direct[symbol][key]
        for symbol in told.methods:
            owner, method = _owner(key, symbol)
            self.methods[method][owner].pop(key, None)
        for call in told.named:
            held = self.vague if is_vague(call) else self.named
            held[call[1]].pop(key, None)


Seen: TypeAlias = tuple[str, Plain, str, str]
"""What one call hands in: the parameter, the value, the file and its row."""


def to_functions(signature: Signature, calls: Mapping[str, Plain]) -> Iterator[Seen]:
    """What is handed to a function that is imported."""
    for caller in sorted(calls):
        for name, (value, row) in calls[caller].items():
            if name in signature.open:
                yield name, value, caller, row


def to_named(
    signature: Signature, owner: str, method: str, calls: Mapping[str, Sequence[Plain]], customs: Customs
) -> Iterator[Seen]:
    """What is handed to a method of what is called as its class is."""
    names = signature.names
    class_name = owner.rpartition(".")[2]
    for caller in sorted(calls):
        for receiver, _, args, keywords, row in calls[caller]:
            if len(args) > len(names) or not is_named_after(receiver, class_name):
                continue
            if any(name not in names for name in keywords) or not customs.fits(receiver, method, names, len(args)):
                continue
            for name, value in (*zip(names, args, strict=False), *keywords.items()):
                if value is not None and name in signature.must:
                    yield name, value, caller, row


def to_overridden(
    signature: Signature, owner: str, calls: Mapping[str, Mapping[str, Sequence[Plain]]], lineages: Lineages
) -> Iterator[Seen]:
    """What is handed to methods that one overrides: `self.step(x)` in a base class."""
    for base in lineages.above(owner) if calls else ():
        if base not in calls or lineages.below(base) > MOST_DERIVED:
            continue
        for caller in sorted(calls[base]):
            for handed in calls[base][caller]:
                for at, (value, row) in handed.items():
                    name = _named_at(signature.names, at)
                    if name in signature.open:
                        yield name, value, caller, row


def is_called_by_others(
    signature: Signature, key: str, owner: str, method: str, calls: Mapping[str, Sequence[Plain]]
) -> bool:
    """Whether another file calls a method of that name of what may be of any class, and hands in as many arguments.

    Args:
        signature: of the method.
        key: its file.
        owner: its class.
        method: what it is called.
        calls: by file, those of methods of that name.
    """
    if method in COMMON:
        return False
    class_name = owner.rpartition(".")[2]
    return any(
        len(args) + len(keywords) <= len(signature.names) and not is_named_after(receiver, class_name)
        for caller, rows in calls.items()
        if caller != key
        for receiver, _, args, keywords, _ in rows
    )


class Customs:
    """How the classes that go by one name take the arguments of a method: they must agree before a call counts."""

    def __init__(self, told: Mapping[str, Told], methods: Methods) -> None:
        self._told = told
        self._methods = methods
        self._usual: dict[tuple[str, str, int], tuple[str, ...] | None] = {}

    def fits(self, receiver: str, method: str, names: tuple[str, ...], count: int) -> bool:
        """Whether the first `count` parameters are those that most of the classes have."""
        key = (receiver, method, count)
        if key not in self._usual:
            votes: dict[tuple[str, ...], int] = {}
            for file, owner in self._methods.get(method, ()):
                others = signature_of(self._told[file].open[f"{owner}.{method}"]).names
                if len(others) >= count and is_named_after(receiver, owner.rpartition(".")[2]):
                    votes[others[:count]] = votes.get(others[:count], 0) + 1
            best = max(votes, key=lambda first: (votes[first], first), default=None)
            self._usual[key] = best if best is not None and 2 * votes[best] > sum(votes.values()) else None
        return self._usual[key] == names[:count]


def _named_at(names: Sequence[str], at: str) -> str:
    """The parameter of a method that one of another is for, which is given by name or by its place."""
    place = at[len(PLACE) :] if at.startswith(PLACE) else ""
    return at if not place else names[int(place)] if int(place) < len(names) else ""


def is_named_after(name: str, class_name: str) -> bool:
    """Whether something called `name` is likely to be of the class `class_name`."""
    words = [word.capitalize() for word in name.split("_") if word]
    if not words or len(words[-1]) < _SHORTEST_NAME:
        return False
    return class_name.endswith(("".join(words), words[-1]))
