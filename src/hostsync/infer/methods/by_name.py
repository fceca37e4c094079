"""Methods that a rule file says are known by their names (`by_name`), whatever they are called of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import flagged
from hostsync.infer.calls.arguments import place
from hostsync.infer.calls.conditions import waiting
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.operations import result
from hostsync.infer.calls.placing import merged
from hostsync.infer.frame import Frame
from hostsync.infer.nodes import receiver_node
from hostsync.infer.values import Tensor, Value

_KNOWN: Final[dict[int, tuple[Mapping[str, Op], dict[str, Op]]]] = {}


def methods_by_name(ops: Mapping[str, Op]) -> Mapping[str, Op]:
    """The operations that are known by the names of their methods, by these."""
    held = _KNOWN.get(id(ops))
    if held is None or held[0] is not ops:
        found = {name.rpartition(".")[2]: ops[name] for name in flagged(ops, "by_name")}
        held = _KNOWN[id(ops)] = (ops, found)
    return held[1]


def called_by_name(
    frame: Frame, node: facts.Call, op: Op, receiver: Value, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Calls a method of an object of which nothing else is known: records its waits, and gives its result."""
    placed = place(op, args, keywords)
    tensors = tuple([value for value in (receiver, *[value for _, value in args]) if isinstance(value, Tensor)])
    versions = waiting(frame, op, placed, receiver)
    if versions is not None:
        frame.emit(
            op.event,
            op.name,
            "",
            node,
            subject=receiver_node(node),
            device=merged(tensors[:1]),
            confidence="likely",
            versions=versions or None,
        )
    return result(op, placed, tensors, None)
