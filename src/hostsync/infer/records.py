"""What following a function leaves behind: its waits, the calls that it makes, and what callers hand in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hostsync import facts
from hostsync.infer.devices import Device
from hostsync.infer.events import Event, Reason
from hostsync.infer.values import Callable, Choice, DeviceValue, Instance, Items, Ref, Tensor, Value
from hostsync.infer.values import Mapping as MappingValue


class Recorded(NamedTuple):
    """An event, and what it still depends on: where the parameters of its function live."""

    event: Event
    device: Device
    """Where the value that waits lives, or the destination of a copy."""
    source: Device | None
    """For a copy: it waits only if this may be the CPU."""
    sure: bool


class CallSite(NamedTuple):
    """A call of a function of the module, with the arguments that were bound."""

    caller: str
    bindings: Mapping[str, Value]
    span: facts.Place
    hot: str | None
    receiver: Value | None = None
    """The object whose method it is."""


class NamedCall(NamedTuple):
    """A call of a method of something whose class is not known, but which has a name."""

    receiver: str
    method: str
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    caller: str
    span: facts.Place


class VagueCall(NamedTuple):
    """A call like a `NamedCall` that tells nothing of what it hands in."""

    receiver: str
    method: str
    arguments: int
    """How many it hands in."""
    caller: str


class Signature(NamedTuple):
    """The parameters of a function, as far as its callers may tell of them."""

    names: tuple[str, ...]
    open: tuple[str, ...]
    """Those whose kind neither their use nor an annotation proves."""
    must: tuple[str, ...]
    """Those of `open` that have no default."""


class Handed(NamedTuple):
    """What callers hand in for a parameter, and where."""

    value: Tensor | Items | MappingValue | Instance | Callable | Choice | Ref | DeviceValue
    where: Reason | None
    """The call, if it is in this module."""
    text: str
    """The call in words, if it is in another one."""
