"""Transfer functions of Python's own and NumPy's functions, which read a tensor back when handed one."""

from __future__ import annotations

import re
from collections.abc import Callable as Function
from functools import reduce
from string import Formatter
from typing import Final, TypeAlias

from hostsync import facts
from hostsync.infer.attributes import attribute
from hostsync.infer.calls.arguments import Arguments as _Arguments
from hostsync.infer.calls.shapes_and_dtypes import size_of
from hostsync.infer.classes import attributes, named_by, write_attribute
from hostsync.infer.devices import ACCELERATOR, is_certain, only_host
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.keys import note_store
from hostsync.infer.iterating import iterated, iterated_over
from hostsync.infer.joining import element_of, join
from hostsync.infer.nodes import last_name
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)

ArgumentList: TypeAlias = list[tuple[facts.Expr, Value]]
KeywordList: TypeAlias = list[tuple[str | None, facts.Expr, Value]]
Handler: TypeAlias = Function[[Frame, facts.Call, ArgumentList, KeywordList], Value]


def depth_of(data: Value) -> int | None:
    """Number of dimensions that nested Python data gives a tensor or array."""
    if isinstance(data, Number):
        return 0
    if isinstance(data, Array):
        return data.ndim
    if isinstance(data, Tensor):
        return data.ndim
    if isinstance(data, Items):
        inner = depth_of(element_of(data))
        return inner + 1 if inner is not None else None
    return None


def read_back(
    frame: Frame, node: facts.Expr, op: str, subject: facts.Expr, value: Value, *, unsure: bool = False
) -> None:
    """A tensor that becomes a Python value. `unsure` also takes what is perhaps a tensor."""
    if isinstance(value, Tensor) and (value.sure or unsure):
        frame.emit(
            "read-back", op, "", node, subject=subject, device=value.device, sure=value.sure, origin=value.origin
        )


# --- builtins ------------------------------------------------------------------------------------


def builtin(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """A call of one of Python's builtin functions."""
    handler = BUILTINS.get(name)
    return handler(frame, node, args, keywords) if handler is not None else UNKNOWN


def _conversion(name: str) -> Handler:
    def convert(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
        if args:
            expr, value = args[0]
            read_back(frame, node, f"builtins.{name}", expr, value, unsure=True)
            if isinstance(value, Number) and value.const is not None and name == "bool":
                return Number(bool(value.const))
        return NUMBER

    return convert


def _text_conversion(name: str) -> Handler:
    def convert(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
        if args:
            expr, value = args[0]
            if name == "str" and isinstance(value, DeviceValue):
                # Whoever takes the name of a device in a text takes it for the device.
                return value
            read_back(frame, node, f"builtins.{name}", expr, shown_of(value))
        return TEXT

    return convert


def _whole_number(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`hex(t)`, `chr(t)`: a text of a whole number, for which `__index__` is asked."""
    if args:
        read_back(frame, node, "operator.index", *args[0])
    return TEXT


def shown_of(value: Value) -> Value:
    """What the text of a value reads: of a list, tuple or dictionary, the first tensor that is known to be there."""
    if not isinstance(value, Mapping) and not (isinstance(value, Items) and value.kind in _SHOWN):
        return value
    held = [tensor for tensor in tensors_in(value, 2) if tensor.sure and not only_host(tensor.device)]
    return held[0] if held else value


_SHOWN: Final = frozenset({"list", "tuple", "set"})
"""What shows all that it holds."""
_FIELD: Final = re.compile(r"(\w*)((?:\.\w+)*)")


def formatted(frame: Frame, text: Text, args: ArgumentList, keywords: KeywordList) -> ArgumentList:
    """What `text.format(…)` writes of its arguments: `"{0:.1f} {meter.avg}"` writes the first, and `avg` of `meter`.

    All of them where the text is not known.
    """
    given = args + [(expr, value) for _, expr, value in keywords]
    try:
        fields = [field for _, field, _, _ in Formatter().parse(text.const or "") if field is not None]
    except ValueError:
        return given
    if not fields:
        return given
    by_name = {name: (expr, value) for name, expr, value in keywords if name is not None}
    written: ArgumentList = []
    unnumbered = iter(range(len(args)))
    for field in fields:
        match = _FIELD.match(field)
        root, path = (match[1], match[2].split(".")[1:]) if match is not None else ("", [])
        if root and not root.isdigit():
            found = by_name.get(root)
        else:
            at = int(root) if root else next(unnumbered, len(args))
            found = args[at] if at < len(args) else None
        if found is None:
            return given
        expr, value = found
        for name in path:
            expr = facts.Attr(expr.span, expr, name)
            value = evaluate_silently(frame, expr)
        written.append((expr, value))
    return written


def printed(frame: Frame, node: facts.Expr, op: str, args: ArgumentList) -> Value:
    """Output that formats its arguments: one finding, for the first tensor among them."""
    for expr, value in args:
        held = [t for t in tensors_in(value, 2) if t.sure and not only_host(t.device)]
        if not held and op == "builtins.print" and isinstance(value, Tensor) and value.device == ACCELERATOR:
            # What a model gives for what is on the GPU is printed with the tensors in it, if it is none itself.
            held = [value]
        if held:
            frame.emit(
                "read-back",
                op,
                "",
                node,
                subject=expr,
                device=held[0].device,
                origin=held[0].origin,
                # Messages for debugging are not made unless somebody asks for them.
                confidence="possible" if op == "logging.debug" else None if held[0].sure else "likely",
            )
            break
    return NOTHING if op != "str.format" else TEXT


def _print(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return printed(frame, node, "builtins.print", args)


def _range(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    for expr, value in args:
        read_back(frame, node, "builtins.range", expr, value)
    return Items("range", None, NUMBER)


def _sum(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if args:
        value = args[0][1]
        element = element_of(value) if isinstance(value, Items) else value
        if isinstance(element, Tensor):
            ndim = element.ndim if isinstance(value, Items) else element.ndim - 1 if element.ndim else None
            return element._replace(ndim=ndim, param=None)
        if isinstance(element, Number):
            return NUMBER
    return UNKNOWN


_LAZY: Final = frozenset({"filter", "map"})
"""What does its work when it is gone through."""


def _sequence(kind: str) -> Handler:
    def convert(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
        if not args:
            return Items(kind, (), UNKNOWN)
        expr, value = args[0]
        if isinstance(expr, facts.Call) and isinstance(expr.func, facts.Name) and expr.func.id in _LAZY:
            frame.delay(expr, node)
        if isinstance(value, Items):
            return value._replace(kind=kind)
        return Items(kind, None, iterated(frame, value))

    return convert


def _enumerate(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    element = iterated_over(frame, *args[0]) if args else UNKNOWN
    return Items("iterable", None, Items("tuple", (NUMBER, element), UNKNOWN))


def _zip(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) == 1 and isinstance(args[0][0], facts.Starred):
        # `zip(*pairs)`: all the first parts, then all the second ones.
        row = iterated(frame, args[0][1])
        if isinstance(row, Items) and row.items is not None:
            return Items("iterable", tuple(Items("tuple", None, part) for part in row.items), UNKNOWN)
        return Items("iterable", None, Items("tuple", None, iterated(frame, row)))
    each: ArgumentList = []
    for expr, value in args:
        if not isinstance(expr, facts.Starred):
            each.append((expr, value))
        elif isinstance(value, Items) and value.items is not None:
            each += [(expr.value, item) for item in value.items]
        else:
            return Items("iterable", None, UNKNOWN)
    return Items("iterable", None, Items("tuple", tuple([iterated_over(frame, *arg) for arg in each]), UNKNOWN))


def _next(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return iterated(frame, args[0][1]) if args else UNKNOWN


def _same(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return args[0][1] if args else UNKNOWN


def _number(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return NUMBER


def _round(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    value = args[0][1] if args else UNKNOWN
    return value if isinstance(value, (Tensor, Array)) else NUMBER


def _getattr(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) < 2:
        return UNKNOWN
    name = args[1][1]
    is_known = isinstance(name, Text) and name.const is not None
    if not is_known and args[0][1] == _TORCH and "window" in last_name(args[1][0]):
        # `getattr(torch, window)(length)`: of this, all windows are like one.
        return _WINDOW
    if not isinstance(name, Text):
        return UNKNOWN
    if name.const is None:
        return _one_of(frame, args[0][1], name.start)
    value = attribute(frame, args[0][1], name.const)
    return join(value, args[2][1]) if len(args) > 2 else value


def _setattr(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`setattr(self, f"layer{i}", module)`."""
    if len(args) == 3 and isinstance(args[1][1], Text) and frame.sink is not None:
        receiver, key, value = args[0][1], named_by(args[1][1]), args[2][1]
        if key is not None and isinstance(receiver, Instance) and receiver == frame.bound:
            write_attribute(frame, frame.sink, key, value)
    return NOTHING


_TORCH: Final = Ref("torch")
_WINDOW: Final = Ref("torch.hann_window")


def _one_of(frame: Frame, receiver: Value, start: str) -> Value:
    """What of an object has a name that begins so: `getattr(self, f"loss_{name}")`."""
    if not isinstance(receiver, Instance) or not receiver.local or not start.strip("_"):
        return UNKNOWN
    lineage = frame.context.lineage(receiver.name)
    names = {name for info in lineage for name in info.methods if name.startswith(start)}
    if not names:
        tables = (attributes(frame.context, info) for info in lineage)
        names = {name for table in tables for name in table if name.startswith(start)}
    options = [attribute(frame, receiver, name) for name in sorted(names)]
    return UNKNOWN if not options else reduce(join, options)


def _divmod(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    values = [value for _, value in args]
    return Items("tuple", (NUMBER, NUMBER), UNKNOWN) if all(isinstance(v, Number) for v in values) else UNKNOWN


def _dict(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    for name, expr, value in keywords:
        if name is not None:
            note_store(frame, name, value, expr.span[0])
    named = {k: v for k, _, v in keywords if k is not None}
    given = args[0][1] if args else UNKNOWN
    if isinstance(given, Mapping):
        return Mapping(tuple({**dict(given.items), **named}.items()), given.element)
    pair = iterated(frame, given) if args else UNKNOWN
    held = pair.items if isinstance(pair, Items) else None
    return Mapping(tuple(named.items()), held[1] if held is not None and len(held) == 2 else UNKNOWN)


def _super(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return frame.bound if isinstance(frame.bound, (Instance, ClassRef)) and frame.bound is not None else UNKNOWN


def _slice(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return Items("slice", None, UNKNOWN)


BUILTINS: Final[dict[str, Handler]] = {
    **{name: _conversion(name) for name in ("int", "float", "bool", "complex")},
    **{name: _text_conversion(name) for name in ("str", "repr", "format", "ascii")},
    **dict.fromkeys(("bin", "chr", "hex", "oct"), _whole_number),
    **{name: _sequence(name) for name in ("list", "tuple", "set", "frozenset")},
    **dict.fromkeys(("len", "isinstance", "issubclass", "hasattr", "callable", "id", "hash", "ord"), _number),
    "print": _print,
    "range": _range,
    "sum": _sum,
    "enumerate": _enumerate,
    "zip": _zip,
    "next": _next,
    "iter": _same,
    "reversed": _same,
    "round": _round,
    "getattr": _getattr,
    "setattr": _setattr,
    "dict": _dict,
    "divmod": _divmod,
    "super": _super,
    "slice": _slice,
}


# --- math and numpy ------------------------------------------------------------------------------


def mathematics(frame: Frame, node: facts.Call, name: str, args: ArgumentList) -> Value:
    """`math.sqrt(t)` and its like convert with `__float__`."""
    for expr, value in args:
        if tensors_in(value, 1):
            read_back(frame, node, name, expr, tensors_in(value, 1)[0])
            break
    return NUMBER


_ARRAY_1D: Final = frozenset({"linspace", "arange", "logspace", "geomspace"})
_ARRAY_BY_SIZE: Final = frozenset({"zeros", "ones", "empty", "full"})
_NUMPY_NUMBERS: Final = frozenset(
    {"float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool_", "float_", "int_"}
)


_RESHAPING: Final = frozenset(
    """array_split atleast_2d atleast_3d diag diagonal dot dsplit einsum expand_dims hsplit inner kron matmul meshgrid
    outer ravel reshape split squeeze take tensordot tile unravel_index vsplit where""".split()
)
"""They give other numbers of dimensions, or several arrays."""


_POSITIONS: Final = frozenset({"tril_indices", "triu_indices", "diag_indices"})
"""They take numbers and give an array for each dimension."""


_OF_DATA: Final = frozenset(
    ["array", "asarray", "asanyarray", "ascontiguousarray", "stack", "concatenate", "vstack", "hstack"]
)
"""They make an array of what they are given, as it is."""


_MAKERS: Final = {"Generator": "Generator", "default_rng": "Generator", "RandomState": "RandomState"}
"""What makes a generator of random numbers in `numpy.random`, and its class."""
GENERATORS: Final = frozenset(f"numpy.random.{name}" for name in _MAKERS.values())
"""The classes of generators of random numbers."""
_ROWS: Final = frozenset({"dirichlet", "multinomial", "multivariate_normal", "permutation", "permuted"})
"""What draws several numbers at once."""


def drawn(name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """What a function of `numpy.random`, or a method of a generator, draws: an array when a size is given."""
    if name in _MAKERS:
        return Instance(f"numpy.random.{_MAKERS[name]}", False)
    if name in {"seed", "get_state", "set_state", "shuffle", "spawn"}:
        return UNKNOWN
    if name in _ROWS:
        return Array(1 if name == "permutation" else None)
    if name in {"rand", "randn"}:
        return Array(len(args)) if args and all(isinstance(value, Number) for _, value in args) else Array()
    sized = any(key == "size" for key, _, _ in keywords)
    at = {"rand": 1, "randn": 1, "random": 1, "random_sample": 1, "choice": 2}.get(name, 3)
    return Array() if sized or len(args) >= at else NUMBER


def made_an_array(frame: Frame, value: Value) -> None:
    """Takes down that the tensors in a value are made NumPy arrays of as they are."""
    for tensor in tensors_in(value, 2):
        frame.note_on_host(tensor.device)


def positions(name: str, of: Value, along: bool) -> Value:
    """What `argmax`, `argmin` or `argsort` gives, along an axis or not.

    Of how many dimensions something has nobody says, as a rule: a row is sorted, and of rows the best are asked for.
    """
    ndim = of.ndim if isinstance(of, Array) else None
    if name == "argsort":
        return Array(ndim if ndim is not None or along else 1, "int")
    return Array(1 if ndim is None else ndim - 1, "int") if along and ndim != 1 else NUMBER


def numpy_function(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """A NumPy function. A CUDA tensor makes most of them raise, so only what is surely on a device is reported."""
    last = name.rpartition(".")[2]
    for expr, value in args[:2]:
        held = tensors_in(value, 2)
        if held and is_certain(held[0].device) and held[0].sure:
            frame.emit("read-back", name, "", node, subject=expr, device=held[0].device, origin=held[0].origin)
            break
    value = args[0][1] if args else UNKNOWN
    if last in _OF_DATA:
        made_an_array(frame, value)
    if last in _ARRAY_1D:
        return Array(1)
    if last in _ARRAY_BY_SIZE:
        size = size_of(_Arguments({"size": Items("tuple", (value,), UNKNOWN)}, {}, (), False, False)) if args else None
        return Array(size)
    if last in {"array", "asarray", "ascontiguousarray", "stack", "asanyarray"}:
        return Array(depth_of(value))
    if last in {"concatenate", "hstack", "append"}:
        element = element_of(value) if isinstance(value, Items) else value
        return Array(element.ndim if isinstance(element, Array) else None)
    if ".random." in name:
        return drawn(last, args, keywords)
    if last in _POSITIONS:
        return Items("tuple", None, Array(1))
    if last in _NUMPY_NUMBERS or (args and all(isinstance(v, Number) for _, v in args)):
        return NUMBER
    along = len(args) > 1 or any(k in {"axis", "keepdims"} for k, _, _ in keywords)
    if last in {"argmax", "argmin", "argsort"}:
        return positions(last, value, along)
    if last in {"sum", "mean", "max", "min", "std", "var", "prod", "median", "percentile"}:
        return Array() if along else NUMBER
    if last == "nonzero" or (last == "where" and len(args) == 1):
        return Items("tuple", None, Array(1))
    if isinstance(value, Array):
        return value if last not in _RESHAPING else Array()
    if last in {"dtype", "save", "savez", "printoptions", "errstate", "isscalar", "ndim", "shape", "size"}:
        return UNKNOWN
    return Array() if not isinstance(value, Unknown) or last.islower() else UNKNOWN
