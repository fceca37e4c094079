"""Waits of a backward pass: the gradients of `x[mask]` and `x[mask] = y` count the true elements of the mask once more.

Source: `index_backward` and the formulas of `index_put_` in tools/autograd of PyTorch index with the mask again. Our
measurement (NVIDIA H100, torch 2.11.0, 2026-11-28): of `x[mask]`, and of a tensor that is stored at a mask, each
backward pass waited; of `masked_select`, `masked_fill`, `torch.where`, a stored number and an index tensor none did,
nor where the mask selects from what needs no gradient.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from hostsync import facts
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.classes import is_module_class
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.loaders_and_models import is_model_name
from hostsync.infer.nodes import DEFINITIONS, dotted_path, is_false, last_name, nodes_in
from hostsync.infer.origins import because
from hostsync.infer.records import Recorded
from hostsync.infer.values import UNKNOWN, Instance, Value

_CUT: Final = frozenset(
    "detach item tolist numpy numel size dim argmax argmin argsort nonzero long int bool sign round floor ceil "
    "eq ne lt le gt ge isnan isinf isfinite".split()
)
"""Methods and functions through which no gradient goes."""
_ASPECTS: Final = frozenset("shape ndim device dtype data grad requires_grad is_cuda".split())
_WITHOUT_GRADIENTS: Final = frozenset({"no_grad", "inference_mode"})
_PARAMETERS: Final = frozenset({"Parameter", "requires_grad_"})
_COLLECTING: Final = frozenset({"append", "extend", "add", "insert"})


def backward_pass(frame: Frame, node: facts.Call) -> None:
    """Reports `loss.backward()` and `accelerator.backward(loss)` if the gradient of a selection by a mask waits."""
    receiver = node.func.value if isinstance(node.func, facts.Attr) else None
    _begin(frame, node, "Tensor.backward", node.args if receiver is None else (receiver, *node.args))


def gradients(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """The same of `torch.autograd.grad(loss, x)`."""
    _begin(frame, node, "torch.autograd.grad", node.args[:1])
    op = frame.context.ops.get("torch.autograd.grad")
    return UNKNOWN if op is None else operation(frame, node, op, args, keywords, None)


def _begin(frame: Frame, node: facts.Call, op: str, losses: Collection[facts.Expr]) -> None:
    if not frame.loud or frame.events is None:
        return
    masked = {one.event.span: one for one in frame.events if _uses_mask(one, frame.symbol)}
    at = _masked_on_the_way(frame, losses, masked) if masked else None
    if at is None:
        return
    one = masked[at]
    confidence = "possible" if one.event.confidence == "possible" else "likely"
    origin = because(Reason(at, ""), None)
    frame.emit("call", op, "mask-load", node, device=one.device, sure=one.sure, origin=origin, confidence=confidence)


def _uses_mask(one: Recorded, symbol: str) -> bool:
    # The gradient of `masked_select` puts back what it is given by the mask itself, without a wait.
    event = one.event
    return event.form in {"mask-load", "mask-store"} and event.symbol == symbol


def _masked_on_the_way(
    frame: Frame, losses: Collection[facts.Expr], masked: Collection[facts.Place]
) -> facts.Place | None:
    """Where a mask selects from what a loss is worked out of, or stores into it, and a model gave that.

    Args:
        frame: of the function, or the module, in which the backward pass begins. What happens in others does not count.
        losses: what the backward pass begins with.
        masked: the subscripts in there that are masks.
    """
    assigned = _assigned(frame.context.module.body if frame.function is None else frame.function.body)
    for node in _reached(losses, assigned):
        is_masked = isinstance(node, facts.Subscript) and node.span in masked
        if is_masked and any(_has_gradient(frame, part) for part in _reached(_operands(node), assigned)):
            return node.span
    return None


def _has_gradient(frame: Frame, node: facts.Expr) -> bool:
    """Whether it is what a model gives, or a parameter."""
    if not isinstance(node, facts.Call):
        return False
    is_asked = any(k.name == "requires_grad" and not is_false(k.value) for k in node.keywords)
    if is_asked or last_name(node.func) in _PARAMETERS or is_model_name(node.func):
        return True
    callee = evaluate_silently(frame, node.func) if dotted_path(node.func) is not None else UNKNOWN
    return isinstance(callee, Instance) and (
        callee.name.startswith("torch.nn.") or is_module_class(frame.context, callee.name)
    )


def _reached(begin: Collection[facts.Expr], assigned: dict[str, list[facts.Expr]]) -> Iterator[facts.Expr]:
    """All expressions on the ways by which gradients flow back, through the names that are assigned."""
    waiting, seen = list(begin), set[str]()
    while waiting:
        node = waiting.pop()
        path = dotted_path(node)
        while path:
            if path not in seen:
                seen.add(path)
                waiting += assigned.get(path, ())
            path = path.rpartition(".")[0]
        yield node
        waiting += _operands(node)


def _operands(node: Any) -> list[facts.Expr]:
    """What a gradient goes on to."""
    match node:
        case facts.Attr(value=value, name=name):
            return [] if name in _ASPECTS or dotted_path(node) is not None else [value]
        case facts.Subscript(value=value):
            return [value]
        case facts.Call(func=func, args=args, keywords=keywords):
            if last_name(func) in _CUT:
                return []
            receiver = [func.value] if isinstance(func, facts.Attr) else []
            return [*receiver, *args, *[keyword.value for keyword in keywords]]
        case facts.Binary(left=left, right=right):
            return [left, right]
        case facts.Unary(operand=operand) if node.op != "not":
            return [operand]
        case facts.Logical(values=values):
            return list(values)
        case facts.Conditional(body=body, orelse=orelse):
            return [body, orelse]
        case facts.Sequence(items=items):
            return list(items)
        case facts.Comprehension(element=element, generators=generators):
            return [element, *[generator.iterable for generator in generators]]
        case facts.Starred(value=value) | facts.Walrus(value=value) | facts.Await(value=value):
            return [value]
    return []


def _assigned(body: tuple[facts.Stmt, ...]) -> dict[str, list[facts.Expr]]:
    """What a block assigns to names and attributes, or puts into what they hold, where gradients are kept."""
    nodes = list(nodes_in(body, DEFINITIONS))
    apart: set[int] = set()
    for node in nodes:
        if isinstance(node, facts.With) and any(map(_is_without_gradients, node.items)):
            apart.update(id(inner) for inner in nodes_in(node.body, DEFINITIONS))
    found: dict[str, list[facts.Expr]] = {}
    for node in nodes:
        if id(node) in apart:
            continue
        if isinstance(node, facts.Assign) and node.value is not None:
            for target in node.targets:
                _assign(found, target, node.value)
        elif isinstance(node, facts.AugAssign):
            _assign(found, node.target, node.value)
        elif isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _COLLECTING:
            for given in node.args:
                _assign(found, node.func.value, given)
    return found


def _is_without_gradients(item: facts.WithItem) -> bool:
    return isinstance(item.value, facts.Call) and last_name(item.value.func) in _WITHOUT_GRADIENTS


def _assign(found: dict[str, list[facts.Expr]], target: facts.Expr, value: facts.Expr) -> None:
    if isinstance(target, facts.Sequence):
        fits = isinstance(value, facts.Sequence) and len(value.items) == len(target.items)
        parts = value.items if fits and isinstance(value, facts.Sequence) else (value,) * len(target.items)
        for one, held in zip(target.items, parts, strict=True):
            _assign(found, one, held)
        return
    values = [value]
    if isinstance(target, facts.Subscript):
        # The gradient of what is stored comes by way of the place where it is stored.
        values, target = [value, target], target.value
    path = dotted_path(target)
    if path is not None:
        found.setdefault(path, []).extend(values)
