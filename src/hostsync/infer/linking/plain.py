"""Values, functions and classes as data that JSON can hold, so that one file's knowledge can be kept for another.

What stands for something of the same module (a class, a function) is named `module:name` in this form. Chains of
reasons are left out: they speak of lines of another file. That a tensor is on the CPU only by default is kept of them.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from functools import reduce
from typing import Any, Final, TypeAlias

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.devices import CPU
from hostsync.infer.dtypes import TENSOR_TYPES
from hostsync.infer.joining import join
from hostsync.infer.nodes import LITERALS
from hostsync.infer.origins import TOLD_BY_DEFAULT
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    TypeOf,
    Unknown,
    Value,
    host_doubt,
)

Plain: TypeAlias = Any
"""What JSON can hold."""

SEPARATOR: Final = ":"
"""Between the module and the name of what is defined in it."""

MODULE: Final = "module:"
"""What the name of a `Ref` to a module of the project begins with."""

_DEPTH: Final = 4
_MOST_ITEMS: Final = 128
_LONGEST_TEXT: Final = 200
_NOWHERE: Final = facts.Span(1, 1, 1, 1)


def is_foreign(name: str) -> bool:
    """Whether a class or function, by its name inside a module, is that of another module."""
    return SEPARATOR in name


def is_indexed(name: str) -> bool:
    """Whether a module, or what it defines, is known by an index and is no part of the project."""
    return name.startswith("<")


def place_name(symbol: str) -> str:
    """The file of a foreign symbol, as a user knows it: of an index, without the mark of the package."""
    file = symbol.rpartition(SEPARATOR)[0]
    return file.partition(">/")[2] if is_indexed(file) else file


def dotted_name(symbol: str) -> str:
    """The dotted name of what an index knows, such as `torch.distributions.kl.kl_divergence`."""
    file, _, name = symbol.rpartition(SEPARATOR)
    module = place_name(f"{file}{SEPARATOR}").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{module}.{name}".removesuffix(".__init__")


def short_name(symbol: str) -> str:
    """The name of a function or class without its class and module."""
    return symbol.rpartition(SEPARATOR)[2].rpartition(".")[2]


def is_at_top(callee: Callable) -> bool:
    """Whether a module has a function by a name of its own: no method, no lambda, none inside of another."""
    return isinstance(callee.node, facts.Function) and callee.bound is None and "." not in callee.symbol


def encode(value: Value, qualify: Function[[str], str], depth: int = _DEPTH) -> Plain:
    """A value as plain data.

    Args:
        value: the value.
        qualify: turns a name of this module into one that others know. It is given each name that the data speaks of,
            those of other modules as well, and of a module `key:`.
        depth: how deep containers are taken in.
    """
    if isinstance(value, Tensor):
        told = [1] if host_doubt(value) else []
        return ["T", sorted(value.device), value.dtype, value.ndim, value.sure, value.pinned, value.param, *told]
    if isinstance(value, Unknown):
        return None if value.param is None else ["U", value.param, value.derived, *filter(None, [value.dtype])]
    if isinstance(value, Number):
        return ["#"] if value.const is None or value.const != value.const else ["#", value.const]
    if isinstance(value, Text):
        return ["S"] if value.const is None or len(value.const) > _LONGEST_TEXT else ["S", value.const]
    if isinstance(value, Nothing):
        return ["N"]
    if isinstance(value, DeviceValue):
        return ["D", sorted(value.device)]
    if isinstance(value, DtypeValue):
        return ["Y", value.dtype]
    if isinstance(value, Array):
        return ["A", value.ndim, value.dtype]
    if isinstance(value, Ref):
        if value.name.startswith(MODULE):
            qualify(f"{value.name.removeprefix(MODULE)}{SEPARATOR}")
        return ["R", value.name]
    if isinstance(value, ClassRef):
        return ["C", qualify(value.name)]
    if isinstance(value, Instance):
        name = qualify(value.name) if value.local else value.name
        held = [] if value.held is None or not depth else [encode(value.held, qualify, depth - 1)]
        return ["O", name, value.local, sorted(value.device), [list(option) for option in value.options], *held]
    if isinstance(value, Callable):
        if not is_at_top(value) and (not is_foreign(value.symbol) or value.bound is not None):
            return None
        return ["F", qualify(value.symbol)]
    if isinstance(value, Choice):
        return ["E", [encode(option, qualify, depth) for option in value.options]]
    if isinstance(value, TypeOf):
        return ["V", encode(value.value, qualify, depth), *([True] if value.admits_number else ())]
    if not depth:
        return None
    if isinstance(value, Items):
        if value.items is not None and len(value.items) <= _MOST_ITEMS:
            return ["I", value.kind, [encode(item, qualify, depth - 1) for item in value.items], None]
        element = value.element if value.items is None else UNKNOWN
        return ["I", value.kind, None, encode(element, qualify, depth - 1)]
    if isinstance(value, Mapping):
        items = [[key, encode(item, qualify, depth - 1)] for key, item in value.items[:_MOST_ITEMS]]
        return ["M", items, encode(value.element, qualify, depth - 1)]
    return None


def is_tensor_on_host(value: Plain) -> bool:
    """Whether a value in its plain form is a tensor on the CPU."""
    return value[0] == "T" and frozenset(value[1]) == CPU


def classes_in(data: Plain) -> set[str]:
    """The classes that a value in its plain form speaks of, as `module:name`."""
    found: set[str] = set()
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list) and part:
            if part[0] in ("C", "O") and isinstance(part[1], str) and is_foreign(part[1]):
                found.add(part[1])
            waiting += part
    return found


FUNCTIONS: Final = ("F", "R", "E")
"""What the plain forms of functions begin with."""


def functions_in(data: Plain) -> list[Plain]:
    """The functions that a value in its plain form is one of; none if it is something else."""
    if not isinstance(data, list) or data[0] not in FUNCTIONS:
        return []
    return list(data[1]) if data[0] == "E" else [data]


def decode(data: Plain, function: Function[[str], Value]) -> Value:
    """The value that `encode` made data of; `function` finds what a function's name stands for."""
    if data is None:
        return UNKNOWN
    kind = data[0]
    if kind == "T":
        return Tensor(
            frozenset(data[1]), data[2], data[3], data[4], data[5], TOLD_BY_DEFAULT if data[7:] else None, data[6]
        )
    if kind == "U":
        return Unknown(data[1], data[2], dtype=data[3] if data[3:] else "")
    if kind == "#":
        return Number(data[1]) if len(data) > 1 else NUMBER
    if kind == "S":
        return Text(data[1]) if len(data) > 1 else TEXT
    if kind == "N":
        return NOTHING
    if kind == "D":
        return DeviceValue(frozenset(data[1]))
    if kind == "Y":
        return DtypeValue(data[1])
    if kind == "A":
        return Array(data[1], data[2])
    if kind == "R":
        return Ref(data[1])
    if kind == "C":
        return ClassRef(data[1])
    if kind == "O":
        held = decode(data[5], function) if len(data) > 5 else None
        made = Instance(data[1], data[2], frozenset(data[3]), tuple((k, v) for k, v in data[4]))
        return made._replace(held=held) if isinstance(held, (Items, Mapping)) else made
    if kind == "F":
        return function(data[1])
    if kind == "E":
        return reduce(join, [decode(option, function) for option in data[1]])
    if kind == "V":
        return TypeOf(decode(data[1], function), len(data) > 2)
    if kind == "I":
        items = None if data[2] is None else tuple(decode(item, function) for item in data[2])
        return Items(data[1], items, decode(data[3], function))
    return Mapping(tuple((key, decode(item, function)) for key, item in data[1]), decode(data[2], function))


# --- functions -----------------------------------------------------------------------------------


def encode_signature(node: facts.Function) -> Plain:
    """The parameters, decorators and nature of a function."""
    return [
        [
            [p.name, p.kind, _default(p.default), *([1] if is_tensor_annotation(p.annotation) else [])]
            for p in node.params
        ],
        [_decorator(d) for d in node.decorators],
        node.is_async,
        node.is_generator,
    ]


def decode_signature(name: str, data: Plain) -> facts.Function:
    """A function without a body, with the signature that `encode_signature` made data of."""
    params, decorators, is_async, is_generator = data
    return facts.Function(
        _NOWHERE,
        name,
        tuple(
            [
                new(facts.Param, (n, kind, _TENSOR if promised else None, _constant(d), ""))
                for n, kind, d, *promised in params
            ]
        ),
        None,
        tuple([facts.Name(_NOWHERE, d) for d in decorators]),
        (),
        is_async,
        is_generator,
    )


def _constant(data: Plain) -> facts.Const | None:
    """A default from what `_default` made of it."""
    if data is None:
        return None
    kind, value = data
    return _NONE if kind == "none" else new(facts.Const, (_NOWHERE, kind, value))


_NONE: Final = facts.Const(_NOWHERE, "none", None)
_TENSOR: Final = facts.Const(_NOWHERE, "str", "torch.Tensor")


def is_tensor_annotation(node: facts.Expr | None) -> bool:
    """Whether an annotation says that there is a tensor, or None: `Tensor`, `Optional[torch.Tensor]`."""
    if isinstance(node, facts.Binary) and node.op == "|":
        sides = [
            side for side in (node.left, node.right) if not (isinstance(side, facts.Const) and side.kind == "none")
        ]
        return len(sides) == 1 and is_tensor_annotation(sides[0])
    if isinstance(node, facts.Subscript):
        return _decorator(node.value) == "Optional" and is_tensor_annotation(node.key)
    if isinstance(node, facts.Const):
        return node.kind == "str" and isinstance(node.value, str) and node.value.rpartition(".")[2] in TENSOR_TYPES
    return node is not None and _decorator(node) in TENSOR_TYPES


def _default(node: facts.Expr | None) -> Plain:
    if node is None:
        return None
    if isinstance(node, facts.Call) and _decorator(node) == "device" and node.args:
        node = node.args[0]
    if isinstance(node, facts.Const) and node.kind in LITERALS:
        if isinstance(node.value, str) and len(node.value) > _LONGEST_TEXT:
            return ["ellipsis", None]
        return [node.kind, node.value]
    return ["ellipsis", None]


def _decorator(node: facts.Expr) -> str:
    if isinstance(node, facts.Call):
        node = node.func
    return node.id if isinstance(node, facts.Name) else node.name if isinstance(node, facts.Attr) else ""
