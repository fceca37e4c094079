"""Tests that ask whether something has elements at all."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.nodes import OF_SOME, last_name


def has_elements(test: facts.Expr) -> bool | None:
    """How a test comes out of something that has elements: true for `x.numel() > 0` and `len(x)`, false for
    `x.shape[0] == 0`; None for any other test."""
    if isinstance(test, facts.Compare):
        if len(test.rights) != 1 or not isinstance(test.rights[0], facts.Const) or not _counts(test.left):
            return None
        return OF_SOME.get((test.ops[0], test.rights[0].value))
    return True if isinstance(test, facts.Call) and _counts(test) else None


def _counts(node: facts.Expr) -> bool:
    counted = node.value if isinstance(node, facts.Subscript) else node
    return last_name(counted.func if isinstance(counted, facts.Call) else counted) in _COUNTS


_COUNTS: Final = frozenset({"len", "numel", "nelement", "size", "shape"})
