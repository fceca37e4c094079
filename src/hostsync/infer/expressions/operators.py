"""Operators: what they give, and which of them read tensors back."""

from __future__ import annotations

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.calls.placing import merged
from hostsync.infer.devices import ANYWHERE, is_certain, of_param
from hostsync.infer.expressions.truth import test
from hostsync.infer.frame import EVALUATORS, Frame, evaluate, evaluate_silently
from hostsync.infer.nodes import COMBINING, subtracted_slices
from hostsync.infer.special_methods import negated, operated, special
from hostsync.infer.values import (
    NUMBER,
    ON_HOST,
    TEXT,
    UNKNOWN,
    Array,
    Instance,
    Items,
    Method,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)


def _binary(frame: Frame, node: facts.Binary) -> Value:
    # A chain such as a + b + c + … nests to the left; it is followed without recursion.
    spine = [node]
    while isinstance(spine[-1].left, facts.Binary):
        spine.append(spine[-1].left)
    left = evaluate(frame, spine[-1].left)
    for step in reversed(spine):
        left = _one_binary(frame, step, left)
    return left


def _is_longer_list(node: facts.Binary, left: Value, right: Value) -> bool:
    """`encoded + [end]`: what is added to a list is one. An array is added to numbers as they stand, if to any."""
    return any(
        isinstance(other, Unknown)
        and isinstance(side, facts.Sequence)
        and side.kind == "list"
        and not all(isinstance(item, facts.Const) for item in side.items)
        for side, other in ((node.left, right), (node.right, left))
    )


def _one_binary(frame: Frame, node: facts.Binary, left: Value) -> Value:
    right = evaluate(frame, node.right)
    if node.op == "%" and (isinstance(left, Text) or (isinstance(node.left, facts.Const) and node.left.kind == "str")):
        starred = node.right.items if isinstance(node.right, facts.Sequence) else ()
        parts = [evaluate_silently(frame, part.value) for part in starred if isinstance(part, facts.Starred)]
        for tensor in [*tensors_in(right, 1), *[part for part in parts if isinstance(part, Tensor)]]:
            if tensor.sure:
                frame.emit(
                    "read-back",
                    "operator.mod",
                    "",
                    node,
                    subject=node.right,
                    device=tensor.device,
                    origin=tensor.origin,
                )
                break
        return Text(None, (left.const or left.start).partition("%")[0]) if isinstance(left, Text) else TEXT
    if node.op == "*":
        for items, times, times_node in ((left, right, node.right), (right, left, node.left)):
            if (
                isinstance(items, Items)
                and isinstance(times, Tensor)
                and times.sure
                and items.kind in {"list", "tuple"}
                and not times.ndim
            ):
                if _has_fractions(items):
                    # Weights: a list is repeated by a number, and multiplied by an array.
                    return Array()
                frame.emit(
                    "read-back",
                    "operator.index",
                    "repeat",
                    node,
                    subject=times_node,
                    device=times.device,
                    origin=times.origin,
                )
                return items
        if isinstance(left, Items) and isinstance(right, (Unknown, Method)) and not frame.knows_arrays():
            # Times an array it would be one; times anything else it is repeated.
            right = NUMBER
        elif isinstance(right, Items) and right.kind == "list" and isinstance(left, (Unknown, Method)):
            left = left if frame.knows_arrays() else NUMBER
    if node.op == "*" and (isinstance(left, Text) or isinstance(right, Text)):
        _repeated_text(frame, node, (node.left, left), (node.right, right))
        return TEXT
    is_known = isinstance(right, Text) and right.const is not None
    if node.op == "+" and isinstance(left, Text) and left.const is not None and not is_known:
        return Text(None, left.const)
    if node.op == "+" and isinstance(left, Text) and isinstance(right, Text) and left.const is None:
        return TEXT
    if node.op == "+" and _is_longer_list(node, left, right):
        return Items("list", None, UNKNOWN)
    value = operated(frame, node, node.op, (node.left, left), (node.right, right))
    if value is not None:
        return value
    value = operator_result(node.op, left, right)
    is_open = isinstance(right, Method) or (isinstance(right, Unknown) and right.param is None)
    if node.op == "%" and isinstance(left, Number) and is_open:
        # `(pointer + count) % self.size`: nothing but a number of places is counted round.
        return NUMBER
    if isinstance(value, Unknown) and subtracted_slices(node) and not frame.knows_arrays():
        # `ends[1:] - ends[:-1]`: no list can be taken from another.
        params = {side.param for side in (left, right) if isinstance(side, Unknown)}
        param = params.pop() if len(params) == 1 else None
        return Tensor(ANYWHERE if param is None else of_param(param))
    if node.op in COMBINING and isinstance(left, Tensor) and isinstance(right, Tensor) and isinstance(value, Tensor):
        # Bits of integers are hardly ever combined, and then with a number.
        return value._replace(dtype=value.dtype or "bool")
    return value


def _repeated_text(frame: Frame, node: facts.Binary, *sides: tuple[facts.Expr, Value]) -> None:
    """`"x" * t`: a text as written is repeated by a number.

    That is how prompts are prepared, and most of it is done on the CPU, so that it counts only where a GPU is certain.
    """
    for (text, _), (times, value) in (sides, sides[::-1]):
        if isinstance(text, facts.Const) and isinstance(value, Tensor) and value.sure and not value.ndim:
            frame.emit(
                "read-back",
                "operator.index",
                "repeat",
                node,
                subject=times,
                device=value.device,
                origin=value.origin,
                confidence=None if is_certain(value.device) else "possible",
            )


def _has_fractions(items: Items) -> bool:
    parts = items.items or ()
    return len(parts) > 1 and any(isinstance(part, Number) and isinstance(part.const, float) for part in parts)


def _unary(frame: Frame, node: facts.Unary) -> Value:
    if node.op == "not":
        test(frame, node.operand, "not")
        return NUMBER
    value = evaluate(frame, node.operand)
    if isinstance(value, Tensor):
        return value._replace(param=None)
    if isinstance(value, Number) and node.op == "-" and value.const is not None:
        return new(Number, (-value.const,))
    if isinstance(value, Instance):
        return value if value == ON_HOST else negated(frame, node, value) or UNKNOWN
    if isinstance(value, Unknown) and value.param is not None:
        return Unknown(value.param, True, dtype=value.dtype)
    return value if isinstance(value, (Array, Number)) else UNKNOWN


def _compare(frame: Frame, node: facts.Compare) -> Value:
    left, left_node = evaluate(frame, node.left), node.left
    result: Value = NUMBER
    chained = len(node.ops) > 1
    for index, (op, right_node) in enumerate(zip(node.ops, node.rights, strict=True)):
        right = evaluate(frame, right_node)
        if op in {"is", "is not"}:
            result = NUMBER
        elif op in {"in", "not in"}:
            _contains(frame, node, left, right, right_node)
            result = NUMBER
        else:
            own = operated(frame, node, op, (left_node, left), (right_node, right))
            result = operator_result(op, left, right) if own is None else own
            if chained and index + 1 < len(node.ops) and isinstance(result, Tensor) and result.sure:
                frame.emit(
                    "control-flow",
                    "compare-chain",
                    "",
                    node,
                    subject=right_node,
                    device=result.device,
                    origin=result.origin,
                )
        left, left_node = right, right_node
    return result


def _contains(frame: Frame, node: facts.Compare, left: Value, right: Value, right_node: facts.Expr) -> None:
    special(frame, node, right, "__contains__", (node.left, left))
    if isinstance(right, Tensor) and right.sure and not isinstance(left, Text):
        frame.emit(
            "read-back", "operator.contains", "", node, subject=right_node, device=right.device, origin=right.origin
        )
    elif isinstance(right, Unknown) and right.param is not None and isinstance(left, Tensor) and left.sure:
        # In a set or among the keys of a dictionary nobody looks for a tensor: it is found by what it is, not holds.
        frame.emit(
            "read-back", "operator.contains", "", node, subject=node.left, device=left.device, origin=left.origin
        )
    elif isinstance(right, Items) and right.kind in {"list", "tuple"}:
        if right.items and all(isinstance(item, (Text, Nothing)) for item in right.items):
            return
        tensors = [v for v in (left, *(right.items or (right.element,))) if isinstance(v, Tensor) and v.sure]
        if tensors and (isinstance(left, (Tensor, Number))):
            frame.emit(
                "read-back",
                "operator.contains",
                "",
                node,
                subject=node.left,
                device=merged(tensors),
                origin=tensors[0].origin,
            )


EVALUATORS[facts.Binary] = _binary
EVALUATORS[facts.Unary] = _unary
EVALUATORS[facts.Compare] = _compare
