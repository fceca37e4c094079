"""Subscripts: which loads and stores move data between host and device, or ask the device for a shape.

What waits is measured (rules/evidence). In short: a bool mask asks for a shape, unless a Python scalar is stored
through it alone; an index that lives on the host is copied; a 0-d device index is read back; a Python scalar stored
into one element, or at tensor positions, is copied (until torch 2.15).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple, TypeGuard

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.assignment import ASSIGNERS, assign
from hostsync.infer.calls.module_containers import module_at, module_in
from hostsync.infer.calls.operations import merged
from hostsync.infer.classes import class_attribute, fields_of
from hostsync.infer.frame import EVALUATORS, SAMPLE, Frame, as_tensor, evaluate, evaluate_silently, explain
from hostsync.infer.hints import dimensions, keys
from hostsync.infer.hints.annotations import MODULE_CLASS, named_type
from hostsync.infer.hints.brought_back import is_brought_back
from hostsync.infer.hints.defaults import names_lengths
from hostsync.infer.hints.evidence_of_calls import root_of_chain
from hostsync.infer.hints.mask_names import is_called_a_mask, is_named_mask
from hostsync.infer.hints.mixtures import under_one_key
from hostsync.infer.hints.scripted import is_scripted
from hostsync.infer.nodes import decides, dotted_path, element_path, last_name, used_path
from hostsync.infer.special_methods import special
from hostsync.infer.values import (
    ANYWHERE,
    CPU,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    Device,
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
    element_of,
    host_doubt,
    is_certain,
    is_slice,
    join,
    mapping_element,
    ndim_of_part,
    of_param,
    only_host,
    tensor_shaped,
    tensors_in,
)
from hostsync.infer.versions import overlaps

SCALAR_STORE_RELEASES: Final = "<2.15"


class Part(NamedTuple):
    """One component of an index."""

    node: facts.Expr
    kind: str
    """int (a Python number), slice, none, ellipsis, mask, scalar (a 0-d tensor), tensor, list, array, unknown."""
    value: Value


def _parts(frame: Frame, index: facts.Expr) -> list[Part]:
    nodes = index.items if isinstance(index, facts.Sequence) and index.kind == "tuple" else (index,)
    parts: list[Part] = []
    for node in nodes:
        if isinstance(node, facts.Starred):
            evaluate(frame, node.value)
            parts.append(Part(node, "unknown", UNKNOWN))
            continue
        if isinstance(node, facts.Slice):
            parts.append(new(Part, (node, "slice", UNKNOWN)))
            continue
        value = evaluate(frame, node)
        if isinstance(value, (Unknown, Method)) and (is_comparison(node) or _is_mask(frame, node)):
            value = Tensor(ANYWHERE, "bool")
        value = _as_mask(frame, node, value)
        if isinstance(value, Items) and value.kind == "tuple" and len(nodes) == 1 and value.items is not None:
            parts.extend(Part(node, _kind_of(node, item), item) for item in value.items)
        elif isinstance(value, Items) and value.kind == "tuple" and isinstance(value.element, Tensor):
            # `x[torch.where(…)]`: one for each dimension, however many these are.
            is_number = value.element.dtype != "bool" and _is_position_as_tuple(frame, node)
            kind = "scalar" if is_number else "tensor"
            parts.append(Part(node, kind, value.element._replace(ndim=0 if is_number else None)))
        elif isinstance(value, Items) and value.kind == "tuple" and isinstance(value.element, Array):
            # `x[np.where(…)]`, likewise.
            parts.append(Part(node, "array", value.element))
        elif isinstance(value, Items) and value.kind == "tuple" and len(nodes) > 1 and _holds_numbers(value):
            # `x[:, pair]`: beside other components a tuple is one of them, and what it holds are positions.
            parts.append(Part(node, "list", value))
        else:
            parts.append(new(Part, (node, _kind_of(node, value), value)))
    return parts


def _is_position_as_tuple(frame: Frame, node: facts.Expr) -> bool:
    """`x[tuple(position)]` of a tensor of numbers. What a call turns about for it (`tuple(pairs.t())`) has rows."""
    if not isinstance(node, facts.Call) or last_name(node.func) != "tuple" or len(node.args) != 1:
        return False
    held = evaluate_silently(frame, node.args[0])
    if not isinstance(held, Tensor):
        return False
    return held.ndim == 1 or (held.ndim is None and isinstance(node.args[0], (facts.Name, facts.Subscript)))


def _holds_numbers(value: Items) -> bool:
    return isinstance(element_of(value), Number)


def is_comparison(node: facts.Expr) -> bool:
    """A comparison, or several combined: as the index of a tensor it is a mask, whatever it compares."""
    if isinstance(node, facts.Unary):
        return node.op == "~" and is_comparison(node.operand)
    if isinstance(node, facts.Binary):
        return node.op in {"&", "|", "^"} and (is_comparison(node.left) or is_comparison(node.right))
    return isinstance(node, facts.Compare) and not set(node.ops) & {"in", "not in", "is", "is not"}


def _is_mask(frame: Frame, node: facts.Expr) -> bool:
    """Whether an index is a mask by the way it is used elsewhere, by its name, or because it is negated."""
    if isinstance(node, facts.Unary):
        return node.op == "~"
    if isinstance(node, facts.Binary):
        return node.op in {"&", "|", "^"} and (_is_mask(frame, node.left) or _is_mask(frame, node.right))
    while type(node) is facts.Call and type(node.func) is facts.Attr and node.func.name in _SHAPING:
        node = node.func.value
    path = dotted_path(node)
    if path is not None and path in frame.usage.masks:
        return True
    called = _called(node)
    if is_named_mask(called) or not is_called_a_mask(called):
        return is_named_mask(called)
    # A flag that is compared to decide what is done next is a position.
    return type(node) is not facts.Name or frame.function is None or not decides(frame.function.body, node.id)


def _called(node: facts.Expr) -> str:
    """What something goes by: a dotted name, that of a function that gives it, or the key of `batch["mask"]`."""
    if isinstance(node, facts.Subscript) and isinstance(node.key, facts.Const) and isinstance(node.key.value, str):
        return node.key.value
    return dotted_path(node.func if isinstance(node, facts.Call) else node) or ""


_SHAPING: Final = frozenset(
    "expand expand_as view view_as reshape flatten squeeze unsqueeze transpose permute t to cuda".split()
)
"""Methods that leave truth values what they are."""


def _as_mask(frame: Frame, node: facts.Expr, index: Value) -> Value:
    if isinstance(index, Tensor) and not index.dtype and index.ndim != 0 and _is_mask(frame, node):
        return index._replace(dtype="bool")
    return index


def _kind_of(node: facts.Expr, value: Value) -> str:
    if isinstance(value, Number):
        return "int"
    if isinstance(value, Tensor):
        if value.dtype == "bool":
            return "mask"
        return "scalar" if value.ndim == 0 else "tensor"
    if isinstance(value, Array):
        return "array"
    if isinstance(value, Items):
        if value.kind == "tuple" and not isinstance(node, facts.Sequence):
            return "unknown"
        if value.kind == "slice":
            return "slice"
        inner = element_of(value)
        if is_slice(inner) or any(map(is_slice, value.items or ())):
            # A list that holds slices is taken for a tuple.
            return "slice"
        if isinstance(inner, Tensor):
            return "list"
        if isinstance(inner, Number) or (isinstance(node, facts.Sequence) and node.kind == "list"):
            return "list"
        return "list" if value.kind in {"list", "range"} and not isinstance(inner, Text) else "unknown"
    if isinstance(node, facts.Const):
        return node.kind if node.kind in {"none", "ellipsis"} else "unknown"
    return "unknown"


def _bounds(frame: Frame, node: facts.Slice, whole: facts.Expr, base: Value) -> None:
    """Slice bounds must be host integers, so a device tensor there is read back."""
    of_tensor = isinstance(base, Tensor)
    for bound in (node.lower, node.upper, node.step):
        if bound is None:
            continue
        value = evaluate(frame, bound)
        if _is_length_of_row(frame, bound, whole):
            value = Tensor(base.device if isinstance(base, Tensor) else ANYWHERE, "int", 0)
        if isinstance(value, Tensor) and value.sure:
            if of_tensor:
                frame.emit(
                    "shape",
                    "subscript",
                    "scalar-tensor",
                    whole,
                    subject=bound,
                    device=value.device,
                    origin=value.origin,
                )
            else:
                frame.emit(
                    "read-back",
                    "operator.index",
                    "slice-bound",
                    whole,
                    subject=bound,
                    device=value.device,
                    origin=value.origin,
                )


def _is_length_of_row(frame: Frame, bound: facts.Expr, whole: facts.Expr) -> bool:
    """`frames[i, : lengths[i]]`: the lengths of padded rows come with these, as a tensor.

    Measured: 40 of 41 such lines waited, but all of these in one library.
    """
    if not isinstance(bound, facts.Subscript) or not isinstance(bound.key, facts.Name) or frame.knows_arrays():
        return False
    row = whole.key if isinstance(whole, facts.Subscript) else None
    at = row.items[0] if isinstance(row, facts.Sequence) and row.items else None
    is_cut = isinstance(at, facts.Name) and at.id == bound.key.id
    held = evaluate_silently(frame, bound.value) if is_cut and names_lengths(last_name(bound.value)) else None
    return isinstance(held, Unknown) and held.apart_from is None


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
        _bounds(frame, node.key, node, base)
    if isinstance(base, Tensor):
        return _load_tensor(frame, node, _with_rows(node.value, base))
    if isinstance(node.key, facts.Slice):
        if isinstance(base, Items):
            if base.items is not None and all(b is None for b in (node.key.lower, node.key.upper, node.key.step)):
                return base
            return Items(base.kind, None, element_of(base))
        is_part = isinstance(base, (Array, Text)) or (isinstance(base, Instance) and base.held is not None)
        is_part = is_part or (isinstance(base, Unknown) and base.is_data)
        return base if is_part else UNKNOWN
    if isinstance(base, Array):
        parts = _parts(frame, node.key)
        return _array_part(base, parts)
    index = evaluate(frame, node.key)
    if isinstance(base, Unknown) and base.is_data:
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
        _read_index(frame, node, index)
    if isinstance(base, Items):
        if base.items is not None and isinstance(index, Number) and isinstance(index.const, int):
            if -len(base.items) <= index.const < len(base.items):
                return base.items[index.const]
            return UNKNOWN
        return element_of(base)
    if isinstance(base, Text):
        return TEXT
    if isinstance(base, Ref):
        return _generic_type(frame, node) if base.name.partition(".")[0] in _TYPES else base
    if isinstance(base, Instance) and (base.name in _MODULE_LISTS or base.held is not None):
        if isinstance(index, Tensor) and index.sure:
            _read_index(frame, node, index)
        known_at = index.const if isinstance(index, (Number, Text)) else None
        return module_at(base, known_at) if isinstance(known_at, (int, str)) else module_in(base)
    if isinstance(base, Unknown) and isinstance(index, Text) and index.const is not None:
        known = keys.load(frame, node.value, index.const)
        return UNKNOWN if known is None else known
    if isinstance(base, Unknown) and base.apart_from is not None:
        # It was asked for: it is no tensor.
        return UNKNOWN
    index = _as_mask(frame, node.key, index)
    if isinstance(base, Unknown) and _is_mask_by_form(frame, node.key, index):
        index = Tensor(ANYWHERE, "bool")
    if isinstance(base, Unknown) and _is_sure_mask(index):
        # Only a tensor is indexed with a mask tensor.
        frame.emit("shape", "subscript", "mask-load", node, subject=node.key, device=index.device, origin=index.origin)
        return Tensor(index.device)
    if isinstance(base, Unknown) and _is_read(index, node.key, frame):
        # A list reads it back as a tensor does.
        _read_index(frame, node, index)
        return UNKNOWN
    if isinstance(base, Unknown) and _is_of_tensors(index) and _has_tensors(frame):
        return _load_tensor(frame, node, Tensor(ANYWHERE if base.param is None else of_param(base.param)))
    if isinstance(base, Unknown) and isinstance(node.key, facts.Sequence) and isinstance(index, Items):
        # A tuple that holds tensors is an index of nothing but a tensor, unless all are on the CPU.
        held = [part for part in index.items or () if isinstance(part, Tensor) and part.sure and part.ndim != 0]
        masks = [part for part in index.items or () if _is_sure_mask(part)]
        device = merged([tensor._replace(ndim=None) for tensor in held or masks])
        if _holds_mask(index):
            return _load_tensor(frame, node, Tensor(device, origin=(held or masks)[0].origin))
        if held and not only_host(device):
            return Tensor(device, origin=held[0].origin)
    return _element(frame, base) if isinstance(base, Unknown) else UNKNOWN


def _is_mask_by_form(frame: Frame, node: facts.Expr, index: Value) -> bool:
    """Whether an index of which nothing is known is a mask, of a tensor: it is a comparison, or is called one.

    Tables are indexed so, too.
    """
    is_mask = isinstance(index, (Unknown, Method)) and (is_comparison(node) or is_named_mask(_called(node)))
    return is_mask and not frame.context.has_tables() and _has_tensors(frame)


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


def _has_tensors(frame: Frame) -> bool:
    """Whether what is indexed as only tensors and arrays are is a tensor here."""
    return frame.context.uses_torch and not frame.knows_arrays()


def _read_index(frame: Frame, node: facts.Subscript, index: Tensor) -> None:
    """What Python indexes, such as a list, needs a number of the host."""
    frame.emit(
        "read-back",
        "operator.index",
        "subscript",
        node,
        subject=node.key,
        device=index.device,
        origin=index.origin,
    )


def _is_read(index: Value, node: facts.Expr, frame: Frame) -> TypeGuard[Tensor]:
    """An index of one element, and a whole number."""
    if not isinstance(index, Tensor) or not index.sure or index.ndim != 0:
        return False
    return index.dtype == "int" or (isinstance(node, facts.Name) and node.id in frame.usage.read)


def _is_of_tensors(index: Value) -> bool:
    """A list of numbers, or tensors of positions on the CPU: an index of tensors and arrays only."""
    if isinstance(index, Items) and index.kind == "tuple" and index.items:
        # A list can be no part of a key.
        return any(isinstance(item, Items) and item.kind == "list" for item in index.items) or all(
            isinstance(item, Tensor) and _is_of_tensors(item) for item in index.items
        )
    if isinstance(index, Items):
        return index.kind == "list" and isinstance(element_of(index), Number)
    return isinstance(index, Tensor) and index.sure and index.device == CPU and index.dtype == "int" and index.ndim != 0


def _holds_positions(index: Value) -> bool:
    """A tensor of positions, or a tuple with one: what is indexed with it is a tensor, or a list that reads it back."""
    parts = index.items or () if isinstance(index, Items) and index.kind == "tuple" else (index,)
    return any(isinstance(p, Tensor) and p.sure and p.dtype == "int" and not only_host(p.device) for p in parts)


def _holds_mask(index: Value) -> bool:
    """`x[mask, 0]`: a mask among other indices, which nothing but a tensor takes."""
    return isinstance(index, Items) and index.kind == "tuple" and any(map(_is_sure_mask, index.items or ()))


def _is_sure_mask(index: Value) -> TypeGuard[Tensor]:
    return isinstance(index, Tensor) and index.sure and index.dtype == "bool" and not only_host(index.device)


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


def _crossing(frame: Frame, node: facts.Subscript, base: Tensor, parts: list[Part]) -> None:
    """Waits that loads and stores share: an index that has to be read back or uploaded."""
    for part in parts:
        if isinstance(part.node, facts.Slice):
            if part.node is not node.key:
                _bounds(frame, part.node, node, base)
        elif part.kind == "scalar":
            assert isinstance(part.value, Tensor)
            frame.emit(
                "shape",
                "subscript",
                "scalar-tensor",
                node,
                subject=part.node,
                device=part.value.device,
                sure=part.value.sure,
                origin=part.value.origin,
            )
        elif part.kind == "tensor":
            assert isinstance(part.value, Tensor)
            if _is_on_host(part.value.device) and not only_host(base.device) and part.value.sure:
                _upload(frame, "cpu-index", node, base, part)
        elif part.kind == "list":
            tensors = tensors_in(part.value, 1)
            if tensors and not only_host(merged(tensors)):
                frame.emit("read-back", "operator.index", "subscript", node, subject=part.node, device=merged(tensors))
            else:
                _upload(frame, "list-index", node, base, part)
        elif part.kind == "array":
            _upload(frame, "numpy-index", node, base, part)


def _is_on_host(device: Device) -> bool:
    """The CPU, or there unless a caller hands in another: `order = torch.randperm(n) if order is None else order`."""
    return device == CPU or ("cpu" in device and all(atom == "cpu" or atom.startswith("=") for atom in device))


def _upload(frame: Frame, form: str, node: facts.Subscript, base: Tensor, part: Part) -> None:
    # No number, and nothing of Python, is indexed with a list of numbers.
    is_tensor = base.sure or (form == "list-index" and _is_of_tensors(part.value) and _has_tensors(frame))
    by_default = isinstance(part.value, Tensor) and host_doubt(part.value)
    frame.emit(
        "index",
        "subscript",
        form,
        node,
        subject=part.node,
        located=node.value,
        device=base.device,
        sure=is_tensor,
        origin=base.origin,
        confidence="possible" if not is_tensor else "likely" if by_default else None,
    )


def _load_tensor(frame: Frame, node: facts.Subscript, base: Tensor) -> Value:
    parts = _parts(frame, node.key)
    if not base.sure and any(isinstance(p.value, Text) for p in parts):
        return base._replace(ndim=None, dtype="")
    if not base.sure and _is_of_tensors_alone(node.key, parts) and _has_tensors(frame):
        base = base._replace(sure=True)
    if not is_certain(base.device) and _is_by_names_brought_back(frame, parts):
        base = base._replace(device=CPU, param=None)
    _crossing(frame, node, base, parts)
    masks = [p for p in parts if p.kind == "mask"]
    if masks:
        tensors = [base, *(p.value for p in masks if isinstance(p.value, Tensor))]
        device = merged([t._replace(ndim=None) for t in tensors])
        origin = base.origin or tensors[1].origin
        if _are_on_the_host(masks):
            device = CPU
        sure = any(tensor.sure for tensor in tensors)
        subject = masks[0].node
        frame.emit("shape", "subscript", "mask-load", node, subject=subject, device=device, sure=sure, origin=origin)
    part = tensor_shaped(base, _ndim_after(base, parts))
    if base.pinned is not False:
        part = part._replace(pinned=_is_pinned_still(base.pinned, parts))
    return explain(part, node) if masks else part


def _is_by_names_brought_back(frame: Frame, parts: Sequence[Part]) -> bool:
    for part in parts:
        if part.kind == "tensor" and isinstance(part.node, facts.Name) and isinstance(part.value, Tensor):
            name = part.node.id
            if part.value.device == CPU and frame.function is not None and is_brought_back(frame.function, name):
                return True
    return False


_COPIED: Final = frozenset({"mask", "tensor", "list", "array"})


def _is_pinned_still(pinned: bool | None, parts: list[Part]) -> bool | None:
    """Whether a part of pinned memory can be copied to the GPU as it is.

    What is picked out is a copy. Of what has gaps, such as `x[:, 1:]`, torch first makes one, which is not pinned
    (our measurement, `tests/gpu/test_pinned_views.py`).
    """
    if any(part.kind in _COPIED for part in parts):
        return False
    return False if pinned and _has_gaps(parts) else pinned


def _has_gaps(parts: list[Part]) -> bool:
    """`x[:, 1:]`, `x[1:3, 0]`, `x[::2]`, unlike `x[0, 1:]`."""
    is_behind = False
    for part in parts:
        if part.kind == "none":
            continue
        has_step = isinstance(part.node, facts.Slice) and part.node.step is not None
        if has_step or (is_behind and part.kind != "ellipsis" and not _is_whole(part.node)):
            return True
        is_behind = is_behind or part.kind != "int"
    return False


def _is_whole(node: facts.Expr) -> bool:
    return isinstance(node, facts.Slice) and node.lower is None and node.upper is None and node.step is None


def _is_of_tensors_alone(key: facts.Expr, parts: list[Part]) -> bool:
    """Whether nothing of Python takes such an index: `x[0, 1:]`, `x[x > 0]`."""
    if any(part.kind == "mask" and is_comparison(part.node) for part in parts):
        return True
    return isinstance(key, facts.Sequence) and any(part.kind in {"slice", "none", "ellipsis"} for part in parts)


def _are_on_the_host(masks: list[Part]) -> bool:
    """Whether masks are counted on the CPU, and the positions sent off without a wait, as from torch 2.10 on.

    Source: IndexingUtils.h; our measurement, which is that a number stored through such a mask does wait.
    """
    held = [mask.value for mask in masks if isinstance(mask.value, Tensor)]
    return bool(held) and all(mask.sure and mask.device == CPU for mask in held)


def _ndim_after(base: Tensor, parts: list[Part]) -> int | None:
    if len(parts) == 1 and parts[0].kind == "int":
        return ndim_of_part(base)
    if base.ndim is None or any(p.kind in {"unknown", "array", "list"} for p in parts):
        if base.ndim is not None and len(parts) == 1 and parts[0].kind in {"array", "list"}:
            return base.ndim
        return None
    if base.ndim < sum(part.kind not in {"none", "ellipsis", "mask"} for part in parts):
        # There are more dimensions than anybody thought.
        return None
    left = base.ndim
    gathered = 0
    for part in parts:
        if part.kind in {"int", "scalar"}:
            left -= 1
        elif part.kind == "none":
            left += 1
        elif part.kind == "mask":
            ndim = part.value.ndim if isinstance(part.value, Tensor) else None
            if ndim is None:
                # A mask has one dimension at least, and no more than others leave it.
                others = sum(other is not part and other.kind not in {"none", "ellipsis"} for other in parts)
                if base.ndim - others != 1:
                    return None
                ndim = 1
            left -= ndim
            gathered = 1
        elif part.kind == "tensor":
            ndim = part.value.ndim if isinstance(part.value, Tensor) else None
            if ndim is None:
                return None
            left -= 1
            gathered = max(gathered, ndim)
    return max(left + gathered, 0)


# --- stores --------------------------------------------------------------------------------------


def store(frame: Frame, target: facts.Subscript, value: Value) -> None:
    """`base[index] = value`."""
    base = evaluate(frame, target.value)
    if isinstance(base, Method):
        base = UNKNOWN
    if isinstance(target.key, facts.Slice):
        _bounds(frame, target.key, target, base)
    if isinstance(base, Tensor):
        _store_tensor(frame, target, base, value)
        return
    if isinstance(target.key, facts.Slice):
        return
    index = evaluate(frame, target.key)
    if isinstance(base, (Mapping, Unknown, Nothing)) and isinstance(index, Text) and index.const is not None:
        keys.note_store(frame, index.const, value, target.span[0])
    special(frame, target, base, "__setitem__", (target.key, index), (target, value))
    if isinstance(base, Mapping):
        updated = _set_key(base, index, under_one_key(frame, value, frame.assigning))
        _rebind(frame, target.value, updated)
    elif isinstance(base, Instance) and isinstance(base.held, Mapping):
        _rebind(frame, target.value, base._replace(held=_set_key(base.held, index, value)))
    elif isinstance(base, Items):
        if isinstance(index, Tensor) and index.sure:
            _read_index(frame, target, index)
        element = value if base.items == () else join(element_of(base), value)
        _rebind(frame, target.value, Items(base.kind, None, element))
    elif isinstance(base, Unknown) and base.apart_from is not None:
        return
    elif isinstance(base, Unknown) and (
        _holds_mask(index) or ((_is_of_tensors(index) or _holds_positions(index)) and _has_tensors(frame))
    ):
        _store_tensor(frame, target, Tensor(ANYWHERE if base.param is None else of_param(base.param)), value)
    elif (
        isinstance(base, Unknown)
        and _is_mask_by_form(frame, target.key, index)
        and isinstance(value, Tensor)
        and not only_host(value.device)
    ):
        frame.emit("shape", "subscript", "mask-store", target, subject=target.key)
    elif (
        isinstance(base, Unknown)
        and _is_sure_mask(index := _as_mask(frame, target.key, index))
        and isinstance(value, Tensor)
        and value.sure
        and not (value.ndim == 0 and only_host(value.device))
    ):
        frame.emit(
            "shape", "subscript", "mask-store", target, subject=target.key, device=index.device, origin=index.origin
        )


def _set_key(base: Mapping, index: Value, value: Value) -> Mapping:
    if isinstance(index, Text) and index.const is not None:
        items = dict(base.items)
        items[index.const] = value
        return Mapping(tuple(items.items()), base.element)
    element = value if isinstance(base.element, Unknown) and not base.items else join(base.element, value)
    return Mapping(base.items, element)


def _rebind(frame: Frame, node: facts.Expr, value: Value) -> None:
    if isinstance(node, (facts.Name, facts.Attr)):
        assign(frame, node, value)


def _store_tensor(frame: Frame, target: facts.Subscript, base: Tensor, value: Value) -> None:
    parts = _parts(frame, target.key)
    _crossing(frame, target, base, parts)
    masks = [p for p in parts if p.kind == "mask"]
    tensors = [p for p in parts if p.kind in {"tensor", "scalar", "list", "array"}]
    device = merged([base, *(p.value._replace(ndim=None) for p in masks if isinstance(p.value, Tensor))])
    counted_here = _are_on_the_host(masks)
    if counted_here:
        device = CPU
    scalar = isinstance(value, Number) or _is_number_by_default(frame, value) or _is_of_numbers(frame, value)
    if masks:
        # One truth is read back, to see whether there is anything to store at.
        is_one = any(isinstance(part.value, Tensor) and part.value.ndim == 0 for part in masks)
        if (isinstance(value, Tensor) and value.sure and not (value.ndim == 0 and only_host(value.device))) or (
            # TorchScript looks for the true elements of any mask, where Python fills.
            scalar and (len(masks) > 1 or tensors or is_one or is_scripted(frame.function))
        ):
            frame.emit(
                "shape", "subscript", "mask-store", target, subject=masks[0].node, device=device, origin=base.origin
            )
        elif scalar and counted_here:
            # On the device it would be filled in one step.
            _upload(frame, "cpu-index", target, base, masks[0])
        return
    if isinstance(value, Tensor) and value.sure and base.device == CPU and _comes_from_device(frame, target, value):
        frame.emit(
            "read-back", "Tensor.copy_", "", target, subject=target.value, device=value.device, origin=value.origin
        )
        return
    if not base.sure or not overlaps(frame.context.torch, SCALAR_STORE_RELEASES):
        return
    host_scalar = scalar or (isinstance(value, Tensor) and value.ndim == 0 and value.device == CPU)
    if host_scalar:
        # Two tensors wait whatever they hold: positions, or truth values that are turned into such.
        several = [p for p in parts if p.kind == "tensor"]
        at_tensors = several[1:] or [p for p in parts if p.kind == "scalar" or _is_position(p)]
        if several and base.dtype == "bool":
            # `mask[x] = True`: what truth values are set at are positions, where nothing says that they are others.
            at_tensors = several
        if scalar and _is_pointed(base, parts):
            at_tensors = parts
        ints = [p for p in parts if p.kind == "int" or _is_calculated(p)]
        only_ints = len(ints) == len(parts)
        # `x[..., 0, 0]` of two dimensions is one element, too.
        all_told = len(ints) + sum(part.kind == "ellipsis" for part in parts) == len(parts)
        leaves_one = (only_ints and base.ndim is None) or (all_told and base.ndim == len(ints) > 0)
        if (
            base.ndim is None
            and only_ints
            and len(ints) == 1
            and (not isinstance(value, Number) or _is_one_of_few(ints[0].node))
        ):
            leaves_one = False
        if leaves_one and base.ndim is None and dimensions.made_with_more(frame, target.value, len(ints)):
            leaves_one = False
        if at_tensors or leaves_one:
            frame.emit(
                "index",
                "subscript",
                "scalar-store",
                target,
                subject=target.value,
                device=base.device,
                origin=base.origin,
                versions=SCALAR_STORE_RELEASES,
            )
    elif isinstance(value, Tensor) and value.sure and value.device == CPU and not only_host(base.device):
        frame.emit(
            "copy",
            "Tensor.copy_",
            "pageable",
            target,
            subject=target.value,
            device=base.device,
            origin=value.origin,
            confidence="likely" if host_doubt(value) else None,
        )


def _is_number_by_default(frame: Frame, value: Value) -> bool:
    """A parameter that is a number unless somebody hands in something else, of which nothing is known."""
    if not isinstance(value, Unknown) or value.param is None or frame.function is None:
        return False
    if not value.derived and value.param.endswith("_id"):
        return True
    default = next((param.default for param in frame.function.params if param.name == value.param), None)
    return isinstance(default, facts.Const) and default.kind in {"int", "float"}


def _is_of_numbers(frame: Frame, value: Value) -> bool:
    """`(pointer + count) % self.size`: what is calculated with a number that a name stands for is one, mostly."""
    made = frame.assigning
    if not isinstance(value, Unknown) or not isinstance(made, facts.Binary) or made.op not in _ARITHMETIC:
        return False
    sides = [side for side in (made.left, made.right) if not isinstance(side, facts.Const)]
    return any(isinstance(evaluate_silently(frame, side), Number) for side in sides)


def _is_pointed(base: Tensor, parts: list[Part]) -> bool:
    """An index that is not all known, with numbers or positions for each dimension: one element or several, it waits.

    Of what is not known two or more are hardly ever a slice, or a mask, which is the whole of an index.
    """
    if all(part.kind != "unknown" for part in parts):
        return False
    if len(parts) == 1:
        return base.ndim == 1
    return base.ndim in {None, len(parts)} and all(part.kind in {"int", "unknown", "tensor"} for part in parts)


def _is_one_of_few(index: facts.Expr) -> bool:
    """`values[2] = 0`: a plane of several that the code knows by number; the first and the last are mostly elements."""
    return isinstance(index, facts.Const) and index.value != 0


_ARITHMETIC: Final = frozenset({"+", "-", "*", "//", "%"})


def _is_calculated(part: Part) -> bool:
    """`offset + i` of what is not known is a number or a tensor of positions, and neither a slice nor a mask."""
    return part.kind == "unknown" and isinstance(part.node, facts.Binary) and part.node.op in _ARITHMETIC


_POSITION: Final = re.compile(r"(^|_)(idxs?|index|indexes|indices|inds?|ids?|rows?|cols?|positions?|perm|order)\d*$")
"""Names of tensors of positions."""


def _is_position(part: Part) -> bool:
    """A tensor of integers, and not of truth values, as far as its dtype or its name tells."""
    if part.kind != "tensor" or not isinstance(part.value, Tensor):
        return False
    node = root_of_chain(part.node)
    while isinstance(node, facts.Subscript):
        node = root_of_chain(node.value)
    path = dotted_path(node)
    return bool(part.value.dtype) or (path is not None and bool(_POSITION.search(path.rpartition(".")[2])))


def _comes_from_device(frame: Frame, target: facts.Subscript, value: Tensor) -> bool:
    """Whether what is stored into a tensor on the CPU is likely to be elsewhere.

    Outside of `forward`, code that stores parts of what it has into tensors on the CPU is as likely to prepare data
    there; what it calculates, and collects in a tensor of its own, comes from the device (measured: 16 of 18).
    """
    is_collected = isinstance(target.value, facts.Name) and not isinstance(frame.assigning, facts.Subscript)
    return is_certain(value.device) or is_collected or frame.symbol.endswith(".forward")


EVALUATORS[facts.Subscript] = _subscript
ASSIGNERS[facts.Subscript] = store
