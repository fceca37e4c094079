"""Dictionaries whose tensors are in different places: what a loop over one hands on key by key is in one of them.

`{"shape": torch.tensor(shape), **drawn}` has a tensor on the CPU and others that need not be there. A loop over all of
them meets it. What the loop puts under keys of another dictionary is somewhere else for each of them.
"""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.devices import only_host, unmixed
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.nodes import names_mentioned
from hostsync.infer.values import Mapping, Tensor, Value

_LOOPS: Final = frozenset({"items", "values"})


def note_loop(frame: Frame, iterable: facts.Expr, target: facts.Expr) -> None:
    """Takes up what a loop goes over, and the names that stand for one after the other."""
    if not isinstance(iterable, facts.Call) or not isinstance(iterable.func, facts.Attr):
        return
    if iterable.func.name in _LOOPS and not iterable.args and _differ(evaluate_silently(frame, iterable.func.value)):
        frame.mixed |= names_mentioned(target)


def under_one_key(frame: Frame, value: Value, node: facts.Expr | None) -> Value:
    """What stands under one of several keys, where `node` gave it in a loop."""
    if not frame.mixed or node is None or not isinstance(value, Tensor):
        return value
    is_mixed = not frame.mixed.isdisjoint(names_mentioned(node))
    return value._replace(device=unmixed(value.device)) if is_mixed else value


def _differ(value: Value) -> bool:
    """Whether some tensors of a dictionary are known to be on the host, and others not."""
    if not isinstance(value, Mapping):
        return False
    held = [item for item in (*(item for _, item in value.items), value.element) if isinstance(item, Tensor)]
    return len({only_host(tensor.device) for tensor in held}) > 1
