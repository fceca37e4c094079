"""Texts that values are written into."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import shown_of
from hostsync.infer.classes import is_module_class
from hostsync.infer.devices import is_certain
from hostsync.infer.frame import EVALUATORS, Frame, evaluate
from hostsync.infer.values import TEXT, Tensor, Text, Value

_DESCRIBING: Final = frozenset({"__repr__", "__str__", "extra_repr", "__format__"})


def _describes_module(frame: Frame) -> bool:
    """Whether a module describes itself: that is read when it is set up, before it is moved to the device."""
    name = frame.symbol.rpartition(".")[2]
    return name in _DESCRIBING and frame.owner is not None and is_module_class(frame.context, frame.owner)


def _fstring(frame: Frame, node: facts.FString) -> Value:
    describes = _describes_module(frame)
    for field in node.fields:
        value = shown_of(evaluate(frame, field.value))
        if field.spec is not None:
            evaluate(frame, field.spec)
        if isinstance(value, Tensor) and value.sure:
            frame.emit(
                "read-back",
                "f-string",
                "",
                field.value,
                subject=field.value,
                device=value.device,
                origin=value.origin,
                confidence="possible" if describes and not is_certain(value.device) else None,
            )
    return Text(None, node.start)


def _formatted(frame: Frame, node: facts.Formatted) -> Value:
    evaluate(frame, node.value)
    return TEXT


EVALUATORS[facts.FString] = _fstring
EVALUATORS[facts.Formatted] = _formatted
