"""Batches of loaders of which some part is moved to the GPU: all of such a batch comes from the host.

`for x, y in loader: x = x.cuda()`, `x, y = next(iter(loader))` and later `x = x.to(device)`.
"""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.devices import ANYWHERE, CPU, MOVES
from hostsync.infer.nodes import names_mentioned
from hostsync.infer.values import Items, Tensor, Value


def moved_from_host(value: Value, target: facts.Expr, body: tuple[facts.Stmt, ...]) -> Value:
    """A batch as it is known once it is looked for what becomes of it.

    Args:
        value: what a loader yields, or anything else, which stays what it is.
        target: what it is assigned to.
        body: the statements in which it may be moved.
    """
    if not isinstance(value, (Tensor, Items)):
        return value
    moved = _on_host(value)
    return moved if moved != value and _moves_part(target, body) else value


def _moves_part(target: facts.Expr, body: tuple[facts.Stmt, ...]) -> bool:
    """Whether statements move something of what is assigned to a target: so all of that comes from the host."""
    names = names_mentioned(target)
    for statement in body:
        if isinstance(statement, facts.Assign) and not names.isdisjoint(names_mentioned(statement.value)):
            # `x, y = batch[0], batch[1]`
            names |= _parts_taken(statement, names)
    stack: list[object] = [body]
    while stack:
        current = stack.pop()
        if isinstance(current, facts.Call) and isinstance(current.func, facts.Attr) and current.func.name in MOVES:
            root = current.func.value
            while isinstance(root, (facts.Subscript, facts.Attr, facts.Call)):
                root = root.func if isinstance(root, facts.Call) else root.value
            if isinstance(root, facts.Name) and root.id in names:
                return True
        if isinstance(current, tuple):
            stack.extend(current)
    return False


def _parts_taken(statement: facts.Assign, names: set[str]) -> set[str]:
    """The names that stand for parts of what `names` stand for, and for nothing calculated with them."""
    values = statement.value.items if isinstance(statement.value, facts.Sequence) else (statement.value,)
    for value in values:
        while isinstance(value, (facts.Subscript, facts.Attr)):
            value = value.value
        if not isinstance(value, facts.Name) or value.id not in names:
            return set()
    return {name for target in statement.targets for name in names_mentioned(target)}


def _on_host(value: Value) -> Value:
    """A batch of which nothing but a name told, now known to come from the host."""
    if isinstance(value, Tensor):
        return value._replace(device=CPU) if not value.sure and value.device == CPU | ANYWHERE else value
    if isinstance(value, Items) and value.items is not None:
        return value._replace(items=tuple(_on_host(item) for item in value.items))
    return value
