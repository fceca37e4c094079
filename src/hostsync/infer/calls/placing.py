"""Which device a value names, and where tensors meet."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from typing import Final

from hostsync.facts import new
from hostsync.infer.devices import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    META,
    OTHER,
    OTHER_DEVICES,
    Device,
    is_of_params,
    of_param,
    only_host,
)
from hostsync.infer.origins import Origin
from hostsync.infer.values import DeviceValue, Instance, Nothing, Number, Tensor, Text, Unknown, Value


def is_pinned(asked: Value | None) -> bool | None:
    """Whether a tensor is made in pinned memory, by what `pin_memory` was told; None where nobody knows."""
    if asked is None or isinstance(asked, Nothing):
        return False
    return asked.const is True if isinstance(asked, Number) and isinstance(asked.const, bool) else None


def device_named(text: str) -> Device:
    """The device of a name such as `cuda:0`; ROCm uses that name too. What was measured holds of no other."""
    return _NAMED.get(text.partition(":")[0], ANYWHERE)


_NAMED: Final[Mapping_[str, Device]] = {
    **dict.fromkeys(OTHER_DEVICES, OTHER), "cpu": CPU, "meta": META, "cuda": ACCELERATOR,
}  # fmt: skip


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
    for tensor in tensors:
        if only_host(tensor.device) and tensor.ndim != 0 and not (is_placed and tensor.ndim is None) and tensor.sure:
            return OTHER if tensor.device == OTHER else CPU
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
