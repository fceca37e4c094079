"""Which indices are masks: by what they are, by how they are written, and by what they are called."""

from __future__ import annotations

from typing import Final, TypeGuard

from hostsync import facts
from hostsync.infer.devices import only_host
from hostsync.infer.frame import Frame
from hostsync.infer.hints.mask_names import is_called_a_mask, is_named_mask
from hostsync.infer.nodes import COMBINING, IDENTITIES, decides, dotted_path, text_key
from hostsync.infer.values import Items, Method, Tensor, Unknown, Value


def is_comparison(node: facts.Expr) -> bool:
    """A comparison, or several combined: as the index of a tensor it is a mask, whatever it compares."""
    if isinstance(node, facts.Unary):
        return node.op == "~" and is_comparison(node.operand)
    if isinstance(node, facts.Binary):
        return node.op in COMBINING and (is_comparison(node.left) or is_comparison(node.right))
    return isinstance(node, facts.Compare) and not set(node.ops) & IDENTITIES


def is_mask_by_use(frame: Frame, node: facts.Expr) -> bool:
    """Whether an index is a mask by the way it is used elsewhere, by its name, or because it is negated."""
    if isinstance(node, facts.Unary):
        return node.op == "~"
    if isinstance(node, facts.Binary):
        sides = (is_mask_by_use(frame, node.left), is_mask_by_use(frame, node.right))
        return any(sides) if node.op in COMBINING else node.op == "*" and all(sides)
    while type(node) is facts.Call and type(node.func) is facts.Attr and node.func.name in _SHAPING:
        node = node.func.value
    path = dotted_path(node)
    if path is not None and path in frame.usage.masks:
        return True
    called = called_name(node)
    if is_named_mask(called) or not is_called_a_mask(called):
        return is_named_mask(called)
    # A flag that is compared to decide what is done next is a position.
    return type(node) is not facts.Name or frame.function is None or not decides(frame.function.body, node.id)


def called_name(node: facts.Expr) -> str:
    """What something goes by: a dotted name, that of a function that gives it, or the key of `batch["mask"]`."""
    return text_key(node) or dotted_path(node.func if isinstance(node, facts.Call) else node) or ""


_SHAPING: Final = frozenset(
    "expand expand_as view view_as reshape flatten squeeze unsqueeze transpose permute t to cuda clone detach "
    "contiguous".split()
)
"""Methods that leave truth values what they are."""


def as_mask(frame: Frame, node: facts.Expr, index: Value) -> Value:
    """The value of an index, as one of truth values where its use or its name says so and nothing else is known."""
    if isinstance(index, Tensor) and not index.dtype and index.ndim != 0 and is_mask_by_use(frame, node):
        return index._replace(dtype="bool")
    return index


def is_mask_by_form(frame: Frame, node: facts.Expr, index: Value) -> bool:
    """Whether an index of which nothing is known is a mask, of a tensor: it is a comparison, or is called one.

    Tables are indexed so, too.
    """
    is_mask = isinstance(index, (Unknown, Method)) and (is_comparison(node) or _is_of_named_masks(node))
    return is_mask and not frame.context.has_tables() and has_tensors(frame)


def _is_of_named_masks(node: facts.Expr) -> bool:
    """`mask`, `~mask`, `mask & ~other_mask`, `mask * other_mask`."""
    if isinstance(node, facts.Unary):
        return node.op == "~" and _is_of_named_masks(node.operand)
    if isinstance(node, facts.Binary) and node.op in COMBINING | {"*"}:
        return _is_of_named_masks(node.left) and _is_of_named_masks(node.right)
    return is_named_mask(called_name(node))


def has_tensors(frame: Frame) -> bool:
    """Whether what is indexed as only tensors and arrays are is a tensor here."""
    return frame.context.uses_torch and not frame.knows_arrays()


def holds_mask(index: Value) -> bool:
    """`x[mask, 0]`: a mask among other indices, which nothing but a tensor takes."""
    return isinstance(index, Items) and index.kind == "tuple" and any(map(is_sure_mask, index.items or ()))


def is_sure_mask(index: Value) -> TypeGuard[Tensor]:
    """Whether an index is a tensor of truth values that may be on the device."""
    return isinstance(index, Tensor) and index.sure and index.dtype == "bool" and not only_host(index.device)
