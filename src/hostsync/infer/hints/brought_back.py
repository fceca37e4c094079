"""Names that a function brings to the host to index something with.

`rows = rows.cpu()`, and later `self.table[rows]`: who does so has seen that the table is on the CPU, which is indexed
by nothing else. A table on the GPU takes an index as it is.
"""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.hints.defaults import is_host
from hostsync.infer.hints.evidence import nodes_in


def is_brought_back(function: facts.Function, name: str) -> bool:
    """Whether a function binds a name anew to what it is on the CPU: `x = x.cpu()`, `x = x.long().to("cpu")`."""
    for node in nodes_in(function.body, frozenset()):
        if type(node) is not facts.Assign or node.value is None or not _is_to_host(node.value):
            continue
        if any(type(target) is facts.Name and target.id == name for target in node.targets) and _of(node.value, name):
            return True
    return False


def _is_to_host(node: facts.Expr) -> bool:
    if type(node) is not facts.Call or type(node.func) is not facts.Attr:
        return False
    if node.func.name == "cpu":
        return True
    given = (*node.args, *[keyword.value for keyword in node.keywords])
    return node.func.name == "to" and any(map(is_host, given))


def _of(node: facts.Expr, name: str) -> bool:
    """Whether methods are called of a name, one after another."""
    while type(node) is facts.Call and type(node.func) is facts.Attr:
        node = node.func.value
    return type(node) is facts.Name and node.id == name
