"""Whether a call of an operation waits, by the conditions of the catalogue."""

from __future__ import annotations

from typing import Final

from hostsync.catalogue.model import ArgumentTest, Op
from hostsync.infer.calls.arguments import ARGUMENTS, Arguments
from hostsync.infer.calls.placing import device_of
from hostsync.infer.devices import only_host
from hostsync.infer.frame import Frame
from hostsync.infer.values import (
    LISTED,
    Array,
    DeviceValue,
    Items,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)
from hostsync.infer.versions import overlaps


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
                or (
                    isinstance(item, Items) and (item.items is not None or item.kind in LISTED) and not tensors_in(item)
                )
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
