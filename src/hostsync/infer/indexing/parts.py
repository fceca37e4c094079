"""The components of an index, and what of a tensor they leave."""

from __future__ import annotations

from typing import Final, NamedTuple

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.devices import ANYWHERE, CPU, only_host
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.indexing.masks import as_mask, is_comparison, is_mask_by_use
from hostsync.infer.joining import element_of
from hostsync.infer.nodes import last_name
from hostsync.infer.values import (
    LISTED,
    UNKNOWN,
    Array,
    Items,
    Method,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    is_slice,
    ndim_of_part,
)


class Part(NamedTuple):
    """One component of an index."""

    node: facts.Expr
    kind: str
    """int (a Python number), slice, none, ellipsis, mask, scalar (a 0-d tensor), tensor, list, array, unknown."""
    value: Value


def parts_of(frame: Frame, index: facts.Expr) -> list[Part]:
    """The components of an index, each evaluated."""
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
        if isinstance(value, (Unknown, Method)) and (is_comparison(node) or is_mask_by_use(frame, node)):
            value = Tensor(ANYWHERE, "bool")
        value = as_mask(frame, node, value)
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
        return "list" if value.kind in LISTED and not isinstance(inner, Text) else "unknown"
    if isinstance(node, facts.Const):
        return node.kind if node.kind in {"none", "ellipsis"} else "unknown"
    return "unknown"


def is_of_tensors(index: Value) -> bool:
    """A list or range of numbers, or tensors of positions on the CPU: an index of tensors and arrays only."""
    if isinstance(index, Items) and index.kind == "tuple" and index.items:
        # A list can be no part of a key, and a range hardly is.
        return any(isinstance(item, Items) and item.kind in LISTED for item in index.items) or all(
            isinstance(item, Tensor) and is_of_tensors(item) for item in index.items
        )
    if isinstance(index, Items):
        return index.kind in LISTED and isinstance(element_of(index), Number)
    return isinstance(index, Tensor) and index.sure and index.device == CPU and index.dtype == "int" and index.ndim != 0


def holds_positions(index: Value) -> bool:
    """A tensor of positions, or a tuple with one: what is indexed with it is a tensor, or a list that reads it back."""
    parts = index.items or () if isinstance(index, Items) and index.kind == "tuple" else (index,)
    return any(isinstance(p, Tensor) and p.sure and p.dtype == "int" and not only_host(p.device) for p in parts)


_COPIED: Final = frozenset({"mask", "tensor", "list", "array"})


def is_pinned_still(pinned: bool | None, parts: list[Part]) -> bool | None:
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


def is_of_tensors_alone(key: facts.Expr, parts: list[Part]) -> bool:
    """Whether nothing of Python takes such an index: `x[0, 1:]`, `x[x > 0]`."""
    if any(part.kind == "mask" and is_comparison(part.node) for part in parts):
        return True
    return isinstance(key, facts.Sequence) and any(part.kind in {"slice", "none", "ellipsis"} for part in parts)


def are_on_the_host(masks: list[Part]) -> bool:
    """Whether masks are counted on the CPU, and the positions sent off without a wait, as from torch 2.10 on.

    Source: IndexingUtils.h; our measurement, which is that a number stored through such a mask does wait.
    """
    held = [mask.value for mask in masks if isinstance(mask.value, Tensor)]
    return bool(held) and all(mask.device == CPU for mask in held)


def ndim_after(base: Tensor, parts: list[Part]) -> int | None:
    """How many dimensions an index leaves of a tensor, None if that can't be told."""
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
