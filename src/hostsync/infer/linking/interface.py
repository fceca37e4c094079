"""What a module offers to others, once it has been followed: its functions, classes and names as plain data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as Mapping_
from contextlib import contextmanager
from typing import Final, NamedTuple

from hostsync import facts
from hostsync.infer.classes import attributes, closed
from hostsync.infer.context import ClassInfo, Context
from hostsync.infer.functions import is_decorated
from hostsync.infer.linking.plain import SEPARATOR, Plain, encode, encode_signature, is_at_top, is_foreign
from hostsync.infer.linking.summaries import summarise
from hostsync.infer.linking.waiting import Wait, encode_wait
from hostsync.infer.values import Callable, Choice, ClassRef, Instance, Items, Mapping, Nothing, Unknown, Value

_MOST_NAMES: Final = 2000


class Interface(NamedTuple):
    """What other files may know of a module, in its plain form."""

    data: dict[str, Plain]
    """As `links.Library` reads it."""
    speaks_of: Mapping_[str, Collection[str]]
    """By name, of which names its value, function or class speaks: of this module by their names in it, of others as
    `key:name`, and `key:` for all that a module has."""


class _Export:
    """Collects an interface; classes and functions that a value mentions are taken in as well."""

    def __init__(self, context: Context, module: str, waits: Mapping_[str, Sequence[Wait]]) -> None:
        self.context = context
        self.module = module
        self.waits = waits
        self.names: dict[str, Plain] = {}
        self.functions: dict[str, Plain] = {}
        self.classes: dict[str, Plain] = {}
        self.speaks_of: dict[str, set[str]] = {}
        self.spoken_of: set[str] = set()
        """What the entry at hand speaks of."""
        self.waiting: list[str] = []

    def qualify(self, name: str) -> str:
        # By way of another module one may come back to what is defined here.
        self.spoken_of.add(name.removeprefix(f"{self.module}{SEPARATOR}"))
        if is_foreign(name):
            return name
        if name in self.context.classes and name not in self.classes:
            self.classes[name] = None
            self.waiting.append(name)
        return f"{self.module}{SEPARATOR}{name}"

    def encode(self, value: Value) -> Plain:
        for callee in _functions_in(value):
            if is_at_top(callee):
                self.function(callee)
        return encode(value, self.qualify)

    @contextmanager
    def entry(self, name: str) -> Iterator[None]:
        """What is encoded inside is what others know by this name."""
        outer, self.spoken_of = self.spoken_of, self.speaks_of.setdefault(name, set())
        try:
            yield
        finally:
            self.spoken_of = outer

    def function(self, callee: Callable) -> None:
        if callee.symbol not in self.functions:
            assert isinstance(callee.node, facts.Function)
            self.functions[callee.symbol] = None
            with self.entry(callee.symbol):
                summary = self.encode(summarise(self.context, callee))
                self.functions[callee.symbol] = self.callable(callee.symbol, callee.node, summary)

    def callable(self, symbol: str, node: facts.Function, summary: Plain) -> Plain:
        """A function or method: its signature, what it returns, and when it waits, if it does."""
        waits = [encode_wait(wait) for wait in self.waits.get(symbol, ())]
        return [encode_signature(node), summary, *([waits] if waits else [])]

    def name(self, name: str, value: Value) -> None:
        with self.entry(name):
            data = self.encode(value if isinstance(value, Callable) else closed(value))
        if data is not None:
            self.names[name] = data

    def class_(self, info: ClassInfo) -> Plain:
        table = attributes(self.context, info)
        methods: dict[str, Plain] = {}
        for name, method in info.methods.items():
            bound: Value | None = Instance(info.name, True)
            if is_decorated(method, "staticmethod"):
                bound = None
            elif is_decorated(method, "classmethod"):
                bound = ClassRef(info.name)
            summary = summarise(self.context, Callable(method, f"{info.name}.{name}", bound, info.name))
            methods[name] = self.callable(f"{info.name}.{name}", method, self.encode(summary))
        data: dict[str, Plain] = {
            "bases": [self.encode(base) for base in info.bases],
            "methods": methods,
            "attributes": self._values(info.attributes),
            "table": self._values(table),
        }
        if info.host_calls:
            data["host_calls"] = [list(call) for call in info.host_calls]
        return {**data, "wants": sorted(info.wants)} if info.wants else data

    def _values(self, held: dict[str, Value]) -> Plain:
        # What is not known is kept too: it hides what a base has. What is None here others may have set.
        return {
            name: None if isinstance(value, Nothing) else self.encode(closed(value))
            for name, value in sorted(held.items())
        }


def _functions_in(value: Value) -> Iterator[Callable]:
    """A function, or those of a table."""
    if isinstance(value, Callable):
        if isinstance(value.node, facts.Function):
            yield value
    elif isinstance(value, Choice):
        for option in value.options:
            yield from _functions_in(option)
    elif isinstance(value, (Items, Mapping)):
        held = (value.items or ()) if isinstance(value, Items) else [item for _, item in value.items]
        for item in (*held, value.element):
            yield from _functions_in(item)


def interface_of(
    context: Context,
    module: str,
    names: Iterable[str] | None,
    waits: Mapping_[str, Sequence[Wait]],
    handed: Iterable[Callable] = (),
) -> Interface:
    """The interface of a module that has been followed.

    Args:
        context: what following it has left.
        module: the name under which others know it.
        names: the names that others ask for; None for all of them.
        waits: of its functions, by symbol.
        handed: functions of it that others know without asking for them.
    """
    export = _Export(context, module, waits)
    for name in sorted(context.names if names is None else names)[:_MOST_NAMES]:
        value = context.names.get(name)
        if value is not None and not isinstance(value, Unknown):
            export.name(name, value)
    for callee in handed:
        export.function(callee)
    while export.waiting:
        info = context.classes[export.waiting.pop()]
        with export.entry(info.name):
            export.classes[info.name] = export.class_(info)
    foreign = {name for names in export.speaks_of.values() for name in names if is_foreign(name)}
    unchecked: dict[str, Plain] = {"unchecked": True} if context.unchecked else {}
    data = {
        **unchecked,
        "names": export.names,
        "functions": export.functions,
        "classes": export.classes,
        "mentions": sorted({name.partition(SEPARATOR)[0] for name in foreign}),
    }
    return Interface(data, export.speaks_of)
