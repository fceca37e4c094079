"""`load_state_dict` of a state in the memory of the host: what is on the GPU is filled tensor by tensor.

Sources: torch, `nn/modules/module.py`, `_load_from_state_dict`, `optim/optimizer.py`,
`_process_value_according_to_param_policy`, and our measurement (the page of HS605).
"""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.devices import ANYWHERE, Device, is_certain, is_of_params, of_param, only_host
from hostsync.infer.frame import Frame
from hostsync.infer.linking.handed import HELD
from hostsync.infer.methods.asked import called
from hostsync.infer.nodes import receiver_node
from hostsync.infer.values import Instance, Unknown, Value, tensors_in

LOADS: Final = "load_state_dict"
_OPTIMIZER: Final = re.compile(r"(^|_)opt(im(izers?)?)?(_|\d|$)|optimi[sz]ers?$")
"""What optimizers are called."""
_ON_HOST: Final = re.compile(r"scaler|sched|sampler|loader|meter|(^|_)(ema|lr)$")
"""What has a state of numbers, or one that nobody knows the place of."""


def state_loaded(frame: Frame, node: facts.Call, receiver: Value, args: ArgumentList, keywords: KeywordList) -> None:
    """Records that a call waits, if what is loaded is on the host and what it is loaded into is not, most likely."""
    given = [value for name, _, value in keywords if name == "state_dict"] + [value for _, value in args[:1]]
    held = tensors_in(given[0]) if given else ()
    if not held or not all(only_host(tensor.device) for tensor in held):
        return
    name = called(receiver_node(node))
    if _ON_HOST.search(name):
        return
    is_optimizer = _is_optimizer(receiver, name)
    device = _optimizer_at(receiver) if is_optimizer else _module_at(frame, node, receiver)
    if device is not None:
        op = "torch.optim.Optimizer" if is_optimizer else "torch.nn.Module"
        subject = receiver_node(node)
        frame.emit("call", f"{op}.{LOADS}", "", node, subject=subject, device=device, confidence="likely")


def _is_optimizer(receiver: Value, name: str) -> bool:
    if isinstance(receiver, Instance):
        return receiver.name.startswith("torch.optim.") and not receiver.name.startswith("torch.optim.lr_scheduler.")
    return isinstance(receiver, Unknown) and _OPTIMIZER.search(name) is not None


def _optimizer_at(receiver: Value) -> Device:
    """Where its parameters are: it is made when they have been moved, as a rule."""
    return _place(receiver.param) if isinstance(receiver, Unknown) else ANYWHERE


def _module_at(frame: Frame, node: facts.Call, receiver: Value) -> Device | None:
    """Where a module is that has been moved, or one that is handed in with its optimizer; None for all others.

    A module that is handed in by itself is still being built as often as not.
    """
    if isinstance(receiver, Instance):
        return receiver.device if is_certain(receiver.device) or is_of_params(receiver.device) else None
    if not isinstance(receiver, Unknown) or not isinstance(frame.function, facts.Function):
        return None
    params = {param.name for param in frame.function.params}
    is_resumed = any(_OPTIMIZER.search(name.lower()) for name in params)
    match node.func:
        case facts.Attr(value=facts.Attr(name="module", value=facts.Name(id=name))) if name in params and is_resumed:
            # What several processes train.
            return of_param(name)
    return _place(receiver.param) if receiver.param is not None and is_resumed else None


def _place(param: str | None) -> Device:
    return ANYWHERE if param is None or param.startswith(HELD) else of_param(param)
