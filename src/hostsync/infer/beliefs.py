"""What inference believes of each expression on a row: the answer to why something is reported, and why not."""

from __future__ import annotations

import functools
from collections.abc import Callable as Function
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from hostsync import facts
from hostsync.infer.context import AGAIN
from hostsync.infer.devices import Device
from hostsync.infer.events import Reason
from hostsync.infer.frame import EVALUATORS, EXECUTORS, Frame, evaluate
from hostsync.infer.joining import element_of, mapping_element
from hostsync.infer.left_out import MARK, place_of
from hostsync.infer.origins import reasons
from hostsync.infer.targets import ASSIGNERS
from hostsync.infer.values import (
    Array,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Partial,
    Ref,
    Tensor,
    Text,
    TypeOf,
    Unknown,
    Value,
)


class Belief(NamedTuple):
    """What an expression is believed to be."""

    symbol: str
    """The function that it is in."""
    span: facts.Place
    what: str
    chain: tuple[Reason, ...]
    """Why, oldest first."""


class Recorder:
    """Takes down what is found of the expressions that begin on a row of a module."""

    def __init__(self, module: str, row: int) -> None:
        self.module = module
        self._row = row
        self._found: dict[tuple[str, facts.Place], tuple[bool, Value]] = {}

    def saw(self, frame: Frame, node: Any, value: Value) -> None:
        """Takes note of a value. What a function gives when it is followed for itself outweighs what a call gives."""
        if frame.context.module.name != self.module or isinstance(node, facts.Const):
            return
        self._keep(frame, node, value)
        self.saw_names(frame, node)

    def saw_names(self, frame: Frame, node: Any) -> None:
        """Takes note of the names that stand directly in a node."""
        for name in _names_in(node):
            if name.span[0] == self._row:
                self._keep(frame, name, evaluate(frame, name))

    def _keep(self, frame: Frame, node: Any, value: Value) -> None:
        key = (frame.symbol, node.span)
        if node.span[0] == self._row and (frame.loud or not self._found.get(key, (False, value))[0]):
            self._found[key] = frame.loud, value

    def beliefs(self) -> tuple[Belief, ...]:
        """In source order, the larger expression after those that it is made of."""
        found = []
        for (symbol, span), (_, value) in self._found.items():
            chain = reasons(value.origin) if isinstance(value, Tensor) else ()
            found.append(Belief(symbol.partition(AGAIN)[0], span, describe(value), chain))
        return tuple(sorted(found, key=lambda b: (b.symbol, *b.span[2:], -b.span[1])))


def _names_in(node: Any) -> Iterator[facts.Name]:
    """The names that stand directly in a node, or in an index there: they are looked up, not evaluated."""
    for field in node:
        for part in field if isinstance(field, tuple) and not hasattr(field, "_fields") else (field,):
            if isinstance(part, facts.Keyword):
                part = part.value
            # What a method is called on is looked up as well.
            while isinstance(part, facts.Attr):
                part = part.value
            if isinstance(part, facts.Name):
                yield part
            elif isinstance(part, facts.Logical) or (isinstance(part, facts.Unary) and part.op == "not"):
                # A condition is taken apart: `not x`, `x and y`.
                yield from _names_in(part)
            elif isinstance(part, _TAKEN_APART):
                yield from _names_in(part)


_TAKEN_APART: Final = (facts.Subscript, facts.Sequence, facts.Slice, facts.Starred)
"""An index is not evaluated as a whole where something is stored: `x[:, i] = y`."""


@contextmanager
def recording(module: str, row: int) -> Iterator[Recorder]:
    """Inside of it, what this process infers is taken down.

    Args:
        module: the dotted name of the module.
        row: the row on which the expressions begin, from 1.
    """
    # Fills the table of evaluators.
    import hostsync.infer.module  # noqa: F401

    recorder = Recorder(module, row)
    before = dict(EVALUATORS)
    for kind, evaluator in before.items():
        EVALUATORS[kind] = functools.partial(_recorded, recorder, evaluator)
    statements = {kind: EXECUTORS[kind] for kind in _READING}
    for statement, executor in statements.items():
        EXECUTORS[statement] = functools.partial(_executed, recorder, executor)
    storing = ASSIGNERS[facts.Subscript]
    ASSIGNERS[facts.Subscript] = functools.partial(_stored, recorder, storing)
    try:
        yield recorder
    finally:
        EVALUATORS.update(before)
        EXECUTORS.update(statements)
        ASSIGNERS[facts.Subscript] = storing


def _recorded(recorder: Recorder, evaluator: Function[[Frame, Any], Value], frame: Frame, node: Any) -> Value:
    value = evaluator(frame, node)
    recorder.saw(frame, node, value)
    return value


_READING: Final = {
    facts.If: ("test",),
    facts.While: ("test",),
    facts.Assert: ("test",),
    facts.For: ("iterable",),
    facts.Assign: ("value",),
    facts.AugAssign: ("target", "value"),
    facts.Return: ("value",),
    facts.Delete: ("targets",),
}
"""What a statement reads: a name alone is looked up there, not evaluated."""


def _executed(recorder: Recorder, executor: Function[[Frame, Any], bool], frame: Frame, node: Any) -> bool:
    if frame.context.module.name == recorder.module:
        read = [getattr(node, part) for part in _READING[type(node)]]
        # An `elif` is followed with the `if` that it belongs to.
        branch = node
        while type(branch) is facts.If and len(branch.orelse) == 1 and type(branch.orelse[0]) is facts.If:
            branch = branch.orelse[0]
            read.append(branch.test)
        recorder.saw_names(frame, read)
    return executor(frame, node)


def _stored(
    recorder: Recorder,
    assigner: Function[[Frame, Any, Value], None],
    frame: Frame,
    target: facts.Subscript,
    value: Value,
) -> None:
    """What is stored to is looked up, as an expression of which this is a part isn't evaluated."""
    if frame.context.module.name == recorder.module:
        recorder.saw_names(frame, target)
    assigner(frame, target, value)


# --- in words ------------------------------------------------------------------------------------


def describe(value: Value, depth: int = 2) -> str:
    """A value in words, e.g. `a bool tensor on the GPU`."""
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, Instance):
        where = f" with parameters {_where(value.device)}" if value.device != frozenset("?") else ""
        return f"an instance of {_readable(value.name)}{where}"
    if isinstance(value, Items):
        if not depth:
            return f"a {value.kind}"
        if value.items is not None and len(value.items) <= 4:
            inner = ", ".join(describe(item, depth - 1) for item in value.items)
            return f"a {value.kind} of ({inner})" if inner else f"an empty {value.kind}"
        return f"a {value.kind} of which each is {describe(element_of(value), depth - 1)}"
    if isinstance(value, Mapping):
        if not depth:
            return "a dict"
        known = ", ".join(f"{key!r}: {describe(item, depth - 1)}" for key, item in value.items[:4])
        return f"a dict with {known}" if known else f"a dict of {describe(mapping_element(value), depth - 1)}"
    if isinstance(value, Unknown):
        if value.param is None:
            return "not known"
        return f"not known: {'made of ' if value.derived else ''}what is handed in as `{value.param}`"
    return _plain(value)


def _tensor(value: Tensor) -> str:
    kind = f"{value.dtype} tensor" if value.dtype else "tensor"
    size = "" if value.ndim is None else f" of {value.ndim} dimensions"
    pinned = " in pinned memory" if value.pinned else ""
    doubt = "" if value.sure else ", or something that is no tensor"
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind}{size} {_where(value.device)}{pinned}{doubt}"


_PLACES: Final = {
    "acc": "on the GPU",
    "cpu": "on the CPU",
    "meta": "on no device (meta)",
    "other": "where CUDA does not work",
    "?": "on a device that is not known",
    "moved": "where its object was moved to",
}


def _where(device: Device) -> str:
    return " or ".join(_PLACES.get(atom) or _of_parameter(atom) for atom in sorted(device))


def _of_parameter(atom: str) -> str:
    base, _, left_out = atom.partition(MARK)
    (inner,) = place_of(base)
    place = f"where `{inner[1:]}` lives" if inner.startswith("=") else _PLACES[inner]
    return f"{place} without `{left_out}`" if left_out else place


def _plain(value: Value) -> str:
    if isinstance(value, Number):
        return "a number" if value.const is None else f"the number {value.const}"
    if isinstance(value, Text):
        return "a text" if value.const is None else f"the text {value.const[:40]!r}"
    if isinstance(value, Nothing):
        return "None"
    if isinstance(value, Array):
        return "a NumPy array"
    if isinstance(value, DeviceValue):
        return f"a device: {_where(value.device).removeprefix('on ')}"
    if isinstance(value, DtypeValue):
        return f"a dtype{f': {value.dtype}' if value.dtype else ''}"
    if isinstance(value, (Ref, ClassRef)):
        return _readable(value.name)
    if isinstance(value, TypeOf):
        return f"the type of {describe(value.value, 1)}"
    if isinstance(value, Partial):
        return f"{describe(value.callee, 0)} with some arguments"
    if isinstance(value, Callable):
        return f"the function {_readable(value.symbol)}"
    if isinstance(value, Choice):
        return "one of " + ", ".join(describe(option, 0) for option in value.options)
    assert isinstance(value, Method)
    if isinstance(value.receiver, (Method, Unknown)):
        return "not known"
    owner = describe(value.receiver, 0)
    # A method of the project's is a function: of this attribute, nothing but the name is known.
    is_other = isinstance(value.receiver, Instance)
    return f"not known: `{value.name}` of {owner}" if is_other else f"the method {value.name} of {owner}"


def _readable(name: str) -> str:
    """A name without the digest that those of indexed packages begin with: `<acme@1f…>/acme/impl.py:spread`."""
    before, opened, rest = name.partition("<")
    return before + rest.partition(">/")[2] if opened and ">/" in rest else name
