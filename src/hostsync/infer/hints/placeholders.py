"""Tensors that hold nothing, in the place of one that comes later: where they live says nothing of where that does."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.devices import CPU
from hostsync.infer.nodes import last_name
from hostsync.infer.values import UNKNOWN, Tensor, Value

_OF_SIZES: Final = frozenset({"empty", "zeros"})
_OF_DATA: Final = frozenset({"tensor", "as_tensor", "Tensor"})


def without_placeholders(args: list[tuple[facts.Expr, Value]]) -> list[tuple[facts.Expr, Value]]:
    """The arguments of a call as far as they tell something; the same list if all do."""
    for _, value in args:
        if isinstance(value, Tensor) and value.device == CPU:
            break
    else:
        return args
    return [(node, UNKNOWN if isinstance(value, Tensor) and is_placeholder(node) else value) for node, value in args]


def is_placeholder(node: facts.Expr) -> bool:
    """Whether an expression is `torch.tensor([])`, `torch.empty(0)` and the like, also with another dtype."""
    if not isinstance(node, facts.Call):
        return False
    name = last_name(node.func)
    if name not in _OF_SIZES | _OF_DATA:
        return isinstance(node.func, facts.Attr) and is_placeholder(node.func.value)
    if not node.args:
        return name == "Tensor"
    first = node.args[0]
    if name in _OF_SIZES:
        return len(node.args) == 1 and isinstance(first, facts.Const) and first.kind == "int" and not first.value
    return isinstance(first, facts.Sequence) and not first.items
