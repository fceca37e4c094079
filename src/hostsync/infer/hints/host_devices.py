"""Devices that a class hands to its own methods: the CPU, for as long as nobody says otherwise.

A constructor that calls `self.build(torch.device("cpu"))` leaves the object on the CPU, also where a derived class
puts another `build` in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from hostsync import facts
from hostsync.infer.hints.defaults import is_device_name, is_host

_CONSTRUCTORS: Final = ("__init__", "__post_init__")
"""`__post_init__` is called by what makes objects: `dataclass`, or a metaclass of the project."""


class HostCall(NamedTuple):
    """A call `self.method(…)` that hands in the CPU."""

    method: str
    at: str
    """The argument: its position, or its name."""
    is_made_so: bool
    """The constructor does it, itself or by a method that it calls, and no other method hands in anything else."""


def host_calls(methods: Mapping[str, facts.Function]) -> tuple[HostCall, ...]:
    """The calls of its own methods in which a class hands in the CPU: as written, or by a default of the caller."""
    made = [methods[name] for name in _CONSTRUCTORS if name in methods]
    called = {name for method in made for name, _, _ in _handed(method)}
    found: dict[tuple[str, str], bool] = {}
    for name, method in methods.items():
        asked = _asked(method)
        if not asked and method not in made:
            continue
        for callee, at, given in _handed(method):
            is_default = isinstance(given, facts.Name) and given.id in asked
            if is_default or (method in made and is_host(given)):
                found[callee, at] = found.get((callee, at), False) or not is_default or name in called
    if not found:
        return ()
    others = {
        (callee, at)
        for method in methods.values()
        for callee, at, given in _handed(method)
        if not (isinstance(given, facts.Name) and given.id in _asked(method)) and not is_host(given)
    }
    return tuple([HostCall(*place, is_made_so and place not in others) for place, is_made_so in found.items()])


def _asked(method: facts.Function) -> set[str]:
    """The parameters that ask for a device, and are the CPU by default."""
    return {param.name for param in method.params if is_device_name(param.name) and is_host(param.default)}


def _handed(method: facts.Function) -> Iterator[tuple[str, str, facts.Expr]]:
    """What the statements of a method that call others of its object hand in: the other, the argument, and what."""
    if not method.params:
        return
    own = method.params[0].name
    stack: list[Iterable[object]] = [method.body]
    while stack:
        for node in stack.pop():
            if isinstance(node, facts.ExprStmt):
                call = node.value
                if isinstance(call, facts.Call) and isinstance(call.func, facts.Attr):
                    receiver = call.func.value
                    if isinstance(receiver, facts.Name) and receiver.id == own:
                        yield from _arguments(call.func.name, call)
            elif isinstance(node, facts.If):
                stack += [node.body, node.orelse]
            elif isinstance(node, facts.With):
                stack.append(node.body)


def _arguments(callee: str, call: facts.Call) -> Iterator[tuple[str, str, facts.Expr]]:
    yield callee, "", call.func
    for position, argument in enumerate(call.args):
        if isinstance(argument, facts.Starred):
            break
        yield callee, str(position), argument
    for keyword in call.keywords:
        if keyword.name is not None:
            yield callee, keyword.name, keyword.value


def is_handed_host(calls: Iterable[HostCall], method: str, position: int, name: str) -> bool | None:
    """Whether some calls hand the CPU to a parameter of a method: True if its object is made so; None if none does.

    Args:
        calls: of a class, and of those that it is derived from.
        method: its name.
        position: of the parameter, without `self`.
        name: of the parameter.
    """
    found = [call.is_made_so for call in calls if call.method == method and call.at in (str(position), name)]
    return any(found) if found else None


def is_made_on_host(calls: Iterable[HostCall], method: facts.Function) -> bool:
    """Whether a method must be told a device, and those calls make its object on the CPU."""
    asking = [(position, param) for position, param in enumerate(method.params[1:]) if is_device_name(param.name)]
    return any(
        param.default is None and is_handed_host(calls, method.name, position, param.name) for position, param in asking
    )
