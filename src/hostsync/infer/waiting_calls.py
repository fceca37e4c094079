"""Calls that are reported for what they call: the host waits inside, where nothing tells of it, or of a loop."""

from __future__ import annotations

from typing import Final

from hostsync.infer.context import Context
from hostsync.infer.devices import is_certain, only_host
from hostsync.infer.events import Event, Reason
from hostsync.infer.hints.scripted import is_scripted
from hostsync.infer.linking.plain import dotted_name, is_foreign, is_indexed, place_name, short_name
from hostsync.infer.linking.reaching import comes_past, scope_of, steps_of
from hostsync.infer.linking.waiting import at_call, foreign_waits, meets
from hostsync.infer.records import CallSite
from hostsync.infer.settling import is_setup_only, resolved
from hostsync.infer.values import tensors_in


def calls_that_wait(context: Context, events: list[Event]) -> list[Event]:
    """The calls of a module that wait inside.

    Args:
        context: what following the module has left.
        events: of the module itself.
    """
    return [*_in_loops(context, events), *_of_scripted(context, events), *_of_others(context)]


def _in_loops(context: Context, events: list[Event]) -> list[Event]:
    """Calls in a loop that hand a device tensor to a function which waits, when nothing there tells of the loop; and
    those of a function that waits for the whole device each time."""
    inside: dict[str, Event] = {}
    for event in events:
        if event.confidence != "possible" and event.hot is None and event.kind != "copy":
            inside.setdefault(event.symbol, event)
    found = []
    for symbol, event in inside.items():
        is_always = event.op in _OF_THE_DEVICE and _is_always_reached(context, event)
        for site in context.calls.get(symbol, ()):
            held = [tensor for value in site.bindings.values() for tensor in tensors_in(value)]
            if site.hot == "loop" and (is_always or any(is_certain(tensor.device) for tensor in held)):
                found.append(_call(symbol, site, Reason(event.span, "")))
    return found


_OF_THE_DEVICE: Final = frozenset({"torch.cuda.synchronize", "torch.accelerator.synchronize"})


def _is_always_reached(context: Context, event: Event) -> bool:
    """Whether every call of a function comes past what an event is about."""
    function = context.functions.get(event.symbol)
    if function is None:
        return False
    steps = steps_of(function, scope_of(function, lambda name: None))
    return any(not step.needs and not step.usual and comes_past(step.node, event.span) for step in steps)


def _call(symbol: str, site: CallSite, reason: Reason) -> Event:
    """A call of a function of this module, with the place inside that waits."""
    name = symbol.rpartition(".")[2]
    return Event("call", "project", "", site.span, name, "likely", site.caller, site.hot, (reason,), None)


def _of_scripted(context: Context, events: list[Event]) -> list[Event]:
    """Calls, from Python, of functions that TorchScript runs and that wait there, by themselves or in others of these.

    No line of such a function runs in Python, so it is the call at which the host is seen to wait.
    """
    scripted = {symbol for symbol, node in context.functions.items() if is_scripted(node)}
    waiting: dict[str, Event] = {}
    for event in events if scripted else ():
        if event.symbol in scripted and event.confidence != "possible":
            waiting.setdefault(event.symbol, event)
    due = list(waiting)
    found = []
    while due:
        symbol = due.pop()
        for site in context.calls.get(symbol, ()):
            if site.caller in scripted:
                if site.caller not in waiting:
                    waiting[site.caller] = waiting[symbol]
                    due.append(site.caller)
            elif not _is_all_on_host(context, site):
                found.append(_call(symbol, site, Reason(waiting[symbol].span, "TorchScript runs this")))
    return found


def _is_all_on_host(context: Context, site: CallSite) -> bool:
    """Whether a call hands in no tensor but such on the CPU."""
    held = [tensor.device for value in site.bindings.values() for tensor in tensors_in(value)]
    return bool(held) and all(only_host(resolved(context, site.caller, device)) for device in held)


def _of_others(context: Context) -> list[Event]:
    """Calls of functions of other modules that wait each time.

    What waits in a package that is only known by its index is not reported there, so each call of it is; a call of a
    function of the project only as in `_in_loops`, and where TorchScript runs it.
    """
    found: dict[tuple[object, ...], Event] = {}
    for symbol, sites in context.calls.items():
        if not is_foreign(symbol):
            continue
        indexed = is_indexed(symbol)
        for wait in foreign_waits(context, symbol):
            for site in sites:
                at = at_call(context, symbol, wait, site) if meets(wait, site) else None
                device = None if at is None else resolved(context, site.caller, at)
                if device is None or only_host(device):
                    continue
                sure = is_certain(device)
                # What waits in a `forward` is reported as such there.
                is_told = short_name(symbol) == "forward"
                if not (indexed or wait.scripted) and (is_told or not (sure and site.hot == "loop")):
                    continue
                confidence = "certain" if sure and indexed and not wait.usual else "likely"
                if not sure and is_setup_only(context, site.caller):
                    confidence = "possible"
                op = dotted_name(symbol) if indexed else "project"
                reason = Reason(site.span, f"it waits at {place_name(symbol)}:{wait.row}")
                event = Event(
                    "call", op, "", site.span, short_name(symbol), confidence, site.caller, site.hot, (reason,), None
                )
                found.setdefault((site.span, confidence), event)
    return list(found.values())
