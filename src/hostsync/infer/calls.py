"""Transfer functions of calls: what is called decides which piece of knowledge answers."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping as Mapping_
from typing import TypeAlias

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.annotations import MODULE_CLASS, from_annotation
from hostsync.infer.copies import LOADER, from_data, to_device, transfer
from hostsync.infer.events import Reason
from hostsync.infer.expressions import assign, attribute
from hostsync.infer.frame import EVALUATORS, CallSite, Frame, as_tensor, evaluate, explain
from hostsync.infer.host_calls import ArgumentList, KeywordList, builtin, mathematics, numpy_function, printed
from hostsync.infer.operations import Arguments, device_of, event_kind, lead, merged, place, result, waiting
from hostsync.infer.project import (
    apply_effects,
    bases_of,
    bind_arguments,
    class_attribute,
    is_module_class,
    register_buffer,
    returned,
)
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Method,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    because,
    element_of,
    join,
    mapping_element,
    only_host,
    tensors_in,
)

_NUMBER_PARAMS = frozenset({"size", "fill_value", "end", "start", "step", "steps", "alpha", "num_classes", "n", "m"})
"""Parameters that take host numbers: a device tensor passed for one is read back."""
_LEGACY = {"FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor", "ShortTensor",
           "CharTensor", "ByteTensor", "BoolTensor", "Tensor"}  # fmt: skip
_LOG_METHODS = frozenset(["info", "debug", "warning", "error", "critical", "exception", "warning_once", "warn", "log"])
_DEFINITE = frozenset({"numpy", "tolist", "item"})
"""Members that a module does not have: `x.cpu().numpy()` proves that x is a tensor."""


def _call(frame: Frame, node: facts.Call) -> Value:
    func = node.func
    receiver: Value | None = None
    if isinstance(func, facts.Attr):
        callee, receiver = _member(frame, func)
    else:
        callee = evaluate(frame, func)
    args: ArgumentList = [(arg, evaluate(frame, arg)) for arg in node.args]
    keywords: KeywordList = [(k.name, k.value, evaluate(frame, k.value)) for k in node.keywords]
    if isinstance(callee, Method):
        return _method(frame, node, callee, args, keywords)
    if isinstance(callee, Ref):
        return _library(frame, node, callee.name, args, keywords)
    if isinstance(callee, Callable):
        return _own_function(frame, node, callee, args, keywords)
    if isinstance(callee, ClassRef):
        return _construct(frame, node, callee, args, keywords)
    if isinstance(callee, Instance):
        return _instance_called(frame, node, callee, args, keywords)
    if isinstance(callee, Tensor) and not callee.sure:
        return callee._replace(ndim=None, dtype="", param=None)
    if receiver is not None and isinstance(func, facts.Attr):
        return _method(frame, node, Method(receiver, func.name), args, keywords)
    return UNKNOWN


def _member(frame: Frame, func: facts.Attr) -> tuple[Value, Value]:
    """The callee of `receiver.name(…)`, and the receiver."""
    base_node = func.value
    if (
        isinstance(base_node, facts.Call)
        and isinstance(base_node.func, facts.Name)
        and base_node.func.id == "super"
        and frame.owner is not None
    ):
        return _of_super(frame, func.name), UNKNOWN
    receiver = evaluate(frame, base_node)
    if isinstance(receiver, Tensor):
        return Method(receiver, func.name), receiver
    if isinstance(receiver, (Unknown, Method)):
        op = frame.context.ops.get("Tensor." + func.name)
        if op is not None and op.tensor_only and not op.is_property and frame.context.uses_torch:
            tensor = as_tensor(receiver) if isinstance(receiver, Unknown) else Tensor(ANYWHERE)
            return Method(tensor, func.name), tensor
        return Method(UNKNOWN if isinstance(receiver, Method) else receiver, func.name), receiver
    return attribute(frame, receiver, func.name), receiver


def _of_super(frame: Frame, name: str) -> Value:
    assert frame.owner is not None
    for base in bases_of(frame.context, frame.owner)[1:]:
        info = frame.context.classes[base]
        method = info.methods.get(name)
        if method is not None:
            return Callable(method, f"{base}.{name}", frame.bound, base)
    return Method(frame.bound if frame.bound is not None else UNKNOWN, name)


# --- functions of the scanned module -------------------------------------------------------------


def _construct(frame: Frame, node: facts.Call, callee: ClassRef, args: ArgumentList, keywords: KeywordList) -> Value:
    init = class_attribute(frame.context, callee.name, "__init__", Instance(callee.name, True))
    if isinstance(init, Callable):
        _record_call(frame, node, init.symbol, bind_arguments(init.node, True, args, keywords))
    return Instance(callee.name, True)


def _own_function(frame: Frame, node: facts.Call, callee: Callable, args: ArgumentList, keywords: KeywordList) -> Value:
    bindings = bind_arguments(callee.node, callee.bound is not None, args, keywords)
    if isinstance(callee.node, facts.Function) and any(_breaks_signature(d) for d in callee.node.decorators):
        return UNKNOWN
    _record_call(frame, node, callee.symbol, bindings)
    value = returned(frame.context, callee, bindings)
    apply_effects(frame, callee, bindings)
    return explain(value, node)


def _record_call(frame: Frame, node: facts.Call, symbol: str, bindings: Mapping_[str, Value]) -> None:
    if frame.loud:
        frame.context.calls.setdefault(symbol, []).append(CallSite(frame.symbol, bindings, node.span, frame.hot()))


def _breaks_signature(decorator: facts.Expr) -> bool:
    node = decorator.func if isinstance(decorator, facts.Call) else decorator
    name = node.id if isinstance(node, facts.Name) else node.name if isinstance(node, facts.Attr) else ""
    return name in {"vmap", "jit_ignore", "fixture"}


def _instance_called(
    frame: Frame, node: facts.Call, callee: Instance, args: ArgumentList, keywords: KeywordList
) -> Value:
    if callee.local:
        for name in ("forward", "__call__"):
            method = class_attribute(frame.context, callee.name, name, callee)
            if isinstance(method, Callable):
                return _own_function(frame, node, method, args, keywords)
        if not is_module_class(frame.context, callee.name):
            return UNKNOWN
    tensors = [t for _, value in args for t in tensors_in(value)]
    device = callee.device if callee.device != ANYWHERE else merged(tensors)
    if device != ACCELERATOR and tensors:
        device = merged(tensors)
    if callee.name == MODULE_CLASS or callee.local:
        return explain(Tensor(device, sure=False, origin=lead(tensors)), node)
    if callee.name.startswith("torch.nn."):
        last = callee.name.rpartition(".")[2]
        tensor = Tensor(device, "float", origin=lead(tensors))
        if last.endswith("Loss"):
            return explain(tensor._replace(ndim=None if tensors and tensors[0].ndim is None else 0), node)
        if last in {"LSTM", "GRU", "RNN", "MultiheadAttention"}:
            return Items("tuple", None, tensor)
        if last in {"Embedding"}:
            return explain(tensor, node)
        if tensors and last not in {"Sequential", "ModuleList", "ModuleDict", "DataParallel"}:
            return explain(tensor._replace(ndim=tensors[0].ndim), node)
        return explain(tensor._replace(sure=bool(tensors) and last == "Sequential"), node)
    return UNKNOWN


# --- library functions ---------------------------------------------------------------------------

Special: TypeAlias = Function[[Frame, facts.Call, ArgumentList, KeywordList], Value]


def _library(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    root, _, rest = name.partition(".")
    if root == "builtins":
        return builtin(frame, node, rest, args, keywords)
    if root == "math":
        return mathematics(frame, node, name, args)
    if root in {"numpy", "np"}:
        return numpy_function(frame, node, name, args, keywords)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(frame, node, args, keywords)
    if root == "torch":
        if rest.startswith("Tensor.") and args:
            receiver = args[0][1]
            if not isinstance(receiver, Tensor):
                receiver = Tensor(ANYWHERE)
            return _method(frame, node, Method(receiver, rest.partition(".")[2]), args[1:], keywords)
        last = rest.rpartition(".")[2]
        if last in _LEGACY:
            return _legacy_constructor(frame, node, rest, args)
        if last in {"Parameter", "Buffer"}:
            return _parameter(args)
    if name == "logging.getLogger":
        return Instance(name, False)
    if root == "logging" or name in {"warnings.warn", "tqdm.write"}:
        return printed(frame, node, name, args)
    op = frame.context.ops.get(name)
    if op is not None:
        return operation(frame, node, op, args, keywords, None)
    if name.startswith("torch.") and name.rpartition(".")[2][:1].isupper():
        return Instance(name, False)
    if name in {"copy.deepcopy", "copy.copy"} and args:
        return args[0][1]
    return UNKNOWN


def _legacy_constructor(frame: Frame, node: facts.Call, rest: str, args: ArgumentList) -> Value:
    last = rest.rpartition(".")[2]
    dtype = {"L": "int", "I": "int", "S": "int", "C": "int"}.get(last[0], "" if last == "ByteTensor" else "float")
    if last == "BoolTensor":
        dtype = "bool"
    on_device = rest.startswith("cuda.")
    value = args[0][1] if args else UNKNOWN
    if on_device and args and isinstance(value, (Items, Array)):
        frame.emit("copy", "torch.tensor", "python-data", node, subject=args[0][0], device=ACCELERATOR)
    ndim = (
        len(args) if args and all(isinstance(v, Number) for _, v in args) else 1 if isinstance(value, Items) else None
    )
    return Tensor(ACCELERATOR if on_device else CPU, dtype, ndim)


def _parameter(args: ArgumentList) -> Value:
    """A parameter moves with its module, so where it lives is not decided by what it was made from."""
    value = args[0][1] if args else UNKNOWN
    if isinstance(value, Tensor):
        return value._replace(device=ANYWHERE, sure=True, pinned=False, param=None)
    return Tensor(ANYWHERE)


def operation(
    frame: Frame, node: facts.Call, op: Op, args: ArgumentList, keywords: KeywordList, receiver: Value | None
) -> Value:
    """Call an operation of the catalogue: record its waits, and give its result."""
    placed = place(op, args, keywords)
    tensors = _tensors(op, placed, receiver)
    versions = None if _numbers(frame, node, op, placed) else waiting(frame, op, placed)
    short = op.name.rpartition(".")[2]
    one_argument_where = (
        op.name in {"torch.where", "Tensor.where"} and len(args) == 1 and not keywords and receiver is None
    )
    if one_argument_where:
        versions = ""
    if versions is not None:
        _record(frame, node, op, placed, tensors, receiver, "one-argument" if one_argument_where else "", versions)
    if one_argument_where or (short == "nonzero" and _is_true(placed.named.get("as_tuple"))):
        return Items("tuple", None, Tensor(merged(tensors), "int", 1, origin=lead(tensors)))
    value = result(op, placed, tensors, receiver)
    if isinstance(value, Instance):
        return value._replace(options=flags(keywords))
    return (
        explain(value, node)
        if isinstance(value, Tensor) and op.device in {"argument", "like", "cpu", "accelerator"}
        else value
    )


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Number) and value.const is True


def _tensors(op: Op, placed: Arguments, receiver: Value | None) -> tuple[Tensor, ...]:
    """The tensors of a call, the receiver or first argument first."""
    found: list[Tensor] = [receiver] if isinstance(receiver, Tensor) else []
    for param in op.params:
        value = placed.named.get(param.name)
        if value is None or param.name in {"device", "dtype"}:
            continue
        held = tensors_in(value, 2)
        if (
            not held
            and param is op.params[0]
            and receiver is None
            and isinstance(value, Unknown)
            and op.device in {"args", "like"}
        ):
            # The operation takes nothing but a tensor there.
            held = (as_tensor(value),)
        found.extend(held)
    for value in placed.extra:
        found.extend(tensors_in(value, 1))
    return tuple(found)


def _numbers(frame: Frame, node: facts.Call, op: Op, placed: Arguments) -> bool:
    """Tensors passed where host numbers are wanted; true if there was one."""
    for param in op.params:
        if param.name not in _NUMBER_PARAMS and param.kind != "args":
            continue
        if op.device != "argument" and param.name not in {"size", "alpha", "num_classes"}:
            continue
        value = placed.named.get(param.name)
        held = tensors_in(value, 2) if value is not None else ()
        if held and held[0].sure and not (param.name == "size" and op.returns != "tensor"):
            frame.emit(
                "read-back",
                op.name,
                "size-argument",
                node,
                subject=placed.nodes.get(param.name),
                device=held[0].device,
                origin=held[0].origin,
            )
            return True
    return False


def _record(
    frame: Frame,
    node: facts.Call,
    op: Op,
    placed: Arguments,
    tensors: tuple[Tensor, ...],
    receiver: Value | None,
    form: str,
    versions: str,
) -> None:
    kind = event_kind(op)
    subject = (
        node.func.value
        if receiver is not None and isinstance(node.func, facts.Attr)
        else next(iter(placed.nodes.values()), None)
    )
    if kind == "synchronize" or op.name.endswith("GradScaler.step"):
        frame.emit(kind, op.name, form, node, subject=subject, device=ACCELERATOR, versions=versions or None)
        return
    if tensors:
        first = tensors[0]
        sure = first.sure or kind == "read-back"
        frame.emit(
            kind,
            op.name,
            form,
            node,
            subject=subject,
            device=merged(tensors),
            sure=sure,
            origin=lead(tensors),
            confidence=None if sure else "possible",
            versions=versions or None,
        )
        return
    values = [*placed.named.values(), *placed.extra]
    if values and all(isinstance(v, (Number, Text, Items, Array)) for v in values):
        return
    confidence = "likely" if not values or op.device == "args" else "possible"
    frame.emit(kind, op.name, form, node, subject=subject, confidence=confidence, versions=versions or None)


# --- methods of values ---------------------------------------------------------------------------


def _method(frame: Frame, node: facts.Call, method: Method, args: ArgumentList, keywords: KeywordList) -> Value:
    receiver = method.receiver
    if isinstance(receiver, Tensor):
        return _tensor_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Instance):
        return _instance_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Unknown):
        return _unknown_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Items):
        return _items_method(frame, node, receiver, method.name, args)
    if isinstance(receiver, Mapping):
        return _mapping_method(frame, node, receiver, method.name, args)
    if isinstance(receiver, Text):
        if method.name == "format":
            return printed(frame, node, "str.format", args)
        return Items("list", None, TEXT) if method.name.endswith("split") else TEXT
    if isinstance(receiver, Array):
        return _array_method(receiver, method.name, args, keywords)
    return UNKNOWN


def _receiver_node(node: facts.Call) -> facts.Expr | None:
    return node.func.value if isinstance(node.func, facts.Attr) else None


def _tensor_method(
    frame: Frame, node: facts.Call, receiver: Tensor, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    if name in {"to", "cuda", "cpu", "type", "numpy", "copy_", "pin_memory", "type_as", "new_tensor"}:
        return transfer(frame, node, receiver, name, args, keywords)
    if not receiver.sure and name in {"items", "values", "keys"}:
        part = receiver._replace(ndim=None, dtype="")
        return Items("iterable", None, Items("tuple", (TEXT, part), UNKNOWN) if name == "items" else part)
    op = frame.context.ops.get("Tensor." + name)
    if op is None:
        return receiver._replace(ndim=None, dtype="", param=None) if not receiver.sure else UNKNOWN
    if name in _DEFINITE:
        _definite(frame, node)
    value = operation(frame, node, op, args, keywords, receiver)
    if not isinstance(value, Tensor) or op.returns == "self":
        return value
    # A member that other types have as well does not make sure what was not.
    return value._replace(param=None, sure=receiver.sure or op.tensor_only)


def _definite(frame: Frame, node: facts.Call) -> None:
    """`x.cpu().numpy()`: what was only possible for `x.cpu()` is likely now."""
    inner = _receiver_node(node)
    if isinstance(inner, facts.Call) and isinstance(inner.func, facts.Attr) and inner.func.name in {"cpu", "to"}:
        with frame.silently():
            value = evaluate(frame, inner.func.value)
        if isinstance(value, (Unknown, Method)):
            if inner.func.name == "cpu":
                frame.emit("read-back", "Tensor.cpu", "", inner, subject=inner.func.value)
            else:
                with frame.silently():
                    moved = evaluate(frame, inner)
                if isinstance(moved, Tensor) and moved.device == CPU:
                    frame.emit("read-back", "Tensor.to", "to-host", inner, subject=inner.func.value)


def _unknown_method(
    frame: Frame, node: facts.Call, receiver: Unknown, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    subject = _receiver_node(node)
    if not frame.context.uses_torch:
        return UNKNOWN
    if name in _DEFINITE:
        _definite(frame, node)
    if name == "item" and not args and not keywords:
        frame.emit("read-back", "Tensor.item", "", node, subject=subject, confidence="likely")
        return NUMBER
    if name == "tolist" and not args:
        frame.emit("read-back", "Tensor.tolist", "", node, subject=subject, confidence="possible")
        return UNKNOWN
    if name == "nonzero" and (keywords or not args):
        as_tuple = any(k == "as_tuple" for k, _, _ in keywords)
        frame.emit(
            "shape", "Tensor.nonzero", "", node, subject=subject, confidence="likely" if as_tuple else "possible"
        )
        return Tensor(ANYWHERE, "int", 2) if not as_tuple else Items("tuple", None, Tensor(ANYWHERE, "int", 1))
    if name == "cpu" and not args:
        frame.emit("read-back", "Tensor.cpu", "", node, subject=subject, confidence="possible")
        return Tensor(CPU, sure=False)
    if name == "numpy" and not args:
        return Array()
    if name == "cuda":
        return Tensor(ACCELERATOR, sure=False)
    if name == "to":
        device, _ = to_device(frame, args, keywords)
        if device is None:
            return receiver
        if only_host(device.device):
            frame.emit("read-back", "Tensor.to", "to-host", node, subject=subject, confidence="possible")
        elif receiver.param is not None:
            transfer(frame, node, Tensor(frozenset({"=" + receiver.param}), sure=False), name, args, keywords)
        return Tensor(device.device, sure=False)
    if name in {"new_tensor"}:
        return transfer(frame, node, Tensor(ANYWHERE), name, args, keywords)
    if name == "set_postfix":
        return printed(frame, node, "tqdm.set_postfix", [(n, v) for _, n, v in keywords] or args)
    if name in _LOG_METHODS and "log" in _text(subject):
        return printed(frame, node, f"logging.{name}", args)
    if name == "parameters":
        return Items("generator", None, Tensor(ANYWHERE))
    if name == "named_parameters":
        return Items("generator", None, Items("tuple", (TEXT, Tensor(ANYWHERE)), UNKNOWN))
    if name == "state_dict":
        return Mapping((), UNKNOWN)
    return UNKNOWN


def _text(node: facts.Expr | None) -> str:
    while isinstance(node, facts.Attr):
        node = node.value if node.name == "self" else facts.Name(node.span, node.name)
    return node.id.lower() if isinstance(node, facts.Name) else ""


def _instance_method(
    frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    op = frame.context.ops.get(f"{receiver.name}.{name}") if not receiver.local else None
    if op is not None and dict(receiver.options).get("validate_args") is False and op.waits:
        with frame.silently():
            return operation(frame, node, op, args, keywords, None)
    if op is not None:
        return operation(frame, node, op, args, keywords, None)
    if receiver.name == "logging.getLogger":
        return printed(frame, node, f"logging.{name}", args) if name in _LOG_METHODS else NOTHING
    module = receiver.name.startswith("torch.nn.") or (receiver.local and is_module_class(frame.context, receiver.name))
    if not module:
        if receiver.name.startswith("torch.distributions."):
            return _distribution_method(frame, node, receiver, name, args)
        if receiver.local:
            return (
                _unknown_method(frame, node, UNKNOWN, name, args, keywords)
                if name in _DEFINITE | {"cpu", "to"}
                else UNKNOWN
            )
        return UNKNOWN
    if name in {"cuda", "to", "cpu"}:
        if name == "cpu":
            return receiver._replace(device=CPU)
        device, _ = to_device(frame, args, keywords)
        return receiver._replace(device=ACCELERATOR if name == "cuda" else device.device if device else receiver.device)
    if name in {"eval", "train", "half", "float", "double", "bfloat16", "requires_grad_", "apply", "type", "to_empty"}:
        return receiver
    if name in {"parameters", "buffers"}:
        return Items("generator", None, Tensor(receiver.device))
    if name in {"named_parameters", "named_buffers"}:
        return Items("generator", None, Items("tuple", (TEXT, Tensor(receiver.device)), UNKNOWN))
    if name == "state_dict":
        return Mapping((), Tensor(receiver.device))
    if name in {"modules", "children"}:
        return Items("generator", None, Instance(MODULE_CLASS, False))
    if name in {"named_modules", "named_children"}:
        return Items("generator", None, Items("tuple", (TEXT, Instance(MODULE_CLASS, False)), UNKNOWN))
    if name in {"register_buffer", "register_parameter"} and args and isinstance(args[0][1], Text):
        key = args[0][1].const
        value = args[1][1] if len(args) > 1 else next((v for k, _, v in keywords if k == "tensor"), NOTHING)
        if key is not None:
            register_buffer(frame, key, value)
            if isinstance(value, Tensor):
                frame.paths[f"self.{key}"] = value
        return NOTHING
    if name == "forward":
        return _instance_called(frame, node, receiver, args, keywords)
    return UNKNOWN


def _distribution_method(frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList) -> Value:
    if name in {"sample", "rsample", "log_prob", "entropy", "cdf", "icdf"}:
        return Tensor(merged([t for _, v in args for t in tensors_in(v)]), "")
    return UNKNOWN


def _items_method(frame: Frame, node: facts.Call, receiver: Items, name: str, args: ArgumentList) -> Value:
    target = _receiver_node(node)
    values = [v for _, v in args]
    if name in {"append", "add", "insert", "appendleft"} and values:
        _grow(frame, target, receiver, values[-1])
        return NOTHING
    if name in {"extend", "update"} and values and isinstance(values[0], Items):
        _grow(frame, target, receiver, element_of(values[0]))
        return NOTHING
    if name in {"pop", "popleft", "__getitem__"}:
        return element_of(receiver)
    if name == "copy":
        return receiver
    if name == "sort":
        for tensor in tensors_in(receiver, 1)[:1]:
            frame.emit(
                "read-back", "builtins.sorted", "", node, subject=target, device=tensor.device, origin=tensor.origin
            )
        return NOTHING
    return NUMBER if name in {"index", "count"} else UNKNOWN


def _grow(frame: Frame, target: facts.Expr | None, items: Items, value: Value) -> None:
    if type(target) not in {facts.Name, facts.Attr}:
        return
    element = (
        value
        if items.items == () or (items.items is None and items.element == UNKNOWN)
        else join(element_of(items), value)
    )
    if (
        items.items is not None
        and not frame.loops
        and not frame.quiet
        and len(items.items) < 32
        and items.kind == "list"
    ):
        grown = Items("list", (*items.items, value), UNKNOWN)
    else:
        grown = Items(items.kind, None, element)
    assert target is not None
    assign(frame, target, grown)


def _mapping_method(frame: Frame, node: facts.Call, receiver: Mapping, name: str, args: ArgumentList) -> Value:
    if name in {"get", "pop", "setdefault"} and args:
        key = args[0][1]
        default = args[1][1] if len(args) > 1 else NOTHING
        if isinstance(key, Text) and key.const is not None:
            found = dict(receiver.items).get(key.const)
            if found is not None:
                return found
            return receiver.element if not isinstance(receiver.element, Unknown) else join(default, UNKNOWN)
        return join(mapping_element(receiver), default)
    if name == "items":
        return Items("iterable", None, Items("tuple", (TEXT, mapping_element(receiver)), UNKNOWN))
    if name == "values":
        return Items("iterable", None, mapping_element(receiver))
    if name == "keys":
        return Items("iterable", None, TEXT)
    if name == "copy":
        return receiver
    if name == "update" and args and isinstance(args[0][1], Mapping):
        target = _receiver_node(node)
        if isinstance(target, (facts.Name, facts.Attr)):
            assert target is not None
            assign(frame, target, join(receiver, args[0][1]))
        return NOTHING
    return UNKNOWN


def _array_method(receiver: Array, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    if name == "item":
        return NUMBER
    if name == "tolist":
        return Items("list", None, NUMBER if receiver.ndim == 1 else UNKNOWN)
    if name in {"sum", "mean", "max", "min", "std", "var", "prod", "argmax", "argmin", "any", "all"}:
        return Array() if args or any(k in {"axis", "keepdims"} for k, _, _ in keywords) else NUMBER
    if name == "astype" or name in {"copy", "clip", "round", "cumsum", "cumprod", "sort"}:
        return receiver
    if name in {"flatten", "ravel"}:
        return Array(1, receiver.dtype)
    if name == "reshape":
        if len(args) == 1 and isinstance(args[0][1], Items):
            items = args[0][1].items
            return Array(len(items) if items is not None else None, receiver.dtype)
        return Array(len(args), receiver.dtype)
    if name in {"tobytes", "tostring"}:
        return TEXT
    return Array(None, receiver.dtype)


# --- library functions with meanings of their own ------------------------------------------------


def _device(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if not args:
        return DeviceValue(ANYWHERE)
    value = args[0][1]
    return DeviceValue(ANYWHERE) if isinstance(value, (Unknown, Ref, Nothing_)) else device_of(value)


Nothing_ = type(NOTHING)


def _loader(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    options = dict(flags(keywords))
    if not any(name is None for name, _, _ in keywords):
        options.setdefault("pin_memory", False)
    made = because(Reason(node.span, LOADER), None)
    return Instance("torch.utils.data.DataLoader", False, options=tuple(options.items()), made=made)


def flags(keywords: KeywordList) -> tuple[tuple[str, bool | None], ...]:
    """The keyword arguments that are switches, as far as their values are known."""
    return tuple(
        (name, value.const if isinstance(value, Number) and isinstance(value.const, bool) else None)
        for name, _, value in keywords
        if name in {"pin_memory", "validate_args"}
    )


def _cast(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) != 2:
        return UNKNOWN

    def resolve(expr: facts.Expr) -> Value:
        with frame.silently():
            return evaluate(frame, expr)

    value = args[1][1]
    promised = from_annotation(args[0][0], resolve)
    return promised if promised is not None and isinstance(value, Unknown) else value


def _first(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return args[0][1] if args else UNKNOWN


def _namespace(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return UNKNOWN


_SPECIAL: dict[str, Special] = {
    "torch.device": _device,
    "torch.tensor": from_data,
    "torch.as_tensor": from_data,
    "torch.asarray": from_data,
    "torch.utils.data.DataLoader": _loader,
    "typing.cast": _cast,
    "torch.jit.annotate": _cast,
    "torch.jit.script": _first,
    "torch.compile": _first,
    "torch.nn.DataParallel": _first,
    "torch.nn.parallel.DistributedDataParallel": _first,
    "argparse.ArgumentParser": _namespace,
    "tqdm.tqdm": _first,
    "tqdm.auto.tqdm": _first,
    "tqdm": _first,
}

EVALUATORS[facts.Call] = _call
