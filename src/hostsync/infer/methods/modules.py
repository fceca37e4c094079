"""Methods of `nn.Module`, and of the containers of modules."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.copies import to_device
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.module_containers import module_in
from hostsync.infer.calls.own_calls import instance_called
from hostsync.infer.classes import named_by, register_buffer
from hostsync.infer.devices import ACCELERATOR, CPU
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import Frame
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.hints.module_uses import GIVE_THE_MODULE
from hostsync.infer.iterating import iterated
from hostsync.infer.methods.containers import grown, mapping_method
from hostsync.infer.methods.tensors import OF_MODULES, tensors_of_module
from hostsync.infer.nodes import receiver_node
from hostsync.infer.targets import assign
from hostsync.infer.values import NOTHING, TEXT, UNKNOWN, Instance, Items, Mapping, Tensor, Text, Unknown, Value

MODULE_VALUES: Final = frozenset(
    "cuda to cpu parameters buffers named_parameters named_buffers state_dict modules children named_modules "
    "named_children".split()
)


def module_method(
    frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """A method of an `nn.Module`."""
    if name in {"cuda", "to", "cpu"}:
        if name == "cpu":
            return receiver._replace(device=CPU)
        device, _ = to_device(frame, args, keywords)
        where = ACCELERATOR if name == "cuda" else device.device if device else receiver.device
        moved = receiver._replace(device=where)
        target = receiver_node(node)
        if receiver.device == CPU != where and isinstance(target, (facts.Name, facts.Attr)):
            # In place: what was on the CPU no longer is, whatever becomes of what the call gives.
            assign(frame, target, moved)
        return moved
    if receiver.held is not None:
        inside = _of_container(frame, node, receiver, receiver.held, name, args)
        if inside is not None:
            return inside
    if name in GIVE_THE_MODULE:
        return receiver
    if name in OF_MODULES:
        return tensors_of_module(name, Tensor(receiver.device))
    if name == "state_dict":
        return Mapping((), Tensor(receiver.device))
    if name in {"modules", "children"}:
        return Items("generator", None, Instance(MODULE_CLASS, False))
    if name in {"named_modules", "named_children"}:
        return Items("generator", None, Items("tuple", (TEXT, Instance(MODULE_CLASS, False)), UNKNOWN))
    if name in {"register_buffer", "register_parameter"}:
        first = args[0][1] if args else next((v for k, _, v in keywords if k == "name"), UNKNOWN)
        key = named_by(first) if isinstance(first, Text) else None
        value = args[1][1] if len(args) > 1 else next((v for k, _, v in keywords if k in {"tensor", "param"}), NOTHING)
        if isinstance(value, Unknown) or (isinstance(value, Tensor) and not value.sure):
            # The library takes nothing but tensors, and None.
            value = as_tensor(value) if isinstance(value, Unknown) else value._replace(sure=True)
        if key is not None:
            register_buffer(frame, key, value)
            if isinstance(value, Tensor):
                frame.paths[f"self.{key}"] = value
        return NOTHING
    if name == "forward":
        return instance_called(frame, node, receiver, args, keywords)
    return UNKNOWN


def _of_container(
    frame: Frame, node: facts.Call, receiver: Instance, held: Items | Mapping, name: str, args: ArgumentList
) -> Value | None:
    """A method of a container of modules that says what is in it; None for other methods."""
    values = [value for _, value in args]
    if isinstance(held, Mapping):
        if name not in {"items", "values", "keys"}:
            return None
        return mapping_method(frame, node, Mapping((), module_in(receiver)), name, [], [])
    if name == "children":
        return Items("generator", None, module_in(receiver))
    if name in {"append", "insert"} and values:
        now = grown(frame, held, values[-1])
    elif name == "extend" and values:
        now = grown(frame, held, iterated(frame, values[0]))
    else:
        return None
    target = receiver_node(node)
    if isinstance(target, (facts.Name, facts.Attr)):
        assign(frame, target, receiver._replace(held=now))
    return receiver
