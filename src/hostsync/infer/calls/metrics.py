"""Metrics of torchmetrics: what a call of one does, which class a task stands for, and what a collection holds.

Source: torchmetrics, `metric.py`, `Metric.forward`, `collections.py`, `MetricCollection`, and `__new__` of the classes
of `classification` that are named without a task.
"""

from __future__ import annotations

from typing import Final

from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.classes import class_attribute
from hostsync.infer.context import Context
from hostsync.infer.linking.plain import SEPARATOR, is_foreign
from hostsync.infer.values import UNKNOWN, Callable, Instance, Items, Mapping, Text, Value

_COLLECTION: Final = "torchmetrics/collections.py:MetricCollection"
_OF_A_TASK: Final = "torchmetrics/classification/base.py:_ClassificationTaskWrapper"
_CALLED: Final = "torchmetrics/metric.py:Metric.forward"
_TASKS: Final = frozenset({"binary", "multiclass", "multilabel"})


def metric_made(context: Context, made: Instance, args: ArgumentList, keywords: KeywordList) -> Instance:
    """An object with what is known of it as a metric: the class of its task, or the metrics of a collection."""
    if not is_foreign(made.name):
        return made
    if made.name.endswith(_COLLECTION):
        return made._replace(held=_held(args, keywords))
    if not any(info.name.endswith(_OF_A_TASK) for info in context.lineage(made.name)):
        return made
    task = next((value for name, _, value in keywords if name == "task"), args[0][1] if args else None)
    if not isinstance(task, Text) or task.const not in _TASKS:
        return made
    file, _, name = made.name.rpartition(SEPARATOR)
    of_task = f"{file}{SEPARATOR}{task.const.capitalize()}{name}"
    return made._replace(name=of_task) if context.lineage(of_task) else made


def _held(args: ArgumentList, keywords: KeywordList) -> Items | Mapping:
    first = next((value for name, _, value in keywords if name == "metrics"), args[0][1] if args else None)
    if isinstance(first, (Items, Mapping)):
        return first
    return Items("list", tuple([value for _, value in args]), UNKNOWN)


def stands_for(context: Context, callee: Callable) -> tuple[Callable, ...]:
    """The methods that a call of a metric or a collection, or `update` of a collection, comes down to; mostly none."""
    symbol, bound = callee.symbol, callee.bound
    if not isinstance(bound, Instance) or not is_foreign(symbol):
        return ()
    if symbol.endswith(_CALLED):
        return _methods(context, bound, ("update", "compute"))
    if symbol.endswith(f"{_COLLECTION}.update"):
        return _of_each(context, bound, ("update",))
    return _of_each(context, bound, ("update", "compute")) if symbol.endswith(f"{_COLLECTION}.forward") else ()


def _of_each(context: Context, collection: Instance, names: tuple[str, ...]) -> tuple[Callable, ...]:
    held = collection.held
    parts = [value for _, value in held.items] if isinstance(held, Mapping) else held.items or () if held else ()
    metrics = [part for part in parts if isinstance(part, Instance) and part.local]
    return tuple([method for metric in metrics for method in _methods(context, metric, names)])


def _methods(context: Context, metric: Instance, names: tuple[str, ...]) -> tuple[Callable, ...]:
    found: list[Value] = [class_attribute(context, metric.name, name, metric) for name in names]
    return tuple([method for method in found if isinstance(method, Callable)])
