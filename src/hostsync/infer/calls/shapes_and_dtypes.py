"""Of what element type and of how many dimensions the result of an operation is."""

from __future__ import annotations

from typing import Final

from hostsync.catalogue.model import Op
from hostsync.infer.calls.arguments import Arguments
from hostsync.infer.dtypes import PYTHON_TYPES
from hostsync.infer.values import UNKNOWN, DtypeValue, Items, Nothing, Number, Ref, Tensor, Unknown, Value

_OPERANDS: Final = ("input", "other", "end")
"""Parameters that may be a number in the place of a tensor."""
_SIZES: Final = ("size", "shape", "repeats")
"""Parameters that say the sizes of a result, one for each dimension."""


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


def dtype_named(value: Value | None) -> DtypeValue | None:
    """The element type that an argument says; None where it says none."""
    if isinstance(value, Ref):
        dtype = PYTHON_TYPES.get(value.name)
        return None if dtype is None else DtypeValue(dtype)
    return value if isinstance(value, DtypeValue) else None


def result_dtype(op: Op, args: Arguments, tensors: tuple[Tensor, ...]) -> str:
    """The element type of what an operation gives; empty if it is not known."""
    given = dtype_named(args.named.get("dtype"))
    if given is not None:
        return given.dtype
    if op.dtype == "same":
        return tensors[0].dtype if tensors else ""
    if op.dtype == "promoted":
        numbers = (args.named.get(name) for name in _OPERANDS)
        return promoted([*tensors, *(value for value in numbers if isinstance(value, Number))])
    if op.dtype == "summed":
        return "" if not tensors else "int" if tensors[0].dtype == "bool" else tensors[0].dtype
    if op.dtype:
        return op.dtype
    if op.name in {"torch.arange", "torch.range"}:
        values = [v for k, v in args.named.items() if k in {"start", "end", "step"}] + list(args.extra)
        # Where nothing is known of the numbers they are whole, as good as always.
        return promoted(values) or ("" if any(isinstance(value, Tensor) for value in values) else "int")
    if op.name == "torch.full":
        return promoted([args.named.get("fill_value", UNKNOWN)])
    if op.ndim == "same" and tensors:
        return tensors[0].dtype
    return ""


def size_of(args: Arguments) -> int | None:
    """Number of dimensions that a size argument asks for."""
    size = next((args.named[name] for name in _SIZES if name in args.named), None)
    if isinstance(size, Items) and size.items is not None:
        if len(size.items) == 1:
            only = size.items[0]
            if isinstance(only, Items):
                return len(only.items) if only.items is not None else None
            return 1 if isinstance(only, Number) else None
        return len(size.items)
    return 1 if isinstance(size, Number) else None


def axis_given(args: Arguments) -> bool:
    """Whether a call says along which dimension it works."""
    return any(
        name in args.named and not isinstance(args.named[name], Nothing) for name in ("dim", "axis", "dims")
    ) or bool(args.extra)


def result_ndim(op: Op, args: Arguments, tensors: tuple[Tensor, ...]) -> int | None:
    """How many dimensions what an operation gives has, None if that is not known."""
    first = tensors[0].ndim if tensors else None
    if op.ndim.isdigit():
        return int(op.ndim)
    if op.ndim == "same":
        return first
    if op.ndim == "more":
        return None if first is None else first + 1
    if op.ndim == "size":
        return size_of(args)
    if op.ndim == "broadcast":
        return broadcast(tensors) if tensors and not any(isinstance(v, Unknown) for v in args.named.values()) else None
    if op.ndim == "reduce":
        if "q" in args.named and not isinstance(args.named["q"], Number):
            # A quantile for each element of a tensor, along one more dimension.
            return None
        if not axis_given(args):
            return None if args.open else 0
        keep = args.named.get("keepdim")
        if isinstance(keep, Number) and keep.const is True:
            return first
        dims = args.named.get("dim")
        if first is None or isinstance(dims, Items):
            return None
        return max(first - 1, 0)
    short = op.name.rpartition(".")[2]
    if short == "flatten" and set(args.named) <= {"input", "start_dim"}:
        start = args.named.get("start_dim", Number(0))
        return start.const + 1 if isinstance(start, Number) and type(start.const) is int and start.const >= 0 else None
    return first if short in {"cat", "concat", "concatenate"} else None
