"""What the use of a name says about it, read off a whole function before it is followed step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hostsync import facts
from hostsync.catalogue.model import Op

_SIZE_CALLS = frozenset({"dim", "long", "view", "ndimension", "nelement"})
"""Members that prove a tensor only when called: arrays and modules have an attribute, or nothing, of that name."""
_TENSOR_PARAMS = frozenset({"input", "self", "x", "query", "A"})
"""Names that torch gives to a first parameter that must be a tensor."""
_SHAPES = frozenset({"shape", "ndim"})
_SELF = frozenset({"self", "cls"})
_WHOLE_DTYPES = frozenset({"int8", "uint8", "int16", "short", "int32", "int", "int64", "long", "bool"})
"""No module is of these: `x.to(torch.int64)` proves a tensor."""
_CONVERSIONS = frozenset({"as_tensor", "asarray", "from_numpy", "tensor"})
_PATHS = frozenset({facts.Name, facts.Attr})
_NOT_PROOF = frozenset({"torch.is_tensor", "torch.is_storage", "torch.Tensor", "torch.save", "torch.typename"})


class Usage(NamedTuple):
    """How names are used in one function."""

    tensors: Mapping[str, facts.Place]
    """Names, and dotted `self.x` paths, that are used as only a tensor can be, with the first such use."""
    stores_attributes: bool
    """It assigns to an attribute of something."""
    candidates: bool
    """It holds an expression or statement that may wait at all."""


_CANDIDATES = frozenset(
    [
        facts.If,
        facts.While,
        facts.Assert,
        facts.Conditional,
        facts.Logical,
        facts.Compare,
        facts.FString,
        facts.Comprehension,
        facts.Unary,
    ]
)
"""Besides calls and subscripts, what may wait."""


def dotted_path(node: facts.Expr) -> str | None:
    """`self.x.y` as text, None for anything but names and attributes."""
    path = ""
    while type(node) is facts.Attr:
        _, value, name = node
        path = f".{name}{path}"
        node = value
    return node.id + path if type(node) is facts.Name else None


def usage_of(
    body: tuple[facts.Stmt, ...],
    ops: Mapping[str, Op],
    canonical: Callable[[facts.Expr], str | None],
    uses_torch: bool,
) -> Usage:
    """Collect evidence from a function's body, nested functions included.

    `canonical` gives the dotted name of what a call calls. Where `uses_torch` is false, no use proves a tensor.
    """
    tensors: dict[str, facts.Place] = {}
    placed: dict[str, facts.Place] = {}
    shaped: set[str] = set()
    stores = candidates = False
    methods = _tensor_methods(ops) if uses_torch else frozenset()
    stack: list[Any] = list(body)
    pop, push, extend = stack.pop, stack.append, stack.extend
    while stack:
        node = pop()
        kind = type(node)
        if kind is facts.Name or kind is facts.Const or node is None:
            continue
        if kind is facts.Attr:
            while type(node) is facts.Attr:
                span, value, name = node
                if name in methods:
                    _note(tensors, value, span)
                elif name == "device":
                    _note(placed, value, span)
                elif name in _SHAPES:
                    path = dotted_path(value)
                    if path is not None:
                        shaped.add(path)
                node = value
            if type(node) is not facts.Name:
                push(node)
            continue
        if kind is facts.Call:
            candidates = True
            if uses_torch:
                _from_call(node, ops, canonical, tensors)
            _, func, args, keywords = node
            push(func)
            if args:
                extend(args)
            for _, value in keywords:
                push(value)
            continue
        if kind is facts.Subscript:
            candidates = True
            if uses_torch and _is_tensor_index(node.key):
                _note(tensors, node.value, node.span)
        elif kind is facts.Assign:
            for target in node.targets:
                if type(target) is facts.Name:
                    continue
                stores = stores or _has_attribute(target)
                push(target)
            push(node.value)
            push(node.annotation)
            continue
        elif kind is facts.AugAssign:
            stores = stores or _has_attribute(node.target)
        elif kind in _CANDIDATES:
            candidates = True
        for at in _SINGLE[kind]:
            push(node[at])
        for at in _SEVERAL[kind]:
            extend(node[at])
    if tensors:
        _unprove(body, tensors)
    if uses_torch:
        # A module has a device but no shape, an array a shape but no device.
        for path in shaped.intersection(placed):
            if path not in tensors and path not in _SELF:
                tensors[path] = placed[path]
    return Usage(tensors, stores, candidates)


def _unprove(body: tuple[facts.Stmt, ...], tensors: dict[str, facts.Place]) -> None:
    """After `x = torch.as_tensor(x)`, what is done with `x` says nothing of what it was before."""
    for statement in body:
        if type(statement) is not facts.Assign or type(statement.value) is not facts.Call:
            continue
        func, args = statement.value.func, statement.value.args
        if type(func) is not facts.Attr or func.name not in _CONVERSIONS or not args:
            continue
        for target in statement.targets:
            if type(target) is facts.Name and type(args[0]) is facts.Name and args[0].id == target.id:
                proof = tensors.get(target.id)
                if proof is not None and proof[0] > statement.span[0]:
                    del tensors[target.id]


_TENSOR_METHODS: dict[int, tuple[Mapping[str, Op], frozenset[str]]] = {}


def _tensor_methods(ops: Mapping[str, Op]) -> frozenset[str]:
    """The members that only a tensor has."""
    held = _TENSOR_METHODS.get(id(ops))
    if held is None or held[0] is not ops:
        prefix = "Tensor."
        # Not over `items()`: an operation is read when it is asked for.
        names = frozenset(name[len(prefix) :] for name in ops if name.startswith(prefix) and ops[name].tensor_only)
        held = _TENSOR_METHODS[id(ops)] = (ops, names)
    return held[1]


def _children(kind: type, several: bool) -> tuple[int, ...]:
    """Where a kind of node holds other nodes: single ones, or tuples of them."""
    found = []
    for at, annotation in enumerate(kind.__annotations__.values()):
        parts = {part.strip() for part in getattr(annotation, "__forward_arg__", str(annotation)).split("|")}
        tuples = {part for part in parts if part.startswith("tuple[") and part != "tuple[str, ...]"}
        if tuples if several else parts & {"Expr", "Name", "Stmt"}:
            found.append(at)
    return tuple(found)


_NODES = tuple(
    node
    for node in vars(facts).values()
    if isinstance(node, type)
    and issubclass(node, tuple)
    and node is not facts.Span
    and node.__module__ == facts.__name__
)
_SINGLE = {node: _children(node, False) for node in _NODES}
_SEVERAL = {node: _children(node, True) for node in _NODES}


def _note(tensors: dict[str, facts.Place], node: facts.Expr, span: facts.Place) -> None:
    path = dotted_path(node)
    if path is not None and (path not in tensors or span < tensors[path]):
        tensors[path] = span


TORCH_PACKAGES = frozenset(
    [
        "torch",
        "torchvision",
        "torchaudio",
        "torchtext",
        "torchmetrics",
        "torch_geometric",
        "torchdata",
        "pytorch_lightning",
        "lightning",
        "transformers",
        "accelerate",
        "diffusers",
        "timm",
        "peft",
        "deepspeed",
        "ignite",
        "kornia",
        "monai",
        "fairscale",
        "fairseq",
        "apex",
        "flash_attn",
        "bitsandbytes",
        "trl",
    ]
)
"""Packages whose import says that a module handles tensors. Without one, how a name is used proves nothing."""


_BRANCHES = (facts.If, facts.Try, facts.With)
_BLOCKS = (*_BRANCHES, facts.For, facts.While, facts.Function)


ARRAY_PACKAGES = frozenset(
    ["numpy", "pandas", "jax", "cupy", "tensorflow", "xarray", "polars", "scipy", "sqlalchemy", "django", "mlx"]
)
"""Packages whose objects have some methods of tensors."""


def imports_torch(
    body: tuple[facts.Stmt, ...], *, into_functions: bool, packages: frozenset[str] = TORCH_PACKAGES
) -> bool:
    """Whether a block imports torch or a package built on it (or other packages), in any of its branches."""
    stack: list[object] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, facts.Import):
            if node.module.partition(".")[0] in packages:
                return True
        elif type(node) is tuple or isinstance(node, facts.Handler):
            stack.extend(node)
        elif isinstance(node, _BLOCKS if into_functions else _BRANCHES):
            stack.extend(part for part in node if type(part) is tuple)
    return False


def _has_attribute(target: facts.Expr) -> bool:
    if isinstance(target, facts.Sequence):
        return any(_has_attribute(item) for item in target.items)
    while isinstance(target, (facts.Subscript, facts.Starred)):
        target = target.value
    return isinstance(target, facts.Attr)


def _from_call(
    call: facts.Call,
    ops: Mapping[str, Op],
    canonical: Callable[[facts.Expr], str | None],
    tensors: dict[str, facts.Place],
) -> None:
    span, func, args, keywords = call
    if type(func) is facts.Attr:
        _, value, member = func
        if member in _SIZE_CALLS or (member == "size" and args and not keywords):
            _note(tensors, value, span)
        if member == "register_hook":
            return
        if member == "to" and args and _is_whole_dtype(args[0]):
            _note(tensors, value, span)
    if not args or type(args[0]) not in _PATHS:
        return
    name = canonical(func)
    if name is None or name in _NOT_PROOF:
        return
    op = ops.get(name)
    if op is not None and op.params and op.params[0].name in _TENSOR_PARAMS:
        _note(tensors, args[0], span)


def _is_whole_dtype(node: facts.Expr) -> bool:
    return (
        type(node) is facts.Attr
        and node.name in _WHOLE_DTYPES
        and type(node.value) is facts.Name
        and node.value.id == "torch"
    )


def _is_tensor_index(index: facts.Expr) -> bool:
    if isinstance(index, facts.Sequence) and index.kind == "tuple":
        return any(isinstance(item, facts.Slice) or _is_tensor_index(item) for item in index.items)
    return isinstance(index, facts.Const) and index.kind in {"none", "ellipsis"}
