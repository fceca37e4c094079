"""Where a truth decides what is evaluated next: tests, `and`, `or`, conditional expressions."""

from __future__ import annotations

from collections.abc import Callable as Callable_
from functools import partial
from typing import Final

from hostsync import facts
from hostsync.infer.devices import of_param, only_host
from hostsync.infer.elsewhere import asks_for_accelerator, holds_elsewhere
from hostsync.infer.frame import EVALUATORS, Frame, evaluate
from hostsync.infer.hints.defaults import may_be_left_out
from hostsync.infer.joining import join
from hostsync.infer.left_out import given_or
from hostsync.infer.narrowing import narrow, not_none
from hostsync.infer.nodes import assigned_to, is_none, last_name
from hostsync.infer.values import NUMBER, UNKNOWN, DeviceValue, Number, Tensor, Value


def _logical(frame: Frame, node: facts.Logical) -> Value:
    state = None
    result: Value | None = None
    rare = frame.rare
    for index, part in enumerate(node.values):
        if index + 1 < len(node.values):
            value = test(frame, part, node.op)
            if state is None:
                state = frame.save()
            narrow(frame, part, node.op == "and")
            frame.rare += node.op == "and" and _is_half(part)
        else:
            value = evaluate(frame, part)
        is_default = node.op == "or" and result is not None and _is_default_device(result, value)
        if result is None or _is_answer(result, value):
            result = value
        elif not is_default:
            chosen = given_or(result, value) if node.op == "or" else None
            result = chosen or join(result, value)
    frame.rare = rare
    if state is not None:
        frame.restore(state)
    return result if result is not None else UNKNOWN


def _is_half(node: facts.Expr) -> bool:
    """Whether a condition holds for 16-bit floats alone: `x.dtype == torch.float16`, a guard against their overflow."""
    if not isinstance(node, facts.Compare) or node.ops != ("==",) or not isinstance(node.left, facts.Attr):
        return False
    return node.left.name == "dtype" and last_name(node.rights[0]) in {"float16", "half"}


def _is_answer(asked: Value, value: Value) -> bool:
    """Whether `count == 0 or mask.all()` is a tensor: most often the last operand is the one that decides."""
    return isinstance(asked, Number) and asked.const is None and isinstance(value, Tensor) and value.dtype == "bool"


def _is_default_device(given: Value, value: Value) -> bool:
    """Whether `device or torch.device("cpu")` is what the parameter `device` is, for which None stands for the CPU."""
    if not isinstance(given, DeviceValue) or not isinstance(value, DeviceValue) or not only_host(value.device):
        return False
    return len(given.device) == 1 and all(atom.startswith("=") for atom in given.device)


def test(frame: Frame, node: facts.Expr, op: str) -> Value:
    """Evaluate an expression whose truth decides what runs next; a tensor there makes the host wait."""
    if isinstance(node, facts.Logical):
        state = None
        value: Value = UNKNOWN
        rare = frame.rare
        for index, part in enumerate(node.values):
            last = index + 1 == len(node.values)
            value = test(frame, part, op)
            if not last:
                if state is None:
                    state = frame.save()
                narrow(frame, part, node.op == "and")
                frame.rare += node.op == "and" and _is_half(part)
        frame.rare = rare
        if state is not None:
            frame.restore(state)
        return value
    if isinstance(node, facts.Unary) and node.op == "not":
        test(frame, node.operand, op)
        return NUMBER
    if isinstance(node, facts.Conditional):
        # Each side is asked by itself: `x != x if isinstance(x, float) else x.isnan().any()`.
        return _conditional(frame, node, partial(test, op=op))
    value = evaluate(frame, node)
    if isinstance(value, Tensor) and not only_host(value.device):
        frame.ask(node, op, value._replace(sure=False) if _is_asked_for(frame, node, value) else value)
    return value


def _is_asked_for(frame: Frame, node: facts.Expr, value: Tensor) -> bool:
    """`if noise:` of what may be None as well: a tensor of several elements raises, when it is asked."""
    function = frame.function
    if not isinstance(node, facts.Name) or value.dtype == "bool" or value.ndim == 0 or function is None:
        return False
    if not_none(node.id) in frame.paths:
        return False
    return may_be_left_out(function, node.id) or any(map(is_none, assigned_to(function.body, node.id)))


def _conditional(
    frame: Frame, node: facts.Conditional, side: Callable_[[Frame, facts.Expr], Value] = evaluate
) -> Value:
    test(frame, node.test, "ternary")
    state = frame.save()
    elsewhere = holds_elsewhere(frame, node.test)
    if elsewhere is not None:
        narrow(frame, node.test, not elsewhere)
        value = side(frame, node.orelse if elsewhere else node.body)
        frame.restore(state)
        return value
    narrow(frame, node.test, True)
    body = side(frame, node.body)
    frame.restore(state)
    if asks_for_accelerator(frame, node.test):
        return body
    narrow(frame, node.test, False)
    orelse = side(frame, node.orelse)
    frame.restore(state)
    name, is_given = _told_or_not(node.test)
    chosen = given_or(body, orelse) if is_given else given_or(orelse, body)
    if chosen is not None and of_param(name) <= chosen.device:
        return chosen
    if type(body) is DeviceValue and type(orelse) is DeviceValue and type(node.test) in _FLAGS:
        # `"cpu" if self.offload else x.device`: whoever asks for the CPU there has a GPU.
        return DeviceValue(body.device | orelse.device)
    return join(body, orelse)


_FLAGS: Final = frozenset({facts.Name, facts.Attr})


def _told_or_not(node: facts.Expr) -> tuple[str, bool]:
    """The name of which a condition asks whether it is there, and whether it is true if so; empty for another one."""
    if isinstance(node, facts.Name):
        return node.id, True
    if isinstance(node, facts.Compare) and isinstance(node.left, facts.Name) and is_none(node.rights[0]):
        return (node.left.id, node.ops == ("is not",)) if node.ops in {("is",), ("is not",)} else ("", True)
    return "", True


EVALUATORS[facts.Logical] = _logical
EVALUATORS[facts.Conditional] = _conditional
