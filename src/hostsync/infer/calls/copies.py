"""Transfer functions of what moves data between host and device: `to`, `cuda`, `cpu`, constructors, pinned memory.

The defaults are those that measurement supports: a copy to a device is reported where its source is known to be on the
CPU; a copy to the host is reported unless its source is known to be there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, depth_of
from hostsync.infer.calls.placing import device_of
from hostsync.infer.calls.shapes_and_dtypes import dtype_named
from hostsync.infer.calls.taken_in import brings_from_host, is_taken_in, moved_on
from hostsync.infer.devices import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    MOVED,
    OTHER,
    OTHER_DEVICES,
    Device,
    is_certain,
    is_of_params,
    only_host,
    without_params,
)
from hostsync.infer.dtypes import TENSOR_TYPES
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.defaults import speaks_of
from hostsync.infer.hints.with_a_gpu import is_on_with_a_gpu
from hostsync.infer.linking.handed import HELD
from hostsync.infer.nodes import assigned_to, last_name, names_mentioned, receiver_node
from hostsync.infer.origins import LOADER, reasons
from hostsync.infer.values import (
    UNKNOWN,
    Array,
    Choice,
    DeviceValue,
    DtypeValue,
    Items,
    Method,
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    host_doubt,
)


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
        else:
            frame.note_on_host(source.device)
        return Array(source.ndim, source.dtype)
    if name == "pin_memory":
        frame.note_on_host(source.device)
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
    if name in OTHER_DEVICES:
        return source._replace(device=OTHER, pinned=False, param=None)
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
        named = dtype_named(value)
        if named is not None or name == "dtype":
            dtype = named or DtypeValue("")
        elif isinstance(value, Nothing) or (
            name is None and isinstance(value, Number) and isinstance(value.const, bool)
        ):
            continue
        elif isinstance(value, (DeviceValue, Text, Tensor, Number)) or name == "device":
            device = device_of(value)
            if isinstance(value, Tensor) and name != "device":
                dtype = DtypeValue(value.dtype)
        elif speaks_of(node, "dtype"):
            dtype = DtypeValue("")
        elif speaks_of(node, "device"):
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


def may_be_host(device: Device) -> bool:
    """The CPU is among the places where it may live, or it is wherever a caller says."""
    return "cpu" in device or is_of_params(device)


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
        switch = next((expr for name, expr, _ in keywords if name == "non_blocking"), None)
        goes_on = non_blocking or (switch is not None and is_on_with_a_gpu(switch, frame.function))
        # Where it is the CPU as no call says otherwise, what is handed in is there, too.
        if wanted.device == CPU and wanted.param is None and not goes_on:
            return _to_host(frame, node, source, op, "to-host")
        return source._replace(device=wanted.device, param=None)
    moved = source._replace(device=wanted.device, pinned=False, param=None)
    brings = brings_from_host(frame, keywords) or is_taken_in(frame, node, keywords)
    if brings and not is_certain(source.device) and source.pinned is False:
        moved_on(frame, node, wanted, is_made_here="cpu" in source.device)
    elif source.device == MOVED and wanted.device >= CPU and non_blocking is not True:
        _to_host(frame, node, source, op, "to-host")
    elif may_be_host(_not_there(source.device, wanted.device)) and (
        source.device != wanted.device or source.pinned is None
    ):
        # As little as is known of where they are, a batch of a loader is not where it is moved to.
        to_accelerator(frame, node, source, op, wanted, non_blocking)
    if source.device == wanted.device and not is_certain(source.device):
        return source
    return explain(moved, node)


def _not_there(device: Device, wanted: Device) -> Device:
    """The places where a tensor may live, without those where a caller wants it, unless there are no others."""
    return device - (wanted - without_params(wanted)) or device


def _hands_on(args: ArgumentList, keywords: KeywordList) -> bool:
    """`x.to(*args, **kwargs)`: a caller says where to."""
    return any(type(expr) is facts.Starred for expr, _ in args) or any(name is None for name, _, _ in keywords)


def to_accelerator(
    frame: Frame, node: facts.Call, source: Tensor, op: str, wanted: DeviceValue, non_blocking: bool | None
) -> None:
    """Records a copy to an accelerator, with what is known of its source and of `non_blocking`."""
    if (
        non_blocking is None
        or (non_blocking and source.pinned is not False)
        or _has_nothing(frame, receiver_node(node))
    ):
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
    made = _makers(frame, receiver_node(node)) if form == "pageable-non-blocking" else []
    if made and all(_is_small(frame, value) for value in made):
        # Small ones are staged and don't wait.
        return
    certain = source.device == CPU and is_certain(wanted.device) and not host_doubt(source)
    # Small ones are staged and don't wait. Of what is handed in and may have been moved before, that is one doubt more.
    doubtful = (non_blocking and source.device != CPU) or is_to_own_part(frame, node)
    # What is filled by its size is small most often (measured: of eight that were reached one waited).
    doubtful = doubtful or any(_sizes(frame, value) is not None and _elements(frame, value) is None for value in made)
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


def is_to_own_part(frame: Frame, node: facts.Call) -> bool:
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


def _makers(frame: Frame, source: facts.Expr | None) -> list[facts.Expr | None]:
    """What makes a tensor: it itself, or what a name of a function stands for; none for a parameter."""
    if not isinstance(source, facts.Name) or frame.function is None:
        return [source]
    name = source.id
    if any(param.name == name for param in frame.function.params):
        return []
    return [value for value in assigned_to(frame.function.body, name) if name not in names_mentioned(value)]


def _is_small(frame: Frame, node: facts.Expr | None) -> bool:
    """`torch.tensor([1, 2])`, as lists and numbers of Python are small, or `torch.zeros(3, 4)`.

    Of what nothing is known may be an array, and large.
    """
    elements = _elements(frame, node)
    return _is_made_of_data(frame, node) or (elements is not None and elements <= _STAGED)


_STAGED: Final = 2**18
"""Elements, of four bytes, that are copied at once (measured: up to 1 MiB)."""


def _elements(frame: Frame, node: facts.Expr | None) -> int | None:
    """How many elements a tensor has that is made of sizes which are written as numbers; None for all others."""
    sizes = _sizes(frame, node) or ()
    numbers = [size.value for size in sizes if isinstance(size, facts.Const) and isinstance(size.value, int)]
    return prod(numbers) if numbers and len(numbers) == len(sizes) else None


def _sizes(frame: Frame, node: facts.Expr | None) -> Sequence[facts.Expr | facts.Starred] | None:
    """The sizes of `torch.zeros(3, n).long()`; None for what is made of anything else."""
    while isinstance(node, facts.Call) and not node.args and isinstance(node.func, facts.Attr):
        node = node.func.value
    if not isinstance(node, facts.Call) or not node.args:
        return None
    op = frame.context.ops.get(f"torch.{last_name(node.func)}")
    if op is None or not op.makes_of_sizes:
        return None
    return node.args[0].items if isinstance(node.args[0], facts.Sequence) else node.args


def _is_made_of_data(frame: Frame, node: facts.Expr | None) -> bool:
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name != "tensor":
        node = node.func.value
    if not isinstance(node, facts.Call) or last_name(node.func) != "tensor" or not node.args:
        return False
    return isinstance(evaluate_silently(frame, node.args[0]), (Items, Number))


def _has_nothing(frame: Frame, source: facts.Expr | None) -> bool:
    """`torch.empty(0, 4)`, `torch.tensor([]).long()`, `torch.LongTensor()`: without an element, nothing is copied."""
    while isinstance(source, facts.Call) and not source.args and isinstance(source.func, facts.Attr):
        if source.func.name in TENSOR_TYPES and not source.keywords:
            return True
        source = source.func.value
    if not isinstance(source, facts.Call) or not source.args:
        return False
    name = last_name(source.func)
    if name in {"tensor", "as_tensor", "Tensor"}:
        return is_empty(source.args[0])
    sizes = _sizes(frame, source) or ()
    return any(isinstance(size, facts.Const) and size.kind == "int" and size.value == 0 for size in sizes)


def _copy_into(frame: Frame, node: facts.Call, target: Tensor, args: ArgumentList, keywords: KeywordList) -> Value:
    source = args[0][1] if args else None
    if isinstance(source, Tensor):
        # Nothing but a tensor is copied so.
        source = source._replace(sure=True)
        non_blocking = _flag("non_blocking", 1, args, keywords)
        if "cpu" in source.device and "cpu" not in target.device:
            to_accelerator(frame, node, source, "Tensor.copy_", DeviceValue(target.device), non_blocking)
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
    named = dtype_named(wanted)
    if named is not None:
        return source._replace(dtype=named.dtype, param=None)
    if isinstance(wanted, Choice):
        # `torch.cuda.FloatTensor if cuda else torch.FloatTensor`: it is written for the GPU.
        wanted = next((one for one in wanted.options if isinstance(one, Ref) and ".cuda." in one.name), None)
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


def is_empty(data: facts.Expr | None, value: Value = UNKNOWN) -> bool:
    """Written so that a tensor of no elements is made of it, for which nothing is copied: `[]`, `[[], []]`.

    So is a list by its name that is empty as far as its function goes; what an object holds others may add to.
    """
    if isinstance(data, facts.Name):
        return isinstance(value, Items) and value.items == ()
    return isinstance(data, facts.Sequence) and all(is_empty(item) for item in data.items)


def _new_tensor(frame: Frame, node: facts.Call, source: Tensor, args: ArgumentList, keywords: KeywordList) -> Value:
    data = args[0][1] if args else Unknown()
    device: Device = source.device
    for key, _, value in keywords:
        if key == "device" and not isinstance(value, Nothing):
            device = device_of(value).device
    if not isinstance(data, Tensor) and not (args and is_empty(args[0][0])):
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
