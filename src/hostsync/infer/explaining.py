"""Where values come from, as findings tell it."""

from __future__ import annotations

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.devices import ANYWHERE, of_param
from hostsync.infer.events import Reason
from hostsync.infer.origins import because
from hostsync.infer.values import Tensor, Unknown, Value, tensor_because


def as_tensor(value: Unknown, proof: facts.Place | None = None) -> Tensor:
    """What is not known, but for being a tensor; `proof` is where it is used as one."""
    origin = because(Reason(proof, "only a tensor is used like this"), None) if proof is not None else None
    if value.param is None:
        return Tensor(ANYWHERE, origin=origin)
    return Tensor(of_param(value.param), value.dtype, param=None if value.derived else value.param, origin=origin)


def source_text(node: facts.Expr) -> str:
    """Names and attributes as written; what is longer is cut to its essence."""
    if isinstance(node, facts.Name):
        return node.id
    if isinstance(node, facts.Attr):
        inner = source_text(node.value)
        return f"{inner}.{node.name}" if inner else ""
    if isinstance(node, facts.Call):
        inner = source_text(node.func)
        return f"{inner}(…)" if inner else ""
    if isinstance(node, facts.Subscript):
        inner = source_text(node.value)
        return f"{inner}[…]" if inner else ""
    return ""


def explain(value: Value, node: facts.Expr, text: str = "") -> Value:
    """Add the place of `node` to the chain of a tensor."""
    if isinstance(value, Tensor):
        return tensor_because(value, because(new(Reason, (node.span, text)), value.origin))
    return value
