"""Switches that are on where there is a GPU: `non_blocking=x.is_cuda`."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.nodes import assigned_to, last_name


def is_on_with_a_gpu(node: facts.Expr, function: facts.Function | None) -> bool:
    """Whether a switch asks for a GPU: `x.is_cuda`, `device.type == "cuda"`, or a name for such an answer."""
    if isinstance(node, facts.Name):
        answers = assigned_to(function.body, node.id) if function is not None else []
        return bool(answers) and all(one is not None and _asks(one) for one in answers)
    return _asks(node)


def _asks(node: facts.Expr) -> bool:
    if isinstance(node, facts.Compare):
        return node.ops == ("==",) and isinstance(node.rights[0], facts.Const) and node.rights[0].value == "cuda"
    return last_name(node) == "is_cuda"
