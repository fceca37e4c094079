"""What code itself says of how many dimensions a tensor has: `rows, columns = x.shape`, `if x.ndim != 3: raise`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.devices import MOVES
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.nodes import calls_in, dotted_path, is_none, last_name, nodes_in
from hostsync.infer.values import Ref, Tensor

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


def has_more(frame: Frame, node: facts.Expr, count: int) -> bool:
    """Whether the function makes a tensor of that name with more dimensions than so many, or uses it so."""
    return made_with_more(frame, node, count) or _used_with_more(frame, node, count)


def _used_with_more(frame: Frame, node: facts.Expr, count: int) -> bool:
    """`x[:, 0]`, `x.shape[1]`, `x.sum(dim=1)`, `x = y.softmax(dim=1)`: of a name that stands for one tensor only."""
    path = dotted_path(node)
    if path is None:
        return False
    function = frame.function
    nodes = list(nodes_in(frame.context.module.body if function is None else function.body, _DEFINITIONS))
    made = [
        found.value
        for found in nodes
        if isinstance(found, facts.Assign)
        and any(dotted_path(target) == path for target in found.targets)
        and not _keeps(frame, found.value, path)
    ]
    is_param = function is not None and any(param.name == path for param in function.params)
    if len(made) + is_param > 1 or (not made and not is_param and isinstance(node, facts.Name)):
        return False
    if made and made[0] is not None and _least(frame, made[0]) > count:
        return True
    return any(_least_by_use(frame, found, path) > count for found in nodes)


_DEFINITIONS: Final = frozenset({facts.Function, facts.Class})
"""Where a name may stand for something else."""


def _keeps(frame: Frame, node: facts.Expr | None, path: str) -> bool:
    """`x = x.float()`: as many dimensions as before."""
    if (
        not isinstance(node, facts.Call)
        or not isinstance(node.func, facts.Attr)
        or dotted_path(node.func.value) != path
    ):
        return False
    op = frame.context.ops.get(f"Tensor.{node.func.name}")
    return node.func.name in MOVES or (op is not None and op.returns == "tensor" and op.ndim == "same")


def _least_by_use(frame: Frame, node: object, path: str) -> int:
    """How many dimensions what a path stands for has at least, as it is used in an expression."""
    if isinstance(node, facts.Subscript):
        if dotted_path(node.value) == path and isinstance(node.key, facts.Sequence) and node.key.kind == "tuple":
            return sum(not _adds_none(item) for item in node.key.items)
        is_shape = isinstance(node.value, facts.Attr) and node.value.name == "shape"
        if is_shape and isinstance(node.value, facts.Attr) and dotted_path(node.value.value) == path:
            return _up_to(node.key)
    if not isinstance(node, facts.Call):
        return 0
    if isinstance(node.func, facts.Attr) and dotted_path(node.func.value) == path:
        return _along(frame, node, f"Tensor.{node.func.name}", 0)
    if node.args and dotted_path(node.args[0]) == path:
        return _along(frame, node, "", 1)
    return 0


def _least(frame: Frame, node: facts.Expr) -> int:
    """How many dimensions what an operation of torch gives has at least, by the one that it works along."""
    if not isinstance(node, facts.Call):
        return 0
    op = _function(frame, node)
    name = "" if op is not None or not isinstance(node.func, facts.Attr) else f"Tensor.{node.func.name}"
    op = op or frame.context.ops.get(name)
    if op is None or op.returns != "tensor" or op.ndim != "same":
        return 0
    return _along(frame, node, name, int(not name))


def _along(frame: Frame, node: facts.Call, name: str, at: int) -> int:
    """How many dimensions what an operation works on has at least, by the one that it is told.

    Args:
        name: of the method, empty for a function.
        at: how many arguments come before those of the method of the same name.
    """
    op = frame.context.ops.get(name) if name else _function(frame, node)
    if op is None or op.ndim == "more":
        # Of what has a new dimension, that may be the one.
        return 0
    names = [param.name for param in op.params if param.kind == "normal"]
    given = [*zip(names[at:], node.args[at:], strict=False), *((k.name or "", k.value) for k in node.keywords)]
    return max((_up_to(value) for name, value in given if name in _DIMENSIONS), default=0)


def _function(frame: Frame, node: facts.Call) -> Op | None:
    """The function of torch that is called, if it is one."""
    called = evaluate_silently(frame, node.func) if dotted_path(node.func) is not None else None
    return frame.context.ops.get(called.name) if isinstance(called, Ref) else None


_DIMENSIONS: Final = frozenset({"dim", "dims", "axis", "dim0", "dim1", "start_dim"})
"""Parameters that say which dimensions an operation works along."""


def _up_to(node: facts.Expr) -> int:
    """How many dimensions there are at least where a number, or one of several, stands for one: `1`, `-2`, `(0, 1)`."""
    if isinstance(node, facts.Sequence):
        return max((_up_to(item) for item in node.items), default=0)
    if isinstance(node, facts.Unary) and node.op == "-" and isinstance(node.operand, facts.Const):
        return node.operand.value if type(node.operand.value) is int else 0
    if not isinstance(node, facts.Const) or type(node.value) is not int:
        return 0
    return node.value + 1 if node.value >= 0 else -node.value


def _adds_none(node: facts.Expr) -> bool:
    """`None`, `...` and `None` by its name in torch stand for no dimension of an index."""
    return is_none(node) or (isinstance(node, facts.Const) and node.kind == "ellipsis") or last_name(node) == "newaxis"


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
                if stars and len(call.args) - stars >= count and _makes_of_sizes(frame, last_name(call.func)):
                    return True
    return False


def _makes_of_sizes(frame: Frame, name: str) -> bool:
    """Whether something makes a tensor of the sizes that it is given one by one, by the last part of its name."""
    op = frame.context.ops.get(f"torch.{name}") or frame.context.ops.get(f"Tensor.{name}")
    return op is not None and op.makes_of_sizes


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
