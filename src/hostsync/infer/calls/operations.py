"""Transfer functions of torch's operations: what a call returns, where, and whether it waits, from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from typing import Final, NamedTuple

from hostsync import facts
from hostsync.catalogue.model import ArgumentTest, Op, OpParam
from hostsync.facts import new
from hostsync.infer.calls.packed_sequences import PACKING, packed
from hostsync.infer.frame import Frame
from hostsync.infer.nodes import COMPARISONS
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    META,
    NOTHING,
    NUMBER,
    SIZES,
    TEXT,
    UNKNOWN,
    Array,
    Device,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Origin,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    is_of_params,
    merged_mappings,
    of_param,
    only_host,
    tensor_on,
    tensors_in,
)
from hostsync.infer.versions import overlaps

SHAPE_OPS: Final = frozenset(
    [
        "nonzero",
        "argwhere",
        "where",
        "masked_select",
        "unique",
        "unique_consecutive",
        "bincount",
        "histc",
        "mode",
        "repeat_interleave",
        "one_hot",
        "combinations",
    ]
)
"""Operations whose waiting is about the shape, or range, of their result."""
READ_BACK_OPS: Final = frozenset(["item", "tolist", "equal", "allclose", "is_nonzero", "numpy", "cpu"])
SYNCHRONIZE_OPS: Final = frozenset(
    [
        "synchronize",
        "empty_cache",
        "barrier",
        "monitored_barrier",
        "all_gather_object",
        "broadcast_object_list",
        "gather_object",
        "scatter_object_list",
        "send_object_list",
        "recv_object_list",
    ]
)
_WITH_POSITIONS: Final = frozenset({"topk", "sort", "kthvalue", "mode", "cummax", "cummin"})
"""They give values and where these stood."""
_OPERANDS: Final = ("input", "self", "other", "end")
"""Parameters that may be a number in the place of a tensor."""
_SUMS: Final = frozenset({"sum", "nansum", "prod", "cumsum", "cumprod"})
"""They count truth values."""
_PAIRS: Final = frozenset(
    [
        "max",
        "min",
        "median",
        "nanmedian",
        "mode",
        "sort",
        "kthvalue",
        "topk",
        "cummax",
        "cummin",
        "std_mean",
        "var_mean",
        "aminmax",
    ]
)
_FACTORIES_BY_SIZE: Final = frozenset(
    ["zeros", "ones", "empty", "full", "rand", "randn", "new_zeros", "new_ones", "new_empty", "new_full"]
)
_OF_MASKS: Final = frozenset({"&", "|", "^"})
"""Of two masks, these give another."""


ARGUMENTS: Final = "arguments"
"""The kind of the `Items` that `*args` were gathered in."""


class Arguments(NamedTuple):
    """The arguments of a call: values by parameter name, and what could not be placed."""

    named: Mapping_[str, Value]
    nodes: Mapping_[str, facts.Expr]
    extra: tuple[Value, ...]
    """Positional arguments past the known parameters, or all of them when the parameters aren't known."""
    open: bool
    """`*args` or `**kwargs` were passed, so an argument that isn't seen may still be given."""
    open_names: bool = False
    """`**kwargs` were passed, so one that is given by name may be as well, such as a device."""


def place(
    op: Op, args: list[tuple[facts.Expr, Value]], keywords: list[tuple[str | None, facts.Expr, Value]]
) -> Arguments:
    """Match arguments with an operation's parameters."""
    named: dict[str, Value] = {}
    nodes: dict[str, facts.Expr] = {}
    extra: list[Value] = []
    is_open = open_names = False
    slots = [p for p in op.params if p.kind == "normal" or p.kind == "args"] if args else []
    position = 0
    for node, value in args:
        if type(node) is facts.Starred:
            is_open = True
            extra.append(value)
            if position < len(slots) and slots[position].kind == "args":
                # Nobody says how many they are.
                named[slots[position].name] = Items(ARGUMENTS, None, UNKNOWN)
            continue
        if position < len(slots) and slots[position].kind == "normal":
            name = slots[position].name
            named[name] = value
            nodes[name] = node
            position += 1
        elif position < len(slots):
            rest = slots[position].name
            held = named.get(rest)
            nodes.setdefault(rest, node)
            if not isinstance(held, Items):
                named[rest] = new(Items, (ARGUMENTS, (value,), UNKNOWN))
            elif held.items is not None:
                named[rest] = Items(ARGUMENTS, (*held.items, value), UNKNOWN)
        else:
            extra.append(value)
    for keyword, node, value in keywords:
        if keyword is None:
            is_open = open_names = True
            extra.append(value)
        else:
            named[keyword] = value
            nodes[keyword] = node
    if len(extra) == 1 and not is_open:
        older = _with_number_first(op, slots, args, named)
        if older is not None:
            return place(op, older[0], [*keywords, older[1]])
    return new(Arguments, (named, nodes, tuple(extra), is_open, open_names))


_ONCE_FIRST: Final = ("beta", "alpha", "value")
"""Numbers that are given by name today."""


def _with_number_first(
    op: Op, slots: Sequence[OpParam], args: list[tuple[facts.Expr, Value]], named: Mapping_[str, Value]
) -> tuple[list[tuple[facts.Expr, Value]], tuple[str | None, facts.Expr, Value]] | None:
    """The arguments of a call in an older form, with the number that it begins with by its name: `x.add_(alpha, y)`.

    Source: tools/autograd/deprecated.yaml of PyTorch.
    """
    known = {param.name for param in op.params if param.kind == "keyword"}
    name = next((name for name in _ONCE_FIRST if name in known), None)
    if name is None or name in named or not slots or len(args) != len(slots) + 1:
        return None
    at = int(slots[0].name == "input")
    return [*args[:at], *args[at + 1 :]], (name, *args[at])


# --- devices -------------------------------------------------------------------------------------


def device_named(text: str) -> Device:
    """The device of a name such as `cuda:0`; ROCm uses that name too. What was measured holds of no other."""
    return _NAMED.get(text.partition(":")[0], ANYWHERE)


_NAMED: Final[Mapping_[str, Device]] = {"cpu": CPU, "meta": META, "cuda": ACCELERATOR}


def device_of(value: Value) -> DeviceValue:
    """What a value passed as `device=` stands for; None is the default device, the CPU."""
    if isinstance(value, DeviceValue):
        return value
    if isinstance(value, Text):
        return DeviceValue(device_named(value.const) if value.const is not None else ANYWHERE)
    if isinstance(value, Nothing):
        return DeviceValue(CPU)
    if isinstance(value, Number):
        return DeviceValue(ACCELERATOR)
    if isinstance(value, Tensor):
        return new(DeviceValue, (value.device, None))
    if isinstance(value, Unknown) and value.param is not None:
        return DeviceValue(of_param(value.param))
    if isinstance(value, Instance):
        return DeviceValue(value.device)
    return _ANY_DEVICE


_ANY_DEVICE: Final = DeviceValue(ANYWHERE)


def merged(tensors: list[Tensor] | tuple[Tensor, ...]) -> Device:
    """Where the result of an operation over several tensors lives.

    All must share a device, save that a 0-d CPU tensor goes with any. So a CPU tensor that has dimensions proves the
    CPU, and otherwise the device wins.
    """
    if not tensors:
        return ANYWHERE
    first = tensors[0].device
    for tensor in tensors:
        if tensor.device != first:
            break
    else:
        return first
    rest = [t for t in tensors if not only_host(t.device)]
    if not rest:
        return tensors[0].device
    for tensor in rest:
        if tensor.device == ACCELERATOR:
            return ACCELERATOR
    # Beside what lives where a parameter does, one whose dimensions are not known has none.
    is_placed = any(is_of_params(t.device) and "?" not in t.device for t in rest)
    if any(only_host(t.device) and t.ndim != 0 and not (is_placed and t.ndim is None) and t.sure for t in tensors):
        return CPU
    # They are all in one place, so the one that says most about it speaks for all; a 0-d one may be elsewhere.
    return min(rest, key=lambda t: (t.ndim == 0, "?" in t.device)).device


def lead(tensors: list[Tensor] | tuple[Tensor, ...]) -> Origin | None:
    """The chain to go on with: that of the tensor which decides where the result lives."""
    if len(tensors) == 1:
        return tensors[0].origin
    device = merged(tensors)
    for tensor in tensors:
        if tensor.device == device and tensor.origin is not None:
            return tensor.origin
    return tensors[0].origin if tensors else None


# --- element types and dimensions ----------------------------------------------------------------


def broadcast(tensors: list[Tensor] | tuple[Tensor, ...]) -> int | None:
    """Dimensions of an element-wise result."""
    if any(t.ndim is None for t in tensors):
        return None
    return max((t.ndim or 0 for t in tensors), default=None)


def promoted(values: list[Value]) -> str:
    """Element type of an arithmetic result, as far as it matters here: bool, int, float or not known."""
    kinds = []
    for value in values:
        if isinstance(value, Tensor):
            kinds.append(value.dtype)
        elif isinstance(value, Number):
            const = value.const
            kinds.append(
                "bool"
                if isinstance(const, bool)
                else "int"
                if isinstance(const, int)
                else "float"
                if const is not None
                else ""
            )
    if "float" in kinds:
        return "float"
    if "" in kinds or not kinds:
        return ""
    return "int" if "int" in kinds else "bool"


_PYTHON_TYPES: Final = {"builtins.bool": "bool", "builtins.int": "int", "builtins.float": "float"}
"""Python's own types, which torch takes for its element types."""


def dtype_named(value: Value | None) -> DtypeValue | None:
    """The element type that an argument says; None where it says none."""
    if isinstance(value, Ref):
        dtype = _PYTHON_TYPES.get(value.name)
        return None if dtype is None else DtypeValue(dtype)
    return value if isinstance(value, DtypeValue) else None


def result_dtype(op: Op, args: Arguments, tensors: tuple[Tensor, ...]) -> str:
    given = dtype_named(args.named.get("dtype"))
    if given is not None:
        return given.dtype
    if op.dtype == "same":
        return tensors[0].dtype if tensors else ""
    if op.dtype == "promoted":
        numbers = (args.named.get(name) for name in _OPERANDS)
        return promoted([*tensors, *(value for value in numbers if isinstance(value, Number))])
    if op.dtype:
        return op.dtype
    short = op.name.rpartition(".")[2]
    if short in _SUMS and tensors and (tensors[0].dtype == "bool" or op.ndim != "same"):
        return "int" if tensors[0].dtype == "bool" else tensors[0].dtype
    if op.device == "argument":
        if short in {"arange", "range"}:
            values = [v for k, v in args.named.items() if k in {"start", "end", "step"}] + list(args.extra)
            # Where nothing is known of the numbers they are whole, as good as always.
            return promoted(values) or ("" if any(isinstance(value, Tensor) for value in values) else "int")
        if short in {"zeros", "ones", "empty", "rand", "randn", "linspace", "logspace", "eye"}:
            return "float"
        if short == "full":
            return promoted([args.named.get("fill_value", UNKNOWN)])
    if op.ndim == "same" and tensors:
        return tensors[0].dtype
    return ""


def size_of(args: Arguments) -> int | None:
    """Number of dimensions that a size argument asks for."""
    size = args.named.get("size")
    if isinstance(size, Items) and size.items is not None:
        if len(size.items) == 1:
            only = size.items[0]
            if isinstance(only, Items):
                return len(only.items) if only.items is not None else None
            return 1 if isinstance(only, Number) else None
        return len(size.items)
    return 1 if isinstance(size, Number) else None


def _axis_given(args: Arguments) -> bool:
    return any(
        name in args.named and not isinstance(args.named[name], Nothing) for name in ("dim", "axis", "dims")
    ) or bool(args.extra)


def result_ndim(op: Op, args: Arguments, tensors: tuple[Tensor, ...]) -> int | None:
    first = tensors[0].ndim if tensors else None
    if op.ndim.isdigit():
        return int(op.ndim)
    if op.ndim == "same":
        return first
    if op.ndim == "broadcast":
        return broadcast(tensors) if tensors and not any(isinstance(v, Unknown) for v in args.named.values()) else None
    if op.ndim == "reduce":
        if "q" in args.named and not isinstance(args.named["q"], Number):
            # A quantile for each element of a tensor, along one more dimension.
            return None
        if not _axis_given(args):
            return None if args.open else 0
        keep = args.named.get("keepdim")
        if isinstance(keep, Number) and keep.const is True:
            return first
        dims = args.named.get("dim")
        if first is None or isinstance(dims, Items):
            return None
        return max(first - 1, 0)
    short = op.name.rpartition(".")[2]
    if short in _FACTORIES_BY_SIZE:
        return size_of(args)
    if short == "unsqueeze" and first is not None:
        return first + 1
    if short == "flatten" and set(args.named) <= {"input", "start_dim"}:
        start = args.named.get("start_dim", Number(0))
        return start.const + 1 if isinstance(start, Number) and type(start.const) is int and start.const >= 0 else None
    if short == "stack":
        return None if first is None else first + 1
    if short in {"cat", "concat", "concatenate"}:
        return first
    if short in {"view", "reshape", "permute", "expand", "repeat"}:
        for name in ("size", "shape", "dims", "sizes", "repeats"):
            held = args.named.get(name)
            if isinstance(held, Items) and held.items is not None:
                count = len(held.items)
                if count == 1:
                    only = held.items[0]
                    if isinstance(only, Items):
                        return len(only.items) if only.items is not None else None
                    return 1 if isinstance(only, Number) else None
                return count
        return None
    return None


# --- the result ----------------------------------------------------------------------------------


def result(op: Op, args: Arguments, tensors: tuple[Tensor, ...], receiver: Value | None) -> Value:
    """What an operation returns for these arguments."""
    returns = op.returns
    if returns == "self":
        if receiver is not None:
            return receiver
        return tensors[0] if tensors else UNKNOWN
    if returns == "python":
        return NUMBER
    if returns == "shape":
        dim = args.named.get("dim")
        return SIZES if dim is None or isinstance(dim, Nothing) else NUMBER
    if returns == "numpy":
        return Array(tensors[0].ndim if tensors else None)
    if returns == "device":
        return DeviceValue(merged(tensors))
    if returns == "dtype":
        return DtypeValue(tensors[0].dtype if tensors else "")
    if returns == "none":
        return NOTHING
    if returns == "module":
        return Instance(op.name, False)
    if returns == "object":
        place = args.named.get("map_location")
        if place is not None and not isinstance(place, Nothing) and only_host(device_of(place).device):
            # A dict of tensors, say, or what a pickle holds.
            return Tensor(CPU, sure=False)
        if op.name in PACKING:
            return packed(args.named)
        return Instance(op.name, False) if op.name.rpartition(".")[2][:1].isupper() else UNKNOWN
    tensor = tensor_on(
        _result_device(op, args, tensors),
        result_dtype(op, args, tensors),
        result_ndim(op, args, tensors),
        lead(tensors),
    )
    if op.memory and tensors and tensors[0].pinned is not False:
        # What has to be copied for it is pinned no longer.
        tensor = tensor._replace(pinned=tensors[0].pinned if op.memory == "same" else None)
    pin = args.named.get("pin_memory")
    if pin is not None and not isinstance(pin, Nothing) and not (isinstance(pin, Number) and pin.const is False):
        tensor = tensor._replace(pinned=True if isinstance(pin, Number) and pin.const is True else None)
    if returns == "tensors" and op.name.rpartition(".")[2] in _WITH_POSITIONS:
        tensor = tensor if op.ndim == "same" else tensor._replace(ndim=None)
        return Items("tuple", (tensor, tensor._replace(dtype="int")), UNKNOWN)
    if returns == "tensors":
        return Items("tuple", None, tensor._replace(ndim=None))
    if returns == "list":
        return Items("list", None, tensor)
    short = op.name.rpartition(".")[2]
    if op.ndim == "reduce" and short in _PAIRS and _axis_given(args):
        other = args.named.get("other")
        second = args.extra[0] if args.extra else args.named.get("dim")
        if isinstance(other, Tensor) or isinstance(second, Tensor):
            return tensor._replace(ndim=broadcast(tensors))
        return Items("tuple", (tensor, tensor._replace(dtype="int")), UNKNOWN)
    return tensor


def _result_device(op: Op, args: Arguments, tensors: tuple[Tensor, ...]) -> Device:
    where = op.device
    if where == "cpu":
        return CPU
    if where == "accelerator":
        return ACCELERATOR
    if where == "unknown":
        return ANYWHERE
    given = args.named.get("device")
    if where == "argument":
        if given is not None:
            return device_of(given).device
        return ANYWHERE if args.open_names else CPU
    if where == "like":
        if given is not None and not isinstance(given, Nothing):
            return device_of(given).device
        if tensors:
            return tensors[0].device
        first = args.named.get(op.params[0].name) if op.params else None
        return CPU if isinstance(first, Number) else ANYWHERE
    return merged(tensors)


# --- waits ---------------------------------------------------------------------------------------


_DATA: Final = frozenset({"list", "range"})
"""Sequences that hold numbers where they hold no tensors, even if their items are not known."""


def _holds(predicate: str, value: Value | None, is_open: bool) -> bool:
    missing = value is None or isinstance(value, Nothing)
    if predicate == "missing":
        return missing and not is_open
    if predicate == "given":
        return not missing
    if predicate == "validating":
        # Methods of what was made without are told apart where its switches are known: `methods._is_off`.
        return True
    if value is None:
        return False
    if predicate == "tensor":
        return isinstance(value, Tensor) and value.sure and not only_host(value.device)
    if predicate == "scalar":
        return isinstance(value, Tensor) and value.sure and not value.ndim and not only_host(value.device)
    if predicate == "device":
        named = isinstance(value, DeviceValue) or (isinstance(value, Text) and value.const is not None)
        return named and not only_host(device_of(value).device)
    if predicate == "cpu":
        held = tensors_in(value, 2)
        return bool(held) and all(tensor.sure and only_host(tensor.device) for tensor in held)
    if predicate == "mask":
        return any(tensor.dtype == "bool" and not only_host(tensor.device) for tensor in tensors_in(value, 2))
    if predicate in {"int", "float", "complex"}:
        held = tensors_in(value, 2)
        return bool(held) and all(tensor.dtype == predicate for tensor in held)
    if predicate == "matrix":
        return isinstance(value, Tensor) and value.ndim == 2
    if predicate == "batch":
        # Who solves with a factor does so for many at once: of fifteen of unknown dimensions at least twelve waited.
        return isinstance(value, Tensor) and (value.ndim is None or value.ndim > 2)
    if predicate.startswith("'"):
        return isinstance(value, Text) and value.const == predicate.strip("'")
    if predicate.lstrip("-").isdigit():
        return isinstance(value, Number) and type(value.const) in (int, float) and value.const == int(predicate)
    if predicate == "negative":
        return isinstance(value, Number) and value.const is not None and value.const < 0
    if predicate == "positive":
        return isinstance(value, Number) and value.const is not None and value.const > 0
    if predicate == "number":
        return isinstance(value, Number)
    if predicate == "true":
        return isinstance(value, Number) and value.const is True
    if predicate == "false":
        return isinstance(value, Number) and value.const is False
    if predicate == "data":
        if isinstance(value, Items) and value.kind == ARGUMENTS:
            # Several numbers, or a size, ask for a shape; a list, a range or an array is data.
            return any(
                isinstance(item, Array)
                or (isinstance(item, Items) and (item.items is not None or item.kind in _DATA) and not tensors_in(item))
                for item in value.items or ()
            )
        return isinstance(value, (Number, Array)) or (isinstance(value, Items) and not tensors_in(value))
    return False


def waiting(frame: Frame, op: Op, args: Arguments, receiver: Value | None) -> str | None:
    """In which releases this call waits, given tensors on an accelerator: a specifier, empty for all.

    None if it does not wait in any of the releases that are asked about.
    """
    for wait in op.waits:
        for test in wait.tests:
            if not _test_holds(test, args, receiver):
                break
        else:
            if overlaps(frame.context.torch, wait.torch):
                return wait.torch
    return None


def _test_holds(test: ArgumentTest, args: Arguments, receiver: Value | None) -> bool:
    if test.param == "self" and receiver is not None:
        return _holds(test.predicate, receiver, False)
    value = args.named.get(test.param)
    if test.param in _HANDED_ON and test.predicate == "missing" and (value is None or isinstance(value, _VAGUE)):
        # A switch that is only handed on is left at its default, and `*params` or `**params` leave it out.
        return not isinstance(value, Number) or value.const is None
    return _holds(test.predicate, value, args.open)


_VAGUE: Final = (Number, Unknown)
_HANDED_ON: Final = frozenset({"validate_args"})
"""Parameters that classes take from their callers to hand them on to their base."""


def checks_only(op: Op) -> bool:
    """Whether a distribution, or a method of one, waits for nothing but the check of what it is given."""
    return all(any(_asks_for_checks(test) for test in wait.tests) for wait in op.waits)


def _asks_for_checks(test: ArgumentTest) -> bool:
    return test.predicate == "validating" or test.param in _HANDED_ON


def event_kind(op: Op) -> str:
    short = op.name.rpartition(".")[2]
    if short in SHAPE_OPS:
        return "shape"
    if short in READ_BACK_OPS or op.name.startswith("torch.testing."):
        return "read-back"
    return "synchronize" if short in SYNCHRONIZE_OPS else "call"


_NEVER_EQUAL: Final = frozenset({Text, Nothing, Items, Mapping, DtypeValue, DeviceValue})
"""To what is no number and no array a tensor is not equal, and says so without a look at its elements (our measurement:
a `torch.Size`, a list, a string, None)."""


def operator_result(op: str, left: Value, right: Value) -> Value:
    """The value of `left op right` for arithmetic and comparison."""
    if isinstance(left, Method):
        left = UNKNOWN
    if isinstance(right, Method):
        right = UNKNOWN
    tl, tr = type(left), type(right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if op in {"==", "!="} and (tl in _NEVER_EQUAL or tr in _NEVER_EQUAL):
            return NUMBER
        tensors = [v for v in (left, right) if isinstance(v, Tensor)]
        sure = tensors[0].sure or tensors[-1].sure
        device = merged(tensors)
        dtype = "bool" if op in COMPARISONS else "float" if op == "/" else promoted([left, right])
        array = left if isinstance(left, Array) else right
        if isinstance(array, Array):
            if not sure and array.ndim != 0:
                # A tensor on the GPU can't be calculated with an array.
                return array._replace(dtype="bool" if op in COMPARISONS else "")
            return Tensor(device, dtype, None, sure, origin=lead(tensors))
        known = all(isinstance(v, (Tensor, Number)) for v in (left, right))
        # What a 0-d one of the host is calculated with is a number, or the result says nothing of where that lives.
        known = known or (len(tensors) == 1 and tensors[0].ndim == 0 and only_host(device))
        ndim = broadcast(tensors) if known else None
        if op == "@":
            ndim = None
        return tensor_on(device, dtype, ndim, lead(tensors), sure)
    if isinstance(left, Array) or isinstance(right, Array):
        arrays = [v for v in (left, right) if isinstance(v, Array)]
        return Array(arrays[0].ndim, "bool" if op in COMPARISONS else "")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        params = {v.param for v in (left, right) if isinstance(v, Unknown) and v.param is not None}
        if len(params) == 1 and {tl, tr} <= {Unknown, Number}:
            are_masks = all(isinstance(v, Unknown) and v.dtype == "bool" for v in (left, right))
            is_mask = op in COMPARISONS or (op in _OF_MASKS and are_masks)
            return Unknown(params.pop(), True, dtype="bool" if is_mask else "")
        return UNKNOWN
    if op in COMPARISONS:
        return NUMBER
    if isinstance(left, Number) and isinstance(right, Number):
        return NUMBER
    if isinstance(left, Text):
        return TEXT
    if isinstance(left, Items) and isinstance(right, Items) and op == "+":
        if left.items is not None and right.items is not None:
            return Items(left.kind, left.items + right.items, UNKNOWN)
        return Items(left.kind, None, element_of(left) if left.items != () else element_of(right))
    if op == "|":
        return merged_mappings(left, right)
    if op == "*" and (isinstance(left, Items) or isinstance(right, Items)):
        items = left if isinstance(left, Items) else right
        assert isinstance(items, Items)
        return Items(items.kind, None, element_of(items))
    return UNKNOWN
