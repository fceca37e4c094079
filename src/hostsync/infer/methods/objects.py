"""Methods of objects of classes: those of torch, those of the project, distributions among them."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.calls.catalogued import ENABLED, SET_ELSEWHERE, operation
from hostsync.infer.calls.conditions import checks_only
from hostsync.infer.calls.derived_distributions import method_of_base
from hostsync.infer.calls.host_calls import GENERATORS, ArgumentList, KeywordList, drawn, printed
from hostsync.infer.calls.library_objects import MODEL, library_class
from hostsync.infer.calls.placing import merged
from hostsync.infer.classes import (
    DRAWS,
    distribution_base,
    is_module_class,
    register_buffer,
    write_attribute,
)
from hostsync.infer.devices import ANYWHERE, CPU, only_host
from hostsync.infer.frame import Frame
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.hints.module_uses import GIVE_THE_MODULE
from hostsync.infer.hints.tables import TO_ARRAYS
from hostsync.infer.methods.asked import Asked
from hostsync.infer.methods.library_objects import LIBRARY_METHODS, library_method
from hostsync.infer.methods.modules import MODULE_VALUES, module_method
from hostsync.infer.methods.tensors import DEFINITE, OF_MODULES, tensors_of_module
from hostsync.infer.methods.unknown import LOG_METHODS, unknown_method
from hostsync.infer.nodes import receiver_node
from hostsync.infer.values import (
    NOTHING,
    ON_HOST,
    UNKNOWN,
    Array,
    Instance,
    Items,
    Tensor,
    Text,
    Value,
    is_distribution,
    tensor_by_default,
    tensors_in,
)


def _is_off(op: Op, receiver: Instance) -> bool:
    """Whether a method does not wait, because its object was made with what waits switched off."""
    switches = dict(receiver.options)
    if switches.get(ENABLED) is False:
        return True
    return switches.get("validate_args") is False and checks_only(op)


def instance_method(
    frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Methods of an object of a class."""
    is_own = name in OF_MODULES and receiver == frame.bound
    if is_own and frame.function is not None and frame.function.name == "__init__":
        # A module is built on the CPU.
        return tensors_of_module(name, Tensor(CPU))
    # What `forward` gives is up to each class, though that of the base class gives nothing.
    if receiver.name == MODULE_CLASS and (name in MODULE_VALUES or name in GIVE_THE_MODULE or name == "forward"):
        return module_method(frame, node, receiver, name, args, keywords)
    if receiver.local:
        distribution = distribution_base(frame.context, receiver.name)
        if distribution is not None:
            value = method_of_base(frame, node, receiver, distribution, name, args, keywords)
            return _drawn(receiver, name, value)
    if name in LIBRARY_METHODS:
        asked = Asked(frame, node, UNKNOWN, name, args, keywords, receiver_node(node))
        given = library_method(asked, library_class(frame.context, receiver))
        if given is not None:
            return given
    op = frame.context.ops.get(f"{receiver.name}.{name}") if not receiver.local else None
    # What is handed to one of numbers, such as the value of `log_prob`, is checked where it is.
    elsewhere = any(not only_host(tensor.device) for _, value in args for tensor in tensors_in(value))
    on_host = is_distribution(receiver) and only_host(receiver.device) and not elsewhere
    if op is not None and op.waits and (on_host or _is_off(op, receiver)):
        with frame.silently():
            return _drawn(receiver, name, operation(frame, node, op, args, keywords, None))
    if op is not None:
        switches = dict(receiver.options)
        # Mixed precision that settings decide about is off until somebody asks for it.
        at_most = "possible" if SET_ELSEWHERE in switches else "likely" if switches.get(ENABLED, True) is None else None
        return _drawn(receiver, name, operation(frame, node, op, args, keywords, None, at_most=at_most))
    if receiver == ON_HOST:
        return Array() if name in TO_ARRAYS else receiver
    if receiver.name in GENERATORS:
        return drawn(name, args, keywords)
    if receiver.name == "logging.getLogger":
        return printed(frame, node, f"logging.{name}", args) if name in LOG_METHODS else NOTHING
    module = receiver.name.startswith("torch.nn.") or receiver.name == MODEL
    module = module or (receiver.local and is_module_class(frame.context, receiver.name))
    if not module:
        if is_distribution(receiver):
            return _distribution_method(receiver, name, args)
        if receiver.local and name == "_replace":
            # Of a named tuple: another one of its class.
            return receiver
        if receiver.local:
            return (
                unknown_method(frame, node, UNKNOWN, name, args, keywords)
                if name in DEFINITE | {"cpu", "to"}
                else UNKNOWN
            )
        return UNKNOWN
    return module_method(frame, node, receiver, name, args, keywords)


_STATE_ARGUMENTS: Final = frozenset({"default", "value", "tensor", "state"})


def register_state(frame: Frame, receiver: Value, args: ArgumentList, keywords: KeywordList) -> None:
    """`self.add_state("total", torch.zeros(3))`, by whatever name: what is set up like this is an attribute later.

    It says nothing of where a tensor lives: such methods exist to move it with the rest.
    """
    first = args[0][1] if args else next((value for key, _, value in keywords if key == "name"), None)
    if frame.sink is None or not isinstance(first, Text) or first.const is None or not first.const.isidentifier():
        return
    if not isinstance(receiver, Instance) or receiver != frame.bound:
        return
    held = args[1][1] if len(args) > 1 else next((v for key, _, v in keywords if key in _STATE_ARGUMENTS), None)
    if isinstance(held, Tensor) and held.sure:
        register_buffer(frame, first.const, held)
    elif isinstance(held, Items) and held.kind == "list" and held.items == ():
        write_attribute(frame, frame.sink, first.const, held)


def _drawn(receiver: Instance, name: str, value: Value) -> Value:
    """What a method of a distribution gives lives where its parameters do, unless an argument says otherwise."""
    if not isinstance(value, Tensor) or not (receiver.local or is_distribution(receiver)):
        return value
    if name not in DRAWS and value.device != ANYWHERE:
        return value
    return value._replace(device=receiver.device, origin=tensor_by_default(receiver.device).origin or value.origin)


def _distribution_method(receiver: Instance, name: str, args: ArgumentList) -> Value:
    if name in {"sample", "rsample", "log_prob", "entropy", "cdf", "icdf"}:
        return _drawn(receiver, name, Tensor(merged([t for _, v in args for t in tensors_in(v)]), ""))
    return UNKNOWN
