"""The functions of the scanned module: what is known of their parameters, and how they are followed."""

from __future__ import annotations

from functools import partial
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.calls.packed_sequences import SIZES_OF_BATCHES
from hostsync.infer.context import ClassInfo, Context, symbol_of
from hostsync.infer.devices import ANYWHERE, CPU, MOVED, UNTOLD, is_certain, of_param, unmixed
from hostsync.infer.dtypes import TO_FLOATS
from hostsync.infer.events import Reason
from hostsync.infer.frame import Frame, evaluate_silently, execute
from hostsync.infer.generated import is_made_for
from hostsync.infer.hints.annotations import MODULE_CLASS, from_annotation, stands_for_number
from hostsync.infer.hints.defaults import is_device_name, is_host
from hostsync.infer.hints.documented import from_docstring
from hostsync.infer.hints.evaluated import evaluated
from hostsync.infer.hints.evidence import Usage, usage_of
from hostsync.infer.hints.evidence_of_calls import Annotated
from hostsync.infer.hints.host_devices import is_handed_host
from hostsync.infer.hints.imported import imports_torch
from hostsync.infer.hints.moved_back import moved_back
from hostsync.infer.linking.links import KnownClass
from hostsync.infer.linking.plain import MODULE, is_tensor_annotation, short_name
from hostsync.infer.nodes import BY_PLACE, SINGLE, dotted_path, nodes_in
from hostsync.infer.origins import because
from hostsync.infer.records import Handed, Signature
from hostsync.infer.values import (
    NUMBER,
    TEXT,
    UNKNOWN,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Number,
    Partial,
    Ref,
    Tensor,
    Text,
    TypeOf,
    Unknown,
    Value,
    is_distribution,
    is_function,
    tensor_for,
    tensors_in,
    with_tensors,
)


def canonical(context: Context, node: facts.Expr) -> str | None:
    """The dotted name of a library function that an expression names, by the module's imports."""
    path = dotted_path(node)
    if path is None:
        return None
    root, _, rest = path.partition(".")
    value = context.names.get(root)
    if not isinstance(value, Ref):
        return None
    return f"{value.name}.{rest}" if rest else value.name


def _annotated_as_tensors(context: Context, node: facts.Expr) -> Annotated:
    """What the function of the project that an expression names says of its parameters."""
    value: Value | None = None
    if isinstance(node, facts.Name):
        value = context.names.get(node.id)
    elif isinstance(node, facts.Attr) and isinstance(node.value, facts.Name) and context.links is not None:
        module = context.names.get(node.value.id)
        if isinstance(module, Ref) and module.name.startswith(MODULE):
            value = context.links.member(module.name[len(MODULE) :], node.name)
    if not isinstance(value, Callable) or not isinstance(value.node, facts.Function):
        return ()
    by_place = [param for param in value.node.params if param.kind in BY_PLACE]
    return tuple([param.name if is_tensor_annotation(param.annotation) else None for param in by_place])


def usage(context: Context, node: facts.Function | facts.Lambda) -> Usage:
    """How a function uses its names, worked out once."""
    key = id(node)
    known = context.usages.get(key)
    if known is None:
        body: tuple[facts.Stmt, ...]
        body = node.body if isinstance(node, facts.Function) else (facts.ExprStmt(node.span, node.body),)
        known = usage_of(
            body,
            context.ops,
            lambda expr: canonical(context, expr),
            context.uses_torch or imports_torch(body, into_functions=True),
            lambda: isinstance(node, facts.Function) and context.knows_arrays(node),
            partial(_annotated_as_tensors, context),
        )
        context.usages[key] = known
    return known


def method_frame(context: Context, info: ClassInfo, method: facts.Function, *, loud: bool) -> Frame:
    """A frame in which a method of a class is followed."""
    frame = Frame(
        context,
        symbol_of(method, info.name, info.methods.get(method.name)),
        usage(context, method),
        owner=info.name,
        function=method,
        outer=context.closures.get(info.name),
        loud=loud,
    )
    if frame.usage.brings_back and frame.usage.stores_attributes:
        frame.moved_back = moved_back(method)
    if is_decorated(method, "staticmethod"):
        # What one of these methods leaves in its context, another finds there: as if it were the object.
        frame.bound = Instance(info.name, True) if takes_context(info, method) else None
    elif is_decorated(method, "classmethod"):
        frame.bound = ClassRef(info.name)
    else:
        frame.bound = Instance(info.name, True)
    return frame


_WITH_CONTEXT: Final = frozenset({"forward", "setup_context", "backward", "jvp", "vjp"})


def takes_context(info: KnownClass, method: facts.Function) -> bool:
    """Whether a static method is one of `torch.autograd.Function` that takes a context.

    Source: https://docs.pytorch.org/docs/stable/notes/extending.html
    """
    if method.name not in _WITH_CONTEXT or not method.params or not is_autograd_function(info):
        return False
    return method.name != "forward" or "setup_context" not in info.methods


def is_autograd_function(info: KnownClass) -> bool:
    """Whether a class is derived from `torch.autograd.Function` itself."""
    return any(isinstance(base, Ref) and base.name == "torch.autograd.Function" for base in info.bases)


def run(frame: Frame, node: facts.Function) -> None:
    """Follow a function with parameters that stand for whatever is passed."""
    bind_params(frame, node.params)
    execute(frame, node.body)


def bind_params(frame: Frame, params: tuple[facts.Param, ...]) -> None:
    """Bind each parameter to what its annotation, its default, its name and its uses say."""
    skip = frame.bound is not None
    handed = frame.context.handed.get(frame.symbol)
    info = frame.context.classes.get(frame.owner) if frame.owner is not None else None
    is_backward = info is not None and is_autograd_function(info) and frame.symbol == f"{info.name}.backward"
    is_open: list[str] = []
    is_field = info is not None and is_made_for(info.node, frame.function)
    for param in params:
        if skip:
            skip = False
            assert frame.bound is not None
            frame.env[param.name] = frame.bound
            continue
        held = None if handed is None else handed.get(param.name)
        if param.kind in _REST:
            if param.annotation is None:
                is_open.append(param.name)
            frame.env[param.name] = _rest(frame, param, held)
            continue
        value: Value | None = evaluated(frame.symbol.rpartition(".")[2], params[frame.bound is not None :], param)
        if value is None:
            value = _annotated(frame, param)
            if isinstance(value, Number) and param.name in frame.usage.counted:
                # `indices: int` of which the length is asked: several, whatever the annotation says.
                value = Items("list", None, NUMBER)
        if value is None and is_backward:
            value = Tensor(of_param(param.name), param=param.name)
        if value is None:
            value = _documented(frame, param) or _by_default(frame, param)
        elif isinstance(value, DeviceValue):
            value = DeviceValue(value.device)
        proven = param.name in frame.usage.tensors
        is_asked = not proven or param.name in frame.usage.moved
        either = isinstance(value, Tensor) and (bool(param.documented) if value.sure else param.annotation is not None)
        if (isinstance(value, (Unknown, Number)) or either or _is_vague(value)) and is_asked and not _is_switch(param):
            is_open.append(param.name)
            if held is not None:
                value = _told(frame, param, value, held, proven)
        elif isinstance(value, Tensor) and not proven and is_field:
            # A field of a dataclass is on the CPU if all who make such objects hand in what is there.
            is_open.append(param.name)
            if held is not None and _are_on_the_host(frame, param.name, held):
                value = _told(frame, param, value, held, proven)
        elif isinstance(value, DeviceValue) and is_device_name(param.name) and _asks_for_device(param):
            is_open.append(param.name)
            position = params.index(param) - (frame.bound is not None)
            value = _told_device(frame, position, param, held)
        frame.bind(param.name, _or_default(frame, param, value))
    if frame.events is not None:
        names = tuple([p.name for p in params if p.kind in SINGLE])
        must = tuple([p.name for p in params if p.default is None and p.name in is_open]) if is_open else ()
        names = names[1:] if frame.bound is not None else names
        frame.context.signatures[frame.symbol] = Signature(names, tuple(is_open), must)


_REST: Final = frozenset({"args", "kwargs"})


def _rest(frame: Frame, param: facts.Param, held: Handed | None) -> Value:
    """What `*args` or `**kwargs` holds: what callers hand in beside what has a name, where it is not annotated."""
    is_items = param.kind == "args"
    given = None if held is None else held.value
    if param.annotation is None and held is not None and isinstance(given, Items if is_items else Mapping):
        return with_tensors(given, lambda tensor: _handed_in(frame, tensor, param.name, held.text))
    element = _annotated(frame, param) or UNKNOWN
    return Items("tuple", None, element) if is_items else Mapping((), element)


def _is_switch(param: facts.Param) -> bool:
    # A condition that must be given may well be that of a tensor: `check(x.min() > 0)`.
    by_name = isinstance(param.annotation, facts.Name) and param.annotation.id == "bool" and param.default is not None
    return by_name or (isinstance(param.default, facts.Const) and param.default.kind in {"bool", "str"})


def _is_vague(value: Value) -> bool:
    """Of what an annotation says, what callers may know more of: any module, and what holds tensors."""
    if isinstance(value, Instance):
        return value.name == MODULE_CLASS
    if isinstance(value, Mapping) and value == _OF_ANYTHING:
        return True
    return isinstance(value, (Items, Mapping)) and bool(tensors_in(value))


_OF_TENSORS: Final = TO_FLOATS | {"long", "cpu", "detach"}


def _is_no_list(function: facts.Function, name: str) -> bool:
    """Whether a function calls a method of a parameter that tensors and modules have, but neither lists nor arrays."""
    for node in nodes_in(function.body, frozenset()):
        if type(node) is facts.Call and type(node.func) is facts.Attr and node.func.name in _OF_TENSORS:
            owner = node.func.value
            if type(owner) is facts.Name and owner.id == name:
                return True
    return False


_OF_ANYTHING: Final = Mapping((), UNKNOWN)
"""What `dict[str, Any]` says."""


def _told(frame: Frame, param: facts.Param, value: Value, held: Handed, proven: bool) -> Value:
    """What is known of a parameter, with what callers hand in."""
    if isinstance(held.value, DeviceValue):
        return value
    if isinstance(held.value, (Callable, Choice, Ref)):
        return held.value if isinstance(value, Unknown) and not proven else value
    if isinstance(held.value, Instance):
        is_any = isinstance(value, (Unknown, Instance)) and not proven
        is_known = is_distribution(held.value) or frame.context.class_named(held.value.name) is not None
        return held.value if is_any and is_known else value
    if isinstance(held.value, (Items, Mapping)):
        if value == _OF_ANYTHING:
            # What has all kinds of values says little of each.
            return value
        if param.name in frame.usage.moved or (frame.function is not None and _is_no_list(frame.function, param.name)):
            # What is moved is no list, whatever else some hand in: where that is a batch, it is one of another loader.
            parts = tensors_in(held.value) if isinstance(held.value, Items) else ()
            is_batch = bool(parts) and all(not part.sure or part.device == CPU for part in parts)
            if not is_batch or proven:
                return value
            return _told_batch(frame, param, value, parts[0]._replace(ndim=None, dtype=""), held.text)
        if isinstance(value, Unknown) and not proven:
            given = with_tensors(held.value, lambda tensor: _handed_in(frame, tensor, param.name, held.text))
            return with_tensors(given, _unmixed) if isinstance(given, Mapping) else given
        return _on_the_host(value, held.value)
    if not held.value.sure:
        return value if proven else _told_batch(frame, param, value, held.value, held.text)
    # Of what is known to be a tensor, only that all come from the CPU is news.
    if isinstance(value, (Instance, Items, Mapping)) or (proven and held.value.device != CPU):
        return value
    tensor = _handed_in(frame, held.value._replace(param=param.name), param.name, held.text)
    number = isinstance(value, Number) or frame.context.may_be_number(frame.symbol, param)
    # What stands for a number has no dimensions.
    return tensor._replace(ndim=0) if number else tensor


def _are_on_the_host(frame: Frame, name: str, held: Handed) -> bool:
    """Whether all that callers hand in for a parameter is on the CPU, as far as they are known."""
    sites = frame.context.calls.get(frame.symbol, ())
    given = [held.value, *[site.bindings[name] for site in sites if name in site.bindings]]
    return all(isinstance(value, Nothing) or (isinstance(value, Tensor) and value.device == CPU) for value in given)


def _told_batch(frame: Frame, param: facts.Param, value: Value, batch: Tensor, text: str) -> Value:
    """What is known of a parameter, where callers hand in a batch of a loader: it may be a tensor, or hold some."""
    given = _handed_in(frame, batch._replace(param=param.name), param.name, text)
    if value == _OF_ANYTHING:
        return Mapping((), given)
    if frame.function is not None and _is_no_list(frame.function, param.name):
        given = given._replace(sure=True)
    return given if isinstance(value, Unknown) else value


def _asks_for_device(param: facts.Param) -> bool:
    """Whether callers say all of a device: it must be given, or it is the CPU unless it is."""
    return param.default is None or is_host(param.default)


def _told_device(frame: Frame, position: int, param: facts.Param, held: Handed | None) -> DeviceValue:
    """A device that callers hand in, or may. What a function gives depends on the single call."""
    given = DeviceValue(of_param(param.name))
    if frame.events is None and frame.sink is None:
        return given
    if held is not None and isinstance(held.value, DeviceValue):
        device = held.value.device
        frame.of_callers = True
        if device == UNTOLD:
            return DeviceValue(CPU, param.name)
        if device == CPU or device >= MOVED:
            return DeviceValue(device)
        return given if frame.sink is None else DeviceValue(device)
    if param.default is not None or frame.owner is None or frame.function is None or frame.bound is None:
        return given
    calls = [call for info in frame.context.lineage(frame.owner) for call in info.host_calls]
    is_made_so = is_handed_host(calls, frame.function.name, position, param.name) if calls else None
    if is_made_so:
        return DeviceValue(CPU, param.name)
    # Others tell its objects to use another device later.
    return DeviceValue(CPU | ANYWHERE) if is_made_so is not None and frame.sink is not None else given


def _on_the_host(value: Value, held: Items | Mapping) -> Value:
    """A container that is annotated, where callers hand in tensors of the CPU; other news is none."""
    if isinstance(value, Mapping) and isinstance(held, Mapping):
        if isinstance(held.element, Tensor) and held.element.device >= CPU:
            return held
        known = [(key, item) for key, item in held.items if isinstance(item, Tensor) and item.device >= CPU]
        return Mapping(tuple({**dict(value.items), **dict(known)}.items()), value.element)
    tensors = tensors_in(held)
    return held if type(value) is type(held) and all(tensor.device == CPU for tensor in tensors) else value


def _unmixed(tensor: Tensor) -> Tensor:
    """A part of a dictionary that callers hand in: that some have theirs on the CPU says nothing of the others."""
    return tensor._replace(device=unmixed(tensor.device))


def _handed_in(frame: Frame, tensor: Tensor, name: str, text: str) -> Tensor:
    """A tensor that callers hand in for a parameter, or in what they hand in."""
    if tensor.device != CPU:
        if frame.events is None and frame.sink is None:
            # What the function gives to a caller depends on what that one hands in.
            tensor = tensor._replace(device=of_param(name))
        else:
            frame.of_callers = True
            if tensor.device > ANYWHERE and tensor.param is not None and tensor.sure:
                # One caller on the CPU says nothing of the others.
                tensor = tensor._replace(device=ANYWHERE)
    if text and frame.function is not None:
        row, column = frame.function.span[:2]
        tensor = tensor._replace(origin=because(Reason(facts.Span(row, column, row, column), text), None))
    return tensor


def _promised(frame: Frame, param: facts.Param) -> Tensor | None:
    """A tensor, if the method that this one overrides says so of its parameter of that name."""
    node = frame.function
    if node is None or frame.owner is None or frame.bound is None or frame.symbol != f"{frame.owner}.{node.name}":
        return None
    for info in frame.context.lineage(frame.owner)[1:]:
        method = info.methods.get(node.name)
        if method is None:
            continue
        for other in method.params:
            if other.name == param.name and other.annotation is not None:
                if not is_tensor_annotation(other.annotation):
                    return None
                reason = Reason(facts.Span(*node.span), f"the annotation of {param.name} in {short_name(info.name)}")
                return Tensor(of_param(param.name), param=param.name, origin=because(reason, None))
    return None


def _annotated(frame: Frame, param: facts.Param) -> Value | None:
    if param.annotation is None:
        return _promised(frame, param)

    name = param.name
    value = from_annotation(param.annotation, partial(evaluate_silently, frame), of_param(name), name)
    if isinstance(value, Items) and value.items is None and value.element == UNKNOWN:
        value = value._replace(element=Unknown(name, True))
    if isinstance(value, Instance) and value.local and frame.context.is_tensor_class(value.name):
        value = Tensor(of_param(name))
    if isinstance(value, Tensor):
        reason = Reason(param.annotation.span, f"the annotation of {name}")
        value = tensor_for(value, name, because(reason, None))
        if not value.sure and stands_for_number(param.annotation, partial(evaluate_silently, frame)):
            frame.context.numbers.setdefault(frame.symbol, set()).add(name)
    if isinstance(value, (Text, DeviceValue)) and is_device_name(name):
        return DeviceValue(of_param(name))
    return value


def _documented(frame: Frame, param: facts.Param) -> Value | None:
    """What a docstring says of a parameter. What is done with it counts for more."""
    name, node = param.name, frame.function
    if not param.documented or node is None or name in frame.usage.tensors or is_device_name(name):
        return None
    if param.default is not None and not (isinstance(param.default, facts.Const) and param.default.kind == "none"):
        return None
    value = from_docstring(param.documented, of_param(name), name)
    if isinstance(value, Tensor):
        reason = Reason(facts.Span(*node.span), f"what the docstring says of {name}")
        return value._replace(origin=because(reason, None))
    return value


def _by_default(frame: Frame, param: facts.Param) -> Value:
    name = param.name
    if is_device_name(name):
        return DeviceValue(of_param(name))
    if name == "dtype" or name.endswith("_dtype"):
        return DtypeValue("")
    if name == "closure" and frame.symbol.endswith(".step"):
        # Of an optimiser: it gives the loss (the documentation of `torch.optim.Optimizer.step`).
        return Partial(TypeOf(Tensor(ANYWHERE, "float", 0)), (), ())
    if isinstance(param.default, facts.Const):
        if param.default.kind in {"bool"}:
            return NUMBER
        if param.default.kind == "str":
            return TEXT
    if isinstance(param.default, facts.Sequence) and name not in frame.usage.tensors:
        items = param.default.items
        if items and all(isinstance(item, facts.Const) and item.kind in {"int", "float"} for item in items):
            return Items(param.default.kind, None, NUMBER)
    if isinstance(param.default, (facts.Name, facts.Attr, facts.Lambda)):
        given = evaluate_silently(frame, param.default)
        if is_function(given):
            return given
    return new(Unknown, (name, False, None, "", False))


def _or_default(frame: Frame, param: facts.Param, value: Value) -> Value:
    """What a parameter is, with the tensor that is made for whoever leaves it out: `grid=torch.tensor([0.0, 1.0])`."""
    if not isinstance(value, Tensor) or is_certain(value.device):
        return value
    if param.name == SIZES_OF_BATCHES:
        return value._replace(device=CPU)
    made = evaluate_silently(frame, param.default) if isinstance(param.default, facts.Call) else UNKNOWN
    return value._replace(device=value.device | CPU) if isinstance(made, Tensor) and made.device == CPU else value


def is_decorated(node: facts.Function, name: str) -> bool:
    """Whether a function has a decorator of this name."""
    if not node.decorators:
        return False
    return any(isinstance(d, facts.Name) and d.id == name for d in node.decorators)
