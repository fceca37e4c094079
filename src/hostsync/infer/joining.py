"""How beliefs merge where control flow meets."""

from __future__ import annotations

from collections.abc import Callable as Callable_
from typing import Any, Final

from hostsync.infer.devices import ANYWHERE, CPU, Device, only_host
from hostsync.infer.values import (
    EITHER,
    NUMBER,
    ON_HOST,
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
    Unknown,
    Value,
    is_function,
)


def join(a: Value, b: Value) -> Value:
    """The belief that holds whichever of two control-flow paths was taken."""
    if a is b:
        return a
    ka, kb = type(a), type(b)
    if ka is kb and a == b and _same_kinds(a, b):
        return a
    if isinstance(a, Nothing):
        return b
    if isinstance(b, Nothing):
        return a
    if ka is kb:
        return _JOIN_SAME[ka](a, b) if ka in _JOIN_SAME else UNKNOWN
    if isinstance(a, Tensor):
        return _with_other(a, b)
    if isinstance(b, Tensor):
        return _with_other(b, a)
    if (a == ON_HOST or b == ON_HOST) and {ka, kb} & _OF_THE_HOST:
        return b if a == ON_HOST else a
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        # `loss or mse_loss`: of a function, the one that is known speaks for what others hand in.
        known, other = (b, a) if isinstance(a, Unknown) else (a, b)
        # `x = x.cpu().numpy()` of what is a tensor: what is none is an array as a rule.
        is_turned = isinstance(known, (Array, Number)) and isinstance(other, Unknown) and other.apart_from is not None
        return known if is_turned or is_function(known) else UNKNOWN
    if ka in _FUNCTIONS and kb in _FUNCTIONS:
        return _join_functions(a, b)
    if isinstance(a, DeviceValue):
        return DeviceValue(a.device | _named(b)) if isinstance(b, (Ref, Text)) else UNKNOWN
    if isinstance(b, DeviceValue):
        return DeviceValue(b.device | _named(a)) if isinstance(a, (Ref, Text)) else UNKNOWN
    return UNKNOWN


_OF_THE_HOST: Final = frozenset({Array, Number, Text})


def _named(value: Value) -> Device:
    """The device that a text names."""
    return CPU if isinstance(value, Text) and value.const == "cpu" else ANYWHERE


def _same_kinds(a: Value, b: Value) -> bool:
    """Whether equal values are of equal kinds inside as well: tuples compare by their fields alone."""
    if isinstance(a, Items) and isinstance(b, Items):
        pairs = zip(a.items or (), b.items or (), strict=True)
        return _alike(a.element, b.element) and all(_alike(x, y) for x, y in pairs)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        held = zip(a.items, b.items, strict=True)
        return _alike(a.element, b.element) and all(_alike(x[1], y[1]) for x, y in held)
    if isinstance(a, Instance) and isinstance(b, Instance) and a.held is not None and b.held is not None:
        return _alike(a.held, b.held)
    return True


def _alike(a: Value, b: Value) -> bool:
    return type(a) is type(b) and _same_kinds(a, b)


def _with_other(tensor: Tensor, other: Value) -> Value:
    """A tensor on one path, something else on the other."""
    if isinstance(other, Unknown):
        if other.apart_from is not None:
            # What is no tensor says nothing of where tensors are.
            param = tensor.param if tensor.param == other.param else None
            return tensor._replace(sure=tensor.sure and other.apart_from, param=param)
        return tensor._replace(device=tensor.device | ANYWHERE, sure=False, param=None)
    if isinstance(other, Number) and isinstance(other.const, bool) and tensor.dtype == "bool":
        # `return False`, or what a comparison says: where it is not decided at once, it is asked of the tensor.
        return tensor._replace(param=None)
    return tensor._replace(sure=False, param=None)


def _join_tensors(a: Tensor, b: Tensor) -> Tensor:
    return Tensor(
        a.device | b.device,
        a.dtype if a.dtype == b.dtype else "",
        a.ndim if a.ndim == b.ndim else None,
        a.sure and b.sure,
        a.pinned if a.pinned == b.pinned else None,
        b.origin if only_host(a.device) and not only_host(b.device) else a.origin or b.origin,
        a.param if a.param == b.param else _either(a.param, b.param),
    )


def _either(a: str | None, b: str | None) -> str | None:
    """What stands for one of several parameters, as `params_in` reads it; None where it may be something else."""
    return None if a is None or b is None else EITHER.join(sorted({*a.split(EITHER), *b.split(EITHER)}))


def _join_items(a: Items, b: Items) -> Items:
    kind = a.kind if a.kind == b.kind else "iterable"
    if a.items is not None and b.items is not None:
        if len(a.items) == len(b.items):
            items = tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
            return Items(kind, items, UNKNOWN)
        if not a.items:
            return Items(kind, None, element_of(b))
        if not b.items:
            return Items(kind, None, element_of(a))
    if a.items == ():
        return b
    if b.items == ():
        return a
    return Items(kind, None, join(element_of(a), element_of(b)))


def merged_mappings(a: Value, b: Value) -> Value:
    """`a | b` for two dictionaries: what `b` has stands in the place of what `a` has."""
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        return UNKNOWN
    element = a.element if isinstance(b.element, Unknown) else b.element
    if not isinstance(a.element, Unknown) and not isinstance(b.element, Unknown):
        element = join(a.element, b.element)
    return Mapping(tuple({**dict(a.items), **dict(b.items)}.items()), element)


_EMPTY: Final = Mapping((), UNKNOWN)


def _join_mappings(a: Mapping, b: Mapping) -> Mapping:
    items = dict(a.items)
    for key, value in b.items:
        items[key] = join(items[key], value) if key in items else value
    empty_a, empty_b = a == _EMPTY and _alike(a, _EMPTY), b == _EMPTY and _alike(b, _EMPTY)
    element = b.element if empty_a else a.element if empty_b else join(a.element, b.element)
    return Mapping(tuple(items.items()), element)


def _join_instances(a: Instance, b: Instance) -> Instance:
    held = None if a.held is None or b.held is None else join(a.held, b.held)
    return a._replace(
        local=a.local and b.local,
        device=a.device | b.device,
        options=a.options if a.options == b.options else (),
        held=held if isinstance(held, (Items, Mapping)) else None,
    )


MOST_OPTIONS: Final = 64
"""Of functions, classes or modules that something may be."""
_WITH_METHODS: Final = ("torch.nn.", "torch.distributions.")
"""Begins the names of classes of torch of whose objects it is worth knowing that they are one of several."""


def _join_functions(a: Value, b: Value) -> Value:
    options: dict[str, Callable | Ref | ClassRef | Instance] = {}
    for side in (a, b):
        for option in side.options if isinstance(side, Choice) else (side,):
            if isinstance(option, Callable):
                options.setdefault(option.symbol, option)
            elif isinstance(option, Ref) and option.name.startswith("torch."):
                options.setdefault(option.name, option)
            elif isinstance(option, ClassRef):
                options.setdefault(f"class {option.name}", option)
            elif isinstance(option, Instance) and (option.local or option.name.startswith(_WITH_METHODS)):
                key = f"object {option.name}"
                known = options.setdefault(key, option)
                if isinstance(known, Instance) and known is not option:
                    options[key] = _join_instances(known, option)
            else:
                return UNKNOWN
    return UNKNOWN if len(options) > MOST_OPTIONS else Choice(tuple(options.values()))


_FUNCTIONS: Final = frozenset({Callable, Choice, Ref, ClassRef, Instance})


def _one_device(a: Device, b: Device) -> Device:
    """One of two devices: that of a module, or the CPU where there is none.

    Where what is asked for may be anywhere, the CPU is what it is without a GPU, and then nothing waits. `=~name` is
    anywhere, too, as `left_out` writes it.
    """
    both = a | b
    if a == b or "cpu" not in both:
        return both
    for atom in both:
        if atom == "?" or atom.startswith("=~"):
            return both - CPU
    return both


_JOIN_SAME: Final[dict[type, Callable_[[Any, Any], Value]]] = {
    Tensor: _join_tensors,
    Items: _join_items,
    Mapping: _join_mappings,
    Instance: lambda a, b: _join_instances(a, b) if a.name == b.name else _join_functions(a, b),
    ClassRef: _join_functions,
    Callable: _join_functions,
    Choice: _join_functions,
    Ref: _join_functions,
    Number: lambda a, b: NUMBER,
    Text: lambda a, b: TEXT,
    Array: lambda a, b: Array(
        a.ndim if a.ndim == b.ndim else None,
        a.dtype if a.dtype == b.dtype else "",
    ),
    DeviceValue: lambda a, b: DeviceValue(_one_device(a.device, b.device), a.param if a.param == b.param else None),
    DtypeValue: lambda a, b: DtypeValue(""),
    Unknown: lambda a, b: Unknown(a.param, True) if a.param is not None and a.param == b.param else UNKNOWN,
}


def element_of(items: Items) -> Value:
    """What iterating yields."""
    if items.items is None:
        return items.element
    if not items.items:
        return UNKNOWN
    result = items.items[0]
    for item in items.items[1:]:
        result = join(result, item)
    return result


def mapping_element(mapping: Mapping) -> Value:
    """What a lookup by an unknown key yields."""
    result: Value | None = None
    for _, value in mapping.items:
        result = value if result is None else join(result, value)
    if result is None:
        return mapping.element
    return result if isinstance(mapping.element, Unknown) else join(result, mapping.element)
