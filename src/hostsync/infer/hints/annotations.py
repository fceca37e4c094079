"""What a type annotation says about a value."""

from __future__ import annotations

from collections.abc import Callable as Function
from functools import partial
from typing import Final

from hostsync import facts
from hostsync.infer.devices import ANYWHERE, Device, of_param
from hostsync.infer.dtypes import CLASSES
from hostsync.infer.hints.tables import is_of_tables
from hostsync.infer.joining import join
from hostsync.infer.nodes import last_name
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    ON_HOST,
    TEXT,
    UNKNOWN,
    Array,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Partial,
    Ref,
    Tensor,
    TypeOf,
    Value,
)

_JAXTYPING: Final = {
    "Float": "float",
    "Int": "int",
    "UInt": "int",
    "Integer": "int",
    "Bool": "bool",
    "Shaped": "",
    "Num": "",
}
_LISTS: Final = {
    "list",
    "List",
    "Sequence",
    "Iterable",
    "Iterator",
    "Collection",
    "MutableSequence",
    "deque",
    "set",
    "Set",
    "Generator",
}
_MAPPINGS: Final = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict"}
_NUMBERS: Final = {"int", "float", "bool", "complex"}
_TRANSPARENT: Final = {"Optional", "Final", "ClassVar", "Annotated", "Required", "NotRequired"}
_OTHER_FRAMEWORKS: Final = {"tensorflow", "tf", "paddle", "mxnet", "onnx", "tinygrad", "mindspore"}

MODULE_CLASS: Final = "torch.nn.Module"
"""The name under which a module of unknown class is known."""


def from_annotation(
    node: facts.Expr, resolve: Function[[facts.Expr], Value], device: Device = ANYWHERE, param: str | None = None
) -> Value | None:
    """The value that an annotation promises; None when it says nothing that helps.

    `resolve` evaluates a name or dotted name. A tensor is put on `device`.
    """
    if isinstance(node, facts.Const):
        return NOTHING if node.kind == "none" else None
    if isinstance(node, facts.Binary) and node.op == "|":
        return union([from_annotation(part, resolve, device, param) for part in _alternatives(node)])
    if isinstance(node, facts.Subscript):
        return _generic(node, resolve, device, param)
    if isinstance(node, (facts.Name, facts.Attr)):
        return _plain(node, resolve, device, param)
    return None


def admits_number(node: facts.Expr) -> bool:
    """Whether an annotation names a type of number among others: `int | torch.Tensor`, `Union[float, Tensor]`."""
    stack: list[object] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, facts.Name) and part.id in _NUMBERS:
            return True
        if isinstance(part, tuple):
            stack.extend(part)
    return False


def admits_one_number(node: facts.Expr) -> bool:
    """Whether one number is among the alternatives, as in `float | Tensor`; a sequence of some is no number."""
    return any(isinstance(part, facts.Name) and part.id in _NUMBERS for part in _alternatives(node))


def only_numbers(node: facts.Expr) -> bool:
    """Whether an annotation leaves nothing but numbers of Python: `int`, `int | float`."""
    return all(isinstance(part, facts.Name) and part.id in _NUMBERS for part in _alternatives(node))


def named_type(node: facts.Expr, resolve: Function[[facts.Expr], Value]) -> TypeOf | None:
    """The type that an annotation stands for, where it gets a name of its own; None when it says nothing that helps."""
    promised = from_annotation(node, resolve)
    return None if promised is None else TypeOf(promised, any(map(partial(_is_number, resolve), _alternatives(node))))


def stands_for_number(node: facts.Expr, resolve: Function[[facts.Expr], Value]) -> bool:
    """As `admits_one_number`, also where a type with a name of its own does: `Scalar` for `float | Tensor`."""
    return any(_is_number(resolve, part) for part in _alternatives(node))


def _is_number(resolve: Function[[facts.Expr], Value], node: facts.Expr) -> bool:
    if isinstance(node, facts.Name) and node.id in _NUMBERS:
        return True
    value = resolve(node) if isinstance(node, (facts.Name, facts.Attr)) else None
    return isinstance(value, TypeOf) and value.admits_number


def _alternatives(node: facts.Expr) -> list[facts.Expr]:
    if isinstance(node, facts.Binary) and node.op == "|":
        return [*_alternatives(node.left), *_alternatives(node.right)]
    if isinstance(node, facts.Subscript) and last_name(node.value) in {"Union", "Optional"}:
        parts = node.key.items if isinstance(node.key, facts.Sequence) else (node.key,)
        return [found for part in parts for found in _alternatives(part)]
    return [node]


def union(parts: list[Value | None]) -> Value | None:
    """`X | None` is X; a tensor or anything else is a tensor that is not sure to be one."""
    known = [part for part in parts if part is not None and not isinstance(part, Nothing)]
    others = any(part is None for part in parts)
    if not known:
        return None
    result: Value = known[0]
    for part in known[1:]:
        result = join(result, part)
    if others:
        tensor = next((part for part in known if isinstance(part, Tensor)), None)
        return tensor._replace(sure=False) if tensor is not None else None
    return result


def _root_name(node: facts.Expr) -> str:
    while isinstance(node, facts.Attr):
        node = node.value
    return node.id if isinstance(node, facts.Name) else ""


def _plain(node: facts.Expr, resolve: Function[[facts.Expr], Value], device: Device, param: str | None) -> Value | None:
    value = resolve(node)
    name = last_name(node)
    if isinstance(value, ClassRef):
        return Instance(value.name, True)
    if isinstance(value, TypeOf):
        return _placed(value.value, device, param)
    dotted = value.name if isinstance(value, Ref) else name
    if is_of_tables(dotted):
        return ON_HOST
    root = dotted.partition(".")[0]
    if root == "torch":
        # `TensorLike = torch.Tensor`: what it stands for counts, not what it is called.
        name = dotted.rpartition(".")[2]
    if name in CLASSES and root not in _OTHER_FRAMEWORKS and _root_name(node) not in _OTHER_FRAMEWORKS:
        if isinstance(value, Ref) or name == "Tensor" or dotted == name:
            return Tensor(device, CLASSES[name], param=param)
        return None
    if dotted in _TAKEN_FOR_TENSORS:
        return Tensor(device, param=param)
    if name in _NUMBERS:
        return NUMBER
    if name == "str":
        return TEXT
    if name == "None":
        return NOTHING
    if name == "ndarray" or dotted == "numpy.array":
        return Array()
    if dotted == "builtins.slice":
        return Items("slice", None, UNKNOWN)
    if dotted == "torch.device":
        return DeviceValue(of_param(param) if param else ANYWHERE)
    if dotted == "torch.dtype":
        return DtypeValue("")
    if dotted == "torch.Size":
        return Items("tuple", None, NUMBER)
    if dotted in {"torch.nn.Module", "nn.Module"}:
        return Instance(MODULE_CLASS, False)
    if name in {"tuple", "Tuple"}:
        return Items("tuple", None, UNKNOWN)
    if name in _LISTS and root not in {"torch", "numpy"}:
        return Items("list", None, UNKNOWN)
    if name in _MAPPINGS:
        return Mapping((), UNKNOWN)
    if isinstance(value, Ref) and (root in {"torch", "numpy"}):
        return Instance(value.name, False, device if value.name.startswith("torch.distributions.") else ANYWHERE)
    return None


_TAKEN_FOR_TENSORS: Final = frozenset({"torch.autograd.Variable", "torch.tensor"})
"""What stands for `torch.Tensor` in annotations: its name of old, and the function that makes one."""


def _placed(value: Value, device: Device, param: str | None) -> Value:
    """The values of a named type, with their tensors on `device`."""
    if isinstance(value, Tensor):
        return value._replace(device=device, param=param)
    if isinstance(value, Items):
        items = None if value.items is None else tuple(_placed(item, device, None) for item in value.items)
        return value._replace(items=items, element=_placed(value.element, device, None))
    if isinstance(value, Mapping):
        return value._replace(element=_placed(value.element, device, None))
    if isinstance(value, DeviceValue):
        return DeviceValue(of_param(param) if param else ANYWHERE)
    return value


def _generic(
    node: facts.Subscript, resolve: Function[[facts.Expr], Value], device: Device, param: str | None
) -> Value | None:
    name = last_name(node.value)
    args = node.key.items if isinstance(node.key, facts.Sequence) else (node.key,)
    if name == "Optional" or (name in _TRANSPARENT and args):
        return from_annotation(args[0], resolve, device, param)
    if name == "Union":
        return union([from_annotation(arg, resolve, device, param) for arg in args])
    if name in _LISTS and args:
        return Items("list", None, from_annotation(args[0], resolve, device) or UNKNOWN)
    if name in {"tuple", "Tuple"} and args:
        if len(args) == 2 and isinstance(args[1], facts.Const) and args[1].kind == "ellipsis":
            return Items("tuple", None, from_annotation(args[0], resolve, device) or UNKNOWN)
        return Items("tuple", tuple(from_annotation(arg, resolve, device) or UNKNOWN for arg in args), UNKNOWN)
    if name in _MAPPINGS and len(args) == 2:
        return Mapping((), from_annotation(args[1], resolve, device) or UNKNOWN)
    if name == "Callable" and len(args) == 2:
        gives = from_annotation(args[1], resolve)
        return None if gives is None else Partial(TypeOf(gives), (), ())
    if name in {"type", "Type"} and args:
        inner = from_annotation(args[0], resolve, device)
        return ClassRef(inner.name) if isinstance(inner, Instance) and inner.local else None
    if name in _JAXTYPING and args:
        inner = from_annotation(args[0], resolve, device, param)
        return inner._replace(dtype=_JAXTYPING[name]) if isinstance(inner, Tensor) else inner
    if name in {"ndarray", "NDArray"}:
        return Array()
    whole = resolve(node.value) if isinstance(node.value, (facts.Name, facts.Attr)) else None
    if isinstance(whole, Ref) and is_of_tables(whole.name):
        return ON_HOST
    if name == "DataLoader":
        return Instance("torch.utils.data.DataLoader", False)
    return None
