"""Operators on objects of the project's classes: what `a + b`, `-a`, `a[i]` and `abs(a)` call."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import BUILTINS, ArgumentList, KeywordList
from hostsync.infer.calls.own_calls import own_function
from hostsync.infer.classes import class_attribute
from hostsync.infer.frame import Frame
from hostsync.infer.nodes import ARITHMETIC
from hostsync.infer.values import NUMBER, UNKNOWN, Callable, Instance, Tensor, Value

_COMPARISONS: Final = {
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"),
}
_UNARY: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
"""https://docs.python.org/3/reference/datamodel.html#special-method-names"""


def special(
    frame: Frame, node: facts.Expr, receiver: Value, name: str, *args: tuple[facts.Expr, Value]
) -> Value | None:
    """What a special method gives; None where the receiver is no object of a known class that has it."""
    if not isinstance(receiver, Instance) or not receiver.local:
        return None
    method = class_attribute(frame.context, receiver.name, name, receiver)
    if not isinstance(method, Callable) or not isinstance(method.node, facts.Function):
        return None
    return own_function(frame, node, method, list(args), [])


def operated(
    frame: Frame, node: facts.Expr, op: str, left: tuple[facts.Expr, Value], right: tuple[facts.Expr, Value]
) -> Value | None:
    """What `left op right` gives if one of both is an object of the project; None otherwise."""
    if not isinstance(left[1], Instance) and not isinstance(right[1], Instance):
        return None
    if op in _COMPARISONS:
        name, reflected = _COMPARISONS[op]
    elif op in ARITHMETIC:
        name, reflected = f"__{ARITHMETIC[op]}__", f"__r{ARITHMETIC[op]}__"
    else:
        return None
    value = special(frame, node, left[1], name, right)
    if value is None and op == "!=":
        value = _not_equal(frame, node, left[1], right)
    return special(frame, node, right[1], reflected, left) if value is None else value


def _not_equal(frame: Frame, node: facts.Expr, left: Value, right: tuple[facts.Expr, Value]) -> Value | None:
    """Python's own `!=` asks what `==` gives for its truth, and turns that around (`object.__ne__`)."""
    value = special(frame, node, left, "__eq__", right)
    if isinstance(value, Tensor):
        frame.ask(node, "not", value)
    return None if value is None else NUMBER


def negated(frame: Frame, node: facts.Unary, value: Value) -> Value | None:
    """What `-value`, `+value` or `~value` gives if that is an object of the project; None otherwise."""
    return special(frame, node, value, _UNARY[node.op]) if node.op in _UNARY else None


def _absolute(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if not args:
        return UNKNOWN
    own = special(frame, node, args[0][1], "__abs__")
    return args[0][1] if own is None else own


BUILTINS["abs"] = _absolute
