"""Evidence of callers, passed on: what a function is handed and hands to others in its turn, to a fixpoint.

A call says nothing by itself where its argument is a parameter of the caller of which nothing is known. With what the
callers of that one hand in, it does; so evidence gets as deep into a project as its calls go, across its files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from hostsync.infer.linking.plain import Plain
from hostsync.infer.linking.telling import Told, join_plain, signature_of

_MOST_CHANGES: Final = 8
"""How often what is known of one parameter may change. Joins end by themselves well before, for all we know."""

Param: TypeAlias = tuple[str, str]
"""A function, as `file:name`, and one of its parameters."""


class _Link(NamedTuple):
    """A parameter that is passed on."""

    target: Param
    is_derived: bool
    """Something is computed from it element by element, and that is passed on."""
    is_across: bool
    """From one file to another, or to a method that another class puts in the place of the one that is called."""
    caller: str
    """The file of the call."""
    row: str


def pass_on(
    found: Mapping[str, Plain],
    links: Links,
    told: Mapping[str, Told],
    overriding: Callable[[str], Collection[str]],
    add: Callable[[dict[str, Plain], str, Plain, str, str], None],
) -> dict[str, Plain]:
    """What callers hand in, with what they pass on of what they are handed.

    What is passed on inside of a file is left out of the result: the file itself finds that out, and more.

    Args:
        found: by file, function and parameter: the value, in its plain form, and where it was seen.
        links: where parameters are passed on to, as far as that is known.
        told: by file, what it tells of others; see `telling.Told`.
        overriding: gives the methods, as `file:name`, that classes put in the place of one.
        add: adds a value to those of a function's parameters, given the parameter, and the file and row of the call.
    """
    result: dict[str, Plain] = {
        key: {symbol: {name: list(seen) for name, seen in params.items()} for symbol, params in held.items()}
        for key, held in found.items()
    }
    known: dict[Param, Plain] = {}
    # What is joined first may decide, and nobody keeps an order.
    for key, symbols in sorted(found.items()):
        for symbol, params in sorted(symbols.items()):
            for name, (value, _) in params.items():
                known[f"{key}:{symbol}", name] = value
    changes: dict[Param, int] = {}
    waiting = list(known)
    while waiting:
        source = waiting.pop()
        for link in links.of(source, told, overriding):
            value = _computed(known[source]) if link.is_derived else known[source]
            if value is None:
                continue
            if link.is_across:
                symbol, name = link.target
                key, _, function = symbol.partition(":")
                add(result.setdefault(key, {}).setdefault(function, {}), name, value, link.caller, link.row)
            before = known.get(link.target)
            after = value if before is None else join_plain(before, value)
            if after == before or changes.get(link.target, 0) >= _MOST_CHANGES:
                continue
            known[link.target] = after
            changes[link.target] = changes.get(link.target, 0) + 1
            waiting.append(link.target)
    return result


class Links:
    """Where parameters are passed on to, of what callers may tell of. They hold while files tell the same of their own
    functions and classes.

    Args:
        tests: the files that hold tests, whose calls don't count.
        kept: from `plain`.
    """

    def __init__(self, tests: Collection[str], kept: Sequence[Plain] = ()) -> None:
        self._tests = tests
        self._known: dict[Param, list[_Link]] = {
            (symbol, name): [_Link((target[0], target[1]), *rest) for target, *rest in links]
            for symbol, name, links in kept
        }

    def plain(self) -> list[Plain]:
        """What is known, as JSON can hold it."""
        return [[*source, [list(link) for link in links]] for source, links in self._known.items()]

    def forget(self, files: Collection[str]) -> None:
        """Leaves out what rests on what some files tell of their calls."""
        for source in [source for source in self._known if source[0].partition(":")[0] in files]:
            del self._known[source]

    def of(self, source: Param, told: Mapping[str, Told], overriding: Callable[[str], Collection[str]]) -> list[_Link]:
        """Where a parameter is passed on to; the other arguments as for `pass_on`."""
        known = self._known.get(source)
        if known is None:
            known = self._known[source] = self._found(source, told, overriding)
        return known

    def _found(
        self, source: Param, told: Mapping[str, Told], overriding: Callable[[str], Collection[str]]
    ) -> list[_Link]:
        key, _, caller = source[0].partition(":")
        if key in self._tests or key not in told:
            return []
        found = []
        for symbol, name, is_derived, row in told[key].passed.get(caller, {}).get(source[1], ()):
            target = symbol if ":" in symbol else f"{key}:{symbol}"
            targets = [target]
            if caller.rpartition(".")[2] != target.rpartition(".")[2]:
                targets += overriding(target)
            for one in targets:
                file, _, function = one.partition(":")
                if file in told and _is_open(told[file].open, function, name):
                    is_across = file != key or one != target
                    found.append(_Link((one, name), is_derived, is_across, key, row))
        return found


def _is_open(functions: Plain, symbol: str, name: str) -> bool:
    held = functions.get(symbol)
    return held is not None and name in signature_of(held).open


def _computed(value: Plain) -> Plain:
    """A tensor that is computed from another element by element; None for anything else."""
    if value[0] != "T":
        return None
    kind, device, *_ = value
    return [kind, device, "", None, True, None, None]
