"""Tensors made of data: `torch.tensor`, `torch.as_tensor`, `torch.asarray`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.calls.copies import is_empty, is_to_own_part, may_be_host, to_accelerator
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, depth_of
from hostsync.infer.calls.placing import device_of, is_pinned
from hostsync.infer.calls.shapes_and_dtypes import dtype_named, promoted
from hostsync.infer.devices import ANYWHERE, CPU, is_certain, only_host
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame
from hostsync.infer.hints.annotations import admits_one_number
from hostsync.infer.hints.mask_names import is_named_mask
from hostsync.infer.joining import element_of
from hostsync.infer.nodes import assigned_to, dotted_path, is_number, last_name
from hostsync.infer.origins import BY_DEFAULT
from hostsync.infer.values import (
    ON_HOST,
    Array,
    DeviceValue,
    Items,
    Mapping,
    Method,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)


def read_element_wise(frame: Frame, node: facts.Call, op: str, data_node: facts.Expr | None, data: Value) -> None:
    """Records that a list or tuple of device tensors is read back element by element, to make a tensor of it."""
    for tensor in tensors_in(data, 2) if isinstance(data, Items) else ():
        if tensor.sure and not only_host(tensor.device):
            frame.emit(
                "read-back", op, "size-argument", node, subject=data_node, device=tensor.device, origin=tensor.origin
            )
            return


def from_data(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.tensor`, `torch.as_tensor` and `torch.asarray`: Python or NumPy data becomes a tensor on a device."""
    func = node.func
    name = func.name if isinstance(func, facts.Attr) else func.id if isinstance(func, facts.Name) else "tensor"
    name = name if name in {"tensor", "as_tensor", "asarray"} else "tensor"
    data_node, data = args[0] if args else (None, None)
    if data is None:
        data_node, data = next(((n, v) for k, n, v in keywords if k in {"data", "obj"}), (None, Unknown()))
    wanted: DeviceValue | None = None
    dtype: str | None = None
    for key, _, value in keywords:
        if key == "device":
            wanted = device_of(value)
        elif key == "dtype":
            named = dtype_named(value)
            dtype = "" if named is None else named.dtype
    if wanted is None and name == "as_tensor" and len(args) > 2:
        wanted = device_of(args[2][1])
    # Asked for its type somewhere, it is turned into a tensor only where it is none.
    is_asked = data_node is not None and (
        dotted_path(data_node) in frame.usage.asked or (name != "tensor" and _is_sent_to_itself(data_node, node))
    )
    if isinstance(data, Tensor):
        if _may_be_number(frame, data) and not is_asked and wanted is not None and not only_host(wanted.device):
            # A number or a tensor, says its annotation: what is always a tensor would be moved by `to`.
            frame.emit("copy", f"torch.{name}", "python-data", node, subject=data_node, device=wanted.device,
                       confidence="likely")  # fmt: skip
        return _from_tensor(frame, node, name, data, wanted, dtype)
    read_element_wise(frame, node, f"torch.{name}", data_node, data)
    device = wanted.device if wanted is not None else frame.context.default_device
    if wanted is None and device != CPU and not only_host(device):
        wanted = DeviceValue(device)
    known = isinstance(data, (Number, Items, Array, Text)) or data == ON_HOST
    spread = [value for key, _, value in keywords if key is None]
    if wanted is None and spread:
        wanted = _device_in(spread)
        device = device if wanted is None else wanted.device
        wanted = wanted if known or name == "tensor" else None
    if wanted is not None and not only_host(wanted.device):
        converts = isinstance(data, (Unknown, Method)) and not is_asked
        if (known or name == "tensor" or converts) and not is_empty(data_node, data):
            confidence = "certain" if known and is_certain(wanted.device) else "likely"
            frame.emit(
                "copy",
                f"torch.{name}",
                "python-data",
                node,
                subject=data_node,
                device=wanted.device,
                # A constructor hands on what it is handed, which is no device as a rule.
                confidence="possible" if is_to_own_part(frame, node) or (spread and frame.setup) else confidence,
            )
    if name != "tensor" and isinstance(data, Unknown) and data.apart_from is None:
        device = device if wanted is not None else ANYWHERE | CPU
    if dtype is None:
        dtype = _dtype_of(data)
        if not dtype and isinstance(data, Items) and _are_positions(frame, data_node):
            dtype = "int"
        if not dtype and data_node is not None and is_named_mask(dotted_path(data_node) or ""):
            dtype = "bool"
    ndim = 0 if isinstance(data, (Unknown, Method)) and _is_one_number(frame, data_node) else depth_of(data)
    pinned = is_pinned(next((value for key, _, value in keywords if key == "pin_memory"), None))
    made = Tensor(device, dtype, ndim, pinned=pinned)
    return explain(made, node, BY_DEFAULT if wanted is None and device == CPU else "")


def _are_positions(frame: Frame, node: facts.Expr | None) -> bool:
    """`[i for i in range(n) if …]`, also by a name that stands for that alone."""
    if isinstance(node, facts.Name) and frame.function is not None:
        found = assigned_to(frame.function.body, node.id)
        node = found[0] if len(found) == 1 else None
    if not isinstance(node, facts.Comprehension) or node.kind != "list" or not isinstance(node.element, facts.Name):
        return False
    return any(
        isinstance(part.target, facts.Name)
        and part.target.id == node.element.id
        and isinstance(part.iterable, facts.Call)
        and last_name(part.iterable.func) == "range"
        for part in node.generators
    )


def _is_sent_to_itself(data: facts.Expr, node: facts.Call) -> bool:
    """`torch.as_tensor(x, device=x.device)`: what has a device is on it."""
    asked = next((keyword.value for keyword in node.keywords if keyword.name == "device"), None)
    path = dotted_path(data)
    if path is None or not isinstance(asked, facts.Attr):
        return False
    return asked.name == "device" and dotted_path(asked.value) == path


def _device_in(spread: Sequence[Value]) -> DeviceValue | None:
    """The device that `torch.tensor(data, **kwargs)` is told; None if its dictionaries are known and have none.

    Others are there to say where to, and of which type.
    """
    for value in spread:
        if not isinstance(value, Mapping) or not value.items:
            return DeviceValue(ANYWHERE)
        if "device" in dict(value.items):
            return device_of(dict(value.items)["device"])
    return None


def _is_one_number(frame: Frame, data: facts.Expr | None) -> bool:
    """Whether it is one number: worked out by operators that lists don't have, or called an id.

    What is worked out of an array is an array.
    """
    if isinstance(data, facts.Binary):
        return data.op in _OF_NUMBERS and not frame.knows_arrays()
    return data is not None and last_name(data).endswith("_id")


_OF_NUMBERS: Final = frozenset({"-", "/", "//", "**", "%"})


def _may_be_number(frame: Frame, data: Tensor) -> bool:
    """Callers may hand in a number for it, whatever some do."""
    if not data.sure:
        return True
    param = _parameter_of(frame, data)
    if param is None:
        return False
    return is_number(param.default) or frame.context.may_be_number(frame.symbol, param)


def _is_declared_number(frame: Frame, data: Tensor) -> bool:
    """It is a parameter that is one number or a tensor, by its annotation."""
    param = _parameter_of(frame, data)
    if param is None or param.annotation is None:
        return False
    return admits_one_number(param.annotation) or param.name in frame.context.numbers.get(frame.symbol, ())


def _parameter_of(frame: Frame, data: Tensor) -> facts.Param | None:
    if data.param is None or frame.function is None:
        return None
    return next((param for param in frame.function.params if param.name == data.param), None)


def _is_only_annotated(frame: Frame, data: Tensor) -> bool:
    """Whether an annotation alone says that something is a tensor, and no use of it."""
    param = _parameter_of(frame, data)
    return param is not None and param.annotation is not None and param.name not in frame.usage.tensors


def _from_tensor(
    frame: Frame, node: facts.Call, name: str, data: Tensor, wanted: DeviceValue | None, dtype: str | None
) -> Value:
    if wanted is None and name == "tensor" and (not data.sure or _is_only_annotated(frame, data)):
        # It is written for what is no tensor, whatever an annotation says: of one it would warn.
        return explain(Tensor(CPU, dtype or "", None), node)
    if wanted is None:
        # `torch.tensor(t)` keeps the device of t; a number becomes a tensor on the CPU.
        device = data.device | CPU if name != "tensor" and _is_declared_number(frame, data) else data.device
        return data._replace(device=device, param=None, dtype=dtype if dtype is not None else data.dtype)
    if only_host(wanted.device):
        if data.sure:
            frame.emit("read-back", "Tensor.to", "to-host", node, device=data.device, origin=data.origin)
    elif may_be_host(data.device) and data.device != wanted.device and (data.sure or data.device == CPU):
        to_accelerator(frame, node, data, "Tensor.to", wanted, False)
    return explain(
        data._replace(device=wanted.device, param=None, dtype=dtype if dtype is not None else data.dtype), node
    )


def _dtype_of(data: Value) -> str:
    while isinstance(data, Items):
        if data.items and all(isinstance(item, Number) for item in data.items):
            return promoted(list(data.items))
        data = element_of(data)
    if isinstance(data, Array):
        return data.dtype
    return promoted([data]) if isinstance(data, Number) else ""
