"""Methods of lists, mappings and arrays."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.calls.comparing import sort_in_place
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, positions
from hostsync.infer.frame import Frame
from hostsync.infer.hints import keys
from hostsync.infer.iterating import iterated
from hostsync.infer.joining import element_of, join, mapping_element, merged_mappings
from hostsync.infer.nodes import receiver_node
from hostsync.infer.targets import assign
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Items,
    Mapping,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    is_slice,
)


def items_method(
    frame: Frame, node: facts.Call, receiver: Items, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Methods of lists, tuples, sets and other iterables."""
    target = receiver_node(node)
    values = [v for _, v in args]
    if name in {"append", "add", "insert", "appendleft"} and values:
        _grow(frame, target, receiver, values[-1])
        return NOTHING
    if name in {"extend", "update"} and values and isinstance(values[0], Items):
        _grow(frame, target, receiver, element_of(values[0]))
        return NOTHING
    if name == "extend" and values and isinstance(values[0], Tensor):
        _grow(frame, target, receiver, iterated(frame, values[0]))
        return NOTHING
    if name in {"pop", "popleft", "__getitem__"}:
        return element_of(receiver)
    if name == "copy":
        return receiver
    if name == "sort":
        return sort_in_place(frame, node, node.func if target is None else target, receiver, keywords)
    return NUMBER if name in {"index", "count"} else UNKNOWN


def _grow(frame: Frame, target: facts.Expr | None, items: Items, value: Value) -> None:
    if isinstance(target, facts.Call) and isinstance(target.func, facts.Attr) and target.func.name == "setdefault":
        # `parts.setdefault(key, []).append(x)`: what lies under the key is what grows.
        target = facts.Subscript(target.span, target.func.value, target.args[0]) if target.args else None
    if isinstance(target, (facts.Name, facts.Attr, facts.Subscript)):
        assign(frame, target, grown(frame, items, value))


def grown(frame: Frame, items: Items, value: Value) -> Items:
    """A list with one more element."""
    held = element_of(items)
    if is_slice(held) and isinstance(value, Unknown):
        # Beside slices it is a part of an index, as these are.
        element = held
    elif items.items == () or (items.items is None and isinstance(items.element, Unknown)):
        element = value
    else:
        element = join(held, value)
    if (
        items.items is not None
        and not frame.loops
        and not frame.quiet
        and len(items.items) < 32
        and items.kind == "list"
    ):
        return Items("list", (*items.items, value), UNKNOWN)
    return Items(items.kind, None, element)


def _or_list(held: Value, default: Value) -> Value:
    """What `table.get(key, default)` gives: of what nothing is known, it is a list as the one that stands in for it."""
    if isinstance(held, Unknown):
        return Items("list", None, UNKNOWN) if is_list(default) else join(default, UNKNOWN)
    return join(held, default)


def is_list(value: Value) -> bool:
    """Whether a value is a list."""
    return isinstance(value, Items) and value.kind == "list"


def mapping_method(
    frame: Frame, node: facts.Call, receiver: Mapping, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Methods of dictionaries."""
    if name in {"get", "pop", "setdefault"} and args:
        key = args[0][1]
        default = args[1][1] if len(args) > 1 else NOTHING
        if isinstance(key, Text) and key.const is not None:
            found = dict(receiver.items).get(key.const)
            if found is not None:
                return found
            known = None if isinstance(default, Number) else keys.load(frame, receiver_node(node), key.const)
            if known is not None:
                return known
            return _or_list(receiver.element, default)
        return _or_list(mapping_element(receiver), default)
    if name == "items":
        return Items("iterable", None, Items("tuple", (TEXT, mapping_element(receiver)), UNKNOWN))
    if name == "values":
        return Items("iterable", None, mapping_element(receiver))
    if name == "keys":
        return Items("iterable", None, TEXT)
    if name == "most_common":
        return Items("list", None, Items("tuple", (UNKNOWN, mapping_element(receiver)), UNKNOWN))
    if name == "copy":
        return receiver
    if name == "update" and (keywords or (args and isinstance(args[0][1], Mapping))):
        target = receiver_node(node)
        if isinstance(target, (facts.Name, facts.Attr)):
            given = args[0][1] if args else receiver
            named = tuple([(key, value) for key, _, value in keywords if key is not None])
            assign(frame, target, merged_mappings(join(receiver, given), Mapping(named, UNKNOWN)))
        return NOTHING
    return UNKNOWN


def array_method(receiver: Array, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """Methods of NumPy arrays, and of tables."""
    if name == "item":
        return NUMBER
    if name == "tolist":
        return Items("list", None, NUMBER if receiver.ndim == 1 else UNKNOWN)
    along = bool(args) or any(k in {"axis", "keepdims"} for k, _, _ in keywords)
    if name in {"argmax", "argmin", "argsort"}:
        return positions(name, receiver, along)
    if name in {"sum", "mean", "max", "min", "std", "var", "prod", "any", "all"}:
        return Array() if along else NUMBER
    if name == "astype" or name in {"copy", "clip", "round", "cumsum", "cumprod", "sort"}:
        return receiver
    if name in {"flatten", "ravel"}:
        return Array(1, receiver.dtype)
    if name == "reshape":
        if len(args) == 1 and isinstance(args[0][1], Items):
            items = args[0][1].items
            return Array(len(items) if items is not None else None, receiver.dtype)
        return Array(len(args), receiver.dtype)
    if name in {"tobytes", "tostring"}:
        return TEXT
    return Array(None, receiver.dtype)
