"""Transfer functions of what moves data between host and device: `to`, `cuda`, `cpu`, constructors, pinned memory.

The defaults are those that measurement supports: a copy to a device is reported where its source is known to be on the
CPU; a copy to the host is reported unless its source is known to be there already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, depth_of
from hostsync.infer.calls.operations import device_of, promoted
from hostsync.infer.classes import is_module_class
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame, evaluate_silently, explain, is_model_name
from hostsync.infer.hints.annotations import admits_number
from hostsync.infer.hints.defaults import last_name
from hostsync.infer.hints.evidence import dotted_path, is_named_mask, is_number
from hostsync.infer.hints.module_uses import is_used_as_module
from hostsync.infer.linking.handed import HELD
from hostsync.infer.linking.plain import TENSOR_TYPES
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    BY_DEFAULT,
    CPU,
    MOVED,
    UNKNOWN,
    Array,
    Device,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    because,
    element_of,
    host_doubt,
    is_certain,
    is_of_params,
    only_host,
    reasons,
    tensors_in,
)

LOADER: Final = "its batches are not pinned"
"""The reason that marks a batch of a DataLoader in a chain."""


def transfer(
    frame: Frame, node: facts.Call, source: Tensor, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """A method of a tensor that may copy it."""
    if name == "cpu":
        return _to_host(frame, node, source, "Tensor.cpu", "")
    if name == "numpy":
        force = any(k == "force" and isinstance(v, Number) and v.const is True for k, _, v in keywords)
        if force:
            _to_host(frame, node, source, "Tensor.numpy", "")
        return Array(source.ndim, source.dtype)
    if name == "pin_memory":
        if frame.hot() is not None:
            frame.emit(
                "copy",
                "Tensor.pin_memory",
                "inline",
                node,
                subject=receiver_node(node),
                device=ANYWHERE,
                origin=source.origin,
                confidence="certain" if source.device == CPU and not host_doubt(source) else "likely",
            )
        return source._replace(pinned=True, device=CPU)
    if name == "copy_":
        return _copy_into(frame, node, source, args, keywords)
    if name == "new_tensor":
        return _new_tensor(frame, node, source, args, keywords)
    if name == "type_as":
        other = args[0][1] if args else None
        device = DeviceValue(other.device) if isinstance(other, Tensor) else DeviceValue(ANYWHERE)
        return _to(frame, node, source, "Tensor.to", device, args, keywords)
    if name == "type":
        return _type(frame, node, source, args, keywords)
    if name == "cuda":
        return _to(frame, node, source, "Tensor.cuda", DeviceValue(ACCELERATOR), args, keywords)
    wanted, dtype = to_device(frame, args, keywords)
    if wanted is None and _hands_on(args, keywords) and brings_from_host(frame, keywords):
        wanted = DeviceValue(ANYWHERE)
    value: Value = source
    if wanted is not None:
        value = _to(frame, node, source, "Tensor.to", wanted, args, keywords)
    if dtype is not None and isinstance(value, Tensor):
        value = value._replace(dtype=dtype.dtype)
    return value._replace(param=None) if isinstance(value, Tensor) else value


def to_device(frame: Frame, args: ArgumentList, keywords: KeywordList) -> tuple[DeviceValue | None, DtypeValue | None]:
    """The destination and element type that the arguments of `.to(…)` ask for."""
    device: DeviceValue | None = None
    dtype: DtypeValue | None = None
    given = [(None, n, v) for n, v in args[:2]] + [
        (k, n, v) for k, n, v in keywords if k in {"device", "dtype", "other"}
    ]
    for name, node, value in given:
        if isinstance(value, DtypeValue) or name == "dtype":
            dtype = value if isinstance(value, DtypeValue) else DtypeValue("")
        elif isinstance(value, Nothing) or (
            name is None and isinstance(value, Number) and isinstance(value.const, bool)
        ):
            continue
        elif isinstance(value, (DeviceValue, Text, Tensor, Number)) or name == "device":
            device = device_of(value)
            if isinstance(value, Tensor) and name != "device":
                dtype = DtypeValue(value.dtype)
        elif _speaks_of(node, "dtype"):
            dtype = DtypeValue("")
        elif _speaks_of(node, "device"):
            device = device_of(value)
        elif isinstance(value, Unknown) and name is None and not _is_kind(value.param or _last_word(node)):
            # What nothing is known of is a tensor or a device, unless its name speaks of a type.
            device = device_of(value)
        elif isinstance(value, Method) and name is None and not _is_kind(_last_word(node)):
            device = device_of(value)
        elif isinstance(value, (Ref, Unknown)) and device is None and name is None and not _is_dtype_ref(value):
            # Neither a device nor an element type by its name: it may be either, so nothing is claimed of it.
            continue
    return device, dtype


def _is_kind(name: str) -> bool:
    return "type" in name or "precision" in name or name.startswith(HELD)


def _last_word(node: facts.Expr) -> str:
    """What a name, an attribute, or what something is picked from is called, in small letters."""
    while isinstance(node, (facts.Subscript, facts.Call)):
        node = node.value if isinstance(node, facts.Subscript) else node.func
    return last_name(node).lower()


def _is_dtype_ref(value: Value) -> bool:
    return isinstance(value, Ref) and value.name.startswith("torch.")


def _speaks_of(node: facts.Expr, word: str) -> bool:
    if isinstance(node, facts.Name):
        return word in node.id.lower()
    if isinstance(node, facts.Attr):
        return word in node.name.lower()
    if isinstance(node, facts.Call):
        return _speaks_of(node.func, word)
    return isinstance(node, facts.Subscript) and _speaks_of(node.value, word)


def may_be_host(device: Device) -> bool:
    """The CPU is among the places where it may live, or it is wherever a caller says."""
    return "cpu" in device or is_of_params(device)


def receiver_node(node: facts.Call) -> facts.Expr | None:
    """`x` of `x.method()`; None for a call of anything else."""
    return node.func.value if isinstance(node.func, facts.Attr) else None


def _flag(name: str, position: int | None, args: ArgumentList, keywords: KeywordList) -> bool | None:
    """The value of a boolean argument: False when it is missing, None when it is not known."""
    for key, _, value in keywords:
        if key == name:
            return value.const if isinstance(value, Number) and isinstance(value.const, bool) else None
    if position is not None and len(args) > position:
        value = args[position][1]
        return value.const if isinstance(value, Number) and isinstance(value.const, bool) else None
    return False


def _to_host(frame: Frame, node: facts.Call, source: Tensor, op: str, form: str) -> Value:
    frame.emit(
        "read-back",
        op,
        form,
        node,
        subject=receiver_node(node),
        device=source.device,
        sure=source.sure,
        origin=source.origin,
    )
    return source._replace(device=CPU, pinned=False, param=None, origin=None)


def _to(
    frame: Frame,
    node: facts.Call,
    source: Tensor,
    op: str,
    wanted: DeviceValue,
    args: ArgumentList,
    keywords: KeywordList,
) -> Value:
    """A copy to `wanted`, unless the source is there already."""
    non_blocking = _flag("non_blocking", None if op == "Tensor.to" else 1, args, keywords)
    if only_host(wanted.device):
        if wanted.device == CPU and non_blocking is not True:
            return _to_host(frame, node, source, op, "to-host")
        return source._replace(device=wanted.device, param=None)
    moved = source._replace(device=wanted.device, pinned=False, param=None)
    brings = brings_from_host(frame, keywords) or is_taken_in(frame, node, keywords)
    if brings and not is_certain(source.device) and source.pinned is False:
        moved_on(frame, node, wanted, is_made_here="cpu" in source.device)
    elif source.device == MOVED and wanted.device >= CPU and non_blocking is not True:
        _to_host(frame, node, source, op, "to-host")
    elif may_be_host(source.device) and source.device != wanted.device:
        _to_accelerator(frame, node, source, op, wanted, non_blocking)
    if source.device == wanted.device and not is_certain(source.device):
        return source
    return explain(moved, node)


def _hands_on(args: ArgumentList, keywords: KeywordList) -> bool:
    """`x.to(*args, **kwargs)`: a caller says where to."""
    return any(type(expr) is facts.Starred for expr, _ in args) or any(name is None for name, _, _ in keywords)


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
    `x.to(y.device)` and those in modules, whose inputs are where they are, fewer than half.
    """
    if frame.setup or not isinstance(node.func, facts.Attr):
        return False
    if any(name == "non_blocking" and not (isinstance(v, Number) and v.const is False) for name, _, v in keywords):
        return False
    if node.func.name == "cuda" and _is_moved_in_place(frame, node.func.value):
        return True
    if frame.function is None or not _is_from_caller(frame, node.func.value):
        return False
    if node.func.name == "cuda":
        return True
    to = node.args[0] if node.args else next((k.value for k in node.keywords if k.name == "device"), None)
    if frame.bound is None or not isinstance(frame.bound, Instance) or not isinstance(to, facts.Attr):
        return False
    own = isinstance(to.value, facts.Name) and frame.env.get(to.value.id) == frame.bound and to.name in _OWN_DEVICE
    return own and not is_module_class(frame.context, frame.bound.name)


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
    if is_model_name(node):
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
    return param is not None and not param.startswith(HELD)


_COPYING: Final = frozenset("clone contiguous detach flatten reshape squeeze unsqueeze view".split())


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


def _to_accelerator(
    frame: Frame, node: facts.Call, source: Tensor, op: str, wanted: DeviceValue, non_blocking: bool | None
) -> None:
    if non_blocking is None or (non_blocking and source.pinned is not False) or _has_nothing(receiver_node(node)):
        return
    if non_blocking and source.origin is not None:
        loader = next((reason for reason in reasons(source.origin) if reason.text.startswith(LOADER)), None)
        if loader is not None:
            where = facts.Name(loader.span, "DataLoader")
            frame.emit(
                "copy",
                "torch.utils.data.DataLoader",
                "unpinned-loader",
                where,
                device=wanted.device,
                confidence="likely",
            )
    form = "pageable-non-blocking" if non_blocking else "pinned-blocking" if source.pinned else "pageable"
    certain = source.device == CPU and is_certain(wanted.device) and not host_doubt(source)
    # Small ones are staged and don't wait. Of what is handed in and may have been moved before, that is one doubt more.
    doubtful = (non_blocking and source.device != CPU) or _is_to_own_part(frame, node)
    frame.emit(
        "copy",
        op,
        form,
        node,
        subject=receiver_node(node),
        device=wanted.device,
        origin=source.origin,
        confidence="possible" if doubtful else "certain" if certain and not non_blocking else "likely",
        source=source.device,
    )


def _is_to_own_part(frame: Frame, node: facts.Call) -> bool:
    """`x.to(self.layer.weight.device)` where an object is set up: its parts are where they were made, on the host."""
    if not frame.setup:
        return False
    for asked in (*node.args, *[keyword.value for keyword in node.keywords if keyword.name == "device"]):
        part = asked.value if isinstance(asked, facts.Attr) and asked.name == "device" else None
        if not isinstance(part, facts.Attr):
            continue
        while isinstance(part, (facts.Attr, facts.Subscript)):
            part = part.value
        if isinstance(part, facts.Name) and frame.env.get(part.id) == frame.bound:
            return True
    return False


def _has_nothing(source: facts.Expr | None) -> bool:
    """`torch.empty(0, 4)`, `torch.tensor([]).long()`, `torch.LongTensor()`: without an element, nothing is copied."""
    while isinstance(source, facts.Call) and not source.args and isinstance(source.func, facts.Attr):
        if source.func.name in TENSOR_TYPES and not source.keywords:
            return True
        source = source.func.value
    if not isinstance(source, facts.Call) or not source.args:
        return False
    name = last_name(source.func)
    if name in {"tensor", "as_tensor"}:
        return _is_empty(source.args[0])
    sizes = source.args
    if isinstance(sizes[0], facts.Sequence):
        sizes = sizes[0].items
    return name in {"empty", "zeros", "ones", "rand", "randn"} and any(
        isinstance(size, facts.Const) and size.kind == "int" and size.value == 0 for size in sizes
    )


def _copy_into(frame: Frame, node: facts.Call, target: Tensor, args: ArgumentList, keywords: KeywordList) -> Value:
    source = args[0][1] if args else None
    if isinstance(source, Tensor) and source.sure:
        non_blocking = _flag("non_blocking", 1, args, keywords)
        if "cpu" in source.device and "cpu" not in target.device:
            _to_accelerator(frame, node, source, "Tensor.copy_", DeviceValue(target.device), non_blocking)
        elif target.device == CPU and not (non_blocking and target.pinned):
            # A buffer that is pinned is there to be read back into.
            is_buffer = target.pinned is not False and not only_host(source.device)
            if is_certain(source.device) or is_buffer:
                frame.emit(
                    "read-back",
                    "Tensor.copy_",
                    "",
                    node,
                    subject=args[0][0],
                    device=source.device,
                    origin=source.origin,
                )
    return target


def _type(frame: Frame, node: facts.Call, source: Tensor, args: ArgumentList, keywords: KeywordList) -> Value:
    """`.type(torch.LongTensor)` names a CPU type, so it moves the tensor as well."""
    wanted = args[0][1] if args else next((v for k, _, v in keywords if k == "dtype"), None)
    other = _type_of(frame, args[0][0]) if args else None
    if other is not None:
        return _to(frame, node, source, "Tensor.type", DeviceValue(other.device), [], keywords)
    if isinstance(wanted, DtypeValue):
        return source._replace(dtype=wanted.dtype, param=None)
    name = wanted.name if isinstance(wanted, Ref) else wanted.const if isinstance(wanted, Text) else None
    if name is None:
        return Text() if not args and not keywords else source._replace(dtype="", param=None)
    if name.endswith("Tensor"):
        if ".cuda." in name:
            return _to(frame, node, source, "Tensor.type", DeviceValue(ACCELERATOR), [], keywords)
        return _to_host(frame, node, source, "Tensor.type", "to-host")
    return source._replace(dtype="", param=None)


def _type_of(frame: Frame, node: facts.Expr) -> Tensor | None:
    """`x` of `x.type()`: the type of a tensor says where it is, as `type_as` does."""
    if isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name == "type":
        held = evaluate_silently(frame, node.func.value) if not node.args and not node.keywords else None
        return held if isinstance(held, Tensor) else None
    return None


# --- constructors --------------------------------------------------------------------------------


def _holds_device_tensors(data: Value) -> Tensor | None:
    """A list or tuple of device tensors is read back element by element."""
    if isinstance(data, Items):
        for tensor in tensors_in(data, 2):
            if tensor.sure and not only_host(tensor.device):
                return tensor
    return None


def from_data(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.tensor`, `torch.as_tensor` and `torch.asarray`: Python or NumPy data becomes a tensor on a device."""
    func = node.func
    name = func.name if isinstance(func, facts.Attr) else func.id if isinstance(func, facts.Name) else "tensor"
    name = name if name in {"tensor", "as_tensor", "asarray"} else "tensor"
    data_node, data = args[0] if args else (None, None)
    if data is None:
        data_node, data = next(((n, v) for k, n, v in keywords if k in {"data", "obj"}), (None, Unknown()))
    wanted: DeviceValue | None = None
    dtype: str | None = None
    for key, _, value in keywords:
        if key == "device":
            wanted = device_of(value)
        elif key == "dtype":
            dtype = value.dtype if isinstance(value, DtypeValue) else ""
    if wanted is None and name == "as_tensor" and len(args) > 2:
        wanted = device_of(args[2][1])
    # Asked for its type somewhere, it is turned into a tensor only where it is none.
    is_asked = data_node is not None and dotted_path(data_node) in frame.usage.asked
    if isinstance(data, Tensor):
        if _may_be_number(frame, data) and not is_asked and wanted is not None and not only_host(wanted.device):
            # A number or a tensor, says its annotation: what is always a tensor would be moved by `to`.
            frame.emit("copy", f"torch.{name}", "python-data", node, subject=data_node, device=wanted.device,
                       confidence="likely")  # fmt: skip
        return _from_tensor(frame, node, name, data, wanted, dtype)
    held = _holds_device_tensors(data)
    if held is not None:
        frame.emit(
            "read-back",
            f"torch.{name}",
            "size-argument",
            node,
            subject=data_node,
            device=held.device,
            origin=held.origin,
        )
    device = wanted.device if wanted is not None else frame.context.default_device
    if wanted is None and device != CPU and not only_host(device):
        wanted = DeviceValue(device)
    known = isinstance(data, (Number, Items, Array, Text))
    spread = [value for key, _, value in keywords if key is None]
    if wanted is None and spread:
        wanted = _device_in(spread)
        device = device if wanted is None else wanted.device
        wanted = wanted if known or name == "tensor" else None
    if wanted is not None and not only_host(wanted.device):
        converts = isinstance(data, (Unknown, Method)) and not is_asked
        if (known or name == "tensor" or converts) and not _is_empty(data_node, data):
            confidence = "certain" if known and is_certain(wanted.device) else "likely"
            frame.emit(
                "copy",
                f"torch.{name}",
                "python-data",
                node,
                subject=data_node,
                device=wanted.device,
                # A constructor hands on what it is handed, which is no device as a rule.
                confidence="possible" if _is_to_own_part(frame, node) or (spread and frame.setup) else confidence,
            )
    if name != "tensor" and isinstance(data, Unknown) and data.apart_from is None:
        device = device if wanted is not None else ANYWHERE | CPU
    if dtype is None:
        dtype = _dtype_of(data)
        if not dtype and data_node is not None and is_named_mask(dotted_path(data_node) or ""):
            dtype = "bool"
    ndim = 0 if isinstance(data, (Unknown, Method)) and _is_one_number(frame, data_node) else depth_of(data)
    return explain(Tensor(device, dtype, ndim), node, BY_DEFAULT if wanted is None and device == CPU else "")


def _device_in(spread: Sequence[Value]) -> DeviceValue | None:
    """The device that `torch.tensor(data, **kwargs)` is told; None if its dictionaries are known and have none.

    Others are there to say where to, and of which type.
    """
    for value in spread:
        if not isinstance(value, Mapping) or not value.items:
            return DeviceValue(ANYWHERE)
        if "device" in dict(value.items):
            return device_of(dict(value.items)["device"])
    return None


def _is_one_number(frame: Frame, data: facts.Expr | None) -> bool:
    """Whether it is one number: worked out by operators that lists don't have, or called an id.

    What is worked out of an array is an array.
    """
    if isinstance(data, facts.Binary):
        return data.op in _OF_NUMBERS and not frame.knows_arrays()
    return data is not None and last_name(data).endswith("_id")


_OF_NUMBERS: Final = frozenset({"-", "/", "//", "**", "%"})


def _is_empty(data: facts.Expr | None, value: Value = UNKNOWN) -> bool:
    """Written so that a tensor of no elements is made of it, for which nothing is copied: `[]`, `[[], []]`.

    So is a list by its name that is empty as far as its function goes; what an object holds others may add to.
    """
    if isinstance(data, facts.Name):
        return isinstance(value, Items) and value.items == ()
    return isinstance(data, facts.Sequence) and all(_is_empty(item) for item in data.items)


def _may_be_number(frame: Frame, data: Tensor) -> bool:
    """Callers may hand in a number for it, whatever some do."""
    if not data.sure:
        return True
    params = frame.function.params if data.param is not None and frame.function is not None else ()
    return any(
        is_number(param.default) or (param.annotation is not None and admits_number(param.annotation))
        for param in params
        if param.name == data.param
    )


def _from_tensor(
    frame: Frame, node: facts.Call, name: str, data: Tensor, wanted: DeviceValue | None, dtype: str | None
) -> Value:
    if wanted is None and name == "tensor" and not data.sure:
        # It is written for what is no tensor: of one it would warn.
        return explain(Tensor(CPU, dtype or "", None), node)
    if wanted is None:
        # `torch.tensor(t)` keeps the device of t.
        return data._replace(param=None, dtype=dtype if dtype is not None else data.dtype)
    if only_host(wanted.device):
        if data.sure:
            frame.emit("read-back", "Tensor.to", "to-host", node, device=data.device, origin=data.origin)
    elif may_be_host(data.device) and data.device != wanted.device and (data.sure or data.device == CPU):
        _to_accelerator(frame, node, data, "Tensor.to", wanted, False)
    return explain(
        data._replace(device=wanted.device, param=None, dtype=dtype if dtype is not None else data.dtype), node
    )


def _new_tensor(frame: Frame, node: facts.Call, source: Tensor, args: ArgumentList, keywords: KeywordList) -> Value:
    data = args[0][1] if args else Unknown()
    device: Device = source.device
    for key, _, value in keywords:
        if key == "device" and not isinstance(value, Nothing):
            device = device_of(value).device
    if not isinstance(data, Tensor) and not (args and _is_empty(args[0][0])):
        frame.emit(
            "copy",
            "Tensor.new_tensor",
            "python-data",
            node,
            subject=args[0][0] if args else None,
            device=device,
            origin=source.origin,
            confidence=None if source.sure else "possible",
        )
    return explain(Tensor(device, "", depth_of(data)), node)


def _dtype_of(data: Value) -> str:
    while isinstance(data, Items):
        if data.items and all(isinstance(item, Number) for item in data.items):
            return promoted(list(data.items))
        data = element_of(data)
    if isinstance(data, Array):
        return data.dtype
    return promoted([data]) if isinstance(data, Number) else ""
