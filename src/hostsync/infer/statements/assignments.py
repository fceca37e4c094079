"""Assignments: what a target is bound to, and what that says of it."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.classes import closed
from hostsync.infer.devices import ANYWHERE, of_param, only_host
from hostsync.infer.explaining import explain
from hostsync.infer.frame import EXECUTORS, Frame, evaluate, evaluate_silently
from hostsync.infer.generated import NAMED_TUPLE, is_named_tuple, named_tuple
from hostsync.infer.hints import dimensions
from hostsync.infer.hints.annotations import from_annotation, named_type, only_numbers
from hostsync.infer.hints.defaults import may_be_left_out
from hostsync.infer.hints.moved_batches import moved_from_host
from hostsync.infer.indexing.loads import load
from hostsync.infer.indexing.masks import is_comparison
from hostsync.infer.indexing.stores import store
from hostsync.infer.joining import element_of, join
from hostsync.infer.nodes import last_name
from hostsync.infer.statements.definitions import define_class
from hostsync.infer.statements.loops import statements_around
from hostsync.infer.targets import assign
from hostsync.infer.values import (
    NUMBER,
    UNKNOWN,
    Array,
    Callable,
    DeviceValue,
    Items,
    Mapping,
    Nothing,
    Ref,
    Tensor,
    Unknown,
    Value,
)


def _unless_given(frame: Frame, target: facts.Expr, value: DeviceValue) -> DeviceValue:
    """What a parameter is that becomes the CPU where nobody hands in a device: itself, as None stands for the CPU."""
    if not isinstance(target, facts.Name) or frame.function is None or not only_host(value.device):
        return value
    if not isinstance(frame.env.get(target.id), Nothing):
        return value
    return DeviceValue(of_param(target.id)) if may_be_left_out(frame.function, target.id) else value


def _is_own_call(frame: Frame, node: facts.Expr | None) -> bool:
    return isinstance(node, facts.Call) and isinstance(evaluate_silently(frame, node.func), Callable)


def _names_types(node: facts.Assign) -> bool:
    """`Scalar = int | Tensor`, be it annotated as a `TypeAlias` or not."""
    if not (isinstance(node.value, facts.Binary) and node.value.op == "|"):
        return False
    return node.annotation is None or last_name(node.annotation) == "TypeAlias"


def _assign(frame: Frame, node: facts.Assign) -> bool:
    if isinstance(node.value, facts.Call) and is_named_tuple(node.value):
        made = named_tuple(node, node.value)
        if made is not None and evaluate_silently(frame, node.value.func) == Ref("collections.namedtuple"):
            return define_class(frame, made, (Ref(NAMED_TUPLE),))
    if node.value is None:
        value: Value = UNKNOWN
    elif (counted := _unpacked_nonzero(node)) and not isinstance(evaluate(frame, counted), Tensor):
        value = Items("tuple", None, Array(1, "int"))
    else:
        value = evaluate(frame, node.value)
        if type(node.value) is facts.Call and last_name(node.value.func) == "next":
            value = moved_from_host(value, node.targets[0], statements_around(frame))
        frame.assigning = node.value
        if isinstance(value, Tensor) and not isinstance(node.value, (facts.Name, facts.Const)):
            value = explain(value, node.value)
        elif isinstance(value, DeviceValue):
            value = _unless_given(frame, node.targets[0], value)
    if frame.symbol == "<module>" and _names_types(node):
        value = (node.value and named_type(node.value, lambda expr: evaluate(frame, expr))) or value
    elif node.annotation is not None and (node.value is None or isinstance(value, Unknown)):
        promised = from_annotation(node.annotation, lambda expr: evaluate(frame, expr))
        if promised is not None:
            value = promised
    elif node.annotation is not None and isinstance(value, Tensor):
        # What torch gives is what it gives. What the project gives may differ from call to call.
        if only_numbers(node.annotation) and (not value.sure or _is_own_call(frame, node.value)):
            value = NUMBER
    elif node.annotation is not None and (
        (isinstance(value, Items) and value.items == ()) or (isinstance(value, Mapping) and not value.items)
    ):
        promised = from_annotation(node.annotation, lambda expr: evaluate(frame, expr))
        filled: Value | None = None
        if isinstance(promised, Items) and isinstance(value, Items) and not isinstance(promised.element, Unknown):
            filled = Items(value.kind, None, promised.element)
        elif isinstance(promised, Mapping) and isinstance(value.element, Unknown):
            filled = promised
        target = node.targets[0]
        if filled is not None and not (isinstance(target, facts.Attr) and _declare(frame, target, filled)):
            value = filled
    if node.value is None and isinstance(value, Unknown):
        return True
    if isinstance(value, Unknown) and node.value is not None and is_comparison(node.value):
        first = node.targets[0]
        if isinstance(first, facts.Name) and (
            first.id in frame.usage.tensors
            or (
                (first.id in frame.usage.masks or first.id in frame.usage.indexes)
                and frame.context.uses_torch
                and not frame.knows_arrays()
            )
        ):
            value = Tensor(ANYWHERE, "bool")
    if isinstance(value, Unknown) and _takes_positions(frame, node) and not frame.knows_arrays():
        value = Items("tuple", (Tensor(ANYWHERE), Tensor(ANYWHERE, "int")), UNKNOWN)
    for target in node.targets:
        if node.value is None and isinstance(target, facts.Attr):
            _declare(frame, target, value)
        else:
            assign(frame, target, value)
    frame.either = None
    dimensions.unpacked(frame, node.targets, node.value)
    if isinstance(node.value, facts.Call) and isinstance(node.targets[0], facts.Name):
        _note_test(frame, node.targets[0].id, node.value)
    return True


def _note_test(frame: Frame, name: str, call: facts.Call) -> None:
    """`is_tensor = isinstance(x, Tensor)`: what is asked of the name later is asked of `x`, until that is another."""
    func = last_name(call.func)
    if func in {"isinstance", "is_tensor"} and call.args and isinstance(call.args[0], facts.Name):
        tested = call.args[0].id
        if tested != name:
            frame.tests[name] = (tested, call)


def _declare(frame: Frame, target: facts.Attr, value: Value) -> bool:
    """`self.sampler: Sampler`, without a value: as in the body of the class, it holds unless something is assigned.

    `self.times: dict[str, Tensor] = {}` says as little of where they are, unless nothing is seen to be put in. Returns
    whether it is an attribute of the class that is followed.
    """
    if frame.sink is None or frame.bound is None or evaluate(frame, target.value) != frame.bound:
        return False
    frame.declared.setdefault(target.name, closed(value))
    return True


def _takes_positions(frame: Frame, node: facts.Assign) -> bool:
    """`values, positions = x.max(0)`: only tensors give both."""
    target, call = node.targets[0], node.value
    if not isinstance(target, facts.Sequence) or len(target.items) != 2 or not isinstance(call, facts.Call):
        return False
    op = frame.context.ops.get(f"Tensor.{call.func.name}") if isinstance(call.func, facts.Attr) else None
    return op is not None and op.positions


def _unpacked_nonzero(node: facts.Assign) -> facts.Expr | None:
    """The `x` of `rows, columns = x.nonzero()`.

    An array gives as many as it has dimensions, a tensor a row for each element.
    """
    target, call = node.targets[0], node.value
    if not isinstance(target, facts.Sequence) or len(target.items) < 2 or not isinstance(call, facts.Call):
        return None
    is_it = isinstance(call.func, facts.Attr) and call.func.name == "nonzero" and not (call.args or call.keywords)
    return call.func.value if is_it and isinstance(call.func, facts.Attr) else None


def _aug_assign(frame: Frame, node: facts.AugAssign) -> bool:
    target = node.target
    if isinstance(target, facts.Subscript):
        base = evaluate(frame, target.value)
        old = load(frame, target, base)
        right = evaluate(frame, node.value)
        value = operator_result(node.op, old, right)
        if isinstance(base, Tensor):
            with frame.silently():
                masked = isinstance(old, Tensor)
            if masked:
                store(frame, target, value)
        return True
    old = evaluate(frame, target)
    right = evaluate(frame, node.value)
    frame.assigning = target
    if isinstance(old, Items) and node.op == "+" and old.items is not None and isinstance(right, Items) and frame.loops:
        assign(
            frame,
            target,
            Items(old.kind, None, element_of(right) if old.items == () else join(element_of(old), element_of(right))),
        )
        return True
    value = operator_result(node.op, old, right)
    if isinstance(value, Tensor) and isinstance(old, Tensor):
        # In place: the tensor stays where it is.
        value = value._replace(device=old.device if not isinstance(right, Tensor) or old.ndim != 0 else value.device)
    assign(
        frame,
        target,
        explain(value, node.value) if isinstance(value, Tensor) and not isinstance(old, Tensor) else value,
    )
    return True


EXECUTORS[facts.Assign] = _assign
EXECUTORS[facts.AugAssign] = _aug_assign
