"""The classes of the scanned module: their bases, and what their methods assign to attributes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.context import ClassInfo, Context, Writes
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, Device, is_of_params, without_params
from hostsync.infer.frame import Frame
from hostsync.infer.functions import is_decorated, method_frame, run, takes_context, usage
from hostsync.infer.generated import NAMED_TUPLE
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.hints.defaults import is_device_name, is_host
from hostsync.infer.joining import join
from hostsync.infer.linking.links import KnownClass
from hostsync.infer.values import (
    DISTRIBUTIONS,
    NUMBER,
    UNKNOWN,
    Array,
    Callable,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    tensor_at,
    with_tensors,
)


def is_module_class(context: Context, name: str) -> bool:
    """Whether instances are `nn.Module`s, by their bases, or by a `forward` and a library base."""
    for info in context.lineage(name):
        for base in info.bases:
            if isinstance(base, Ref):
                last = base.name.rpartition(".")[2]
                if last == "Module" or base.name.startswith("torch.nn."):
                    return True
                if "forward" in info.methods and last not in {"Function", "Protocol", "ABC", "Generic", "object"}:
                    return True
    return False


def is_vague(context: Context, value: Value) -> bool:
    """Whether derived classes may know more of what an attribute holds: nothing is known, or that it is any module."""
    if isinstance(value, Instance):
        if not value.local:
            return value.name == MODULE_CLASS
        lineage = context.lineage(value.name)
        return not any("forward" in info.methods for info in lineage) and is_module_class(context, value.name)
    return isinstance(value, (Unknown, Nothing))


LIMITS: Final = frozenset({"torch.finfo", "torch.iinfo"})
"""What is called for an object that holds numbers: the limits of a dtype."""
DRAWS: Final = frozenset({"sample", "rsample", "sample_n", "rsample_n"})
"""Methods of distributions that are told a shape and no tensor."""


def distribution_base(context: Context, name: str) -> str | None:
    """The class of `torch.distributions` that one of the project is derived from, such as `….Categorical`."""
    return next((base for base in context.library_bases(name) if base.startswith(DISTRIBUTIONS)), None)


def class_attribute(context: Context, name: str, attribute: str, receiver: Value) -> Value:
    """What `receiver.attribute` is, for a class of the module or an instance of one."""
    unknown: Value = UNKNOWN
    for info in context.lineage(name):
        method = info.methods.get(attribute)
        if method is not None:
            if info.name != name and is_of_library(context, name, attribute):
                return unknown
            bound: Value | None = receiver
            if is_decorated(method, "staticmethod") or isinstance(receiver, ClassRef):
                bound = receiver if is_decorated(method, "classmethod") else None
            return new(Callable, (method, f"{info.name}.{attribute}", bound, info.name))
        value = attributes(context, info).get(attribute)
        if value is None:
            value = info.attributes.get(attribute)
        if value is not None and not isinstance(value, (Unknown, Nothing)):
            return value
        # A derived class may assign what only its base knows the kind of, and set to None what its base makes.
        if value is not None and not isinstance(unknown, Nothing):
            unknown = value
    return unknown


def is_of_library(context: Context, name: str, method: str) -> bool:
    """Whether the first base of a class that has a method is one of a library, as far as those are measured."""
    for info in context.lineage(name):
        for base in info.bases:
            if isinstance(base, Ref):
                if context.ops.get(f"{base.name}.{method}") is not None:
                    return True
            elif isinstance(base, ClassRef):
                known = context.class_named(base.name)
                if known is not None and method in known.methods:
                    return False
    return False


def note_reader(frame: Frame, name: str) -> None:
    """Takes down that a function asks for what the objects of a class hold, of which nothing is known yet."""
    if frame.events is not None and name in frame.context.classes:
        frame.context.readers.setdefault(name, set()).add(frame.symbol)


def fields_of(frame: Frame, name: str) -> Items | None:
    """The fields of a `NamedTuple`, in their order; None for other classes."""
    context = frame.context
    for info in context.lineage(name):
        if any(isinstance(base, Ref) and base.name == NAMED_TUPLE for base in info.bases):
            table = attributes(context, info)
            fields = [(table.get(field, UNKNOWN), value) for field, value in info.attributes.items()]
            held = [value if isinstance(known, Unknown) else known for known, value in fields]
            if UNKNOWN in held:
                note_reader(frame, name)
            return Items("tuple", tuple(held), UNKNOWN)
    return None


def attributes(context: Context, info: KnownClass) -> dict[str, Value]:
    """Everything that a class's own methods assign to attributes of `self`, the union over all methods."""
    if info.table is not None:
        return info.table
    if not isinstance(info, ClassInfo) or info.busy:
        return {}
    info.busy = True
    context.building += 1
    table: dict[str, Value] = {}
    info.table = table
    _take_over(context, info, table)
    declared: dict[str, Value] = {}
    order = sorted((*info.methods.values(), *info.others), key=lambda method: method.name != "__init__")
    for method in order:
        if is_decorated(method, "classmethod"):
            continue
        if is_decorated(method, "staticmethod") and not takes_context(info, method):
            continue
        if not usage(context, method).stores_attributes and method.name != "__init__":
            continue
        # What `__init__` says is the same when its turn comes, so its waits are recorded right away.
        first = method.name == "__init__" and not context.handed and usage(context, method).candidates
        frame = method_frame(context, info, method, loud=first)
        frame.sink = info
        run(frame, method)
        _take_down(frame, info, method)
        declared.update(frame.declared)
        _take_over(context, info, table)
        if first:
            info.set_up = frame
    info.busy = False
    context.building -= 1
    for name, value in declared.items():
        if _says_nothing(table.get(name, UNKNOWN)):
            table[name] = value
    for name, value in info.attributes.items():
        if isinstance(table.get(name), Unknown) and _is_of_one_kind(value):
            table[name] = value
    if any(_moves_all(context, known) for known in context.lineage(info.name)):
        for name, value in table.items():
            if isinstance(value, Tensor) and value.device == CPU:
                table[name] = value._replace(device=ANYWHERE)
    return table


def _is_of_one_kind(value: Value) -> bool:
    """Whether what the body of a class binds a name to tells what methods that are handed a value put in its place.

    Of the same kind is an object of a library, a number, and what an annotation promises; a text may name any device.
    """
    if isinstance(value, Tensor):
        return value.device == ANYWHERE
    if isinstance(value, Instance):
        return not value.local
    return isinstance(value, Array) or value == NUMBER


def _says_nothing(value: Value) -> bool:
    """Whether nothing is known of a value, or of what is put into an empty container."""
    if isinstance(value, (Items, Mapping)):
        return not value.items and isinstance(value.element, Unknown)
    return isinstance(value, Unknown)


def _take_over(context: Context, info: ClassInfo, table: dict[str, Value]) -> None:
    """What derived classes leave in attributes of which the class itself knows nothing. Its methods see it, too."""
    for name, value in info.promised.items():
        if is_vague(context, table.get(name, info.attributes.get(name, UNKNOWN))):
            table[name] = value


def _moves_all(context: Context, info: KnownClass) -> bool:
    """A method of the class moves its tensors, by whatever names."""
    return isinstance(info, ClassInfo) and any(usage(context, m).moves_attributes for m in info.methods.values())


def named_by(text: Text) -> str | None:
    """The attribute that a text names; of those that begin alike one stands for all; None if nothing is known of it."""
    if text.const is not None:
        return text.const
    return f"{text.start}*" if text.start.strip("_") else None


def write_attribute(frame: Frame, info: ClassInfo, name: str, value: Value) -> None:
    """Take down that a method assigns `value` to `self.name`."""
    value = closed(_with_default(frame, value))
    dependent = not frame.setup and frame.assigning is not None and _mentions(frame.assigning, name)
    known = frame.writes.get(name)
    frame.writes[name] = (value, dependent) if known is None else (join(known[0], value), known[1] and dependent)
    if info.table is not None and name not in info.table:
        info.table[name] = value


def _take_down(frame: Frame, info: ClassInfo, method: facts.Function) -> None:
    """At the end of a method: what it leaves in each attribute is what it assigned last, where that is one thing."""
    assert info.table is not None
    self_name = method.params[0].name if method.params else "self"
    for name, (value, dependent) in frame.writes.items():
        last = frame.paths.get(f"{self_name}.{name}")
        if last is not None and type(last) is type(value) and name not in frame.buffers:
            value = closed(_with_default(frame, last))
        if name in frame.moved_back and isinstance(value, Tensor):
            value = value._replace(device=CPU)
        writes = info.writes.setdefault(name, Writes())
        writes.is_buffer = writes.is_buffer or name in frame.buffers
        info.table[name] = writes.add(value, frame.setup, dependent)


def _with_default(frame: Frame, value: Value) -> Value:
    """A value that a method leaves behind, with what defaults say of it.

    What it makes on a device that is the CPU unless it is told may be there; what is a number unless it is told, as
    `eps=1e-6`, is one, where nothing else is said of it.
    """
    params = frame.function.params if frame.function is not None else ()
    if isinstance(value, Unknown):
        return NUMBER if any(_is_number_by_default(value, param) for param in params) else value
    told = {f"={param.name}" for param in params if is_device_name(param.name) and is_host(param.default)}
    if not told:
        return value
    if isinstance(value, DeviceValue):
        return value._replace(device=_or_cpu(value.device, told))
    if isinstance(value, Instance):
        return value._replace(device=_or_cpu(value.device, told))
    return with_tensors(value, lambda tensor: tensor._replace(device=_or_cpu(tensor.device, told)))


def _is_number_by_default(value: Unknown, param: facts.Param) -> bool:
    """Whether a parameter is a number unless it is told.

    In the place of a whole one there may be several, as in torch's own `kernel_size=3`.
    """
    if value.param != param.name:
        return False
    default = param.default.operand if isinstance(param.default, facts.Unary) else param.default
    return isinstance(default, facts.Const) and default.kind == "float"


def _or_cpu(device: Device, told: Collection[str]) -> Device:
    return device if device.isdisjoint(told) else device | CPU


def closed(value: Value, depth: int = 3) -> Value:
    """A value as others see it, who don't know the parameters of the function that it comes from."""
    if isinstance(value, Tensor):
        if value.param is None and not is_of_params(value.device):
            return value
        return tensor_at(value, without_params(value.device), value.origin)
    if isinstance(value, Unknown):
        return UNKNOWN if value.param is not None else value
    if isinstance(value, DeviceValue):
        return value._replace(device=without_params(value.device)) if is_of_params(value.device) else value
    if isinstance(value, Instance):
        held = closed(value.held, depth - 1) if depth and value.held is not None else None
        if held is value.held and not is_of_params(value.device):
            return value
        return value._replace(
            device=without_params(value.device), held=held if isinstance(held, (Items, Mapping)) else None
        )
    if depth and isinstance(value, Items):
        items = tuple(closed(item, depth - 1) for item in value.items) if value.items is not None else None
        return Items(value.kind, items, closed(value.element, depth - 1))
    if depth and isinstance(value, Mapping):
        return Mapping(
            tuple((key, closed(item, depth - 1)) for key, item in value.items), closed(value.element, depth - 1)
        )
    return value


def _mentions(node: facts.Expr, attribute: str) -> bool:
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, facts.Attr) and current.name == attribute:
            return True
        if isinstance(current, tuple):
            stack.extend(current)
    return False


def register_buffer(frame: Frame, name: str, value: Value) -> None:
    """`self.register_buffer(name, value)`: the buffer moves with the module, so its device is that of the module."""
    if frame.sink is not None:
        moves = value._replace(device=ANYWHERE, param=None, pinned=False) if isinstance(value, Tensor) else value
        write_attribute(frame, frame.sink, name, moves)
    until_moved(frame, name, value)


def until_moved(frame: Frame, name: str, value: Value) -> None:
    """Where a constructor makes something, for the module to take along when it is moved, it is until that ends."""
    frame.buffers.add(name)
    params = frame.function.params if frame.function is not None else ()
    is_known = isinstance(value, Tensor) and value.device in {CPU, ACCELERATOR}
    if is_known and params and frame.symbol.endswith(".__init__"):
        frame.paths[f"{params[0].name}.{name}"] = value
