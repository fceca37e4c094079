"""Statements that call something, enter a context, or forget a name."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import printed
from hostsync.infer.devices import MOVES, is_certain
from hostsync.infer.frame import EXECUTORS, Frame, evaluate, evaluate_silently, execute
from hostsync.infer.hints.module_uses import GIVE_THE_MODULE
from hostsync.infer.special_methods import special
from hostsync.infer.targets import assign
from hostsync.infer.values import Array, DeviceValue, Instance, Tensor, Unknown, Value, tensors_in


def _expression(frame: Frame, node: facts.ExprStmt) -> bool:
    call = node.value
    value = evaluate(frame, call)
    _move_in_place(frame, call, value)
    events = frame.events
    if events and isinstance(call, facts.Call) and isinstance(call.func, facts.Attr) and call.func.name in MOVES:
        last = events[-1]
        moved = evaluate_silently(frame, call.func.value) if last.event.span == call.span else None
        if moved is not None and not (isinstance(moved, Tensor) and moved.sure):
            # Of a tensor, what is moved would be lost: this is an object that moves its parts, such as a module.
            events[-1] = last._replace(event=last.event._replace(confidence="possible"))
    return True


def _shown(frame: Frame, node: facts.Shown) -> bool:
    """What a cell of a notebook ends with is written below it."""
    value = evaluate_silently(frame, node.value)
    # Whoever looks at values cell by cell works on the CPU as often, so that nothing is said of what may be there.
    if any(is_certain(tensor.device) for tensor in tensors_in(value, 2)):
        printed(frame, node.value, "builtins.repr", [(node.value, value)])
    return True


def _move_in_place(frame: Frame, node: facts.Expr, value: Value) -> None:
    """`net.eval().cpu()` as a statement: from here on the module is there.

    So is what nothing is known of once it was brought to the host: of a tensor the copy would be lost.
    """
    if isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name == "to_numpy":
        _made_arrays(frame, node.func.value)
        return
    moves: set[str] = set()
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _IN_PLACE:
        moves.add(node.func.name)
        node = node.func.value
    places = moves & _PLACING
    if not isinstance(node, facts.Name) or not places:
        return
    held = evaluate_silently(frame, node)
    if isinstance(held, Instance):
        if isinstance(value, Instance) and value.name == held.name:
            frame.bind(node.id, value)
    elif places == {"cpu"} and isinstance(value, Tensor) and not (isinstance(held, Tensor) and held.sure):
        frame.bind(node.id, value._replace(sure=False))


def _made_arrays(frame: Frame, node: facts.Expr) -> None:
    """`outputs.to_numpy()` as a statement: from here on the parts of the object are arrays."""
    if isinstance(node, facts.Name) and isinstance(evaluate_silently(frame, node), (Instance, Unknown)):
        frame.bind(node.id, Array())


_PLACING: Final = MOVES | {"cpu"}
_IN_PLACE: Final = _PLACING | GIVE_THE_MODULE


def _with(frame: Frame, node: facts.With) -> bool:
    default = frame.context.default_device
    for item in node.items:
        value = evaluate(frame, item.value)
        entered = special(frame, item.value, value, "__enter__")
        if item.target is not None:
            assign(frame, item.target, value if entered is None else entered)
        if isinstance(value, DeviceValue):
            frame.context.default_device = value.device
    through = execute(frame, node.body)
    frame.context.default_device = default
    return through


def _delete(frame: Frame, node: facts.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, facts.Name):
            frame.env.pop(target.id, None)
    return True


EXECUTORS[facts.ExprStmt] = _expression
EXECUTORS[facts.Shown] = _shown
EXECUTORS[facts.With] = _with
EXECUTORS[facts.Delete] = _delete
