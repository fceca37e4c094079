"""What iterating over a value yields."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.calls.module_containers import module_in
from hostsync.infer.classes import class_attribute, fields_of, is_module_class
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.defaults import names_lengths
from hostsync.infer.hints.loaders_and_models import LOADER_CLASS, NAMED_LOADER
from hostsync.infer.joining import element_of
from hostsync.infer.linking.handed import held_by
from hostsync.infer.linking.summaries import returned
from hostsync.infer.nodes import last_name
from hostsync.infer.values import (
    NUMBER,
    ON_HOST,
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
    ndim_of_part,
)


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
    if value == ON_HOST or (isinstance(value, Unknown) and value.is_data):
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
