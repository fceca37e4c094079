"""The containers of modules, `ModuleList`, `ModuleDict` and `Sequential`: which modules are in them.

They are modules themselves, so each is an `Instance`; what it holds stands beside, as the list or dictionary that it
stands for (https://docs.pytorch.org/docs/stable/nn.html#containers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.joining import element_of, mapping_element
from hostsync.infer.values import UNKNOWN, Choice, Instance, Items, Mapping, Value

_LIST: Final = "torch.nn.ModuleList"
SEQUENTIAL: Final = "torch.nn.Sequential"
_DICT: Final = "torch.nn.ModuleDict"
_MODULE: Final = Instance(MODULE_CLASS, False)


def contents(name: str, args: Sequence[tuple[facts.Expr, Value]]) -> Items | Mapping | None:
    """What a container of the class `name` holds that is made with these arguments; None for other classes."""
    first = args[0][1] if args else None
    if name == _LIST:
        return first if isinstance(first, Items) else None if args else Items("list", (), UNKNOWN)
    if name == _DICT:
        return first if isinstance(first, Mapping) else None if args else Mapping((), UNKNOWN)
    if name != SEQUENTIAL:
        return None
    if len(args) == 1 and isinstance(args[0][0], facts.Starred):
        return first if isinstance(first, Items) else None
    if any(isinstance(expr, facts.Starred) for expr, _ in args):
        return None
    return Items("list", tuple([value for _, value in args]), UNKNOWN)


def module_in(container: Instance) -> Value:
    """What a container gives for an index or a key that is not known, or when it is iterated over."""
    held = container.held
    if isinstance(held, Items):
        return _module(element_of(held))
    return _module(mapping_element(held)) if isinstance(held, Mapping) else _MODULE


def _module(value: Value) -> Value:
    return value if isinstance(value, (Instance, Choice)) else _MODULE


def module_at(container: Instance, index: int | str) -> Value:
    """What a container gives for a number or a key."""
    held = container.held
    if isinstance(held, Items) and held.items is not None and isinstance(index, int):
        at = index + len(held.items) if index < 0 else index
        return _module(held.items[at]) if 0 <= at < len(held.items) else _MODULE
    if isinstance(held, Mapping) and isinstance(index, str):
        return _module(dict(held.items).get(index, held.element))
    return module_in(container)
