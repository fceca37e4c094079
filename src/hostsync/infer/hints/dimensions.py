"""What code itself says of how many dimensions a tensor has: `rows, columns = x.shape`, `if x.ndim != 3: raise`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.nodes import calls_in, dotted_path, last_name, nodes_in
from hostsync.infer.values import Tensor

_COUNTS: Final = frozenset({"dim", "ndimension"})
"""Methods that give the number of dimensions, as `ndim` does."""


def unpacked(frame: Frame, targets: Sequence[facts.Expr], value: facts.Expr | None) -> None:
    """Takes up that the shape of a tensor was assigned to so many names."""
    target = targets[0]
    if len(targets) != 1 or value is None or not isinstance(target, facts.Sequence):
        return
    tensor = _of_shape(value)
    if tensor is not None and not any(isinstance(item, facts.Starred) for item in target.items):
        _note(frame, tensor, len(target.items))


def compared(frame: Frame, test: facts.Compare, truth: bool) -> None:
    """Takes up how a comparison of the number of dimensions with a literal came out."""
    op, right = test.ops[0], test.rights[0]
    if (op == "==") == truth and op in {"==", "!="} and isinstance(right, facts.Const) and type(right.value) is int:
        tensor = _of_count(test.left)
        if tensor is not None:
            _note(frame, tensor, right.value)


def made_with_more(frame: Frame, node: facts.Expr, count: int) -> bool:
    """Whether the function makes a tensor of that name with at least so many sizes and others behind a star, which
    stands for one at least: `torch.zeros(3, 3, *batch)`."""
    if frame.function is None or not isinstance(node, facts.Name):
        return False
    for found in nodes_in(frame.function.body, frozenset()):
        if not isinstance(found, facts.Assign) or found.value is None or len(found.targets) != 1:
            continue
        target = found.targets[0]
        if isinstance(target, facts.Name) and target.id == node.id:
            for call in calls_in((facts.ExprStmt(found.span, found.value),)):
                stars = sum(isinstance(arg, facts.Starred) for arg in call.args)
                if stars and len(call.args) - stars >= count and last_name(call.func) in _MAKES:
                    return True
    return False


_MAKES: Final = frozenset({"empty", "ones", "rand", "randn", "zeros", "new_empty", "new_ones", "new_zeros"})
"""What makes a tensor of the sizes that it is given one by one."""


def _of_shape(node: facts.Expr) -> facts.Expr | None:
    """The tensor of `x.shape` and of `x.size()`."""
    if isinstance(node, facts.Call):
        is_it = isinstance(node.func, facts.Attr) and node.func.name == "size" and not node.args and not node.keywords
        return node.func.value if is_it and isinstance(node.func, facts.Attr) else None
    return node.value if isinstance(node, facts.Attr) and node.name == "shape" else None


def _of_count(node: facts.Expr) -> facts.Expr | None:
    """The tensor of `x.ndim`, of `x.dim()` and of `len(x.shape)`."""
    if isinstance(node, facts.Attr):
        return node.value if node.name == "ndim" else None
    if not isinstance(node, facts.Call) or node.keywords:
        return None
    if isinstance(node.func, facts.Attr):
        return node.func.value if node.func.name in _COUNTS and not node.args else None
    is_len = isinstance(node.func, facts.Name) and node.func.id == "len" and len(node.args) == 1
    return _of_shape(node.args[0]) if is_len else None


def _note(frame: Frame, node: facts.Expr, count: int) -> None:
    path = dotted_path(node)
    if path is None:
        return
    value = evaluate_silently(frame, node)
    if not isinstance(value, Tensor) or value.ndim is not None:
        return
    if isinstance(node, facts.Name):
        frame.env[node.id] = value._replace(ndim=count)
    else:
        frame.paths[path] = value._replace(ndim=count)
