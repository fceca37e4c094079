"""Names that a function brings to the host to index something with.

`rows = rows.cpu()`, and later `self.table[rows]`: who does so has seen that the table is on the CPU, which is indexed
by nothing else. A table on the GPU takes an index as it is.
"""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.hints.defaults import is_host
from hostsync.infer.nodes import rebound


def is_brought_back(function: facts.Function, name: str) -> bool:
    """Whether a function binds a name anew to what it is on the CPU: `x = x.cpu()`, `x = x.long().to("cpu")`."""
    return any(
        _is_to_host(method, call) and _is_of(method.value, name) for method, call in rebound(function.body, name)
    )


def _is_to_host(method: facts.Attr, call: facts.Call) -> bool:
    if method.name == "cpu":
        return True
    given = (*call.args, *[keyword.value for keyword in call.keywords])
    return method.name == "to" and any(map(is_host, given))


def _is_of(node: facts.Expr, name: str) -> bool:
    """Whether an expression is a name, or what methods give that are called of it, one after another."""
    while type(node) is facts.Call and type(node.func) is facts.Attr:
        node = node.func.value
    return type(node) is facts.Name and node.id == name
