"""Names that are used as only a module is: called, asked for parameters, or moved without a look at the outcome."""

from __future__ import annotations

from typing import Any, Final

from hostsync import facts
from hostsync.infer.devices import MOVES
from hostsync.infer.dtypes import TO_FLOATS

_OF_MODULES: Final = frozenset(
    "apply children eval forward load_state_dict modules named_parameters parameters state_dict train zero_grad".split()
)
"""Methods that modules have, and tensors do not."""
GIVE_THE_MODULE: Final = TO_FLOATS | {"eval", "train", "requires_grad_", "apply", "type", "to_empty"}
"""Methods of a module that give it back, changed in place. (Where `to_empty` puts it is not followed.)"""


def is_used_as_module(body: tuple[facts.Stmt, ...], name: str) -> bool:
    """Whether something in a block, functions inside included, calls `name` or a method of it that modules have, or
    drops what `name.cuda()` gives."""
    stack: list[Any] = [body]
    while stack:
        node = stack.pop()
        if type(node) is facts.Call and _is_of_module(node.func, name, _OF_MODULES):
            return True
        is_dropped = type(node) is facts.ExprStmt and type(node.value) is facts.Call
        if is_dropped and _is_of_module(node.value.func, name, MOVES):
            return True
        if isinstance(node, tuple):
            stack.extend(node)
    return False


def _is_of_module(func: facts.Expr, name: str, methods: frozenset[str]) -> bool:
    if isinstance(func, facts.Name):
        return func.id == name
    return (
        isinstance(func, facts.Attr)
        and func.name in methods
        and isinstance(func.value, facts.Name)
        and func.value.id == name
    )
