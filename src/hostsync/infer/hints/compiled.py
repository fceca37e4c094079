"""What is compiled when a module is imported."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.nodes import dotted_path

_COMPILE: Final = "torch.compile"


def compiles_when_imported(body: tuple[facts.Stmt, ...]) -> bool:
    """Whether a module calls `torch.compile` as it is imported, as a decorator or for what it assigns.

    From then on no distribution of the process checks what it is given: torch switches that off before the first
    function is compiled (torch, `_dynamo/eval_frame.py`, `TorchPatcher.patch`; measured on the page of HS602).
    """
    for statement in body:
        if isinstance(statement, facts.Function):
            if any(map(_is_compile, statement.decorators)):
                return True
        elif isinstance(statement, facts.Class):
            if compiles_when_imported(statement.body):
                return True
        elif (
            isinstance(statement, facts.Assign)
            and isinstance(statement.value, facts.Call)
            and _is_compile(statement.value)
        ):
            return True
    return False


def _is_compile(node: facts.Expr) -> bool:
    """`torch.compile`, `torch.compile(f)` and `torch.compile(dynamic=True)(f)`."""
    while isinstance(node, facts.Call):
        node = node.func
    return isinstance(node, facts.Attr) and dotted_path(node) == _COMPILE
