"""Binding values to targets: names, attributes, and several at once."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any, Final

from hostsync import facts
from hostsync.infer.calls.packed_sequences import PACKED, unpacked
from hostsync.infer.classes import fields_of, until_moved, write_attribute
from hostsync.infer.devices import ANYWHERE, CPU
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.hints.placeholders import is_placeholder
from hostsync.infer.iterating import iterated
from hostsync.infer.linking.alternatives import of_as_many
from hostsync.infer.nodes import decides, dotted_path, last_name
from hostsync.infer.values import DISTRIBUTIONS, UNKNOWN, Instance, Items, Number, Ref, Tensor, Unknown, Value

ASSIGNERS: Final[dict[type, Function[[Frame, Any, Value], None]]] = {}
"""What assigning to each kind of target does; `indexing` adds subscripts."""


def assign(frame: Frame, target: facts.Expr, value: Value) -> None:
    """Bind a value to a target: a name, an attribute, an element, or several."""
    ASSIGNERS[type(target)](frame, target, value)


def _name(frame: Frame, target: facts.Name, value: Value) -> None:
    frame.bind(target.id, value, target.span[0])


def _starred(frame: Frame, target: facts.Starred, value: Value) -> None:
    assign(frame, target.value, Items("list", None, value))


def _unpack(frame: Frame, target: facts.Sequence, value: Value) -> None:
    count = len(target.items)
    if frame.either is not None:
        call, given = frame.either
        frame.either = None
        value = (of_as_many(given, count) if call is frame.assigning else None) or value
    if isinstance(value, Instance) and value.local:
        value = fields_of(frame, value.name) or value
    elif isinstance(value, Instance) and value.name == PACKED:
        value = unpacked(value)
    value = _with_one_each(frame, target, value)
    starred = [i for i, item in enumerate(target.items) if isinstance(item, facts.Starred)]
    if isinstance(value, Items) and value.items is None and not starred:
        value = _spread(frame, count) or value
    if isinstance(value, Items) and value.items is not None and not starred and len(value.items) == count:
        for item, part in zip(target.items, value.items, strict=True):
            assign(frame, item, part)
        return
    if isinstance(value, Items) and value.items is not None and len(starred) == 1 and len(value.items) >= count - 1:
        at = starred[0]
        tail = count - at - 1
        parts = value.items
        for item, part in zip(target.items[:at], parts[:at], strict=True):
            assign(frame, item, part)
        middle = parts[at : len(parts) - tail]
        star = target.items[at]
        assert isinstance(star, facts.Starred)
        assign(frame, star.value, Items("list", middle, UNKNOWN))
        for item, part in zip(target.items[at + 1 :], parts[len(parts) - tail :] if tail else (), strict=True):
            assign(frame, item, part)
        return
    if isinstance(value, Tensor) and not value.sure:
        each: Value = value
    elif isinstance(value, Tensor) and value.ndim is None:
        # `row, col = edges`: rows as often as numbers.
        each = value._replace(param=None)
    else:
        each = iterated(frame, value)
    for item in target.items:
        assign(frame, item, each)


def _spread(frame: Frame, count: int) -> Items | None:
    """`b, n, device = *x.shape, x.device`: as many of what is spread out as there is place for."""
    made = frame.assigning
    if not isinstance(made, facts.Sequence):
        return None
    at = [i for i, item in enumerate(made.items) if isinstance(item, facts.Starred)]
    if len(at) != 1 or len(made.items) - 1 > count:
        return None
    values = [evaluate_silently(frame, item.value if isinstance(item, facts.Starred) else item) for item in made.items]
    middle = [iterated(frame, values[at[0]])] * (count - len(values) + 1)
    return Items("tuple", (*values[: at[0]], *middle, *values[at[0] + 1 :]), UNKNOWN)


def _with_one_each(frame: Frame, target: facts.Sequence, value: Value) -> Value:
    """`value, at = x.max(0)`: where the value decides what is done next, there is one, and one position."""
    match value:
        case Items("tuple", (Tensor(ndim=None) as best, Tensor(dtype="int", ndim=None) as at)):
            name = target.items[0]
            if isinstance(name, facts.Name) and frame.function is not None and decides(frame.function.body, name.id):
                return value._replace(items=(best._replace(ndim=0), at._replace(ndim=0)))
    return value


def _attribute(frame: Frame, target: facts.Attr, value: Value) -> None:
    base = evaluate(frame, target.value)
    path = dotted_path(target)
    if isinstance(value, Tensor) and value.device == CPU and frame.assigning and is_placeholder(frame.assigning):
        value = value._replace(device=ANYWHERE)
    if path is not None:
        if isinstance(value, Unknown) and path in frame.usage.tensors:
            value = as_tensor(value, frame.usage.tensors[path])
        frame.paths[path] = value
    if target.name == "_validate_args" and _is_distribution(base) and value == Number(False):
        frame.context.unchecked = True
    if isinstance(base, Instance) and base == frame.bound:
        if frame.sink is not None:
            write_attribute(frame, frame.sink, target.name, value)
        if isinstance(value, Tensor) and frame.symbol.endswith(".__init__"):
            held = _in_parameter(frame)
            if held is not None:
                until_moved(frame, target.name, held)


def _is_distribution(value: Value) -> bool:
    """A class of `torch.distributions`, as `Distribution._validate_args = False` sets it for all of them."""
    return isinstance(value, Ref) and value.name.startswith(DISTRIBUTIONS)


def _in_parameter(frame: Frame) -> Tensor | None:
    """The tensor that `nn.Parameter(…)` is made of, in what is being assigned; None for anything else."""
    made = frame.assigning
    if not isinstance(made, facts.Call) or last_name(made.func) not in {"Parameter", "Buffer"} or not made.args:
        return None
    held = evaluate_silently(frame, made.args[0])
    return held if isinstance(held, Tensor) else None


ASSIGNERS.update({facts.Name: _name, facts.Sequence: _unpack, facts.Starred: _starred, facts.Attr: _attribute})
