"""Functions that are handed to others, which call them: `sorted(rows, key=…)`, `boxes.apply(lambda t: t.cpu())`."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.frame import Frame, evaluate
from hostsync.infer.joining import mapping_element
from hostsync.infer.linking.summaries import defaults_of, returned, substitute
from hostsync.infer.records import CallSite
from hostsync.infer.values import UNKNOWN, Callable, Mapping, Method, Unknown, Value

_MOST_CALLS: Final = 8
"""Of calls of one parameter, how many are noted."""


def note_callback(frame: Frame, callee: Unknown, values: Sequence[Value]) -> None:
    """Takes down what a function hands to one that it was handed."""
    if callee.param is None or callee.derived:
        return
    held = frame.context.callbacks.setdefault(frame.symbol, {}).setdefault(callee.param, [])
    row = tuple(values)
    if len(held) < _MOST_CALLS and row not in held:
        held.append(row)


def call_back(frame: Frame, node: facts.Expr, callee: Callable, bindings: Mapping_[str, Value]) -> None:
    """Follows what a function of the project does with the functions that it is handed."""
    noted = frame.context.callbacks.get(callee.symbol)
    if noted is None:
        return
    for param, calls in noted.items():
        given = bindings.get(param)
        if isinstance(given, Callable):
            defaults = defaults_of(frame.context, callee.symbol)
            for values in calls:
                called_back(frame, node, given, [substitute(value, bindings, defaults) for value in values])


def called_back(frame: Frame, node: facts.Expr, callee: Value, values: Sequence[Value]) -> Value:
    """What a function gives that another one calls with these values."""
    if isinstance(callee, Callable):
        names = [param.name for param in callee.node.params][callee.bound is not None :]
        bindings = dict(zip(names, values, strict=False))
        if isinstance(callee.node, facts.Lambda):
            if callee.symbol == f"{frame.symbol}.<lambda>":
                return _followed_here(frame, callee.node, bindings)
        elif frame.loud:
            sites = frame.context.calls.setdefault(callee.symbol, [])
            sites.append(CallSite(frame.symbol, bindings, node.span, None))
        return returned(frame.context, callee, bindings)
    if isinstance(callee, Method) and callee.name == "get" and isinstance(callee.receiver, Mapping):
        return mapping_element(callee.receiver)
    return UNKNOWN


def _followed_here(frame: Frame, node: facts.Lambda, bindings: Mapping_[str, Value]) -> Value:
    """A lambda of the function at hand: what it sees there, it sees when it is called."""
    saved = frame.save()
    frame.inner_scope += 1
    for param in node.params:
        frame.bind(param.name, bindings.get(param.name, UNKNOWN))
    frame.inner_scope -= 1
    value = evaluate(frame, node.body)
    frame.restore(saved)
    return value
