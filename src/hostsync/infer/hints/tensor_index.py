"""Indices that nothing but a tensor or an array takes."""

from __future__ import annotations

from hostsync.facts import Attr, Binary, Call, Const, Expr, FString, Name, Sequence, Slice
from hostsync.infer.nodes import dotted_path


def is_tensor_index(index: Expr) -> bool:
    """Whether an index like `:, 0`, `None` or `...` is one that lists and tables don't take."""
    if isinstance(index, Sequence) and index.kind == "tuple":
        # `table.loc[:, "x"]` and `history[:, "loss"]`: a tensor has no names.
        if any((type(item) is Attr and item.name == "newaxis") or _is_text(item) for item in index.items):
            return False
        return any(isinstance(item, Slice) or _counts_up(item) or is_tensor_index(item) for item in index.items)
    return isinstance(index, Const) and index.kind in {"none", "ellipsis"}


def _counts_up(node: Expr) -> bool:
    """`torch.arange(len(y))`, one index of several: what picks an element of each row."""
    return type(node) is Call and dotted_path(node.func) == "torch.arange"


def _is_text(node: Expr) -> bool:
    """Whether an expression is a text as it stands, or is called a name: `history[:, self.score_name]`."""
    kind = type(node)
    if kind is Name or kind is Attr:
        return (dotted_path(node) or "").rpartition(".")[2].strip("_").endswith("name")
    if type(node) is Binary:
        return _is_text(node.left) or _is_text(node.right)
    if type(node) is Call:
        return type(node.func) is Attr and node.func.name == "format" and _is_text(node.func.value)
    return kind is FString or (type(node) is Const and node.kind == "str")
