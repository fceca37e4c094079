"""Which functions wait whenever they are called, in terms of where their parameters live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from hostsync import facts
from hostsync.infer.calls.operations import device_of
from hostsync.infer.frame import CallSite, Context, Recorded
from hostsync.infer.functions import is_decorated
from hostsync.infer.hints.defaults import is_host_default
from hostsync.infer.hints.evidence import nodes_in
from hostsync.infer.linking.handed import HELD
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.values import (
    ANYWHERE,
    Device,
    Instance,
    Items,
    Tensor,
    Unknown,
    is_certain,
    of_param,
    tensors_in,
)
from hostsync.infer.values import Mapping as MappingValue

_ROUNDS: Final = 4
"""How many calls deep a wait is looked for."""
_MOST: Final = 8
"""Waits of one function that are told of."""
_OF_A_VALUE: Final = frozenset({"read-back", "control-flow", "shape", "call"})
_FROM_DATA: Final = "python-data"


class Wait(NamedTuple):
    """A wait that comes to pass in every call, if what it waits for lives on an accelerator."""

    device: Device
    """Where that lives; `=x` stands for wherever the parameter `x` does, `?` alone for what the object holds."""
    row: int
    """Of the function's own file."""


def waits_by_function(context: Context, recorded: Iterable[Recorded]) -> dict[str, tuple[Wait, ...]]:
    """The waits of the functions of a module that was followed.

    A wait counts if it depends on a parameter or on what an object holds, or is one for an accelerator for sure, and if
    nothing decides whether it is reached: no branch, no loop, no early return. What is `possible` does not count, nor
    does a copy of a tensor to a device, which may be there already.

    Args:
        context: what following the module has left.
        recorded: the events that it gave.
    """
    waits = _Waits(context)
    for record in recorded:
        event = record.event
        counts = event.kind in _OF_A_VALUE or (event.kind == "copy" and event.form == _FROM_DATA)
        if counts and event.op != "project" and event.confidence != "possible" and record.sure:
            waits.note(event.symbol, record.device, event.span)
    for _ in range(_ROUNDS):
        before = waits.count()
        for symbol, sites in context.calls.items():
            for wait in foreign_waits(context, symbol) if is_foreign(symbol) else waits.of(symbol):
                for site in sites:
                    device = at_call(context, symbol, wait, site, untyped=True)
                    if device is not None:
                        waits.note(site.caller, device, site.span)
        if waits.count() == before:
            break
    return {symbol: waits.of(symbol) for symbol in waits.found}


class _Waits:
    """The waits of functions that have been found so far."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found: dict[str, dict[Device, Wait]] = {}
        self._steps: dict[str, list[Any]] = {}

    def note(self, symbol: str, device: Device, span: facts.Place) -> None:
        """Takes down a wait at a place in a function, if it counts there."""
        node = self.context.functions.get(symbol)
        if node is None or node.is_generator or node.is_async:
            return
        if not is_certain(device) and not any(atom[:1] == "=" for atom in device):
            if "cpu" in device or not self._is_of_an_object(symbol, node):
                return
            device = ANYWHERE
        held = self.found.get(symbol, {})
        if device in held or len(held) >= _MOST:
            return
        if symbol not in self._steps:
            self._steps[symbol] = list(_steps(node.body))
        if any(_always_reaches(step, span) for step in self._steps[symbol]):
            self.found.setdefault(symbol, {})[device] = Wait(device, span[0])

    def _is_of_an_object(self, symbol: str, node: facts.Function) -> bool:
        """Whether a function is a method of objects that are made already."""
        owner, _, name = symbol.rpartition(".")
        is_static = any(is_decorated(node, kind) for kind in ("staticmethod", "classmethod"))
        return owner in self.context.classes and name != "__init__" and not is_static

    def of(self, symbol: str) -> tuple[Wait, ...]:
        return tuple(self.found.get(symbol, {}).values())

    def count(self) -> int:
        return sum(map(len, self.found.values()))


def foreign_waits(context: Context, symbol: str) -> tuple[Wait, ...]:
    """The waits of a function of another module."""
    if context.links is None:
        return ()
    return tuple([Wait(device, row) for device, row in context.links.library.waits(symbol)])


def at_call(context: Context, symbol: str, wait: Wait, site: CallSite, *, untyped: bool = False) -> Device | None:
    """Where what a function waits for lives in one call of it, None if no tensor that it depends on is handed in.

    With `untyped`, a parameter of the caller of which nothing is known counts as one.
    """
    result: set[str] = set()
    if not any(atom.startswith("=") for atom in wait.device):
        known = site.receiver.device if isinstance(site.receiver, Instance) else ANYWHERE
        return wait.device if is_certain(wait.device) else known
    handed = False
    bindings = site.bindings
    node = context.functions.get(symbol)
    params = {param.name: param for param in node.params} if node is not None else {}
    for atom in wait.device:
        if not atom.startswith("="):
            result.add(atom)
            continue
        value = bindings.get(atom[1:])
        if value is None:
            default = params[atom[1:]].default if atom[1:] in params else None
            result.add("cpu" if is_host_default(default) else "?")
            continue
        if untyped and isinstance(value, Unknown) and value.param is not None and not value.param.startswith(HELD):
            handed = True
            result |= of_param(value.param)
            continue
        held: tuple[Tensor, ...] = (value,) if isinstance(value, Tensor) else ()
        if isinstance(value, (Items, MappingValue)):
            held = tensors_in(value)[:1]
        handed = handed or any(tensor.sure or is_certain(tensor.device) for tensor in held)
        result |= held[0].device if held else device_of(value).device
    return frozenset(result) if handed or is_certain(wait.device) else None


# --- what is reached in every call ---------------------------------------------------------------


def _steps(body: Sequence[facts.Stmt]) -> Iterator[Any]:
    """Statements and expressions that are always reached, up to the first way out."""
    for statement in body:
        if isinstance(statement, (facts.If, facts.While)):
            yield statement.test
        elif isinstance(statement, facts.For):
            yield statement.iterable
        elif isinstance(statement, facts.With):
            for item in statement.items:
                yield item.value
            yield from _steps(statement.body)
        elif isinstance(statement, facts.Try):
            yield from _steps(statement.body)
        elif isinstance(
            statement, (facts.ExprStmt, facts.Assign, facts.AugAssign, facts.Assert, facts.Return, facts.Delete)
        ):
            yield statement
        if _leaves(statement):
            return


def _leaves(statement: Any) -> bool:
    """Whether a function may end in a statement, other than by an error."""
    return any(type(node) in _WAYS_OUT for node in nodes_in((statement,), _DEFINING))


_WAYS_OUT: Final[frozenset[type]] = frozenset({facts.Return, facts.Yield})
_DEFINING: Final[frozenset[type]] = frozenset({facts.Function, facts.Lambda, facts.Class})


def _always_reaches(step: Any, span: facts.Place) -> bool:
    """Whether evaluating a statement or expression comes past the place `span` in it in all cases."""
    node = step if _holds(step.span, span) else None
    while node is not None and node.span != span:
        parts = [part for part in _parts(node) if _holds(part.span, span)]
        if not parts:
            return True
        if any(part is optional for part in parts for optional in _optional(node)):
            return False
        node = parts[0]
    return node is not None


def _parts(node: Any) -> Iterator[Any]:
    """The nodes right below a node, those in tuples and in keyword arguments, too."""
    stack = list(node)
    while stack:
        part = stack.pop()
        if not isinstance(part, tuple):
            continue
        if hasattr(part, "span"):
            yield part
        else:
            stack.extend(part)


def _optional(node: Any) -> tuple[Any, ...]:
    """The parts of an expression that are not evaluated in all cases."""
    if isinstance(node, facts.Conditional):
        return node.body, node.orelse
    if isinstance(node, facts.Logical):
        return node.values[1:]
    if isinstance(node, facts.Lambda):
        return (node.body,)
    if isinstance(node, facts.Comprehension):
        return tuple(part for part in (node.element, node.key) if part is not None)
    return ()


def _holds(outer: facts.Place, inner: facts.Place) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
