"""Distributions that a project derives from those of torch, and whether they check what they are given.

torch's own check unless told otherwise (`validate_args=None` stands for "yes", torch.distributions.Distribution).
A class that says `validate_args=False` where nobody says anything does not.
"""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.conditions import checks_only
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.placing import merged
from hostsync.infer.classes import class_attribute
from hostsync.infer.frame import Frame
from hostsync.infer.nodes import is_false
from hostsync.infer.values import NOTHING, UNKNOWN, Callable, Instance, Mapping, Number, Value, tensors_in

_BASE: Final = "torch.distributions.Distribution"
_SWITCH: Final = "validate_args"


def method_of_base(
    frame: Frame,
    node: facts.Call,
    receiver: Instance,
    distribution: str,
    name: str,
    args: ArgumentList,
    keywords: KeywordList,
) -> Value:
    """A method that a distribution of the project has from the library's one: `super().__init__(…)` among them.

    Args:
        distribution: the name of the library's class.
        name: of the method.
    """
    keywords = _handed_on(frame, keywords)
    if name == "_validate_sample" or (name == "__init__" and distribution == _BASE):
        # The base class itself checks what `arg_constraints` of the derived one asks for.
        checks = _has_constraints(frame, receiver) if name == "__init__" else not _is_unchecked(frame, receiver)
        if checks and not any(key == _SWITCH and _is_false(value) for key, _, value in keywords):
            tensors = [tensor for _, value in args for tensor in tensors_in(value, 1)]
            frame.emit("call", distribution, "", node, device=merged(tensors), confidence="likely")
        return NOTHING
    op = frame.context.ops.get(distribution if name == "__init__" else f"{distribution}.{name}")
    if op is None:
        return UNKNOWN
    if name != "__init__" and checks_only(op) and _is_unchecked(frame, receiver):
        with frame.silently():
            return operation(frame, node, op, args, keywords, None)
    return operation(frame, node, op, args, keywords, None)


def _is_unchecked(frame: Frame, receiver: Instance) -> bool:
    """Whether an object of a derived class was made so that it does not check what it is given."""
    known = dict(receiver.options)
    if _SWITCH in known:
        return known[_SWITCH] is False
    return _is_off_by_default(class_attribute(frame.context, receiver.name, "__init__", receiver))


def _handed_on(frame: Frame, keywords: KeywordList) -> KeywordList:
    """Keyword arguments, in which a switch that the function takes and that is off by default is off."""
    params = () if frame.function is None else frame.function.params
    off = {param.name for param in params if is_false(param.default)}
    return [
        (key, node, Number(False) if key == _SWITCH and isinstance(node, facts.Name) and node.id in off else value)
        for key, node, value in keywords
    ]


def _is_off_by_default(init: Value) -> bool:
    params = init.node.params if isinstance(init, Callable) and isinstance(init.node, facts.Function) else ()
    return any(param.name == _SWITCH and is_false(param.default) for param in params)


def _has_constraints(frame: Frame, receiver: Instance) -> bool:
    held = class_attribute(frame.context, receiver.name, "arg_constraints", receiver)
    return isinstance(held, (Mapping, Callable)) and held != Mapping((), UNKNOWN)


def _is_false(value: Value) -> bool:
    return isinstance(value, Number) and value.const is False
