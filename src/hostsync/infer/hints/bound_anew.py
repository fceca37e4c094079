"""Names that stand for one thing after the other: what the later one is used for says nothing of the first."""

from __future__ import annotations

from hostsync.facts import Assign, Expr, Name, Sequence, Stmt
from hostsync.infer.nodes import names_mentioned


def is_bound_anew(body: tuple[Stmt, ...], name: str, row: int, until: int) -> bool:
    """Whether what a name is bound to in one row is gone by another one: `n = ceil(n / 8) * 8; …; n = torch.stack(xs)`.

    Args:
        body: the statements of the function, of which only those of its own block count: others may not run.
        name: the name. Where it is bound to what speaks of it (`x = x[0]`), that is mostly of its kind.
        row: where it is bound.
        until: the other row.
    """
    return any(
        type(statement) is Assign
        and row < statement.span[0]
        and statement.span[2] < until
        and any(_binds(target, name) for target in statement.targets)
        and name not in names_mentioned(statement.value)
        for statement in body
    )


def _binds(target: Expr, name: str) -> bool:
    if type(target) is Sequence:
        return any(_binds(item, name) for item in target.items)
    return type(target) is Name and target.id == name
