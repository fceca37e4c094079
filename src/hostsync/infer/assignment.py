"""Binding values to targets, and what iterating yields."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any, Final

from hostsync import facts
from hostsync.infer.calls.module_containers import module_in
from hostsync.infer.calls.packed_sequences import PACKED, unpacked
from hostsync.infer.classes import (
    DISTRIBUTIONS,
    class_attribute,
    fields_of,
    is_module_class,
    until_moved,
    write_attribute,
)
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.hints.defaults import names_lengths
from hostsync.infer.hints.loaders_and_models import LOADER_CLASS, NAMED_LOADER
from hostsync.infer.hints.placeholders import is_placeholder
from hostsync.infer.linking.handed import held_by
from hostsync.infer.linking.summaries import returned
from hostsync.infer.nodes import decides, dotted_path, last_name
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    Instance,
    Items,
    Mapping,
    Method,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    ndim_of_part,
)

ASSIGNERS: Final[dict[type, Function[[Frame, Any, Value], None]]] = {}
"""What assigning to each kind of target does; `indexing` adds subscripts."""


def iterated(frame: Frame, value: Value) -> Value:
    """What iterating over a value yields."""
    if isinstance(value, Items):
        return element_of(value)
    if isinstance(value, Number):
        # What `tolist` gives counts as one.
        return NUMBER
    if isinstance(value, Tensor):
        return value._replace(ndim=ndim_of_part(value), param=None)
    if isinstance(value, Array):
        if value.ndim == 1:
            return NUMBER
        return Array(value.ndim - 1 if value.ndim else None, value.dtype)
    if isinstance(value, (Mapping, Text)):
        return TEXT
    if isinstance(value, Instance) and value.name == LOADER_CLASS:
        if not ACCELERATOR.isdisjoint(value.device):
            # It brings its batches there itself.
            return Tensor(ACCELERATOR, sure=False)
        if value.made is None:
            # Known by its annotation or name alone: its batches may have been moved already.
            return Tensor(CPU | ANYWHERE, sure=False, pinned=None)
        return Tensor(CPU, sure=False, pinned=dict(value.options).get("pin_memory"), origin=value.made)
    if isinstance(value, Instance) and value.held is not None:
        return TEXT if isinstance(value.held, Mapping) else module_in(value)
    if isinstance(value, Instance) and value.local:
        fields = fields_of(frame, value.name)
        if fields is not None:
            return element_of(fields)
        own = _by_own_iterator(frame, value)
        if isinstance(own, (Unknown, Method, type(None))) and _is_loader(frame, value.name):
            return iterated(frame, NAMED_LOADER)
        if own is not None:
            return own
        if is_module_class(frame.context, value.name):
            return Instance("torch.nn.Module", False)
    if isinstance(value, Unknown) and value.is_data:
        return value
    if isinstance(value, (Method, Unknown)):
        held = held_by(value)
        if isinstance(value, Unknown) and held == UNKNOWN and value.param is not None:
            return Unknown(value.param, True)
        return held
    return UNKNOWN


def iterated_over(frame: Frame, node: facts.Expr, value: Value) -> Value:
    """What iterating over the value of an expression yields.

    Of a call of which nothing is known and that is handed a loader, its batches: `log.every(loader, 10)`.
    """
    element = iterated(frame, value)
    if isinstance(value, Tensor) and isinstance(element, Tensor) and element.ndim is None:
        return element._replace(ndim=0) if names_lengths(last_name(node)) else element
    if isinstance(element, Unknown) and isinstance(node, facts.Call):
        held_in = _of_a_dict(frame, node)
        if held_in is not None:
            return held_in
        for arg in node.args:
            held = evaluate_silently(frame, arg) if isinstance(arg, (facts.Name, facts.Attr)) else UNKNOWN
            if isinstance(held, Instance) and held.name == LOADER_CLASS:
                return iterated(frame, held)
    return element


def _of_a_dict(frame: Frame, node: facts.Call) -> Value | None:
    """What `batch.items()` or `batch.values()` yields of something that was handed in: parts of that."""
    func = node.func
    if not isinstance(func, facts.Attr) or func.name not in {"items", "values"} or node.args or node.keywords:
        return None
    held = evaluate_silently(frame, func.value)
    if not isinstance(held, Unknown) or held.param is None:
        return None
    part = Unknown(held.param, derived=True)
    return part if func.name == "values" else Items("tuple", (UNKNOWN, part), UNKNOWN)


def _is_loader(frame: Frame, name: str) -> bool:
    """Whether a class is derived from torch's loader."""
    bases = [base for info in frame.context.lineage(name) for base in info.bases]
    return any(isinstance(base, Ref) and base.name.rpartition(".")[2] == "DataLoader" for base in bases)


def _by_own_iterator(frame: Frame, value: Instance) -> Value | None:
    """What an object yields by its own `__iter__`, or gives for each number by `__getitem__`."""
    for name in ("__iter__", "__getitem__"):
        method = class_attribute(frame.context, value.name, name, value)
        if isinstance(method, Callable):
            names = [param.name for param in method.node.params[1:]]
            given: Value = returned(frame.context, method, dict.fromkeys(names, NUMBER))
            if name == "__getitem__":
                return given
            return iterated(frame, given) if isinstance(given, (Items, Tensor, Array, Mapping)) else UNKNOWN
    return None


def assign(frame: Frame, target: facts.Expr, value: Value) -> None:
    """Bind a value to a target: a name, an attribute, an element, or several."""
    ASSIGNERS[type(target)](frame, target, value)


def _name(frame: Frame, target: facts.Name, value: Value) -> None:
    frame.bind(target.id, value)


def _starred(frame: Frame, target: facts.Starred, value: Value) -> None:
    assign(frame, target.value, Items("list", None, value))


def _unpack(frame: Frame, target: facts.Sequence, value: Value) -> None:
    count = len(target.items)
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
