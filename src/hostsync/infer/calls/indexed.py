"""Functions that an index knows, of which a table says more than what could be found out."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.file_readers import READERS
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.frame import Frame
from hostsync.infer.linking.plain import dotted_name, is_indexed
from hostsync.infer.values import Callable, Value


def said_by_tables(
    frame: Frame, node: facts.Call, callee: Callable, args: ArgumentList, keywords: KeywordList
) -> Value | None:
    """What a function that reads a file gives; of another one that a rule names, records its waits, and gives None."""
    if not is_indexed(callee.symbol):
        return None
    name = dotted_name(callee.symbol)
    reader = READERS.get(name)
    if reader is not None:
        return reader(frame, node, args, keywords)
    op = frame.context.ops.get(name)
    if op is not None and op.indexed:
        operation(frame, node, op, args, keywords, None)
    return None
