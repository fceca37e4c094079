"""What torch's operations return, and where, from the catalogue."""

from __future__ import annotations

from typing import Final

from hostsync.catalogue.model import Op
from hostsync.infer.calls.arguments import Arguments
from hostsync.infer.calls.packed_sequences import PACKING, packed
from hostsync.infer.calls.placing import device_of, is_pinned, lead, merged
from hostsync.infer.calls.shapes_and_dtypes import axis_given, broadcast, promoted, result_dtype, result_ndim
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, Device, only_host
from hostsync.infer.joining import element_of, merged_mappings
from hostsync.infer.nodes import COMBINING, COMPARISONS
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    ON_HOST,
    SIZES,
    TEXT,
    UNKNOWN,
    Array,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensor_on,
)


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
    pinned = is_pinned(args.named.get("pin_memory"))
    if pinned is not False:
        tensor = tensor._replace(pinned=pinned)
    if returns == "tensors" and op.positions:
        tensor = tensor if op.ndim == "same" else tensor._replace(ndim=None)
        return Items("tuple", (tensor, tensor._replace(dtype="int")), UNKNOWN)
    if returns == "tensors":
        return Items("tuple", None, tensor._replace(ndim=None))
    if returns == "list":
        return Items("list", None, tensor)
    if op.positions and axis_given(args):
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


_NEVER_EQUAL: Final = frozenset({Text, Nothing, Items, Mapping, DtypeValue, DeviceValue})
"""To what is no number and no array a tensor is not equal, and says so without a look at its elements (our measurement:
a `torch.Size`, a list, a string, None)."""


def _repeated_truths(items: Items, times: Value) -> Items | None:
    """`[True, False] * 4`: of what truth values are joined to it isn't known any more that it is one."""
    parts = items.items or ()
    count = times.const if isinstance(times, Number) and type(times.const) is int else 0
    if not parts or not 0 < len(parts) * count <= _MOST_TRUTHS:
        return None
    are_truths = all(isinstance(part, Number) and isinstance(part.const, bool) for part in parts)
    return Items(items.kind, parts * count, UNKNOWN) if are_truths else None


_MOST_TRUTHS: Final = 256


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
    if left == ON_HOST or right == ON_HOST:
        return ON_HOST
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        params = {v.param for v in (left, right) if isinstance(v, Unknown) and v.param is not None}
        if len(params) == 1 and {tl, tr} <= {Unknown, Number}:
            are_masks = all(isinstance(v, Unknown) and v.dtype == "bool" for v in (left, right))
            is_mask = op in COMPARISONS or (op in COMBINING and are_masks)
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
        return _repeated_truths(items, right if items is left else left) or Items(items.kind, None, element_of(items))
    return UNKNOWN
