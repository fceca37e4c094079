"""What the scanned module defines: its classes with their attributes, and what its functions return."""

from __future__ import annotations

from collections.abc import Mapping as Bindings

from hostsync import facts
from hostsync.infer.annotations import MODULE_CLASS, from_annotation
from hostsync.infer.events import Reason
from hostsync.infer.evidence import Usage, dotted_path, imports_torch, usage_of
from hostsync.infer.frame import ClassInfo, Context, Frame, Writes, evaluate
from hostsync.infer.values import (
    ANYWHERE,
    CPU,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    ClassRef,
    Device,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    because,
    join,
)

# --- classes -------------------------------------------------------------------------------------


def bases_of(context: Context, name: str) -> list[str]:
    """A class and its bases within the module, nearest first."""
    order: list[str] = []
    waiting = [name]
    while waiting:
        current = waiting.pop(0)
        info = context.classes.get(current)
        if info is None or current in order:
            continue
        order.append(current)
        waiting.extend(base.name for base in info.bases if isinstance(base, ClassRef))
    return order


def is_module_class(context: Context, name: str) -> bool:
    """Whether instances are `nn.Module`s, by their bases, or by a `forward` and a library base."""
    for current in bases_of(context, name):
        info = context.classes[current]
        for base in info.bases:
            if isinstance(base, Ref):
                last = base.name.rpartition(".")[2]
                if last in {"Module", "PreTrainedModel", "LightningModule", "ModelMixin"} or base.name.startswith(
                    "torch.nn."
                ):
                    return True
                if "forward" in info.methods and last not in {"Function", "Protocol", "ABC"}:
                    return True
    return False


def class_attribute(context: Context, name: str, attribute: str, receiver: Value) -> Value:
    """What `receiver.attribute` is, for a class of the module or an instance of one."""
    for current in bases_of(context, name):
        info = context.classes[current]
        method = info.methods.get(attribute)
        if method is not None:
            bound = receiver
            if _decorated(method, "staticmethod") or isinstance(receiver, ClassRef):
                bound = receiver if _decorated(method, "classmethod") else None  # type: ignore[assignment]
            return Callable(method, f"{current}.{attribute}", bound, current)
        table = attributes(context, info)
        if attribute in table:
            return table[attribute]
        if attribute in info.attributes:
            return info.attributes[attribute]
    return UNKNOWN


def _decorated(node: facts.Function, name: str) -> bool:
    return any(isinstance(d, facts.Name) and d.id == name for d in node.decorators)


def attributes(context: Context, info: ClassInfo) -> dict[str, Value]:
    """Everything that a class's own methods assign to attributes of `self`, the union over all methods."""
    if info.table is not None:
        return info.table
    if info.busy:
        return {}
    info.busy = True
    table: dict[str, Value] = {}
    info.table = table
    order = sorted(info.methods.values(), key=lambda method: method.name != "__init__")
    for method in order:
        if _decorated(method, "staticmethod") or _decorated(method, "classmethod"):
            continue
        if not usage(context, method).stores_attributes and not _registers(method):
            continue
        frame = method_frame(context, info, method, loud=False)
        frame.sink = info
        run(frame, method)
        _take_down(frame, info, method)
    info.busy = False
    return table


def _registers(method: facts.Function) -> bool:
    return method.name == "__init__"


def write_attribute(frame: Frame, info: ClassInfo, name: str, value: Value) -> None:
    """Take down that a method assigns `value` to `self.name`."""
    value = closed(value)
    dependent = frame.assigning is not None and _mentions(frame.assigning, name)
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
            value = closed(last)
        writes = info.writes.setdefault(name, Writes())
        info.table[name] = writes.add(value, frame.setup, dependent and not frame.setup)


def closed(value: Value, depth: int = 3) -> Value:
    """A value as others see it, who don't know the parameters of the function that it comes from."""
    if isinstance(value, Tensor):
        if value.param is None and not any(atom.startswith("=") for atom in value.device):
            return value
        device = frozenset("?" if atom.startswith("=") else atom for atom in value.device)
        return value._replace(device=device, param=None)
    if isinstance(value, Unknown):
        return UNKNOWN if value.param is not None else value
    if isinstance(value, DeviceValue):
        return DeviceValue(frozenset("?" if atom.startswith("=") else atom for atom in value.device))
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
    if isinstance(value, Tensor):
        value = value._replace(device=ANYWHERE, param=None, pinned=False)
    if frame.sink is not None:
        frame.buffers.add(name)
        write_attribute(frame, frame.sink, name, value)


# --- functions -----------------------------------------------------------------------------------


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


def usage(context: Context, node: facts.Function | facts.Lambda) -> Usage:
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
        )
        context.usages[key] = known
    return known


def method_frame(context: Context, info: ClassInfo, method: facts.Function, *, loud: bool) -> Frame:
    frame = Frame(
        context,
        f"{info.name}.{method.name}",
        usage(context, method),
        owner=info.name,
        function=method,
        outer=context.closures.get(info.name),
        loud=loud,
    )
    if _decorated(method, "staticmethod"):
        frame.bound = None
    elif _decorated(method, "classmethod"):
        frame.bound = ClassRef(info.name)
    else:
        frame.bound = Instance(info.name, True)
    return frame


def run(frame: Frame, node: facts.Function) -> None:
    """Follow a function with parameters that stand for whatever is passed."""
    from hostsync.infer.statements import execute

    bind_params(frame, node.params)
    execute(frame, node.body)


def bind_params(frame: Frame, params: tuple[facts.Param, ...]) -> None:
    """Bind each parameter to what its annotation, its default, its name and its uses say."""
    skip = frame.bound is not None
    for param in params:
        if skip:
            skip = False
            frame.env[param.name] = frame.bound  # type: ignore[assignment]
            continue
        if param.kind == "args":
            frame.env[param.name] = Items("tuple", None, _annotated(frame, param) or UNKNOWN)
            continue
        if param.kind == "kwargs":
            frame.env[param.name] = Mapping((), UNKNOWN)
            continue
        value = _annotated(frame, param)
        if value is None:
            value = _by_default(frame, param)
        elif isinstance(value, DeviceValue):
            value = DeviceValue(value.device)
        frame.bind(param.name, value)


def is_host_default(default: facts.Expr | None) -> bool:
    """The default is None or the CPU."""
    if isinstance(default, facts.Call) and _last(default.func) == "device" and default.args:
        default = default.args[0]
    return isinstance(default, facts.Const) and (default.kind == "none" or default.value == "cpu")


def _annotated(frame: Frame, param: facts.Param) -> Value | None:
    if param.annotation is None:
        return None

    def resolve(node: facts.Expr) -> Value:
        with frame.silently():
            return evaluate(frame, node)

    name = param.name
    value = from_annotation(param.annotation, resolve, frozenset({"=" + name}), name)
    if isinstance(value, Tensor):
        value = value._replace(origin=because(Reason(param.annotation.span, f"the annotation of {name}"), None))
    if isinstance(value, Text) and (name == "device" or name.endswith("_device")):
        return DeviceValue(frozenset({"=" + name}))
    return value


def _by_default(frame: Frame, param: facts.Param) -> Value:
    name = param.name
    if name == "device" or name.endswith("_device"):
        return DeviceValue(frozenset({"=" + name}))
    if name == "dtype" or name.endswith("_dtype"):
        return DtypeValue("")
    if isinstance(param.default, facts.Const):
        if param.default.kind in {"bool"}:
            return NUMBER
        if param.default.kind == "str":
            return TEXT
    return Unknown(name)


# --- what a call returns -------------------------------------------------------------------------


def returned(context: Context, callee: Callable, bindings: Bindings[str, Value]) -> Value:
    """What calling a function of this module returns, given the values of its arguments by parameter name."""
    node = callee.node
    if isinstance(node, facts.Lambda):
        return _lambda_result(context, callee, bindings)
    assert isinstance(node, facts.Function)
    summary = summarise(context, callee)
    return substitute(summary, bindings, _defaults(node))


def summarise(context: Context, callee: Callable) -> Value:
    """What a function returns in terms of its parameters; UNKNOWN inside its own recursion."""
    node = callee.node
    assert isinstance(node, facts.Function)
    key = (callee.symbol, callee.bound)
    known = context.summaries.get(key)
    if known is not None:
        return known
    if key in context.busy or len(context.busy) > 40:
        return UNKNOWN
    if node.returns is not None and isinstance(node.returns, facts.Const) and node.returns.kind == "none":
        context.summaries[key] = Nothing()
        return context.summaries[key]
    context.busy.add(key)
    try:
        frame = Frame(
            context,
            callee.symbol,
            usage(context, node),
            outer=context.closures.get(callee.symbol) or context.closures.get(callee.owner or ""),
            owner=callee.owner,
            function=node,
            loud=False,
        )
        frame.bound = callee.bound
        run(frame, node)
        result = result_of(frame, node)
    finally:
        context.busy.discard(key)
    context.summaries[key] = result
    if isinstance(callee.bound, Instance) and frame.paths and node.params:
        prefix = node.params[0].name + "."
        context.effects[key] = {
            path[len(prefix) :]: value
            for path, value in frame.paths.items()
            if path.startswith(prefix) and "." not in path[len(prefix) :]
        }
    return result


def apply_effects(frame: Frame, callee: Callable, bindings: Bindings[str, Value]) -> None:
    """After `self.method(…)`: the attributes of `self` that the method has set for sure."""
    if (
        not isinstance(callee.bound, Instance)
        or callee.bound != frame.bound
        or not isinstance(callee.node, facts.Function)
    ):
        return
    effects = frame.context.effects.get((callee.symbol, callee.bound))
    if effects and frame.function is not None and frame.function.params:
        self_name = frame.function.params[0].name
        defaults = _defaults(callee.node)
        for name, value in effects.items():
            frame.paths[f"{self_name}.{name}"] = substitute(value, bindings, defaults)


def result_of(frame: Frame, node: facts.Function) -> Value:
    """The union of what a followed function returned, helped out by its return annotation."""
    if node.is_generator:
        element = UNKNOWN if not frame.yields else frame.yields[0]
        for value in frame.yields[1:]:
            element = join(element, value)
        if any(_last(d) == "contextmanager" for d in node.decorators):
            return element
        return Items("generator", None, element)
    result: Value | None = None
    for value in frame.returns:
        result = value if result is None else join(result, value)
    if result is None:
        result = Nothing()
    if node.returns is not None and isinstance(result, (Unknown, Items, Mapping)):

        def resolve(expr: facts.Expr) -> Value:
            return evaluate(frame, expr)

        promised = from_annotation(node.returns, resolve)
        if promised is not None and (isinstance(result, Unknown) and result.param is None):
            return promised
    return result


def _last(node: facts.Expr) -> str:
    return node.id if isinstance(node, facts.Name) else node.name if isinstance(node, facts.Attr) else ""


def defaults_of(context: Context, symbol: str) -> dict[str, Value]:
    """The constant defaults of a function that was called, by its symbol."""
    node = context.functions.get(symbol)
    return _defaults(node) if node is not None else {}


def _defaults(node: facts.Function) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for param in node.params:
        default = param.default
        if is_host_default(default) and isinstance(default, facts.Call):
            result[param.name] = DeviceValue(CPU)
        elif isinstance(default, facts.Const):
            if default.kind == "none":
                result[param.name] = Nothing()
            elif default.kind == "str":
                result[param.name] = Text(str(default.value))
            elif default.kind in {"int", "float", "bool"}:
                result[param.name] = Number(default.value)  # type: ignore[arg-type]
    return result


def substitute(value: Value, bindings: Bindings[str, Value], defaults: Bindings[str, Value], depth: int = 4) -> Value:
    """Put arguments in the place of parameters in a summary."""
    if isinstance(value, Tensor):
        if value.param is not None:
            argument = bindings.get(value.param)
            if argument is not None and not isinstance(argument, Unknown):
                return argument
        return value._replace(device=_place(value.device, bindings, defaults), param=None)
    if isinstance(value, Unknown):
        if value.param is None:
            return value
        argument = bindings.get(value.param, defaults.get(value.param))
        if argument is None:
            return UNKNOWN
        return _derived(argument) if value.derived else argument
    if isinstance(value, DeviceValue):
        return DeviceValue(_place(value.device, bindings, defaults))
    if depth and isinstance(value, Items):
        if value.items is not None:
            return Items(
                value.kind,
                tuple(substitute(item, bindings, defaults, depth - 1) for item in value.items),
                value.element,
            )
        return Items(value.kind, None, substitute(value.element, bindings, defaults, depth - 1))
    if depth and isinstance(value, Mapping):
        return Mapping(
            tuple((key, substitute(item, bindings, defaults, depth - 1)) for key, item in value.items),
            substitute(value.element, bindings, defaults, depth - 1),
        )
    return value


def _derived(argument: Value) -> Value:
    """The result of arithmetic on an argument, element by element."""
    if isinstance(argument, Tensor):
        return argument._replace(dtype="", param=None)
    if isinstance(argument, Number):
        return NUMBER
    if isinstance(argument, Unknown):
        return argument._replace(derived=True)
    return argument if isinstance(argument, Array) else UNKNOWN


def _place(device: Device, bindings: Bindings[str, Value], defaults: Bindings[str, Value]) -> Device:
    from hostsync.infer.operations import device_of
    from hostsync.infer.values import tensors_in

    result: set[str] = set()
    for atom in device:
        if not atom.startswith("="):
            result.add(atom)
            continue
        argument = bindings.get(atom[1:])
        if argument is None:
            argument = defaults.get(atom[1:])
            if argument is None:
                result.add("?")
            else:
                result |= CPU if isinstance(argument, Nothing) else device_of(argument).device
            continue
        if isinstance(argument, (Items, Mapping)):
            held = tensors_in(argument)
            result |= held[0].device if held else ANYWHERE
        elif isinstance(argument, (Number, Ref)):
            result.add("?")
        else:
            result |= device_of(argument).device
    return frozenset(result)


def _lambda_result(context: Context, callee: Callable, bindings: Bindings[str, Value]) -> Value:
    node = callee.node
    assert isinstance(node, facts.Lambda)
    key = (callee.symbol + str(node.span), None)
    if key in context.busy or len(context.busy) > 40:
        return UNKNOWN
    context.busy.add(key)
    try:
        frame = Frame(context, callee.symbol, usage(context, node), loud=False)
        for param in node.params:
            frame.bind(param.name, bindings.get(param.name, UNKNOWN))
        return evaluate(frame, node.body)
    finally:
        context.busy.discard(key)


def bind_arguments(
    node: facts.Function | facts.Lambda,
    bound: bool,
    args: list[tuple[facts.Expr, Value]],
    keywords: list[tuple[str | None, facts.Expr, Value]],
) -> dict[str, Value]:
    """Match the arguments of a call with a function's parameters, `self` left out when it is bound."""
    params = [p for p in node.params if p.kind in {"positional", "normal"}]
    if bound and params:
        params = params[1:]
    result: dict[str, Value] = {}
    for param, (expr, value) in zip(params, args, strict=False):
        if isinstance(expr, facts.Starred):
            break
        result[param.name] = value
    names = {p.name for p in node.params}
    for name, _, value in keywords:
        if name is not None and name in names:
            result[name] = value
    return result


__all__ = [
    "MODULE_CLASS",
    "attributes",
    "bind_arguments",
    "canonical",
    "class_attribute",
    "is_module_class",
    "method_frame",
    "register_buffer",
    "returned",
    "run",
    "summarise",
    "usage",
]
