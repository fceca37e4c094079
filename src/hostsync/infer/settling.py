"""What the callers within the module say of the parameters that an event depends on."""

from __future__ import annotations

from hostsync.infer.events import Event
from hostsync.infer.frame import Context, Recorded
from hostsync.infer.operations import device_of
from hostsync.infer.project import defaults_of
from hostsync.infer.values import ANYWHERE, CPU, Device, Items, Mapping, Nothing, Number, Ref, is_certain, only_host, tensors_in

_DEPTH = 4
"""How many calls up evidence is looked for."""


def settle(context: Context, recorded: list[Recorded]) -> list[Event]:
    """The events that hold, given what callers pass."""
    events: list[Event] = []
    for record in recorded:
        event = record.event
        device = resolved(context, event.symbol, record.device, _DEPTH)
        if only_host(device):
            continue
        if record.source is not None:
            source = resolved(context, event.symbol, record.source, _DEPTH)
            if "cpu" not in source:
                continue
        elif event.confidence == "likely" and record.sure and is_certain(device) and device != record.device:
            event = event._replace(confidence="certain")
        events.append(event)
    return events


def resolved(context: Context, symbol: str, device: Device, depth: int) -> Device:
    """A device with its parameters replaced by what the callers of `symbol` pass for them."""
    if not any(atom.startswith("=") for atom in device):
        return device
    result: set[str] = set()
    for atom in device:
        result |= _of_param(context, symbol, atom[1:], depth) if atom.startswith("=") else {atom}
    return frozenset(result)


def _is_private(context: Context, symbol: str) -> bool:
    """All callers are in this module: its name says so, or it is defined inside another function."""
    owner, _, name = symbol.rpartition(".")
    if name.startswith("__") and name.endswith("__"):
        return False
    return name.startswith("_") or (bool(owner) and owner not in context.classes)


def _of_param(context: Context, symbol: str, param: str, depth: int) -> Device:
    sites = context.calls.get(symbol)
    if not sites or not depth:
        return ANYWHERE
    defaults = defaults_of(context, symbol)
    result: set[str] = set() if _is_private(context, symbol) else {"?"}
    for site in sites:
        value = site.bindings.get(param, defaults.get(param))
        if value is None or type(value) in {Number, Ref}:
            result.add("?")
        elif type(value) is Nothing:
            result |= CPU
        elif type(value) in {Items, Mapping}:
            held = tensors_in(value)
            result |= resolved(context, site.caller, held[0].device, depth - 1) if held else ANYWHERE
        else:
            result |= resolved(context, site.caller, device_of(value).device, depth - 1)
    return frozenset(result)
