"""Methods of what is not known: what the method, or the name of its receiver, says that it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from hostsync import facts
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.copies import to_device, transfer
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList, printed
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.calls.placing import merged
from hostsync.infer.calls.taken_in import brings_from_host, is_result, is_taken_in, moved_on
from hostsync.infer.classes import DRAWS
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, of_param, only_host
from hostsync.infer.frame import Frame
from hostsync.infer.hints import keys
from hostsync.infer.hints.defaults import is_host
from hostsync.infer.hints.loaders_and_models import is_model_name
from hostsync.infer.hints.tensor_index import is_tensor_index
from hostsync.infer.methods import hugging_face
from hostsync.infer.methods.asked import Asked, called
from hostsync.infer.methods.containers import is_list
from hostsync.infer.methods.tensors import DEFINITE, OF_MODULES, SHARED, definite, tensors_of_module
from hostsync.infer.nodes import last_name, receiver_node
from hostsync.infer.values import (
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    DeviceValue,
    Items,
    Mapping,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)

LOG_METHODS: Final = frozenset(
    ["info", "debug", "warning", "error", "critical", "exception", "warning_once", "warn", "log"]
)


def unknown_method(
    frame: Frame, node: facts.Call, receiver: Unknown, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Methods of what nothing is known of: some have names that tell."""
    if name == "copy" and not args and not keywords:
        # Of a dictionary, a list or an array; only the last has several dimensions.
        subject = receiver_node(node)
        return Array() if isinstance(subject, facts.Subscript) and is_tensor_index(subject.key) else receiver
    if receiver.is_data:
        return Items("iterable", None, Items("tuple", (TEXT, receiver), UNKNOWN)) if name == "items" else receiver
    if not frame.context.uses_torch:
        return _brought_to_host(frame, node, receiver, name)
    if receiver.apart_from is not None and name in _READING:
        return UNKNOWN
    if name in DEFINITE:
        definite(frame, node)
    symbol = OPERATOR_METHODS.get(name)
    if symbol is not None and args and isinstance(args[0][1], Tensor) and args[0][1].sure:
        return operator_result(symbol, receiver, args[0][1])
    subject, answer = receiver_node(node), _ANSWERS.get(name)
    may_scale = called(subject).endswith("scaler")
    if answer is None and not may_scale:
        return UNKNOWN
    asked = Asked(frame, node, receiver, name, args, keywords, subject)
    found = _of_scaler(asked) if may_scale else None
    if found is None and answer is not None:
        found = answer(asked)
    return UNKNOWN if found is None else found


def _brought_to_host(frame: Frame, node: facts.Call, receiver: Unknown, name: str) -> Value:
    """`x.detach().cpu()` and `x.cpu().detach()`, in a file that imports no torch: only a tensor has both."""
    subject = receiver_node(node)
    if name not in _BRINGING or node.args or node.keywords or not isinstance(subject, facts.Call):
        return UNKNOWN
    before = subject.func.name if isinstance(subject.func, facts.Attr) and not subject.args else ""
    if before == name or before not in _BRINGING or receiver.apart_from is not None:
        return UNKNOWN
    where = ANYWHERE if receiver.param is None else of_param(receiver.param)
    copied = node if name == "cpu" else subject
    frame.emit("read-back", "Tensor.cpu", "", copied, subject=receiver_node(copied), device=where, confidence="likely")
    return Tensor(CPU, sure=False)


_BRINGING: Final = frozenset({"cpu", "detach"})


def _of_scaler(asked: Asked) -> Value | None:
    """What waits of the methods of a `GradScaler`, which only its name says that it is."""
    op = asked.frame.context.ops.get(f"torch.amp.GradScaler.{asked.name}")
    # Other scalers are told data.
    as_there = not asked.keywords and len(asked.args) == (1 if asked.name == "step" else 0)
    if op is None or not op.waits or not as_there:
        return None
    made = operation(asked.frame, asked.node, op, asked.args, asked.keywords, None, at_most="likely")
    return Mapping((), UNKNOWN) if asked.name == "state_dict" else made


def _looked_up(asked: Asked) -> Value | None:
    """`table.get(key)`."""
    if not asked.args:
        return None
    key = asked.args[0][1]
    # Where a number stands for what is missing, what is there is one, too.
    is_number = len(asked.args) == 2 and isinstance(asked.args[1][1], Number)
    if asked.name != "setdefault" and isinstance(key, Text) and key.const is not None and not is_number:
        known = keys.load(asked.frame, asked.subject, key.const)
        if known is not None:
            return known
    return Items("list", None, UNKNOWN) if len(asked.args) == 2 and is_list(asked.args[1][1]) else UNKNOWN


def _item(asked: Asked) -> Value | None:
    if asked.args or asked.keywords:
        return None
    _read_back(asked, "Tensor.item", "likely")
    return NUMBER


def _tolist(asked: Asked) -> Value | None:
    if not asked.args:
        _read_back(asked, "Tensor.tolist", "possible" if asked.frame.knows_arrays() else "likely")
    return None


def _read_back(asked: Asked, op: str, confidence: str) -> None:
    where = asked.where()
    asked.frame.emit("read-back", op, "", asked.node, subject=asked.subject, device=where, confidence=confidence)


def _nonzero(asked: Asked) -> Value | None:
    if asked.args and not asked.keywords:
        return None
    frame, where = asked.frame, asked.where()
    as_tuple = any(name == "as_tuple" for name, _, _ in asked.keywords)
    confidence = "likely" if as_tuple or not frame.knows_arrays() else "possible"
    frame.emit("shape", "Tensor.nonzero", "", asked.node, subject=asked.subject, device=where, confidence=confidence)
    return Items("tuple", None, Tensor(where, "int", 1)) if as_tuple else Tensor(where, "int", 2)


def _cpu(asked: Asked) -> Value | None:
    if asked.args:
        return None
    is_doubtful = _may_be_module(asked.subject) and not _is_tensor_call(asked.frame, asked.subject)
    _read_back(asked, "Tensor.cpu", "possible" if is_doubtful else "likely")
    return Tensor(CPU, sure=False)


def _numpy(asked: Asked) -> Value | None:
    return None if asked.args else Array()


def _cuda(asked: Asked) -> Value:
    if is_taken_in(asked.frame, asked.node, asked.keywords):
        moved_on(asked.frame, asked.node, DeviceValue(ACCELERATOR))
    return Tensor(ACCELERATOR, sure=False)


def _to(asked: Asked) -> Value:
    frame, node, receiver, name, args, keywords, subject = asked
    device, _ = to_device(frame, args, keywords)
    if device is None:
        return receiver
    if only_host(device.device):
        # Where its object works a value may be already; who names the CPU has seen it elsewhere, as for `x.cpu()`.
        is_named = any(
            is_host(arg) or "cpu" in last_name(arg) for arg in (*node.args, *[k.value for k in node.keywords])
        )
        is_fetched = is_named and not _may_be_module(subject)
        confidence = "likely" if is_fetched or _is_tensor_call(frame, subject) else "possible"
        if "other" not in device.device:
            frame.emit("read-back", "Tensor.to", "to-host", node, subject=subject, confidence=confidence)
    elif is_taken_in(frame, node, keywords) or (
        brings_from_host(frame, keywords)
        and subject is not None
        and not is_model_name(subject)
        and not is_result(subject)
    ):
        moved_on(frame, node, device)
    elif receiver.param is not None:
        transfer(frame, node, Tensor(of_param(receiver.param), sure=False), name, args, keywords)
    return Tensor(device.device, sure=False)


def _new_tensor(asked: Asked) -> Value:
    return transfer(asked.frame, asked.node, Tensor(ANYWHERE), asked.name, asked.args, asked.keywords)


def _progress(asked: Asked) -> Value:
    shown = [(node, value) for _, node, value in asked.keywords] or asked.args
    return printed(asked.frame, asked.node, "tqdm.set_postfix", shown)


def _logged(asked: Asked) -> Value | None:
    if "log" not in called(asked.subject):
        return None
    return printed(asked.frame, asked.node, f"logging.{asked.name}", asked.args)


def _state(asked: Asked) -> Value:
    subject = asked.subject
    has_tensors = subject is not None and (is_model_name(subject) or _OPTIMIZER.search(last_name(subject)))
    return Mapping((), Tensor(ANYWHERE) if has_tensors else UNKNOWN)


_OPTIMIZER: Final = re.compile(r"(?i)(^|_)(optimi[sz]er|optim)(_?\d+|_[a-z])?$")
"""What keeps something of each parameter, beside it (but for `SGD` without momentum)."""


def _tensors(asked: Asked) -> Value:
    return tensors_of_module(asked.name, Tensor(_of_module(asked.receiver)))


def _draw(asked: Asked) -> Value | None:
    """It lives where the parameters of what was handed in do."""
    is_distribution = asked.name.startswith("r") or _DISTRIBUTION.search(called(asked.subject))
    return Tensor(asked.where()) if is_distribution else None


def _log_prob(asked: Asked) -> Value | None:
    """Of what is called a distribution: whichever it is, it checks the value."""
    if len(asked.args) != 1 or asked.keywords or not _CHECKING.search(called(asked.subject)):
        return None
    tensors = tensors_in(asked.args[0][1])
    where = merged(tensors) if tensors else asked.where()
    asked.waits("torch.distributions.Distribution.log_prob", where)
    return Tensor(where, "float")


OPERATOR_METHODS: Final = MappingProxyType(
    {
        name + suffix: symbol
        for symbol, names in {
            "+": "add",
            "-": "sub",
            "*": "mul",
            "/": "div true_divide",
            "@": "matmul mm bmm",
            "==": "eq",
            "!=": "ne",
            "<": "lt",
            "<=": "le",
            ">": "gt",
            ">=": "ge",
        }.items()
        for name in names.split()
        for suffix in ("", "_")
    }
)
"""Methods that do what an operator does. What has one of them and is handed a tensor is one."""


_ANSWERS: Final[dict[str, Callable[[Asked], Value | None]]] = {
    "item": _item,
    "tolist": _tolist,
    "nonzero": _nonzero,
    "cpu": _cpu,
    "numpy": _numpy,
    "cuda": _cuda,
    "to": _to,
    "new_tensor": _new_tensor,
    "set_postfix": _progress,
    "state_dict": _state,
    **dict.fromkeys(("get", "pop", "setdefault"), _looked_up),
    **dict.fromkeys(LOG_METHODS, _logged),
    **dict.fromkeys(OF_MODULES, _tensors),
    **dict.fromkeys(DRAWS, _draw),
    "log_prob": _log_prob,
    **hugging_face.ANSWERS,
}
"""By method, what it gives; None for what is not known."""


_READING: Final = DEFINITE | {"nonzero"}
"""Methods by which what was found to be no tensor says nothing of one: arrays have them as well."""


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
        return not _is_output(node) and (_may_be_module(node.func) or any(_may_be_module(arg) for arg in node.args))
    if isinstance(node, (facts.Name, facts.Attr)):
        name = node.id if isinstance(node, facts.Name) else node.name
        return is_model_name(node) or _MODULE_PART.search(name.lower()) is not None
    return True


def _is_output(node: facts.Call) -> bool:
    """`net(x)`: what a model gives, and not what makes one, such as `build_net(x)` or `Net(x)`."""
    name = last_name(node.func)
    return is_model_name(node.func) and name.islower() and _MAKER.search(name) is None and bool(node.args)


_MAKER: Final = re.compile(
    r"^_?(build|clone|copy|create|deepcopy|export|from|get|init|load|make|new|prepare|setup|to|unwrap)(_|$)"
)
"""Begins the names of functions that make or hand out a model."""


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
    return name not in SHARED and frame.context.ops.get("Tensor." + name) is not None


_DISTRIBUTION: Final = re.compile(r"(^|_)(dists?|distribs?|distributions?|prior|posterior)\d*$")
"""Names of distributions."""
_CHECKING: Final = re.compile(r"(^|_)(dists?|distribs?|distributions?)(_|\d|$)|^[pq]_?[a-z]\d?$")
"""Those that are torch's as a rule: priors and posteriors are of classes of their own, which check nothing. `qz` and
`p_x` are the distributions of an autoencoder."""
