"""`if device is None: device = x.device`: places that count only in calls that leave out a parameter.

Such a place is written `=x~device`, wherever `x` lives where `device` is None or not handed in; `=~device` stands for a
place that isn't known, and `=cpu:~device` for the CPU. All else about a device is in `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hostsync.infer.devices import ANYWHERE, CPU, Atom, Device
from hostsync.infer.values import DeviceValue, Nothing, Unknown, Value

MARK: Final = "~"
_HOST: Final = "=cpu:"
Told: TypeAlias = "bool | str | None"
"""Whether a call hands in a parameter. A text: it hands on that parameter of the caller, whatever this is. None: nobody
knows."""


def given_or(given: Value, other: Value, always: bool = True) -> DeviceValue | None:
    """`given`, or `other` where that is left out; None if this isn't a choice between a parameter and a device.

    Without `always`, the parameter may also stay None, which stands for the CPU.
    """
    if not isinstance(given, DeviceValue) or not isinstance(other, DeviceValue) or len(given.device) != 1:
        return None
    (atom,) = given.device
    if not atom.startswith("=") or MARK in atom:
        return None
    default = frozenset() if always else frozenset({f"{_HOST}{MARK}{atom[1:]}"})
    return DeviceValue(given.device | where_left_out(other.device, atom[1:]) | default)


def is_conditional(device: Device) -> bool:
    """Whether some place counts only where a parameter is left out."""
    for atom in device:  # noqa: SIM110, asked often
        if MARK in atom:
            return True
    return False


def told_in(bindings: Mapping[str, Value], defaults: Mapping[str, Value], name: str) -> Told:
    """Whether a call hands in a parameter, by its arguments."""
    value = bindings.get(name, defaults.get(name))
    if value is None or isinstance(value, Nothing):
        return False
    if isinstance(value, Unknown):
        return None if value.derived else value.param
    if isinstance(value, DeviceValue):
        own = [atom[1:] for atom in value.device if atom.startswith("=") and MARK not in atom]
        return value.param or (own[0] if len(value.device) == 1 and own else True)
    return True


def in_call(device: Device, told: Callable[[str], Told]) -> Device:
    """What is left of the places in a call.

    A parameter that the call hands on stands in the place of the one that decides.
    """
    asked = {mark: told(mark) for atom in device if (mark := atom.partition(MARK)[2])}
    found: set[Atom] = set()
    for atom in device:
        base, _, mark = atom.partition(MARK)
        if not mark:
            if not atom.startswith("=") or asked.get(atom[1:]) is not False:
                found.add(atom)
        elif isinstance(answer := asked[mark], str):
            found.add(f"{base}{MARK}{answer}")
        elif answer is not True:
            found.update(place_of(base))
    return frozenset(found)


def place_of(base: Atom) -> Device:
    """The place that counts where the parameter is left out."""
    return ANYWHERE if base == "=" else CPU if base == _HOST else frozenset({base})


def where_left_out(device: Device, param: str) -> Device:
    """Places that count where a parameter is left out. What is known, as the CPU, counts in any call."""
    return frozenset(
        f"{'=' if atom == '?' else atom}{MARK}{param}" if MARK not in atom and atom[0] in "=?" else atom
        for atom in device
    )
