"""What the use of a name says about it, read off a whole function before it is followed step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hostsync import facts
from hostsync.catalogue.model import Op

_SIZE_CALLS = frozenset({"dim", "long", "view", "ndimension", "nelement"})
"""Members that prove a tensor only when called: arrays and modules have an attribute, or nothing, of that name."""
_TENSOR_PARAMS = frozenset({"input", "self", "x", "query", "A"})
"""Names that torch gives to a first parameter that must be a tensor."""
_NOT_PROOF = frozenset({"torch.is_tensor", "torch.is_storage", "torch.Tensor", "torch.save", "torch.typename"})


class Usage(NamedTuple):
    """How names are used in one function."""

    tensors: frozenset[str]
    """Names, and dotted `self.x` paths, that are used as only a tensor can be."""
    stores_attributes: bool
    """It assigns to an attribute of something."""
    candidates: bool
    """It holds an expression or statement that may wait at all."""


_CANDIDATES = (
    facts.If,
    facts.While,
    facts.Assert,
    facts.Conditional,
    facts.Logical,
    facts.Subscript,
    facts.Call,
    facts.Compare,
    facts.FString,
    facts.Comprehension,
    facts.Unary,
)


def dotted_path(node: facts.Expr) -> str | None:
    """`self.x.y` as text, None for anything but names and attributes."""
    parts: list[str] = []
    while type(node) is facts.Attr:
        parts.append(node.name)
        node = node.value
    if type(node) is not facts.Name:
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def usage_of(
    body: tuple[facts.Stmt, ...],
    ops: Mapping[str, Op],
    canonical: Callable[[facts.Expr], str | None],
    uses_torch: bool,
) -> Usage:
    """Collect evidence from a function's body, nested functions included.

    `canonical` gives the dotted name of what a call calls. Where `uses_torch` is false, no use proves a tensor.
    """
    tensors: set[str] = set()
    stores = candidates = False
    stack: list[object] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tuple:
            stack.extend(node)  # type: ignore[arg-type]
            continue
        if kind is str or kind is facts.Span or not isinstance(node, tuple):
            continue
        if kind is facts.Attr:
            name = node.name  # type: ignore[attr-defined]
            op = ops.get("Tensor." + name)
            if uses_torch and op is not None and op.tensor_only:
                path = dotted_path(node.value)  # type: ignore[attr-defined]
                if path is not None:
                    tensors.add(path)
        elif kind is facts.Call:
            candidates = True
            if uses_torch:
                _from_call(node, ops, canonical, tensors)  # type: ignore[arg-type]
        elif kind is facts.Subscript:
            candidates = True
            if uses_torch and _is_tensor_index(node.index):  # type: ignore[attr-defined]
                path = dotted_path(node.value)  # type: ignore[attr-defined]
                if path is not None:
                    tensors.add(path)
        elif kind is facts.Assign or kind is facts.AugAssign:
            targets = node.targets if kind is facts.Assign else (node.target,)  # type: ignore[attr-defined]
            stores = stores or any(_has_attribute(target) for target in targets)
        elif kind in _CANDIDATES:
            candidates = True
        stack.extend(node[1:] if node and type(node[0]) is facts.Span else node)
    return Usage(frozenset(tensors), stores, candidates)


TORCH_PACKAGES = frozenset(
    "torch torchvision torchaudio torchtext torchmetrics torch_geometric torchdata pytorch_lightning lightning transformers "
    "accelerate diffusers timm peft deepspeed ignite kornia monai fairscale fairseq apex flash_attn bitsandbytes trl".split()
)
"""Packages whose import says that a module handles tensors. Without one, how a name is used proves nothing."""


def imports_torch(body: tuple[facts.Stmt, ...], *, into_functions: bool) -> bool:
    """Whether a block imports torch or a package built on it, in any of its branches."""
    stack: list[object] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is facts.Import:
            if node.module.partition(".")[0] in TORCH_PACKAGES:  # type: ignore[attr-defined]
                return True
        elif kind is facts.If or kind is facts.Try or kind is facts.With or (
            into_functions and kind in {facts.For, facts.While, facts.Function}
        ):
            stack.extend(part for part in node if type(part) is tuple)  # type: ignore[attr-defined]
        elif kind is tuple or kind is facts.Handler:
            stack.extend(node)  # type: ignore[arg-type]
    return False


def _has_attribute(target: facts.Expr) -> bool:
    if type(target) is facts.Sequence:
        return any(_has_attribute(item) for item in target.items)
    while type(target) is facts.Subscript or type(target) is facts.Starred:
        target = target.value
    return type(target) is facts.Attr


def _from_call(
    call: facts.Call, ops: Mapping[str, Op], canonical: Callable[[facts.Expr], str | None], tensors: set[str]
) -> None:
    func = call.func
    if type(func) is facts.Attr:
        if func.name in _SIZE_CALLS or (func.name == "size" and call.args and not call.keywords):
            path = dotted_path(func.value)
            if path is not None:
                tensors.add(path)
        if func.name == "register_hook" or not call.args:
            return
    name = canonical(func)
    if name is None or name in _NOT_PROOF:
        return
    op = ops.get(name)
    if op is not None and op.params and op.params[0].name in _TENSOR_PARAMS and call.args:
        path = dotted_path(call.args[0])
        if path is not None:
            tensors.add(path)


def _is_tensor_index(index: facts.Expr) -> bool:
    if type(index) is facts.Sequence and index.kind == "tuple":
        return any(type(item) is facts.Slice or _is_tensor_index(item) for item in index.items)
    return type(index) is facts.Const and index.kind in {"none", "ellipsis"}
