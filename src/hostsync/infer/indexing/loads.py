"""What `base[index]` gives, and when it waits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final, TypeGuard

from hostsync import facts
from hostsync.infer.calls.module_containers import module_at, module_in
from hostsync.infer.calls.placing import merged
from hostsync.infer.classes import class_attribute, fields_of
from hostsync.infer.devices import ANYWHERE, CPU, is_certain, of_param, only_host
from hostsync.infer.explaining import as_tensor, explain
from hostsync.infer.frame import EVALUATORS, Frame, evaluate, evaluate_silently
from hostsync.infer.hints import keys
from hostsync.infer.hints.annotations import MODULE_CLASS, named_type
from hostsync.infer.hints.brought_back import is_brought_back
from hostsync.infer.hints.loaders_and_models import SAMPLE
from hostsync.infer.indexing.crossing import note_bounds, note_crossing, note_read_index
from hostsync.infer.indexing.masks import as_mask, has_tensors, holds_mask, is_mask_by_form, is_sure_mask
from hostsync.infer.indexing.parts import (
    Part,
    are_on_the_host,
    is_of_tensors,
    is_of_tensors_alone,
    is_pinned_still,
    ndim_after,
    parts_of,
)
from hostsync.infer.joining import element_of, mapping_element
from hostsync.infer.nodes import element_path, last_name, used_path
from hostsync.infer.special_methods import special
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
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    tensor_shaped,
)


def _subscript(frame: Frame, node: facts.Subscript) -> Value:
    value = load(frame, node, evaluate(frame, node.value))
    if isinstance(value, Unknown) and frame.usage.tensors:
        path = element_path(node) if type(node.key) is facts.Name else used_path(node)
        if path is not None and path in frame.usage.tensors:
            return as_tensor(value, frame.usage.tensors[path])
    if isinstance(value, Unknown) and _DATASET.search(last_name(node.value)) and frame.context.uses_torch:
        return value if isinstance(node.key, facts.Const) and node.key.kind == "str" else SAMPLE
    return value


def _with_rows(node: facts.Expr, value: Tensor) -> Tensor:
    """A tensor with its dimensions where its name says so: `edge_index` has two rows, where each edge of a graph begins
    and where it ends (torch-geometric, `data/data.py`)."""
    if value.ndim is None and last_name(node).endswith("edge_index"):
        return value._replace(ndim=2)
    return value


_DATASET: Final = re.compile(r"(dataset|(^|_)(train|val|valid|test|eval)_?set)$", re.IGNORECASE)


def load(frame: Frame, node: facts.Subscript, base: Value) -> Value:
    """The value of `base[index]`."""
    if isinstance(base, Method):
        # What is indexed is no method, whatever the attribute is: `table.iloc[0]` is on the host.
        base = Array() if isinstance(base.receiver, Array) else UNKNOWN
    if isinstance(node.key, facts.Slice):
        note_bounds(frame, node.key, node, base)
    if isinstance(base, Tensor):
        return _load_tensor(frame, node, _with_rows(node.value, base))
    if isinstance(node.key, facts.Slice):
        if isinstance(base, Items):
            if base.items is not None and all(b is None for b in (node.key.lower, node.key.upper, node.key.step)):
                return base
            return Items(base.kind, None, element_of(base))
        is_part = isinstance(base, (Array, Text)) or (isinstance(base, Instance) and base.held is not None)
        is_part = is_part or base == ON_HOST or (isinstance(base, Unknown) and base.is_data)
        return base if is_part else UNKNOWN
    if isinstance(base, Array):
        parts = parts_of(frame, node.key)
        return _array_part(base, parts)
    index = evaluate(frame, node.key)
    if base == ON_HOST or (isinstance(base, Unknown) and base.is_data):
        return base
    if isinstance(base, Instance) and base.local:
        own = special(frame, node, base, "__getitem__", (node.key, index))
        if own is not None:
            return _field(frame, base, index) if isinstance(own, Unknown) else own
        fields = fields_of(frame, base.name)
        if fields is None:
            return _field(frame, base, index)
        base = fields
    if isinstance(base, Mapping):
        if isinstance(index, Text) and index.const is not None:
            for key, value in base.items:
                if key == index.const:
                    return value
            known = keys.load(frame, node.value, index.const)
            return base.element if known is None else known
        return mapping_element(base)
    if isinstance(index, Tensor) and index.sure and isinstance(base, Items) and base.kind in {"list", "tuple", "range"}:
        note_read_index(frame, node, index)
    if isinstance(base, Items):
        if base.items is not None and isinstance(index, Number) and isinstance(index.const, int):
            if -len(base.items) <= index.const < len(base.items):
                return base.items[index.const]
            return UNKNOWN
        return element_of(base)
    if isinstance(base, Text) or (isinstance(node.value, facts.Const) and node.value.kind == "bytes"):
        if isinstance(index, Tensor) and index.sure:
            note_read_index(frame, node, index)
        return TEXT if isinstance(base, Text) else NUMBER
    if isinstance(base, Ref):
        return _generic_type(frame, node) if base.name.partition(".")[0] in _TYPES else base
    if isinstance(base, Instance) and (base.name in _MODULE_LISTS or base.held is not None):
        if isinstance(index, Tensor) and index.sure:
            note_read_index(frame, node, index)
        known_at = index.const if isinstance(index, (Number, Text)) else None
        return module_at(base, known_at) if isinstance(known_at, (int, str)) else module_in(base)
    if isinstance(base, Unknown) and isinstance(index, Text) and index.const is not None:
        known = keys.load(frame, node.value, index.const)
        return UNKNOWN if known is None else known
    if isinstance(base, Unknown) and base.apart_from is not None:
        # It was asked for: it is no tensor.
        return UNKNOWN
    index = as_mask(frame, node.key, index)
    if isinstance(base, Unknown) and is_mask_by_form(frame, node.key, index):
        index = Tensor(ANYWHERE, "bool")
    if isinstance(base, Unknown) and is_sure_mask(index):
        # Only a tensor is indexed with a mask tensor.
        frame.emit("shape", "subscript", "mask-load", node, subject=node.key, device=index.device, origin=index.origin)
        return Tensor(index.device)
    if isinstance(base, Unknown) and _is_read(index, node.key, frame):
        # A list reads it back as a tensor does.
        note_read_index(frame, node, index)
        return UNKNOWN
    if isinstance(base, Unknown) and is_of_tensors(index) and has_tensors(frame):
        return _load_tensor(frame, node, Tensor(ANYWHERE if base.param is None else of_param(base.param)))
    if isinstance(base, Unknown) and isinstance(node.key, facts.Sequence) and isinstance(index, Items):
        # A tuple that holds tensors is an index of nothing but a tensor, unless all are on the CPU.
        held = [part for part in index.items or () if isinstance(part, Tensor) and part.sure and part.ndim != 0]
        masks = [part for part in index.items or () if is_sure_mask(part)]
        device = merged([tensor._replace(ndim=None) for tensor in held or masks])
        if holds_mask(index):
            return _load_tensor(frame, node, Tensor(device, origin=(held or masks)[0].origin))
        if held and not only_host(device):
            return Tensor(device, origin=held[0].origin)
    return _element(frame, base) if isinstance(base, Unknown) else UNKNOWN


def _element(frame: Frame, base: Unknown) -> Unknown:
    """Of what is handed in and must be: where callers hand in arrays, it is on the host as they are."""
    if base.param is None or frame.function is None or not frame.context.knows_arrays(None):
        return UNKNOWN
    must = any(param.name == base.param and param.default is None for param in frame.function.params)
    return Unknown(base.param, True) if must else UNKNOWN


def _field(frame: Frame, base: Instance, index: Value) -> Value:
    """`output["loss"]` of an object that nobody knows how to index, or of a `TypedDict`: its attribute of that name."""
    if not isinstance(index, Text) or index.const is None:
        return UNKNOWN
    value = class_attribute(frame.context, base.name, index.const, base)
    return UNKNOWN if isinstance(value, Callable) else value


def _is_read(index: Value, node: facts.Expr, frame: Frame) -> TypeGuard[Tensor]:
    """An index of one element, and a whole number."""
    if not isinstance(index, Tensor) or not index.sure or index.ndim != 0:
        return False
    return index.dtype == "int" or (isinstance(node, facts.Name) and node.id in frame.usage.read)


_MODULE_LISTS: Final = frozenset({MODULE_CLASS, "torch.nn.ModuleList", "torch.nn.Sequential"})
"""What gives a module for a number; of an `nn.Module` no more is known."""
_TYPES: Final = frozenset({"builtins", "collections", "typing", "typing_extensions"})
"""Where the types that take others in brackets come from."""


def _generic_type(frame: Frame, node: facts.Subscript) -> Value:
    """`list[Tensor]`, written where it is no annotation."""
    found = named_type(node, partial(evaluate_silently, frame))
    return evaluate(frame, node.value) if found is None or isinstance(found.value, Nothing) else found


def _array_part(base: Array, parts: list[Part]) -> Value:
    if base.ndim is not None and all(p.kind in {"int", "slice", "none", "ellipsis"} for p in parts):
        left = base.ndim - sum(p.kind == "int" for p in parts) + sum(p.kind == "none" for p in parts)
        return NUMBER if left <= 0 else Array(left, base.dtype)
    return Array(None, base.dtype)


def _load_tensor(frame: Frame, node: facts.Subscript, base: Tensor) -> Value:
    parts = parts_of(frame, node.key)
    if not base.sure and any(isinstance(p.value, Text) for p in parts):
        return base._replace(ndim=None, dtype="")
    if not base.sure and is_of_tensors_alone(node.key, parts) and has_tensors(frame):
        base = base._replace(sure=True)
    if not is_certain(base.device) and _is_by_names_brought_back(frame, parts):
        base = base._replace(device=CPU, param=None)
    note_crossing(frame, node, base, parts)
    masks = [p for p in parts if p.kind == "mask"]
    if masks:
        tensors = [base, *(p.value for p in masks if isinstance(p.value, Tensor))]
        device = merged([t._replace(ndim=None) for t in tensors])
        origin = base.origin or tensors[1].origin
        if are_on_the_host(masks):
            device = CPU
        sure = any(tensor.sure for tensor in tensors)
        subject = masks[0].node
        frame.emit("shape", "subscript", "mask-load", node, subject=subject, device=device, sure=sure, origin=origin)
    part = tensor_shaped(base, ndim_after(base, parts))
    if base.pinned is not False:
        part = part._replace(pinned=is_pinned_still(base.pinned, parts))
    return explain(part, node) if masks else part


def _is_by_names_brought_back(frame: Frame, parts: Sequence[Part]) -> bool:
    for part in parts:
        if part.kind == "tensor" and isinstance(part.node, facts.Name) and isinstance(part.value, Tensor):
            name = part.node.id
            if part.value.device == CPU and frame.function is not None and is_brought_back(frame.function, name):
                return True
    return False


EVALUATORS[facts.Subscript] = _subscript
