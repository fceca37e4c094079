"""Names, attributes, constants, and what is put together of several."""

from __future__ import annotations

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.attributes import attribute
from hostsync.infer.devices import ANYWHERE, CPU
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import EVALUATORS, Frame, evaluate
from hostsync.infer.hints.keys import note_store
from hostsync.infer.hints.loaders_and_models import NAMED_LOADER, is_loader_name
from hostsync.infer.hints.running_values import running_value
from hostsync.infer.iterating import iterated
from hostsync.infer.joining import element_of, join
from hostsync.infer.methods.lightning import metrics_of_trainer
from hostsync.infer.nodes import dotted_path
from hostsync.infer.values import (
    NOTHING,
    UNKNOWN,
    Callable,
    ClassRef,
    DeviceValue,
    Items,
    Mapping,
    Method,
    Number,
    Text,
    Unknown,
    Value,
)


def _name(frame: Frame, node: facts.Name) -> Value:
    return frame.lookup(node.id)


def _attr(frame: Frame, node: facts.Attr) -> Value:
    if frame.paths:
        path = dotted_path(node)
        if path is not None and path in frame.paths:
            return frame.paths[path]
    if node.name == "callback_metrics" and (metrics := metrics_of_trainer(frame, node)) is not None:
        return metrics
    base = evaluate(frame, node.value)
    value = attribute(frame, base, node.name)
    if type(base) is ClassRef and type(value) is DeviceValue and value.device == CPU:
        # `Config.DEVICE = torch.device("cpu")`: what a program says before it has chosen.
        return DeviceValue(ANYWHERE)
    if frame.fed and isinstance(node.value, facts.Name):
        value = running_value(frame, node, value)
    if (isinstance(value, (Unknown, Method))) and frame.usage.tensors:
        path = dotted_path(node)
        if path is not None and path in frame.usage.tensors:
            return as_tensor(UNKNOWN, frame.usage.tensors[path])
    if isinstance(value, (Unknown, Method)) and is_loader_name(node.name) and frame.context.uses_torch:
        return NAMED_LOADER
    return value


def _const(frame: Frame, node: facts.Const) -> Value:
    kind = node.kind
    if kind == "none":
        return NOTHING
    if kind in {"int", "float", "bool"}:
        return new(Number, (node.value,))
    return new(Text, (node.value,)) if kind == "str" else UNKNOWN


def _sequence(frame: Frame, node: facts.Sequence) -> Value:
    items: list[Value] = []
    spread = False
    for item in node.items:
        if isinstance(item, facts.Starred):
            value = evaluate(frame, item.value)
            if isinstance(value, Items) and value.items is not None:
                items.extend(value.items)
            else:
                spread = True
                items.append(iterated(frame, value))
        else:
            items.append(evaluate(frame, item))
    if spread or len(items) > 64:
        return Items(node.kind, None, element_of(Items(node.kind, tuple(items[:64]), UNKNOWN)))
    return new(Items, (node.kind, tuple(items), UNKNOWN))


def _dict(frame: Frame, node: facts.Dict) -> Value:
    items: list[tuple[str, Value]] = []
    element: Value = UNKNOWN
    first = True
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(frame, value_node)
        if isinstance(value, Callable) and frame.loud:
            frame.context.tabled.setdefault(value.symbol, set()).add(frame.symbol)
        if key is None:
            if isinstance(value, Mapping):
                items.extend(value.items)
                if not isinstance(value.element, Unknown):
                    element = value.element if first else join(element, value.element)
            continue
        evaluate(frame, key)
        if isinstance(key, facts.Const) and key.kind == "str" and len(items) < 256:
            note_store(frame, str(key.value), value, key.span[0])
            items.append((str(key.value), value))
        else:
            element = value if first else join(element, value)
            first = False
    return Mapping(tuple(dict(items).items()), element)


def _starred(frame: Frame, node: facts.Starred) -> Value:
    return evaluate(frame, node.value)


def _slice(frame: Frame, node: facts.Slice) -> Value:
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            evaluate(frame, bound)
    return UNKNOWN


EVALUATORS[facts.Name] = _name
EVALUATORS[facts.Attr] = _attr
EVALUATORS[facts.Const] = _const
EVALUATORS[facts.Sequence] = _sequence
EVALUATORS[facts.Dict] = _dict
EVALUATORS[facts.Starred] = _starred
EVALUATORS[facts.Slice] = _slice
