"""Transfer functions of methods: of tensors, library objects, containers, arrays, and of what is not known."""

from __future__ import annotations

import re
from functools import reduce
from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer import keys
from hostsync.infer.annotations import MODULE_CLASS
from hostsync.infer.assignment import assign, iterated
from hostsync.infer.catalogued import operation
from hostsync.infer.classes import (
    DISTRIBUTIONS,
    distribution_base,
    is_module_class,
    register_buffer,
    write_attribute,
)
from hostsync.infer.comparing import sort_in_place
from hostsync.infer.copies import brings_from_host, is_taken_in, moved_on, to_device, transfer
from hostsync.infer.derived_distributions import method_of_base
from hostsync.infer.frame import (
    Frame,
    evaluate,
    evaluate_silently,
    is_model_name,
)
from hostsync.infer.handed import HELD
from hostsync.infer.host_calls import ArgumentList, KeywordList, formatted, printed
from hostsync.infer.module_containers import module_in
from hostsync.infer.operations import (
    checks_only,
    merged,
)
from hostsync.infer.own_calls import instance_called
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    NOTHING,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Choice,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Method,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    join,
    mapping_element,
    merged_mappings,
    of_param,
    only_host,
    tensor_by_default,
    tensors_in,
)

_LOG_METHODS: Final = frozenset(
    ["info", "debug", "warning", "error", "critical", "exception", "warning_once", "warn", "log"]
)

_SHARED: Final = frozenset(
    "to cpu cuda float half double bfloat16 type apply_ detach requires_grad_ share_memory_ items values keys get pop "
    "copy index count update split".split()
)
"""Members that modules, mappings, numbers, arrays or bundles of tensors have as well."""
_DEFINITE: Final = frozenset({"numpy", "tolist", "item"})
"""Members that a module does not have: `x.cpu().numpy()` proves that x is a tensor."""
_NOT_OF_ARRAYS: Final = frozenset({"unique", "unique_consecutive"})
"""Members that neither arrays nor numbers have, though data frames do."""
_OF_POSITIONS: Final = frozenset(
    {"squeeze", "flatten", "view", "reshape", "t", "tolist", "numel", "size", "unbind", "cpu"}
)
"""Members that the tensor which `nonzero` gives has, and the tuple of an array's doesn't."""


_SUMMARIES: Final = frozenset({"add_scalar", "add_scalars", "add_histogram", "add_audio"})
"""Methods of `SummaryWriter`, by TensorBoard and by others, that copy their second argument to the host."""


_OF_ARRAYS_ALONE: Final = frozenset({"astype", "isna", "isnull", "notna", "notnull"})
"""Methods of arrays, and of the tables and columns of pandas, that no tensor has."""


def method_call(frame: Frame, node: facts.Call, method: Method, args: ArgumentList, keywords: KeywordList) -> Value:
    receiver = method.receiver
    if method.name in _SUMMARIES and len(args) > 1 and isinstance(receiver, (Unknown, Instance)):
        printed(frame, node, f"tensorboard.{method.name}", args[1:2])
    if method.name in _OF_ARRAYS_ALONE and not isinstance(receiver, (Array, Instance, Choice)):
        # Neither a tensor nor a number has it, whatever the receiver was taken to be.
        return Array()
    if isinstance(receiver, Tensor):
        return _tensor_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Instance):
        return _instance_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Choice):
        given = [method_call(frame, node, method._replace(receiver=one), args, keywords) for one in receiver.options]
        return reduce(join, given)
    if isinstance(receiver, Unknown):
        return _unknown_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Items):
        return _items_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Mapping):
        return _mapping_method(frame, node, receiver, method.name, args, keywords)
    if isinstance(receiver, Text):
        if method.name == "format":
            return printed(frame, node, "str.format", formatted(frame, receiver, args, keywords))
        return Items("list", None, TEXT) if method.name.endswith("split") else TEXT
    if isinstance(receiver, Array):
        return _array_method(receiver, method.name, args, keywords)
    return UNKNOWN


def _receiver_node(node: facts.Call) -> facts.Expr | None:
    return node.func.value if isinstance(node.func, facts.Attr) else None


def _tensor_method(
    frame: Frame, node: facts.Call, receiver: Tensor, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    if name in _DEFINITE:
        _definite(frame, node)
    if name in _OF_POSITIONS:
        _counted(frame, node)
    if name in {"to", "cuda", "cpu", "type", "numpy", "copy_", "pin_memory", "type_as", "new_tensor"}:
        return transfer(frame, node, receiver, name, args, keywords)
    if not receiver.sure and name in {"items", "values", "keys"}:
        part = receiver._replace(ndim=None, dtype="")
        return Items("iterable", None, Items("tuple", (TEXT, part), UNKNOWN) if name == "items" else part)
    op = frame.context.ops.get("Tensor." + name)
    if op is None:
        return receiver._replace(ndim=None, dtype="", param=None) if not receiver.sure else UNKNOWN
    if not receiver.sure and (name in _NOT_OF_ARRAYS or (op.tensor_only and not op.is_property)):
        # Neither a number nor an array has such a method.
        receiver = receiver._replace(sure=True)
    value = operation(frame, node, op, args, keywords, receiver)
    if name == "tolist" and receiver.sure and receiver.ndim != 0:
        return Items("list", None, NUMBER if receiver.ndim in {None, 1} else UNKNOWN)
    if not isinstance(value, Tensor) or op.returns == "self":
        return value
    if name == "new" and args and all(_is_a_size(frame, expr, held) for expr, held in args):
        value = value._replace(ndim=len(args))
    # A member that bundles of tensors, numbers and modules have as well does not make sure what was not.
    sure = receiver.sure or name not in _SHARED
    return value if value.param is None and value.sure == sure else value._replace(param=None, sure=sure)


def _is_a_size(frame: Frame, node: facts.Expr, value: Value) -> bool:
    """A number, or what is calculated: no list of numbers, which `x.new` takes as well."""
    if not isinstance(value, Unknown) or not isinstance(node, facts.Binary):
        return isinstance(value, Number)
    sides = [(side, evaluate_silently(frame, side)) for side in (node.left, node.right)]
    return all(isinstance(held, (Unknown, Method)) or _is_a_size(frame, side, held) for side, held in sides)


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


def _counted(frame: Frame, node: facts.Call) -> None:
    """`x.nonzero().squeeze(1)`: that of an array would be a tuple."""
    inner = _receiver_node(node)
    if isinstance(inner, facts.Call) and isinstance(inner.func, facts.Attr) and inner.func.name == "nonzero":
        with frame.silently():
            value = evaluate(frame, inner.func.value)
        if isinstance(value, (Unknown, Method)) and frame.context.uses_torch:
            frame.emit("shape", "Tensor.nonzero", "", inner, subject=inner.func.value)


def _unknown_method(
    frame: Frame, node: facts.Call, receiver: Unknown, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    subject = _receiver_node(node)
    if name == "copy" and not args and not keywords:
        # Of a dictionary, a list or an array.
        return receiver
    if not frame.context.uses_torch:
        return UNKNOWN
    if name in _DEFINITE:
        _definite(frame, node)
    where = ANYWHERE if receiver.param is None or receiver.param.startswith(HELD) else of_param(receiver.param)
    if name in {"get", "pop"} and args and isinstance(args[0][1], Text) and args[0][1].const is not None:
        known = keys.load(frame, subject, args[0][1].const)
        if known is not None:
            return known
    if name in {"get", "pop", "setdefault"} and args:
        return Items("list", None, UNKNOWN) if len(args) == 2 and _is_list(args[1][1]) else UNKNOWN
    if name == "item" and not args and not keywords:
        frame.emit("read-back", "Tensor.item", "", node, subject=subject, device=where, confidence="likely")
        return NUMBER
    if name == "tolist" and not args:
        confidence = "possible" if frame.knows_arrays() else "likely"
        frame.emit("read-back", "Tensor.tolist", "", node, subject=subject, device=where, confidence=confidence)
        return UNKNOWN
    if name == "nonzero" and (keywords or not args):
        as_tuple = any(k == "as_tuple" for k, _, _ in keywords)
        confidence = "likely" if as_tuple or not frame.knows_arrays() else "possible"
        frame.emit("shape", "Tensor.nonzero", "", node, subject=subject, device=where, confidence=confidence)
        return Tensor(where, "int", 2) if not as_tuple else Items("tuple", None, Tensor(where, "int", 1))
    if name == "cpu" and not args:
        confidence = "possible" if _may_be_module(subject) and not _is_tensor_call(frame, subject) else "likely"
        frame.emit("read-back", "Tensor.cpu", "", node, subject=subject, device=where, confidence=confidence)
        return Tensor(CPU, sure=False)
    if name == "numpy" and not args:
        return Array()
    if name == "cuda":
        if is_taken_in(frame, node, keywords):
            moved_on(frame, node, DeviceValue(ACCELERATOR))
        return Tensor(ACCELERATOR, sure=False)
    if name == "to":
        device, _ = to_device(frame, args, keywords)
        if device is None:
            return receiver
        if only_host(device.device):
            confidence = "likely" if _is_tensor_call(frame, subject) else "possible"
            frame.emit("read-back", "Tensor.to", "to-host", node, subject=subject, confidence=confidence)
        elif is_taken_in(frame, node, keywords) or (
            brings_from_host(frame, keywords) and subject is not None and not is_model_name(subject)
        ):
            moved_on(frame, node, device)
        elif receiver.param is not None:
            transfer(frame, node, Tensor(of_param(receiver.param), sure=False), name, args, keywords)
        return Tensor(device.device, sure=False)
    if name in {"new_tensor"}:
        return transfer(frame, node, Tensor(ANYWHERE), name, args, keywords)
    if name == "step" and len(args) == 1 and not keywords and _text(subject).endswith("scaler"):
        scaler = frame.context.ops.get("torch.amp.GradScaler.step")
        # Only its name says what it is.
        return UNKNOWN if scaler is None else operation(frame, node, scaler, args, keywords, None, is_doubtful=True)
    if name in _SCALER_READS and not args and not keywords and _text(subject).endswith("scaler"):
        op = f"torch.amp.GradScaler.{name}"
        frame.emit("call", op, "", node, subject=subject, device=ACCELERATOR, confidence="likely")
        return Mapping((), UNKNOWN) if name == "state_dict" else NUMBER
    if name == "set_postfix":
        return printed(frame, node, "tqdm.set_postfix", [(n, v) for _, n, v in keywords] or args)
    if name in _LOG_METHODS and "log" in _text(subject):
        return printed(frame, node, f"logging.{name}", args)
    if name in {"parameters", "buffers"}:
        return Items("generator", None, Tensor(_of_module(receiver)))
    if name in {"named_parameters", "named_buffers"}:
        return Items("generator", None, Items("tuple", (TEXT, Tensor(_of_module(receiver))), UNKNOWN))
    if name in _DRAWS and (name.startswith("r") or _DISTRIBUTION.search(_text(subject))):
        # It lives where the parameters of what was handed in do.
        return Tensor(where)
    if name == "state_dict":
        return Mapping((), Tensor(ANYWHERE) if subject is not None and is_model_name(subject) else UNKNOWN)
    return UNKNOWN


_SCALER_READS: Final = frozenset({"get_scale", "state_dict"})
"""What reads the scale back, of what only its name says that it is a `GradScaler` (torch/amp/grad_scaler.py)."""
_MODULE_PART: Final = re.compile(
    r"(^|_)(layers?|blocks?|adapters?|pipe|pipeline|ema|student|teacher|agent|learner|trainer|wrapper|embedder|"
    r"projector|metrics?|lin|linear|conv|fc|mlp|clone|copy|obj|object|self|m)_?\d*$"
    r"|(models?|nets?|networks?|modules?|coder|former|checker)_?\d*$"
)
"""Names of parts of models, and of what may stand for anything."""


def _may_be_module(node: facts.Expr | None) -> bool:
    """Whether something that has a `cpu` of its own may be a module, by what it or what makes it is called."""
    if isinstance(node, facts.Subscript):
        return _may_be_module(node.value)
    if isinstance(node, facts.Call):
        return _may_be_module(node.func) or any(_may_be_module(arg) for arg in node.args)
    if isinstance(node, (facts.Name, facts.Attr)):
        name = node.id if isinstance(node, facts.Name) else node.name
        return is_model_name(node) or _MODULE_PART.search(name.lower()) is not None
    return True


def _of_module(receiver: Value) -> frozenset[str]:
    """Where the parameters live of what is known to be a module by what is asked of it."""
    if isinstance(receiver, Unknown) and receiver.param is not None and not receiver.derived:
        return of_param(receiver.param)
    return ANYWHERE


def _is_tensor_call(frame: Frame, node: facts.Expr | None) -> bool:
    """`x.softmax(-1).cpu()`: a module has no `softmax`, and an array has no `cpu`."""
    if not isinstance(node, facts.Call) or not isinstance(node.func, facts.Attr):
        return False
    name = node.func.name
    return name not in _SHARED and frame.context.ops.get("Tensor." + name) is not None


def _text(node: facts.Expr | None) -> str:
    while isinstance(node, facts.Attr):
        node = node.value if node.name == "self" else facts.Name(node.span, node.name)
    return node.id.lower() if isinstance(node, facts.Name) else ""


def _is_off(op: Op, receiver: Instance) -> bool:
    """Whether a method does not wait, because its object was made with what waits switched off."""
    switches = dict(receiver.options)
    if switches.get("enabled") is False:
        return True
    return switches.get("validate_args") is False and checks_only(op)


def _instance_method(
    frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    # What `forward` gives is up to each class, though that of the base class gives nothing.
    if receiver.name == MODULE_CLASS and (name in _MODULE_VALUES or name == "forward"):
        return _module_method(frame, node, receiver, name, args, keywords)
    if receiver.local:
        distribution = distribution_base(frame.context, receiver.name)
        if distribution is not None:
            value = method_of_base(frame, node, receiver, distribution, name, args, keywords)
            return _drawn(receiver, name, value)
    op = frame.context.ops.get(f"{receiver.name}.{name}") if not receiver.local else None
    # What is handed to one of numbers, such as the value of `log_prob`, is checked where it is.
    elsewhere = any(not only_host(tensor.device) for _, value in args for tensor in tensors_in(value))
    on_host = receiver.name.startswith(DISTRIBUTIONS) and only_host(receiver.device) and not elsewhere
    if op is not None and op.waits and (on_host or _is_off(op, receiver)):
        with frame.silently():
            return _drawn(receiver, name, operation(frame, node, op, args, keywords, None))
    if op is not None:
        is_doubtful = dict(receiver.options).get("enabled", True) is None
        return _drawn(receiver, name, operation(frame, node, op, args, keywords, None, is_doubtful=is_doubtful))
    if receiver.name == "logging.getLogger":
        return printed(frame, node, f"logging.{name}", args) if name in _LOG_METHODS else NOTHING
    module = receiver.name.startswith("torch.nn.") or (receiver.local and is_module_class(frame.context, receiver.name))
    if not module:
        if receiver.name.startswith("torch.distributions."):
            return _distribution_method(receiver, name, args)
        if receiver.local:
            return (
                _unknown_method(frame, node, UNKNOWN, name, args, keywords)
                if name in _DEFINITE | {"cpu", "to"}
                else UNKNOWN
            )
        return UNKNOWN
    return _module_method(frame, node, receiver, name, args, keywords)


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


_DRAWS: Final = frozenset({"sample", "rsample", "sample_n", "rsample_n"})
"""Methods of distributions that are told a shape and no tensor."""
_DISTRIBUTION: Final = re.compile(r"(^|_)(dist|distribution|prior|posterior)\d*$")
"""Names of distributions."""


def _drawn(receiver: Instance, name: str, value: Value) -> Value:
    """What a method of a distribution gives lives where its parameters do, unless an argument says otherwise."""
    if not isinstance(value, Tensor) or not (receiver.local or receiver.name.startswith(DISTRIBUTIONS)):
        return value
    if name not in _DRAWS and value.device != ANYWHERE:
        return value
    return value._replace(device=receiver.device, origin=tensor_by_default(receiver.device).origin or value.origin)


_MODULE_VALUES: Final = frozenset(
    "cuda to cpu parameters buffers named_parameters named_buffers state_dict modules children named_modules "
    "named_children".split()
)


def _module_method(
    frame: Frame, node: facts.Call, receiver: Instance, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """A method of an `nn.Module`."""
    if name in {"cuda", "to", "cpu"}:
        if name == "cpu":
            return receiver._replace(device=CPU)
        device, _ = to_device(frame, args, keywords)
        return receiver._replace(device=ACCELERATOR if name == "cuda" else device.device if device else receiver.device)
    if receiver.held is not None:
        inside = _of_container(frame, node, receiver, receiver.held, name, args)
        if inside is not None:
            return inside
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
        return instance_called(frame, node, receiver, args, keywords)
    return UNKNOWN


def _of_container(
    frame: Frame, node: facts.Call, receiver: Instance, held: Items | Mapping, name: str, args: ArgumentList
) -> Value | None:
    """A method of a container of modules that says what is in it; None for other methods."""
    values = [value for _, value in args]
    if isinstance(held, Mapping):
        if name not in {"items", "values", "keys"}:
            return None
        return _mapping_method(frame, node, Mapping((), module_in(receiver)), name, [], [])
    if name == "children":
        return Items("generator", None, module_in(receiver))
    if name in {"append", "insert"} and values:
        grown = _grown(frame, held, values[-1])
    elif name == "extend" and values:
        grown = _grown(frame, held, iterated(frame, values[0]))
    else:
        return None
    target = _receiver_node(node)
    if isinstance(target, (facts.Name, facts.Attr)):
        assign(frame, target, receiver._replace(held=grown))
    return receiver


def _distribution_method(receiver: Instance, name: str, args: ArgumentList) -> Value:
    if name in {"sample", "rsample", "log_prob", "entropy", "cdf", "icdf"}:
        return _drawn(receiver, name, Tensor(merged([t for _, v in args for t in tensors_in(v)]), ""))
    return UNKNOWN


def _items_method(
    frame: Frame, node: facts.Call, receiver: Items, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
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
        return sort_in_place(frame, node, node.func if target is None else target, receiver, keywords)
    return NUMBER if name in {"index", "count"} else UNKNOWN


def _grow(frame: Frame, target: facts.Expr | None, items: Items, value: Value) -> None:
    if isinstance(target, (facts.Name, facts.Attr, facts.Subscript)):
        assign(frame, target, _grown(frame, items, value))


def _grown(frame: Frame, items: Items, value: Value) -> Items:
    """A list with one more element."""
    element = (
        value
        if items.items == () or (items.items is None and isinstance(items.element, Unknown))
        else join(element_of(items), value)
    )
    if (
        items.items is not None
        and not frame.loops
        and not frame.quiet
        and len(items.items) < 32
        and items.kind == "list"
    ):
        return Items("list", (*items.items, value), UNKNOWN)
    return Items(items.kind, None, element)


def _or_list(held: Value, default: Value) -> Value:
    """What `table.get(key, default)` gives: of what nothing is known, it is a list as the one that stands in for it."""
    if isinstance(held, Unknown):
        return Items("list", None, UNKNOWN) if _is_list(default) else join(default, UNKNOWN)
    return join(held, default)


def _is_list(value: Value) -> bool:
    return isinstance(value, Items) and value.kind == "list"


def _mapping_method(
    frame: Frame, node: facts.Call, receiver: Mapping, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    if name in {"get", "pop", "setdefault"} and args:
        key = args[0][1]
        default = args[1][1] if len(args) > 1 else NOTHING
        if isinstance(key, Text) and key.const is not None:
            found = dict(receiver.items).get(key.const)
            if found is not None:
                return found
            known = keys.load(frame, _receiver_node(node), key.const)
            if known is not None:
                return known
            return _or_list(receiver.element, default)
        return _or_list(mapping_element(receiver), default)
    if name == "items":
        return Items("iterable", None, Items("tuple", (TEXT, mapping_element(receiver)), UNKNOWN))
    if name == "values":
        return Items("iterable", None, mapping_element(receiver))
    if name == "keys":
        return Items("iterable", None, TEXT)
    if name == "most_common":
        return Items("list", None, Items("tuple", (UNKNOWN, mapping_element(receiver)), UNKNOWN))
    if name == "copy":
        return receiver
    if name == "update" and (keywords or (args and isinstance(args[0][1], Mapping))):
        target = _receiver_node(node)
        if isinstance(target, (facts.Name, facts.Attr)):
            given = args[0][1] if args else receiver
            named = tuple([(key, value) for key, _, value in keywords if key is not None])
            assign(frame, target, merged_mappings(join(receiver, given), Mapping(named, UNKNOWN)))
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
