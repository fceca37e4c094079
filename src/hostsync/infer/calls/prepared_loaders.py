"""Loaders that bring their batches to the device by themselves: those that accelerate or Lightning Fabric prepared.

Sources: the documentation of `accelerate.Accelerator.prepare` (its `device_placement` is on by default) and of
`lightning.Fabric.setup_dataloaders` (`move_to_device=True`).
"""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.library_objects import MODEL
from hostsync.infer.devices import ACCELERATOR
from hostsync.infer.hints.loaders_and_models import LOADER_CLASS, is_loader_name
from hostsync.infer.nodes import last_name
from hostsync.infer.values import UNKNOWN, Instance, Items, Method, Number, Tensor, Unknown, Value

_BY_METHOD: Final = {"prepare": "accelerator", "prepare_data_loader": "accelerator", "setup_dataloaders": "fabric"}
"""The methods, and what ends the names of the objects that have them."""
_SWITCHES: Final = frozenset({"device_placement", "move_to_device"})
_PREPARED: Final = Instance(LOADER_CLASS, False, ACCELERATOR)


def prepared(node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value | None:
    """What `accelerator.prepare(model, loader)` gives: for each argument that is a loader, one that moves its batches,
    and for a model of transformers that, on the device.

    Returns:
        None for any other call, and where none of the arguments is known to be one of these.
    """
    func = node.func
    if not isinstance(func, facts.Attr) or func.name not in _BY_METHOD:
        return None
    if not last_name(func.value).lower().endswith(_BY_METHOD[func.name]):
        return None
    for name, _, value in keywords:
        if name in _SWITCHES and not (isinstance(value, Number) and value.const is True):
            return None
    if any(isinstance(arg, facts.Starred) for arg, _ in args):
        return None
    given = tuple(_PREPARED if _is_loader(arg, value) else _model(value) for arg, value in args)
    if all(isinstance(value, Unknown) for value in given):
        return None
    return given[0] if len(given) == 1 else Items("tuple", given, UNKNOWN)


def passed_through(value: Value, args: ArgumentList) -> Value:
    """What a function gives, where that is a generator and it is handed a prepared loader: `cycle(loader)`."""
    if isinstance(value, Items) and value.kind == "generator" and any(given == _PREPARED for _, given in args):
        return Items("generator", None, Tensor(ACCELERATOR, sure=False))
    return value


def _model(value: Value) -> Value:
    if isinstance(value, Instance) and value.name == MODEL:
        return value._replace(device=ACCELERATOR)
    return UNKNOWN


def _is_loader(node: facts.Expr, value: Value) -> bool:
    if isinstance(value, Instance):
        return value.name == LOADER_CLASS
    return isinstance(value, (Unknown, Method)) and is_loader_name(last_name(node))
