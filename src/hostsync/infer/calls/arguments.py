"""The arguments of a call of one of torch's operations, by parameter."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from typing import Final, NamedTuple

from hostsync import facts
from hostsync.catalogue.model import Op, OpParam
from hostsync.facts import new
from hostsync.infer.values import UNKNOWN, Items, Value

ARGUMENTS: Final = "arguments"
"""The kind of the `Items` that `*args` were gathered in."""


class Arguments(NamedTuple):
    """The arguments of a call: values by parameter name, and what could not be placed."""

    named: Mapping_[str, Value]
    nodes: Mapping_[str, facts.Expr]
    extra: tuple[Value, ...]
    """Positional arguments past the known parameters, or all of them when the parameters aren't known."""
    open: bool
    """`*args` or `**kwargs` were passed, so an argument that isn't seen may still be given."""
    open_names: bool = False
    """`**kwargs` were passed, so one that is given by name may be as well, such as a device."""


def place(
    op: Op, args: list[tuple[facts.Expr, Value]], keywords: list[tuple[str | None, facts.Expr, Value]]
) -> Arguments:
    """Match arguments with an operation's parameters."""
    named: dict[str, Value] = {}
    nodes: dict[str, facts.Expr] = {}
    extra: list[Value] = []
    is_open = open_names = False
    slots = [p for p in op.params if p.kind == "normal" or p.kind == "args"] if args else []
    position = 0
    for node, value in args:
        if type(node) is facts.Starred:
            is_open = True
            extra.append(value)
            if position < len(slots) and slots[position].kind == "args":
                # Nobody says how many they are.
                named[slots[position].name] = Items(ARGUMENTS, None, UNKNOWN)
            continue
        if position < len(slots) and slots[position].kind == "normal":
            name = slots[position].name
            named[name] = value
            nodes[name] = node
            position += 1
        elif position < len(slots):
            rest = slots[position].name
            held = named.get(rest)
            nodes.setdefault(rest, node)
            if not isinstance(held, Items):
                named[rest] = new(Items, (ARGUMENTS, (value,), UNKNOWN))
            elif held.items is not None:
                named[rest] = Items(ARGUMENTS, (*held.items, value), UNKNOWN)
        else:
            extra.append(value)
    for keyword, node, value in keywords:
        if keyword is None:
            is_open = open_names = True
            extra.append(value)
        else:
            named[keyword] = value
            nodes[keyword] = node
    if len(extra) == 1 and not is_open:
        older = _with_number_first(op, slots, args, named)
        if older is not None:
            return place(op, older[0], [*keywords, older[1]])
    return new(Arguments, (named, nodes, tuple(extra), is_open, open_names))


_ONCE_FIRST: Final = ("beta", "alpha", "value")
"""Numbers that are given by name today."""


def _with_number_first(
    op: Op, slots: Sequence[OpParam], args: list[tuple[facts.Expr, Value]], named: Mapping_[str, Value]
) -> tuple[list[tuple[facts.Expr, Value]], tuple[str | None, facts.Expr, Value]] | None:
    """The arguments of a call in an older form, with the number that it begins with by its name: `x.add_(alpha, y)`.

    Source: tools/autograd/deprecated.yaml of PyTorch.
    """
    known = {param.name for param in op.params if param.kind == "keyword"}
    name = next((name for name in _ONCE_FIRST if name in known), None)
    if name is None or name in named or not slots or len(args) != len(slots) + 1:
        return None
    at = int(slots[0].name == "input")
    return [*args[:at], *args[at + 1 :]], (name, *args[at])
