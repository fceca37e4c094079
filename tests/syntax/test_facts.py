"""The vocabulary of `facts`: that what it says of itself twice agrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

from hostsync import facts


def nodes_of(hint: Any) -> Iterator[type]:
    """The kinds of nodes that a value of a type may be or hold."""
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        yield hint
    for part in get_args(hint):
        yield from nodes_of(part)


def is_several(hint: Any) -> bool:
    return any(get_origin(part) is tuple for part in (hint, *get_args(hint)))


def test_nodes_in_says_what_the_annotations_say() -> None:
    waiting = [*nodes_of(facts.Expr), *nodes_of(facts.Stmt)]
    found: dict[type, str] = {}
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        held = {name: hint for name, hint in get_type_hints(node).items() if list(nodes_of(hint))}
        found[node] = " ".join(name + "*" * is_several(hint) for name, hint in held.items())
        waiting += [other for hint in held.values() for other in nodes_of(hint)]
    assert len(found) > 40
    assert found == facts.NODES_IN
