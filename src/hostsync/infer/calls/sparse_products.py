"""Products with a sparse matrix, which is coalesced in each of them if it is not coalesced yet.

Source: `aten/src/ATen/native/sparse/cuda/SparseCUDATensorMath.cu`, and our measurement (the page of HS605): of two
sparse matrices the product waits, that of a coalesced or compressed one and a dense one does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hostsync import facts
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.placing import merged
from hostsync.infer.frame import Frame
from hostsync.infer.nodes import dotted_path, last_name, nodes_in
from hostsync.infer.values import UNKNOWN, Value, tensors_in

_COALESCED: Final = frozenset(
    """coalesce to_sparse to_sparse_coo to_sparse_csr to_sparse_csc sparse_csr_tensor sparse_csc_tensor
    sparse_compressed_tensor""".split()
)
"""Calls that give a coalesced or compressed matrix."""
_SPARSE: Final = _COALESCED | {"sparse_coo_tensor"}
"""Calls that give a sparse matrix."""
_KEEPING: Final = frozenset({"to", "cuda", "float", "half", "double", "detach"})
"""Methods that leave a matrix as it is."""
_CLOSED: Final[frozenset[type]] = frozenset({facts.Lambda})


def sparse_product(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.sparse.mm(graph, x)` and its like."""
    name = "torch.spmm" if last_name(node.func) == "spmm" else f"torch.sparse.{last_name(node.func)}"
    op = frame.context.ops.get(name)
    at = 1 if name.endswith("addmm") else 0
    if len(args) > at and (not _is_made_by(frame, args[at][0], _COALESCED) or _is_sparse(frame, args[at + 1 :])):
        tensors = [tensor for _, value in args for tensor in tensors_in(value)]
        device = merged(tensors)
        frame.emit("call", name, "", node, subject=args[at][0], device=device, confidence="likely")
    return UNKNOWN if op is None else operation(frame, node, op, args, keywords, None)


def is_coalesced(node: facts.Expr | None) -> bool:
    """Whether an expression is a call that gives a matrix without duplicates, so that `coalesce` has nothing to do.

    That of `sparse_mask` has none where its mask has none (measured: none of nine such lines waited).
    """
    return node is not None and _makes(node, _COALESCED | {"sparse_mask"})


def _is_sparse(frame: Frame, others: ArgumentList) -> bool:
    """Whether the other factor is sparse, too."""
    return bool(others) and _is_made_by(frame, others[0][0], _SPARSE)


def _is_made_by(frame: Frame, matrix: facts.Expr, makers: frozenset[str]) -> bool:
    """Whether a matrix is the result of a call of one of some functions, here or where it got its name."""
    made: list[facts.Expr] = [matrix]
    path = dotted_path(matrix)
    if path is not None:
        made = list(_assigned(frame, path))
    return bool(made) and all(_makes(value, makers) for value in made)


def _makes(node: facts.Expr, makers: frozenset[str]) -> bool:
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _KEEPING:
        node = node.func.value
    return isinstance(node, facts.Call) and (
        last_name(node.func) in makers or any(keyword.name == "is_coalesced" for keyword in node.keywords)
    )


def _assigned(frame: Frame, path: str) -> Iterator[facts.Expr]:
    """What is assigned to a name in its function, or to an attribute in its class."""
    bodies: list[tuple[Any, ...]] = [frame.context.module.body if frame.function is None else frame.function.body]
    owner = frame.context.classes.get(frame.owner) if frame.owner is not None else None
    if "." in path and owner is not None:
        bodies = [method.body for method in owner.methods.values() if isinstance(method, facts.Function)]
    for body in bodies:
        for node in nodes_in(body, _CLOSED):
            if isinstance(node, facts.Assign) and node.value is not None and path in map(dotted_path, node.targets):
                yield node.value
