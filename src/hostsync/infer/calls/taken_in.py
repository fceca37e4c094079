"""What is brought to the device whatever is handed in: `batch["x"].to(self.device)` in a trainer, `send_to_device(x)`.

Where it comes from nobody says; that it is written down says enough.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from typing import Any, Final

from hostsync import facts
from hostsync.infer.calls.host_calls import KeywordList
from hostsync.infer.classes import class_attribute, is_module_class
from hostsync.infer.devices import ANYWHERE, CPU, only_host
from hostsync.infer.dtypes import TO_FLOATS
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame
from hostsync.infer.hints.loaders_and_models import is_model_name
from hostsync.infer.hints.module_uses import is_used_as_module
from hostsync.infer.linking.handed import HELD
from hostsync.infer.nodes import nodes_in, receiver_node
from hostsync.infer.origins import because
from hostsync.infer.values import (
    Array,
    Callable,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Method,
    Number,
    Tensor,
    Unknown,
)

_MOVER: Final = re.compile(r"^_?(to|cuda)$|(^|_)to_(device|gpu|cuda)(_|$)|^_?(move|send)_to(_|$)")


def brings_from_host(frame: Frame, keywords: KeywordList) -> bool:
    """Whether `x.to(device)` is written to bring from the host whatever it is given.

    That is so in a function which is named after it, such as `send_to_device`, and of what hands on a caller's
    `non_blocking`: such calls waited in four of five cases in the packages of the ground truth, others in one of ten.
    """
    for name, node, value in keywords:
        if name == "non_blocking":
            switch = value.const if isinstance(value, Number) else None
            if switch is None and isinstance(node, facts.Name):
                return True
            if switch is not False:
                # What is worked out, or set, is on where there is a GPU: `non_blocking=device.type == "cuda"`.
                return False
    return any(_MOVER.search(name) for name in frame.symbol.split("."))


_OWN_DEVICE: Final = frozenset({"device", "_device"})


def is_taken_in(frame: Frame, node: facts.Call, keywords: KeywordList) -> bool:
    """Whether something that a function is handed is brought to where its object works, or to the GPU by name.

    That is so of `batch["x"].to(self.device)` where `self` is no module, such as a trainer, an engine or a buffer, and
    of `batch.cuda()`: in fourteen libraries that were written for it 17 of 19 of these waited, of calls of
    `x.to(y.device)` and those in modules, whose inputs are where they are, fewer than half. Who calls a `forward`
    takes its class for a module, whatever that is derived from: in three libraries 67 of 75 of these did not wait. Nor
    does that hold of metrics, which get what a model gave, on its device, and are merged with others that are there: in
    a library of these 134 of 140 did not wait.
    """
    if frame.setup or not isinstance(node.func, facts.Attr):
        return False
    if any(name == "non_blocking" and not (isinstance(v, Number) and v.const is False) for name, _, v in keywords):
        return False
    if _is_picked_by_array(frame, node.func.value):
        return True
    if node.func.name == "cuda":
        return _is_moved_in_place(frame, node.func.value) or _is_from_caller(frame, node.func.value)
    if frame.function is None or frame.function.name.lstrip("_").startswith("forward"):
        return False
    to = node.args[0] if node.args else next((k.value for k in node.keywords if k.name == "device"), None)
    if frame.bound is None or not isinstance(frame.bound, Instance) or not isinstance(to, facts.Attr):
        return False
    own = isinstance(to.value, facts.Name) and frame.env.get(to.value.id) == frame.bound and to.name in _OWN_DEVICE
    if not own or is_module_class(frame.context, frame.bound.name) or _updates_metric(frame, frame.bound):
        return False
    return _is_from_caller(frame, node.func.value) and not _is_of_its_like(frame, frame.function, node.func.value)


def _updates_metric(frame: Frame, own: Instance) -> bool:
    """Whether this is `update` of a class that has `compute` as well, as metrics of whatever library do."""
    if frame.function is None or frame.function.name != "update":
        return False
    return isinstance(class_attribute(frame.context, own.name, "compute", own), Callable)


def _is_of_its_like(frame: Frame, function: facts.Function, node: facts.Expr) -> bool:
    """`self.total += other.total.to(self.device)`: what an object of the same kind has is where this one has it."""
    if not isinstance(node, facts.Attr):
        return False
    for part in nodes_in(function.body, frozenset()):
        is_same = type(part) is facts.Attr and part.name == node.name and type(part.value) is facts.Name
        if is_same and frame.env.get(part.value.id) == frame.bound:
            return True
    return False


def _is_picked_by_array(frame: Frame, node: facts.Expr) -> bool:
    """`x[np.random.choice(len(x), 8)]`, or a copy of it.

    Of what is on the CPU still, the copy waits, and of what is on the GPU already, the indices are copied first.
    """
    node = _before_copies(node)
    if not isinstance(node, facts.Subscript):
        return False
    keys = node.key.items if isinstance(node.key, facts.Sequence) and node.key.kind == "tuple" else (node.key,)
    return any(isinstance(key, facts.Name) and isinstance(frame.lookup(key.id), Array) for key in keys)


def _is_moved_in_place(frame: Frame, moved: facts.Expr) -> bool:
    """`x = x.cuda()` of something that nothing is known of, and that nobody uses as a module.

    In the research code that was tried all 12 of these waited.
    """
    if not isinstance(moved, facts.Name) or is_model_name(moved):
        return False
    value = frame.lookup(moved.id)
    if not isinstance(value, (Unknown, Method)) and not (isinstance(value, Tensor) and value.device == ANYWHERE):
        return False
    body = frame.context.module.body if frame.function is None else frame.function.body
    return not is_used_as_module(body, moved.id)


def _is_from_caller(frame: Frame, node: facts.Expr) -> bool:
    """Whether an expression is a part of a parameter, or a copy of one, and no model by its name."""
    if frame.function is None or is_model_name(node):
        return False
    while True:
        if isinstance(node, (facts.Attr, facts.Subscript)):
            node = node.value
        elif isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _COPYING:
            node = node.func.value
        else:
            break
    if not isinstance(node, facts.Name) or is_model_name(node):
        return False
    value = frame.env.get(node.id)
    param = value.param if isinstance(value, (Tensor, Unknown)) else None
    if param is not None:
        return not param.startswith(HELD)
    if not isinstance(value, (Tensor, Unknown, Items, Mapping)):
        return False
    name = _gone_through(frame.function).get(node.id, node.id)
    held = frame.env.get(name)
    if isinstance(held, Unknown):
        return held.param is not None and not held.param.startswith(HELD)
    # Of an annotated container no more is known than that it was handed in. Who writes what single parts of it are has
    # moved them, as often as not.
    if not isinstance(held, (Items, Mapping)) or held.items:
        return False
    if name == node.id and isinstance(held.element, Tensor):
        return False
    return any(param.name == name for param in frame.function.params)


def is_result(node: facts.Expr) -> bool:
    """Whether something is what a call gives, as it is: nobody handed that in. Copies don't count."""
    return isinstance(_before_copies(node), facts.Call)


def _before_copies(node: facts.Expr) -> facts.Expr:
    """The `x` of `x.detach().float()`."""
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _CONVERTING:
        node = node.func.value
    return node


def _gone_through(function: facts.Function) -> Table[str, str]:
    """What loops and comprehensions call the parts of something, with its name: `v` for `batch` of `batch.items()`."""
    found: dict[str, str] = {}
    stack: list[Any] = [function.body]
    while stack:
        node = stack.pop()
        if type(node) in _LOOPS:
            over = node.iterable
            if type(over) is facts.Call and type(over.func) is facts.Attr and over.func.name in {"items", "values"}:
                over = over.func.value
            if type(over) is facts.Name:
                bound = node.target.items if type(node.target) is facts.Sequence else (node.target,)
                found.update({target.id: over.id for target in bound if type(target) is facts.Name})
        if isinstance(node, tuple):
            stack.extend(node)
    return found


_LOOPS: Final[frozenset[type]] = frozenset({facts.For, facts.Generator})


_COPYING: Final = frozenset("clone contiguous detach flatten reshape squeeze unsqueeze view".split())
_CONVERTING: Final = _COPYING | TO_FLOATS | {"long", "int", "bool"}


def moved_on(frame: Frame, node: facts.Call, wanted: DeviceValue, *, is_made_here: bool = False) -> None:
    """A copy of what somebody else has made, on the host for all that anybody says, or of what is known to be there."""
    receiver = receiver_node(node)
    if not only_host(wanted.device):
        frame.emit(
            "copy",
            "Tensor.to",
            "pageable",
            node,
            subject=receiver,
            device=wanted.device,
            origin=because(Reason(receiver.span, _BROUGHT), None) if receiver is not None else None,
            confidence="likely" if is_made_here or not _is_own_part(frame, node) else "possible",
            source=CPU,
        )


_BROUGHT: Final = "which is brought to the device whatever is handed in, so it counts as on the CPU"


def _is_own_part(frame: Frame, node: facts.Call) -> bool:
    """`self.boxes.to(device)` in a method that moves its object.

    Whoever has such an object has moved what it was made of, as often as not: in twelve libraries that were written
    for it 21 of 39 of these waited, of other calls in functions that move what they are handed 30 of 31.
    """
    receiver = receiver_node(node)
    if frame.bound is None or not isinstance(receiver, facts.Attr) or not isinstance(receiver.value, facts.Name):
        return False
    return frame.env.get(receiver.value.id) == frame.bound
