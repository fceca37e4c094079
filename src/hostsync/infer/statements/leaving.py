"""Statements after which a function, or a turn of a loop, is over."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.frame import EXECUTORS, Frame, evaluate
from hostsync.infer.nodes import SELF, last_name
from hostsync.infer.values import Items, Mapping, Unknown, tensors_in


def _return(frame: Frame, node: facts.Return) -> bool:
    if node.value is not None:
        value = evaluate(frame, node.value)
        if not frame.skipped:
            of_parts = type(value) in _MAY_BE_OF_PARTS and not tensors_in(value) and _calls_itself(frame, node.value)
            (frame.of_nothing if of_parts else frame.returns).append(value)
    return False


_MAY_BE_OF_PARTS: Final = frozenset({Unknown, Items, Mapping})


def _calls_itself(frame: Frame, node: facts.Expr) -> bool:
    """`return type(x)(to_host(part) for part in x)` in `to_host`: it gives for each part what else it returns."""
    name = frame.symbol.rpartition(".")[2]
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if type(current) is facts.Call and last_name(current.func) == name:
            func = current.func
            if isinstance(func, facts.Name) or (isinstance(func, facts.Attr) and last_name(func.value) in SELF):
                return True
        if isinstance(current, tuple):
            stack.extend(current)
    return False


def _raise(frame: Frame, node: facts.Raise) -> bool:
    # What a failing program prints on its way out is not worth a finding.
    if node.value is not None:
        with frame.silently():
            evaluate(frame, node.value)
    return False


def _jump(frame: Frame, node: facts.Jump) -> bool:
    if node.kind == "pass":
        return True
    if frame.breaks:
        frame.breaks[-1].append(frame.save())
    return False


EXECUTORS[facts.Return] = _return
EXECUTORS[facts.Raise] = _raise
EXECUTORS[facts.Jump] = _jump
