"""Transfer functions of what Python offers to compare, test, order and fold elements: each asks tensors for values."""

from __future__ import annotations

from keyword import iskeyword
from typing import Final

from hostsync import facts
from hostsync.infer.calls.callbacks import called_back
from hostsync.infer.calls.host_calls import BUILTINS, ArgumentList, Handler, KeywordList, read_back
from hostsync.infer.calls.image_transforms import PACKAGE, transformed
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.calls.placing import lead, merged
from hostsync.infer.dtypes import PYTHON_TYPES
from hostsync.infer.frame import Frame
from hostsync.infer.iterating import iterated
from hostsync.infer.joining import element_of, join
from hostsync.infer.nodes import ARITHMETIC
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Instance,
    Items,
    Number,
    Ref,
    Tensor,
    Unknown,
    Value,
    tensors_in,
)

_SECOND: Final = frozenset(
    "heappush heappushpop heapreplace bisect bisect_left bisect_right insort insort_left insort_right".split()
)
"""Functions of `heapq` and `bisect` that compare their second argument; the others take a list of what they compare."""


def compared(value: Value) -> Tensor | None:
    """The tensor that is compared with its like where a value is: itself, or the first part of a tuple."""
    if isinstance(value, Items) and value.kind in {"tuple", "list"}:
        value = value.items[0] if value.items else value.element
    return value if isinstance(value, Tensor) and value.sure else None


def compare(frame: Frame, node: facts.Call, op: str, subject: facts.Expr, value: Value) -> None:
    """Elements that are compared with each other."""
    tensor = compared(value)
    if tensor is not None:
        read_back(frame, node, op, subject, tensor)


def by_key(frame: Frame, node: facts.Call, element: Value, keywords: KeywordList) -> Value:
    """What elements are compared by: themselves, or what the function under `key` gives."""
    found = next(((expr, value) for name, expr, value in keywords if name == "key"), None)
    if found is None:
        return element
    expr, key = found
    place = _place(expr)
    if place is not None and isinstance(element, Items) and element.items is not None:
        return element.items[place] if -len(element.items) <= place < len(element.items) else UNKNOWN
    if isinstance(key, Ref) and isinstance(element, Tensor):
        name = key.name.rpartition(".")[2]
        if name in {"float", "int"}:
            read_back(frame, node, f"builtins.{name}", expr, element)
        return NUMBER
    return called_back(frame, node, key, [element])


def _place(expr: facts.Expr) -> int | None:
    """The place that `operator.itemgetter(place)` takes."""
    if not isinstance(expr, facts.Call) or len(expr.args) != 1:
        return None
    name = expr.func.id if isinstance(expr.func, facts.Name) else getattr(expr.func, "name", "")
    place = expr.args[0]
    if name == "itemgetter" and isinstance(place, facts.Const) and isinstance(place.value, int):
        return place.value
    return None


def _extreme(name: str) -> Handler:
    def extreme(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
        op = f"builtins.{name}"
        has_key = any(key == "key" for key, _, _ in keywords)
        if len(args) == 1:
            expr, value = args[0]
            element = iterated(frame, value)
            if has_key or compared(value) is None:
                compare(frame, node, op, expr, by_key(frame, node, element, keywords))
                return _as_compared(element) if not has_key and compared(element) is not None else element
            tensors = [t for t in tensors_in(value, 1) if t.sure]
            result = element_of(value) if isinstance(value, Items) else value
        else:
            tensors = [v for _, v in args if isinstance(v, Tensor) and v.sure]
            result = UNKNOWN if not args else args[0][1]
            for _, value in args[1:]:
                result = join(result, value)
            if isinstance(result, Unknown) and any(isinstance(value, Number) for _, value in args):
                # `max(1, n)`: beside a number stands a number, unless it is known to be something else.
                result = NUMBER
            if has_key:
                for expr, value in args[:1]:
                    compare(frame, node, op, expr, by_key(frame, node, value, keywords))
                return result
        if tensors:
            frame.emit(
                "read-back",
                op,
                "",
                node,
                subject=next((expr for expr, value in args if isinstance(value, Tensor)), args[0][0]),
                device=merged([t._replace(ndim=None) for t in tensors]),
                origin=lead(tensors),
            )
            result = _as_compared(result)
        return result

    return extreme


def _as_compared(value: Value) -> Value:
    """As often as not it is the tensor, which has one element, as it was compared."""
    return value._replace(sure=True, ndim=0) if isinstance(value, Tensor) else value


def _any_all(name: str) -> Handler:
    def reduce(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
        for expr, value in args[:1]:
            for tensor in tensors_in(value, 1)[:1]:
                read_back(frame, node, f"builtins.{name}", expr, tensor)
        return NUMBER

    return reduce


def _sorted(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if not args:
        return UNKNOWN
    expr, value = args[0]
    element = iterated(frame, value)
    compare(frame, node, "builtins.sorted", expr, by_key(frame, node, element, keywords))
    return Items("list", None, element)


def sort_in_place(frame: Frame, node: facts.Call, target: facts.Expr, items: Items, keywords: KeywordList) -> Value:
    """`items.sort(key=…)`."""
    compare(frame, node, "builtins.sorted", target, by_key(frame, node, element_of(items), keywords))
    return NOTHING


def _map(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) < 2:
        return UNKNOWN
    callee, elements = args[0][1], [iterated(frame, value) for _, value in args[1:]]
    name = callee.name if isinstance(callee, Ref) else ""
    if name in PYTHON_TYPES:
        read_back(frame, node, name, args[1][0], elements[0])
        return Items("iterable", None, NUMBER)
    if name in _TEXTS:
        read_back(frame, node, name, args[1][0], elements[0])
        return Items("iterable", None, TEXT)
    if isinstance(callee, Instance) and callee.name.startswith(PACKAGE):
        return Items("iterable", None, transformed(frame, node, callee.name, [(args[1][0], elements[0])], []))
    return Items("iterable", None, called_back(frame, node, callee, elements))


_TEXTS: Final = frozenset({"builtins.str", "builtins.repr", "builtins.ascii"})
_OPERATORS: Final = {
    **{f"{name}_" if iskeyword(name) else name: symbol for symbol, name in ARITHMETIC.items()},
    **{f"i{name}": symbol for symbol, name in ARITHMETIC.items()},
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
"""Functions of `operator`, and what they stand for."""


def _filter(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) != 2:
        return UNKNOWN
    element = iterated(frame, args[1][1])
    asked = called_back(frame, node, args[0][1], [element])
    read_back(frame, node, "builtins.bool", args[0][0], asked)
    return Items("iterable", None, element)


def _operated(name: str, values: list[Value]) -> Value:
    """What a function of `operator` gives for tensors; nothing is claimed of what they give for anything else."""
    op = _OPERATORS.get(name)
    if op is None or len(values) != 2 or not any(isinstance(value, Tensor) for value in values):
        return UNKNOWN
    return operator_result(op, *values)


def standard_library(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """A function of `heapq`, `bisect`, `operator` or `functools` that compares, reads or folds."""
    root, _, last = name.partition(".")
    if root == "operator":
        if last == "index" and args:
            read_back(frame, node, name, *args[0])
            return NUMBER
        return _operated(last, [value for _, value in args])
    if root == "functools":
        if last != "reduce" or len(args) < 2:
            return UNKNOWN
        element = iterated(frame, args[1][1])
        first = args[2][1] if len(args) > 2 else element
        if isinstance(args[0][1], Ref) and args[0][1].name.startswith("operator."):
            return _operated(args[0][1].name.partition(".")[2], [first, element])
        # As `sum` does, it gives what is folded, unless there is nothing to fold.
        return called_back(frame, node, args[0][1], [first, element])
    if last in {"nlargest", "nsmallest"} and len(args) > 1:
        expr, value = args[1]
        element = iterated(frame, value)
        compare(frame, node, name, expr, by_key(frame, node, element, keywords))
        return Items("list", None, element)
    at = 1 if last in _SECOND else 0
    if len(args) > at:
        expr, value = args[at]
        compare(frame, node, name, expr, value if at else iterated(frame, value))
    if args and last in {"heappop", "heappushpop", "heapreplace"}:
        return iterated(frame, args[0][1])
    return NUMBER if root == "bisect" else UNKNOWN


BUILTINS.update(
    {
        **{name: _extreme(name) for name in ("max", "min")},
        **{name: _any_all(name) for name in ("any", "all")},
        "sorted": _sorted,
        "map": _map,
        "filter": _filter,
    }
)
