"""Attributes that a method moves to a device for as long as it runs, and back to the CPU at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from hostsync import facts
from hostsync.infer.devices import MOVES
from hostsync.infer.nodes import dotted_path, nodes_in

_MOVES: Final = MOVES | {"cpu"}


class _Move(NamedTuple):
    where: tuple[str, ...]
    """The conditions around it; what is no name stands for itself alone."""
    is_back: bool


_Found: TypeAlias = "dict[str, list[_Move] | None]"
"""By attribute; None if something else is assigned to it."""


def moved_back(method: facts.Function) -> frozenset[str]:
    """The attributes of its first parameter that a method leaves on the CPU, or where they were.

    Each is assigned to as in `self.x = self.x.cuda()` alone, and last by `self.x = self.x.cpu()`, under conditions that
    held for all of these.
    """
    found: _Found = {}
    if method.params:
        _collect(method.body, method.params[0].name + ".", (), found)
    return frozenset(name for name, moves in found.items() if moves is not None and _ends_on_the_host(moves))


def _ends_on_the_host(moves: Sequence[_Move]) -> bool:
    last = moves[-1]
    return last.is_back and all(move.where[: len(last.where)] == last.where for move in moves)


def _collect(body: Sequence[facts.Stmt], owner: str, where: tuple[str, ...], found: _Found) -> None:
    for node in body:
        if isinstance(node, facts.Assign):
            _note(node, owner, where, found)
        elif isinstance(node, facts.If):
            condition = node.test.id if isinstance(node.test, facts.Name) else str(node.span)
            _collect(node.body, owner, (*where, condition), found)
            _collect(node.orelse, owner, (*where, f"not {condition}"), found)
        elif isinstance(node, facts.With):
            _collect(node.body, owner, where, found)
        elif isinstance(node, (facts.For, facts.While, facts.Try, facts.Match)):
            # Nobody knows how often that runs, or how far.
            for part in nodes_in((node,), frozenset()):
                if isinstance(part, facts.Assign):
                    for name in _attributes(part, owner):
                        found[name] = None


def _note(node: facts.Assign, owner: str, where: tuple[str, ...], found: _Found) -> None:
    call = node.value
    func = call.func if isinstance(call, facts.Call) else None
    for name in _attributes(node, owner):
        moves = found.setdefault(name, [])
        is_moved = isinstance(func, facts.Attr) and func.name in _MOVES and dotted_path(func.value) == owner + name
        if not is_moved or moves is None:
            found[name] = None
        elif isinstance(call, facts.Call) and isinstance(func, facts.Attr):
            moves.append(_Move(where, func.name == "cpu" or _is_host(call)))


def _attributes(node: facts.Assign, owner: str) -> list[str]:
    paths = [dotted_path(target) for target in node.targets]
    return [path[len(owner) :] for path in paths if path is not None and path.startswith(owner)]


def _is_host(call: facts.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], facts.Const) and call.args[0].value == "cpu"
