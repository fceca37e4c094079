"""Loops: followed once for what a turn leaves behind, and once for their waits."""

from __future__ import annotations

from collections.abc import Callable as Function

from hostsync import facts
from hostsync.infer.explaining import explain
from hostsync.infer.expressions.truth import test
from hostsync.infer.frame import EXECUTORS, Frame, State, evaluate, execute
from hostsync.infer.hints.mixtures import note_loop
from hostsync.infer.hints.moved_batches import moved_from_host
from hostsync.infer.iterating import iterated_over
from hostsync.infer.narrowing import narrow
from hostsync.infer.targets import assign
from hostsync.infer.values import Nothing, Number, Tensor


def _loop(frame: Frame, enter: Function[[], None], body: tuple[facts.Stmt, ...]) -> None:
    """Follow a loop's body: once silently to learn what a turn leaves behind, then once for its waits."""
    before = frame.save()
    frame.breaks.append([])
    if frame.loud:
        with frame.silently():
            enter()
            if not execute(frame, body):
                frame.restore(before)
        for state in frame.breaks[-1]:
            frame.merge(state)
        frame.merge(_without_starts(frame, before))
        frame.breaks[-1].clear()
    frame.loops += 1
    enter()
    through = execute(frame, body)
    frame.loops -= 1
    broken = frame.breaks.pop()
    if not through:
        if broken:
            frame.restore(broken[0])
        else:
            frame.restore(before)
    for state in broken:
        frame.merge(state)
    frame.merge(_without_starts(frame, before))


def _without_starts(frame: Frame, before: State) -> State:
    """What was there before a loop, less the numbers and Nones that the loop has replaced by tensors.

    A loop that never turns leaves the 0 that a sum began with; one that turns is what the code is about.
    """
    env = {
        name: value
        for name, value in before[0].items()
        if not (isinstance(value, (Number, Nothing)) and isinstance(frame.env.get(name), Tensor))
    }
    return env, before[1]


def _for(frame: Frame, node: facts.For) -> bool:
    element = iterated_over(frame, node.iterable, evaluate(frame, node.iterable))
    if isinstance(element, Tensor) and element.origin is not None:
        element = explain(element, node.iterable)
    element = moved_from_host(element, node.target, node.body)
    note_loop(frame, node.iterable, node.target)
    if frame.sink is not None and frame.setup and isinstance(node.iterable, facts.Sequence):
        _unrolled(frame, node, node.iterable.items)
    _loop(frame, lambda: assign(frame, node.target, element), node.body)
    execute(frame, node.orelse)
    return True


def statements_around(frame: Frame) -> tuple[facts.Stmt, ...]:
    """The statements of the function that is followed, or of the module."""
    return frame.context.module.body if frame.function is None else frame.function.body


def _unrolled(frame: Frame, node: facts.For, items: tuple[facts.Expr, ...]) -> None:
    """Sets up what a loop over names does: `for name in ("mean", "std"): self.register_buffer(name, …)`."""
    if not all(isinstance(item, facts.Const) and item.kind == "str" for item in items):
        return
    with frame.silently():
        for item in items:
            assign(frame, node.target, evaluate(frame, item))
            execute(frame, node.body)


def _while(frame: Frame, node: facts.While) -> bool:
    _loop(frame, lambda: _enter_while(frame, node), node.body)
    execute(frame, node.orelse)
    return True


def _enter_while(frame: Frame, node: facts.While) -> None:
    frame.loops += 1
    test(frame, node.test, "while")
    frame.loops -= 1
    narrow(frame, node.test, True)


EXECUTORS[facts.For] = _for
EXECUTORS[facts.While] = _while
