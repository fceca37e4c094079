"""Names that are used as only a module is: called, or asked for parameters."""

from __future__ import annotations

from typing import Any, Final

from hostsync import facts

_OF_MODULES: Final = frozenset(
    "apply children eval forward load_state_dict modules named_parameters parameters state_dict train zero_grad".split()
)
"""Methods that modules have, and tensors do not."""


def is_used_as_module(body: tuple[facts.Stmt, ...], name: str) -> bool:
    """Whether something in a block, functions inside included, calls `name` or a method of it that modules have."""
    stack: list[Any] = [body]
    while stack:
        node = stack.pop()
        if type(node) is facts.Call and _is_of_module(node.func, name):
            return True
        if isinstance(node, tuple):
            stack.extend(node)
    return False


def _is_of_module(func: facts.Expr, name: str) -> bool:
    if isinstance(func, facts.Name):
        return func.id == name
    return (
        isinstance(func, facts.Attr)
        and func.name in _OF_MODULES
        and isinstance(func.value, facts.Name)
        and func.value.id == name
    )
