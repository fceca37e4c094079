"""What `base[index] = value` changes, and when it waits."""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.calls.placing import merged
from hostsync.infer.devices import ANYWHERE, CPU, is_certain, of_param, only_host
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.hints import dimensions, keys
from hostsync.infer.hints.evidence_of_calls import root_of_chain
from hostsync.infer.hints.mixtures import under_one_key
from hostsync.infer.hints.scripted import is_scripted
from hostsync.infer.indexing.crossing import note_bounds, note_crossing, note_read_index, note_upload
from hostsync.infer.indexing.masks import as_mask, has_tensors, holds_mask, is_mask_by_form, is_sure_mask
from hostsync.infer.indexing.parts import Part, are_on_the_host, holds_positions, is_of_tensors, parts_of
from hostsync.infer.joining import element_of, join
from hostsync.infer.nodes import dotted_path, indexed_whole
from hostsync.infer.special_methods import special
from hostsync.infer.targets import ASSIGNERS, assign
from hostsync.infer.values import (
    UNKNOWN,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    host_doubt,
)
from hostsync.infer.versions import overlaps

SCALAR_STORE_RELEASES: Final = "<2.15"


def store(frame: Frame, target: facts.Subscript, value: Value) -> None:
    """`base[index] = value`."""
    base = evaluate(frame, target.value)
    if isinstance(base, Method):
        base = UNKNOWN
    if isinstance(target.key, facts.Slice):
        note_bounds(frame, target.key, target, base)
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
            note_read_index(frame, target, index)
        element = value if base.items == () else join(element_of(base), value)
        _rebind(frame, target.value, Items(base.kind, None, element))
    elif isinstance(base, Unknown) and base.apart_from is not None:
        return
    elif isinstance(base, Unknown) and (
        holds_mask(index) or ((is_of_tensors(index) or holds_positions(index)) and has_tensors(frame))
    ):
        _store_tensor(frame, target, Tensor(ANYWHERE if base.param is None else of_param(base.param)), value)
    elif (
        isinstance(base, Unknown)
        and is_mask_by_form(frame, target.key, index)
        and isinstance(value, Tensor)
        and not only_host(value.device)
    ):
        frame.emit("shape", "subscript", "mask-store", target, subject=target.key)
    elif (
        isinstance(base, Unknown)
        and is_sure_mask(index := as_mask(frame, target.key, index))
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
    parts = parts_of(frame, target.key)
    note_crossing(frame, target, base, parts)
    masks = [p for p in parts if p.kind == "mask"]
    tensors = [p for p in parts if p.kind in {"tensor", "scalar", "list", "array"}]
    device = merged([base, *(p.value._replace(ndim=None) for p in masks if isinstance(p.value, Tensor))])
    counted_here = are_on_the_host(masks)
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
            note_upload(frame, "cpu-index", target, base, masks[0])
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
        if leaves_one and base.ndim is None and dimensions.has_more(frame, target.value, len(ints)):
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
    is_collected = isinstance(indexed_whole(target.value), facts.Name) and not isinstance(
        frame.assigning, facts.Subscript
    )
    return is_certain(value.device) or is_collected or frame.symbol.endswith(".forward")


ASSIGNERS[facts.Subscript] = store
