"""Which functions wait whenever they are called, in terms of where their parameters live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, Final, NamedTuple

from hostsync import facts
from hostsync.infer.calls.placing import device_of
from hostsync.infer.context import Context
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, Device, is_certain, of_param, only_host
from hostsync.infer.functions import is_decorated
from hostsync.infer.hints.defaults import is_host_default
from hostsync.infer.hints.scripted import is_scripted
from hostsync.infer.left_out import MARK, in_call, is_conditional, place_of, told_in
from hostsync.infer.linking.handed import HELD
from hostsync.infer.linking.plain import is_foreign, is_tensor_annotation
from hostsync.infer.linking.reaching import (
    Constant,
    Decided,
    Need,
    Scope,
    Step,
    comes_past,
    default_of,
    is_met,
    need_of,
    scope_of,
    set_by,
    steps_of,
)
from hostsync.infer.linking.summaries import defaults_of
from hostsync.infer.nodes import BY_PLACE, is_none, last_name, nodes_in
from hostsync.infer.records import CallSite, Recorded
from hostsync.infer.values import Callable, Instance, Items, Tensor, Unknown, Value, tensors_in
from hostsync.infer.values import Mapping as MappingValue

_ROUNDS: Final = 4
"""How many calls deep a wait is looked for."""
_MOST: Final = 8
"""Waits of one function that are told of."""
_MOST_NEEDS: Final = 4
"""Of one wait."""
_OF_A_VALUE: Final = frozenset({"read-back", "control-flow", "shape", "call"})
_FROM_DATA: Final = "python-data"


class Wait(NamedTuple):
    """A wait that comes to pass in every call that meets its needs, if what it waits for lives on an accelerator."""

    device: Device
    """Where that lives; `=x` stands for wherever the parameter `x` does, `?` alone for what the object holds."""
    row: int
    """Of the function's own file."""
    needs: tuple[Need, ...] = ()
    usual: bool = False
    """It is in most calls only: something undecided comes before that may end the function, as may a special case."""
    scripted: bool = False
    """TorchScript runs the function, so that it is its call at which the host is seen to wait."""


def waits_by_function(context: Context, recorded: Iterable[Recorded]) -> dict[str, tuple[Wait, ...]]:
    """The waits of the functions of a module that was followed.

    A wait counts if it depends on a parameter or on what an object holds, or is one for an accelerator for sure, and if
    nothing but constants that are handed in, or are left to their defaults, decides whether it is reached: no other
    branch and no loop. What is `possible` does not count, nor does a copy of a tensor to a device, which may be there
    already.

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
                        waits.note(site.caller, device, site.span, Inner(symbol, wait, site))
        if waits.count() == before:
            break
    return {symbol: waits.of(symbol) for symbol in waits.found}


class Inner(NamedTuple):
    """A call of a function that waits."""

    symbol: str
    wait: Wait
    site: CallSite


class _Waits:
    """The waits of functions that have been found so far."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found: dict[str, dict[tuple[Device, tuple[Need, ...]], Wait]] = {}
        self._known: dict[str, list[Step]] = {}

    def note(self, symbol: str, device: Device, span: facts.Place, inner: Inner | None = None) -> None:
        """Takes down a wait at a place in a function, if it counts there.

        Args:
            symbol: the function.
            device: where that lives which is waited for.
            span: the place.
            inner: the call there in which it waits; None if it does so by itself.
        """
        node = self.context.functions.get(symbol)
        if node is None or node.is_generator or node.is_async:
            return
        if not is_certain(device) and not any(atom[:1] == "=" for atom in device):
            if "cpu" in device or not self._is_of_an_object(symbol, node):
                return
            device = ANYWHERE
        if len(self.found.get(symbol, ())) >= _MOST:
            return
        for step in self._steps(symbol, node):
            place = comes_past(step.node, span)
            if place is not None:
                needs, usual = step.needs, step.usual or (inner is not None and inner.wait.usual)
                if inner is not None and inner.wait.needs:
                    handed = self._handed_on(step.scope, inner, place)
                    if handed is None:
                        return
                    needs, usual = needs + handed.needs, usual or handed.usual
                needs = tuple(dict.fromkeys(needs))
                if len(needs) <= _MOST_NEEDS and not self._is_told(symbol, device, needs, usual):
                    self.found.setdefault(symbol, {})[device, needs] = Wait(
                        device, span[0], needs, usual, is_scripted(node)
                    )
                return

    def _is_told(self, symbol: str, device: Device, needs: tuple[Need, ...], usual: bool) -> bool:
        """Whether a wait of the same is known, with no other needs, and in no fewer calls."""
        return any(
            wait.device == device and set(wait.needs) <= set(needs) and wait.usual <= usual for wait in self.of(symbol)
        )

    def _steps(self, symbol: str, node: facts.Function) -> list[Step]:
        if symbol not in self._known:
            scope = scope_of(node, partial(_usually_held, self.context, symbol.rpartition(".")[0]))
            self._known[symbol] = list(steps_of(node, scope))
        return self._known[symbol]

    def _handed_on(self, scope: Scope, inner: Inner, place: Any) -> Decided | None:
        """What a function needs for a call in it to meet the needs of what it calls; None if that is not known."""
        needs: list[Need] = []
        usual = False
        for need in inner.wait.needs:
            met = is_met(need, inner.site.bindings.get(need.param))
            if met is None:
                given = _argument(self.context, inner, place, need.param)
                own = None if given is None else need_of(given, scope, need)
                if own is None:
                    return None
                needs += own.needs
                usual = usual or own.usual
            elif not met:
                return None
        return Decided(tuple(needs), usual)

    def _is_of_an_object(self, symbol: str, node: facts.Function) -> bool:
        """Whether a function is a method of objects that are made already."""
        owner, _, name = symbol.rpartition(".")
        is_static = any(is_decorated(node, kind) for kind in ("staticmethod", "classmethod"))
        return owner in self.context.classes and name != "__init__" and not is_static

    def of(self, symbol: str) -> tuple[Wait, ...]:
        return tuple(self.found[symbol].values()) if symbol in self.found else ()

    def count(self) -> int:
        return sum(map(len, self.found.values()))


def foreign_waits(context: Context, symbol: str) -> tuple[Wait, ...]:
    """The waits of a function of another module."""
    return () if context.links is None else tuple(decode_wait(data) for data in context.links.library.waits(symbol))


def encode_wait(wait: Wait) -> list[Any]:
    """A wait as plain data; `decode_wait` reads it."""
    more: list[Any] = [wait.scripted] if wait.scripted else []
    if more or wait.needs or wait.usual:
        more = [[list(need) for need in wait.needs], wait.usual, *more]
    return [sorted(wait.device), wait.row, *more]


def decode_wait(data: Sequence[Any]) -> Wait:
    """The wait that `encode_wait` made data of."""
    device, row, *more = data
    needs, usual, *scripted = more or ((), False)
    return Wait(frozenset(device), row, tuple(Need(*need) for need in needs), usual, bool(scripted))


def meets(wait: Wait, site: CallSite) -> bool:
    """Whether a call hands in, or leaves to its default, all that a wait needs."""
    return all(is_met(need, site.bindings.get(need.param)) for need in wait.needs)


def _definition(context: Context, symbol: str) -> facts.Function | facts.Lambda | None:
    """That of a function of this module, or the signature of one of another."""
    own = context.functions.get(symbol)
    if own is not None or context.links is None:
        return own
    foreign = context.links.library.function(symbol)
    return foreign.node if isinstance(foreign, Callable) else None


def _argument(context: Context, inner: Inner, place: Any, param: str) -> facts.Expr | None:
    """What a call hands in for a parameter, None if that is not plain to see."""
    callee = _definition(context, inner.symbol)
    if callee is None or not isinstance(place, facts.Call):
        return None
    names = [own.name for own in callee.params if own.kind in BY_PLACE][inner.site.receiver is not None :]
    given = dict(zip(names, takewhile(lambda arg: not isinstance(arg, facts.Starred), place.args), strict=False))
    given.update({keyword.name: keyword.value for keyword in place.keywords if keyword.name is not None})
    return given.get(param)


def _must_be_a_tensor(param: facts.Param | None) -> bool:
    return param is not None and param.default is None and is_tensor_annotation(param.annotation)


def _hands_in_a_tensor(bindings: Mapping[str, Value]) -> bool:
    """Whether a call hands in a tensor that may be on an accelerator."""
    given = (tensor for value in bindings.values() for tensor in tensors_in(value))
    return any(is_certain(tensor.device) or (tensor.sure and not only_host(tensor.device)) for tensor in given)


def _usually_held(context: Context, owner: str, name: str) -> tuple[Constant] | None:
    """The constant that an attribute of an object has, where whoever makes it leaves it to its default."""
    made = context.functions.get(f"{owner}.__init__") if owner in context.classes else None
    if made is None:
        return None
    held = {
        statement.value
        for statement in made.body
        if isinstance(statement, facts.Assign)
        for target in statement.targets
        if isinstance(target, facts.Attr) and target.name == name
    }
    return _usually(made, held.pop()) if len(held) == 1 else None


def _usually(made: facts.Function, value: facts.Expr | None, depth: int = 2) -> tuple[Constant] | None:
    """The constant that an expression in a constructor has by default, also by way of `if x is None: x = other`."""
    if isinstance(value, facts.Const) and value.kind == "none":
        return (None,)
    if isinstance(value, facts.Conditional):
        chosen = _chosen_by_default(made, value)
        return None if chosen is None or depth == 0 else _usually(made, chosen, depth - 1)
    if not isinstance(value, facts.Name):
        return None
    param = next((param for param in made.params if param.name == value.id), None)
    default = None if param is None else default_of(param)
    anew = [part for part in nodes_in(made.body, frozenset()) if value.id in set(set_by(part))]
    if not anew:
        return default
    if len(anew) > 1 or default != (None,) or depth == 0:
        return None
    for statement in made.body:
        match statement:
            case facts.If(test=test, body=(facts.Assign(value=other) as assigned,), orelse=()):
                if assigned is anew[0] and _is_left_out(test, value.id):
                    return _usually(made, other, depth - 1)
    return None


def _chosen_by_default(made: facts.Function, choice: facts.Conditional) -> facts.Expr | None:
    """The branch that is taken where a parameter which is None by default is left out; None where nobody knows."""
    test, chosen = choice.test, choice.orelse
    asked: facts.Expr | facts.Starred = test
    if isinstance(test, facts.Call) and last_name(test.func) == "isinstance" and test.args:
        asked = test.args[0]
    elif isinstance(test, facts.Compare) and test.ops in {("is",), ("is not",)} and is_none(test.rights[0]):
        asked = test.left
        chosen = choice.body if test.ops == ("is",) else choice.orelse
    name = asked.id if isinstance(asked, facts.Name) else ""
    param = next((param for param in made.params if param.name == name), None)
    return chosen if param is not None and default_of(param) == (None,) else None


def _is_left_out(test: facts.Expr, name: str) -> bool:
    """`name is None`."""
    return (
        isinstance(test, facts.Compare)
        and test.ops == ("is",)
        and isinstance(test.left, facts.Name)
        and test.left.id == name
        and is_none(test.rights[0])
    )


def at_call(context: Context, symbol: str, wait: Wait, site: CallSite, *, untyped: bool = False) -> Device | None:
    """Where what a function waits for lives in one call of it, None if no tensor that it depends on is handed in.

    With `untyped`, a parameter of the caller of which nothing is known, or which may be a tensor, counts as one. So
    does what is handed in beside a tensor, for a parameter that must be one by its annotation.
    """
    result: set[str] = set()
    given: set[str] = set()
    if not any(atom.startswith("=") for atom in wait.device):
        known = site.receiver.device if isinstance(site.receiver, Instance) else ANYWHERE
        return wait.device if is_certain(wait.device) else known
    handed = False
    bindings = site.bindings
    node = _definition(context, symbol)
    params = {param.name: param for param in node.params} if node is not None else {}
    device = wait.device
    if is_conditional(device):
        told = partial(told_in, bindings, defaults_of(context, symbol))
        device = frozenset(part for atom in in_call(device, told) for part in place_of(atom.partition(MARK)[0]))
    for atom in device:
        if not atom.startswith("="):
            result.add(atom)
            continue
        value = bindings.get(atom[1:])
        if value is None:
            default = params[atom[1:]].default if atom[1:] in params else None
            result.add("cpu" if is_host_default(default) else "?")
            continue
        param = value.param if isinstance(value, Unknown) or (isinstance(value, Tensor) and not value.sure) else None
        if untyped and param is not None and not param.startswith(HELD):
            handed = True
            result |= of_param(param)
            continue
        if isinstance(value, Unknown) and _must_be_a_tensor(params.get(atom[1:])) and _hands_in_a_tensor(bindings):
            handed = True
            result |= ANYWHERE
            continue
        held: tuple[Tensor, ...] = (value,) if isinstance(value, Tensor) else ()
        if isinstance(value, (Items, MappingValue)):
            held = tensors_in(value)[:1]
        handed = handed or any(tensor.sure or is_certain(tensor.device) for tensor in held)
        if isinstance(value, Tensor) and value.sure:
            given |= value.device
        result |= held[0].device if held else device_of(value).device
    if not handed and not is_certain(wait.device):
        return None
    # What is made where no tensor is handed in is not made here, and what is calculated with one is where that is.
    return frozenset(given | (result & ACCELERATOR)) if given else frozenset(result)
