"""Expressions with names of their own, or that are evaluated later: lambdas, comprehensions, `await`, `yield`."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.explaining import as_tensor
from hostsync.infer.expressions.truth import test
from hostsync.infer.frame import EVALUATORS, Frame, evaluate
from hostsync.infer.functions import usage
from hostsync.infer.hints.keys import note_moved
from hostsync.infer.hints.mixtures import note_loop, under_one_key
from hostsync.infer.iterating import iterated, iterated_over
from hostsync.infer.narrowing import narrow
from hostsync.infer.targets import assign
from hostsync.infer.values import UNKNOWN, Callable, Items, Mapping, Value


def _lambda(frame: Frame, node: facts.Lambda) -> Value:
    saved = frame.save()
    proven = usage(frame.context, node).tensors
    # What the function around it, or another of its lambdas, does with something of that name says nothing.
    frame.inner_scope += 1
    for param in node.params:
        place = proven.get(param.name)
        frame.bind(param.name, UNKNOWN if place is None else as_tensor(UNKNOWN, place))
    frame.inner_scope -= 1
    evaluate(frame, node.body)
    frame.restore(saved)
    symbol = frame.symbol + ".<lambda>"
    if frame.symbol != "<module>":
        frame.context.closures[f"{symbol}{node.span}"] = {**(frame.outer or {}), **frame.env}
    return Callable(node, symbol, None, None)


def _comprehension(frame: Frame, node: facts.Comprehension) -> Value:
    saved = frame.save()
    loops = frame.loops
    for generator in node.generators:
        value = iterated_over(frame, generator.iterable, evaluate(frame, generator.iterable))
        frame.loops = loops + 1
        frame.inner_scope += 1
        assign(frame, generator.target, value)
        frame.inner_scope -= 1
        note_loop(frame, generator.iterable, generator.target)
        for condition in generator.conditions:
            test(frame, condition, "comprehension-if")
            narrow(frame, condition, True)
    if node.key is not None:
        evaluate(frame, node.key)
    element = evaluate(frame, node.element)
    frame.loops = loops
    frame.restore(saved)
    if node.kind == "dict":
        note_moved(frame, node)
        return Mapping((), under_one_key(frame, element, node.element))
    return Items(node.kind, None, element)


def _walrus(frame: Frame, node: facts.Walrus) -> Value:
    value = evaluate(frame, node.value)
    frame.bind(node.target.id, value)
    return frame.env[node.target.id]


def _await(frame: Frame, node: facts.Await) -> Value:
    return evaluate(frame, node.value)


def _yield(frame: Frame, node: facts.Yield) -> Value:
    if node.value is not None:
        value = evaluate(frame, node.value)
        frame.yields.append(iterated(frame, value) if node.is_from else value)
    return UNKNOWN


EVALUATORS[facts.Lambda] = _lambda
EVALUATORS[facts.Comprehension] = _comprehension
EVALUATORS[facts.Walrus] = _walrus
EVALUATORS[facts.Await] = _await
EVALUATORS[facts.Yield] = _yield
