"""Attributes that methods move to the device and keep there: `self.table = self.table.to(x.device)`.

That waits once in the life of an object, in whichever method runs first. So it is reported once, at the first of them
in the source, while those that follow are possible only.
"""

from __future__ import annotations

from collections.abc import Sequence

from hostsync import facts
from hostsync.infer.context import Context
from hostsync.infer.events import Event
from hostsync.infer.nodes import BLOCKS, dotted_path


def reported_once(context: Context, events: Sequence[Event]) -> list[Event]:
    """The same events, but of the methods of a class that move and keep one attribute only the first is likely."""
    first: dict[tuple[str, str], Event] = {}
    kept: dict[int, tuple[str, str]] = {}
    for at, event in enumerate(events):
        if event.kind == "copy" and event.confidence == "likely" and event.subject.startswith("self."):
            attribute = _kept_in(context, event)
            if attribute is not None:
                kept[at] = attribute
                known = first.get(attribute)
                if known is None or event.span[:2] < known.span[:2]:
                    first[attribute] = event
    return [
        event._replace(confidence="possible") if at in kept and first[kept[at]].symbol != event.symbol else event
        for at, event in enumerate(events)
    ]


def _kept_in(context: Context, event: Event) -> tuple[str, str] | None:
    """The class and the path of the attribute that an event moves and keeps; None if it does not."""
    owner = event.symbol.rpartition(".")[0]
    node = context.functions.get(event.symbol)
    if node is None or owner not in context.classes:
        return None
    stack: list[object] = [node.body]
    while stack:
        statement = stack.pop()
        if isinstance(statement, facts.Assign):
            call = statement.value
            if isinstance(call, facts.Call) and call.span == event.span and isinstance(call.func, facts.Attr):
                path = dotted_path(call.func.value)
                if path is not None and "." in path and path in map(dotted_path, statement.targets):
                    return owner, path
        elif isinstance(statement, tuple) and (type(statement) is tuple or isinstance(statement, BLOCKS)):
            stack.extend(statement)
    return None
