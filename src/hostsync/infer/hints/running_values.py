"""Objects that keep running values, such as meters: what `meter.update(x)` is given is what `meter.avg` is made of.

One class serves for losses that were read back and for accuracies that were not, so what its attributes are is known
of each object only, by the name that it has where it is fed.
"""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame
from hostsync.infer.origins import HANDED_IN, reasons
from hostsync.infer.values import NUMBER, Instance, Method, Number, Tensor, Unknown, Value

_FEEDS: Final = re.compile(r"^(update|add|push|record|accumulate)$")
_RUNNING: Final = frozenset("val avg sum value average mean total last max min".split())
"""Attributes that such objects have in common; the number of values is not among them."""


def note_fed(frame: Frame, node: facts.Call, receiver: Value, value: Value) -> None:
    """Takes down what an object of the project is given by `name.update(value)`."""
    func = node.func
    if (
        not isinstance(func, facts.Attr)
        or not isinstance(func.value, facts.Name)
        or not isinstance(receiver, Instance)
        or not receiver.local
        or not _FEEDS.search(func.name)
    ):
        return
    name = func.value.id
    if isinstance(value, Tensor) and value.sure:
        frame.fed[name] = value
    elif isinstance(value, Number):
        frame.fed.setdefault(name, NUMBER)


def running_value(frame: Frame, node: facts.Attr, value: Value) -> Value:
    """What `meter.avg` is, as far as the object was fed in this function.

    Args:
        value: what the class says of it. It holds if it tells of more than what is handed in.
    """
    fed = frame.fed.get(node.value.id) if isinstance(node.value, facts.Name) else None
    if fed is None or node.name not in _RUNNING:
        return value
    if isinstance(fed, Tensor) and isinstance(value, (Unknown, Method)):
        return explain(Tensor(fed.device, origin=fed.origin), node)
    if isinstance(fed, Number) and isinstance(value, Tensor) and _is_handed_in(value):
        return NUMBER
    return value


def _is_handed_in(value: Tensor) -> bool:
    return any(reason.text.startswith(HANDED_IN) for reason in reasons(value.origin)[:1])
