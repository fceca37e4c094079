"""Transfer functions of methods: what kind of thing the receiver is decides which table answers."""

from __future__ import annotations

from functools import reduce
from typing import Final

from hostsync import facts
from hostsync.infer.calls.backward_passes import backward_pass
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, formatted, printed
from hostsync.infer.frame import Frame
from hostsync.infer.hints.evidence import OF_ARRAYS_ALONE
from hostsync.infer.joining import join
from hostsync.infer.methods.by_name import called_by_name, methods_by_name
from hostsync.infer.methods.containers import array_method, items_method, mapping_method
from hostsync.infer.methods.hugging_face import OF_MODELS
from hostsync.infer.methods.loaded_states import LOADS, state_loaded
from hostsync.infer.methods.objects import instance_method
from hostsync.infer.methods.tensors import tensor_method
from hostsync.infer.methods.unknown import unknown_method
from hostsync.infer.values import (
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Choice,
    Instance,
    Items,
    Mapping,
    Method,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
)

_SUMMARIES: Final = frozenset(
    "add_scalar add_scalars add_histogram add_audio add_image add_images add_video add_embedding add_mesh".split()
)
"""Methods of `SummaryWriter`, by TensorBoard and by others, that copy their second argument to the host."""

_OF_DISTRIBUTIONS: Final = frozenset({"log_prob", "rsample"})

_OF_SCALARS: Final = frozenset("astype clip copy item max mean min prod round squeeze std sum var".split())
"""Methods by which one of NumPy's numbers, as `np.mean(losses)` gives it, makes another one."""


def method_call(frame: Frame, node: facts.Call, method: Method, args: ArgumentList, keywords: KeywordList) -> Value:
    """What a call of a method gives, by what it is called of."""
    receiver = method.receiver
    if method.name == "backward":
        backward_pass(frame, node)
    if method.name in _SUMMARIES and len(args) > 1 and isinstance(receiver, (Unknown, Instance)):
        printed(frame, node, f"tensorboard.{method.name}", args[1:2])
    known = methods_by_name(frame.context.ops).get(method.name)
    if known is not None and frame.context.uses_torch and isinstance(receiver, (Unknown, Tensor)):
        return called_by_name(frame, node, known, receiver, args, keywords)
    if method.name in OF_ARRAYS_ALONE and not isinstance(receiver, (Array, Instance, Choice)):
        # Neither a tensor nor a number has it, whatever the receiver was taken to be.
        return Array()
    if method.name in OF_MODELS and isinstance(receiver, Tensor) and not receiver.sure:
        # What was moved to a device is the model itself.
        receiver = UNKNOWN
    if method.name in _OF_DISTRIBUTIONS and isinstance(receiver, Tensor):
        # `dict[str, Tensor | Distribution]`: a tensor has no such method.
        receiver = Unknown(receiver.param)
    if isinstance(receiver, Tensor):
        return tensor_method(frame, node, receiver, method.name, args, keywords)
    if method.name == LOADS:
        state_loaded(frame, node, receiver, args, keywords)
    if isinstance(receiver, Instance):
        return instance_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Choice):
        given = [method_call(frame, node, method._replace(receiver=one), args, keywords) for one in receiver.options]
        return reduce(join, given)
    if isinstance(receiver, Unknown):
        return unknown_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Items):
        return items_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Mapping):
        return mapping_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Text):
        if method.name == "format":
            printed(frame, node, "str.format", formatted(frame, receiver, args, keywords))
            return Text(None, (receiver.const or receiver.start).partition("{")[0])
        return Items("list", None, TEXT) if method.name.endswith("split") else TEXT
    if isinstance(receiver, Array):
        return array_method(receiver, method.name, args, keywords)
    return NUMBER if isinstance(receiver, Number) and method.name in _OF_SCALARS else UNKNOWN
