"""What functions give that return now so many values and now so many: `return x, weights` and `return x`.

Which it is a flag decides, as a rule. Who takes the values apart knows how many there are; for all others it is
whatever the values have in common.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from hostsync.infer.joining import join
from hostsync.infer.values import UNKNOWN, Items, Value

_EITHER: Final = "either"
"""The kind of the `Items` that stand for such values: what they have in common, then a tuple for each number."""


def with_alternatives(values: list[Value], common: Value) -> Value:
    """What is returned: `common`, with the tuples among `values` kept, if not all are tuples of as many."""
    by_length: dict[int, Value] = {}
    several = 0
    for value in values:
        if isinstance(value, Items) and value.kind == "tuple" and value.items is not None and len(value.items) > 1:
            several += 1
            held = by_length.get(len(value.items))
            by_length[len(value.items)] = value if held is None else join(held, value)
    if not several or (several == len(values) and len(by_length) == 1):
        return common
    return Items(_EITHER, (common, *(by_length[length] for length in sorted(by_length))), UNKNOWN)


def has_alternatives(value: Value) -> TypeGuard[Items]:
    """Whether a value is one of which `with_alternatives` has kept more than what they have in common."""
    return isinstance(value, Items) and value.kind == _EITHER


def in_common(value: Value) -> Value:
    """What a value is for those who don't take it apart."""
    return value.items[0] if has_alternatives(value) and value.items else value


def of_as_many(value: Items, count: int) -> Value | None:
    """The alternative of `count` values, None if there is none."""
    for one in (value.items or ())[1:]:
        if isinstance(one, Items) and one.items is not None and len(one.items) == count:
            return one
    return None
