"""Transfer functions of calls: what is called decides which piece of knowledge answers."""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.attributes import attribute
from hostsync.infer.calls.callbacks import called_back, note_callback
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.library import library_call
from hostsync.infer.calls.library_objects import MODEL, TOKENIZER
from hostsync.infer.calls.own_calls import construct, instance_called, own_function
from hostsync.infer.calls.placing import device_of, lead, merged
from hostsync.infer.calls.prepared_loaders import prepared
from hostsync.infer.classes import is_module_class, is_of_library
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, is_certain
from hostsync.infer.explaining import as_tensor, explain
from hostsync.infer.frame import EVALUATORS, Frame, evaluate
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.hints.evidence_of_calls import proves_tensor
from hostsync.infer.hints.keys import LOGGERS
from hostsync.infer.hints.loaders_and_models import NAMED_LOADER, SAMPLE, is_model_name
from hostsync.infer.hints.running_values import note_fed
from hostsync.infer.joining import join
from hostsync.infer.linking.handed import name_of, note_asked, note_call
from hostsync.infer.linking.plain import is_foreign
from hostsync.infer.methods.dispatch import method_call
from hostsync.infer.methods.hugging_face import masks_tokens
from hostsync.infer.methods.lightning import PREDICTIONS, logs_number, predicted
from hostsync.infer.methods.objects import register_state
from hostsync.infer.nodes import is_number, last_name
from hostsync.infer.values import (
    ON_HOST,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    ClassRef,
    Instance,
    Mapping,
    Method,
    Nothing,
    Number,
    Partial,
    Ref,
    Tensor,
    Text,
    TypeOf,
    Unknown,
    Value,
    tensor_at,
    tensors_in,
)

_OF_ARRAYS: Final = frozenset(
    "abs all any argmax argmin argsort bmm ceil clone cross cummax cummin cumprod cumsum diag diff eq flatten "
    "flip floor ge gt le log_softmax lt matmul max mean median min mm mul ne neg nonzero norm pow prod ravel "
    "reciprocal remainder repeat reshape roll round sign softmax square squeeze std sum t tile trace transpose "
    "unique var view".split()
)
"""What tensors share with arrays: where there are no arrays, only a tensor has them."""
_RESHAPING: Final = frozenset("copy flatten ravel repeat reshape round squeeze swapaxes transpose".split())
"""Methods that give an array where they are called of one."""


def _call(frame: Frame, node: facts.Call) -> Value:
    value = _result(frame, node)
    if type(value) is not Unknown or not frame.context.uses_torch:
        return value
    return _by_name(value, node.func, last_name(node.func).lower())


def _by_name(value: Value, func: facts.Expr, name: str) -> Value:
    """What a call gives of which nothing but the name of the function is known."""
    if name == "predict" and isinstance(func, facts.Attr) and _gives_trainer(func.value):
        return PREDICTIONS
    if _MAKES_LOADER.search(name):
        return NAMED_LOADER
    if _MAKES_ARRAY.search(name):
        return Array()
    return SAMPLE if name == "tokenize" or name.endswith("tokenizer") else value


def _gives_trainer(node: facts.Expr) -> bool:
    if isinstance(node, facts.Call):
        node = node.func
    return last_name(node).lower().endswith("trainer")


_MAKES_LOADER: Final = re.compile(r"data_?loader|_loader$")
_MAKES_ARRAY: Final = re.compile(r"(^|_|2|to|as)(numpy|np|ndarray)$")


def _result(frame: Frame, node: facts.Call) -> Value:
    func = node.func
    receiver: Value | None = None
    if isinstance(func, facts.Attr):
        part = _part_in(func.value) if func.name == "astype" else None
        if part is not None:
            return _part_of_array(frame, node, func.value, part)
        callee, receiver = _member(frame, node, func)
    else:
        callee = evaluate(frame, func)
    # The rows, columns and groups that `table.apply(lambda row: …)` hands out are on the host as it is.
    handed = _handed_parts if callee == ON_HOST else evaluate
    logs = frame.logs
    if node.args and last_name(func) in LOGGERS:
        frame.logs = True
    args: ArgumentList = [(arg, handed(frame, arg)) for arg in node.args] if node.args else []
    frame.logs = logs
    keywords: KeywordList = []
    is_unpacked = has_mask = False
    for key, expr in node.keywords:
        keywords.append((key, expr, handed(frame, expr)))
        is_unpacked = is_unpacked or key is None
        has_mask = has_mask or key == "attention_mask"
    if is_unpacked:
        keywords = _unpacked(keywords)
    if args and type(receiver) is Instance:
        note_fed(frame, node, receiver, args[0][1])
    if type(receiver) is Instance and receiver.local and isinstance(func, facts.Attr):
        logs_number(frame, node, receiver, callee, func.name, args, keywords)
    if frame.sink is not None and frame.setup and receiver is not None:
        register_state(frame, receiver, args, keywords)
    made = prepared(node, args, keywords) if args else None
    if made is not None:
        return made
    kind = type(callee)
    if kind is Partial:
        callee, receiver, args, keywords = _with_fixed(callee, args, keywords)
        kind = type(callee)
    if (kind is Unknown or kind is Method) and args:
        tensors = [t for _, value in args for t in tensors_in(value)]
        if tensors and is_certain(merged(tensors)) and is_model_name(node.func):
            return explain(Tensor(ACCELERATOR, sure=False, origin=lead(tensors)), node)
    if (has_mask or is_unpacked) and _may_be_model(callee):
        is_known = isinstance(callee, Instance) and callee.name == MODEL
        masks_tokens(frame, node, args, keywords, is_model=is_known or is_model_name(node.func))
    if keywords and (kind is Unknown or kind is Method or _is_tokenizer(callee)):
        bundle = _tokenized(keywords)
        if bundle is not None:
            return explain(bundle, node)
    if _is_of_host(callee, args, keywords):
        return Array()
    if isinstance(callee, Method):
        name = name_of(callee.receiver if receiver is None else receiver)
        if name and frame.loud:
            note_asked(frame, receiver, callee.name)
            if args or keywords:
                note_call(frame, node, name, callee.name, args, keywords)
        return method_call(frame, node, callee, args, keywords)
    if isinstance(callee, Unknown) and receiver is None:
        note_callback(frame, callee, [value for _, value in args])
        # What an optimizer is handed to work out the loss anew.
        return Tensor(ANYWHERE, ndim=0) if isinstance(func, facts.Name) and func.id == "closure" else UNKNOWN
    if isinstance(callee, Ref):
        return library_call(frame, node, callee.name, args, keywords)
    if isinstance(callee, Callable):
        given = own_function(frame, node, callee, args, keywords)
        if is_foreign(callee.symbol):
            given = predicted(callee) or given
        bundle = _tokenized(keywords) if keywords else None
        if bundle is not None and isinstance(given, Tensor) and given.device == ANYWHERE:
            # Of a tokenizer that a class of the project stands for, such as a protocol, that is all that it says.
            return tensor_at(given, bundle.device, given.origin)
        return explain(bundle, node) if bundle is not None and isinstance(given, Unknown) else given
    if isinstance(callee, Choice):
        return _chosen(frame, node, callee, args, keywords)
    if isinstance(callee, ClassRef):
        return construct(frame, node, callee, args, keywords)
    if isinstance(callee, TypeOf):
        return explain(callee.value, node)
    if isinstance(callee, Instance):
        return instance_called(frame, node, callee, args, keywords)
    if isinstance(callee, Tensor) and not callee.sure:
        return callee._replace(ndim=None, dtype="", param=None)
    if receiver is not None and isinstance(func, facts.Attr):
        return method_call(frame, node, Method(receiver, func.name), args, keywords)
    return UNKNOWN


def _handed_parts(frame: Frame, node: facts.Expr) -> Value:
    """The value of an argument; what a lambda is handed counts as data of the host."""
    if not isinstance(node, facts.Lambda):
        return evaluate(frame, node)
    with frame.silently():
        value = evaluate(frame, node)
    called_back(frame, node, value, [ON_HOST] * len(node.params))
    return value


def _is_tokenizer(callee: Value) -> bool:
    return isinstance(callee, Instance) and callee.name == TOKENIZER


def _may_be_model(callee: Value) -> bool:
    """Whether something may be a model of another library; one that was moved counts as a tensor until it is called."""
    if isinstance(callee, Instance):
        return not callee.local
    return isinstance(callee, (Unknown, Method)) or (isinstance(callee, Tensor) and not callee.sure)


def _part_in(node: facts.Expr) -> facts.Subscript | None:
    """The `x[mask]` in `x[mask].reshape(-1)`, and so on."""
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _RESHAPING:
        node = node.func.value
    return node if isinstance(node, facts.Subscript) else None


def _part_of_array(frame: Frame, node: facts.Call, whole: facts.Expr, part: facts.Subscript) -> Value:
    """`x[mask].astype(int)`: no tensor has such a method, so neither that nor what it is taken from is one."""
    evaluate(frame, part.value)
    with frame.silently():
        for argument in (whole, *node.args):
            evaluate(frame, argument)
    return Array()


def _is_of_host(callee: Value, args: ArgumentList, keywords: KeywordList) -> bool:
    """Whether something unknown is handed arrays, and nothing that may be elsewhere: what it gives is on the host."""
    if isinstance(callee, Method):
        callee = callee.receiver
        if isinstance(callee, Instance) and not callee.local:
            return False
    if not isinstance(callee, (Unknown, Method, Instance)) or not _holds_array(args):
        return False
    values = [*(value for _, value in args), *(value for _, _, value in keywords)]
    return all(isinstance(value, (Array, Number, Text, Nothing)) for value in values)


def _holds_array(args: ArgumentList) -> bool:
    for _, value in args:  # noqa: SIM110  (a loop costs less than a generator here)
        if isinstance(value, Array):
            return True
    return False


def _chosen(frame: Frame, node: facts.Call, callee: Choice, args: ArgumentList, keywords: KeywordList) -> Value:
    """What one of several functions, classes or modules gives. Some of torch may be gone from it: they tell nothing."""
    found: Value | None = None
    names = [option.name for option in callee.options if isinstance(option, Ref)]
    for option in callee.options:
        value: Value
        if isinstance(option, Callable):
            value = own_function(frame, node, option, args, keywords, is_choice=True)
        elif isinstance(option, ClassRef):
            value = construct(frame, node, option, args, keywords)
        elif isinstance(option, Instance):
            value = instance_called(frame, node, option, args, keywords)
        else:
            # What is waited for depends on the arguments, which here are those of another function, too.
            is_rare = _waits_by_arguments(frame, option.name) and not all(_waits_at_all(frame, name) for name in names)
            rare = frame.rare
            frame.rare += is_rare
            value = library_call(frame, node, option.name, args, keywords)
            frame.rare = rare
            if isinstance(value, Unknown):
                continue
        found = value if found is None else join(found, value)
    return UNKNOWN if found is None else found


def _waits_at_all(frame: Frame, name: str) -> bool:
    op = frame.context.ops.get(name)
    return op is not None and bool(op.waits)


def _waits_by_arguments(frame: Frame, name: str) -> bool:
    """Whether an operation waits for some arguments only."""
    op = frame.context.ops.get(name)
    return op is not None and bool(op.waits) and all(wait.tests for wait in op.waits)


def _tokenized(keywords: KeywordList) -> Tensor | None:
    """What a tokenizer or processor makes of text and images: a bundle of tensors, on the CPU unless it is told where.

    Source: the documentation of `return_tensors` in transformers, "PreTrainedTokenizerBase.__call__".
    """
    device = CPU
    asked = False
    for name, _, value in keywords:
        if name == "return_tensors":
            asked = isinstance(value, Text) and value.const == "pt"
        elif name == "device":
            device = device_of(value).device
    return Tensor(device, sure=False) if asked else None


def _unpacked(keywords: KeywordList) -> KeywordList:
    """Keyword arguments with what is known of `**options` written out. As there may be more in it, it stays as well."""
    given = {name for name, _, _ in keywords if name is not None}
    found: KeywordList = []
    for keyword in keywords:
        name, node, value = keyword
        if name is None and isinstance(value, Mapping):
            found += [(key, node, held) for key, held in value.items if key not in given]
        found.append(keyword)
    return found


def _with_fixed(
    callee: Value, args: ArgumentList, keywords: KeywordList
) -> tuple[Value, None, ArgumentList, KeywordList]:
    """What a partial calls in the end, and with which arguments."""
    while isinstance(callee, Partial):
        given = {name for name, _, _ in keywords}
        args = [*callee.args, *args]
        keywords = [*(keyword for keyword in callee.keywords if keyword[0] not in given), *keywords]
        callee = callee.callee
    return callee, None, args, keywords


def _member(frame: Frame, node: facts.Call, func: facts.Attr) -> tuple[Value, Value]:
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
    if isinstance(receiver, Method) and isinstance(receiver.receiver, Array):
        # `np.finfo(np.float32).eps.item()`: nothing of NumPy leads to a tensor.
        receiver = receiver.receiver
    if isinstance(receiver, Tensor):
        return new(Method, (receiver, func.name)), receiver
    if isinstance(receiver, (Unknown, Method)):
        op = frame.context.ops.get("Tensor." + func.name)
        if (
            op is not None
            and frame.context.uses_torch
            and (
                (op.tensor_only and not op.is_property)
                or (
                    func.name in _OF_ARRAYS
                    and not frame.knows_arrays()
                    and not frame.context.has_tables()
                    and _fits(node, func.name)
                )
                or proves_tensor(node, frame.context.ops)
                # Arrays and modules are turned into floats, and nothing but a tensor into integers so.
                or (func.name == "long" and not node.args and not node.keywords)
            )
        ):
            tensor = as_tensor(receiver) if isinstance(receiver, Unknown) else Tensor(ANYWHERE)
            return Method(tensor, func.name), tensor
        return new(Method, (UNKNOWN if isinstance(receiver, Method) else receiver, func.name)), receiver
    return attribute(frame, receiver, func.name), receiver


def _fits(node: facts.Call, name: str) -> bool:
    """Whether a method of tensors may be called so: `dataset.unique("label")` and a layer's `norm(x)` are none."""
    if name == "norm":
        return all(map(is_number, node.args))
    return not (node.args and isinstance(node.args[0], facts.Const) and node.args[0].kind == "str")


def _of_super(frame: Frame, name: str) -> Value:
    assert frame.owner is not None
    for info in () if is_of_library(frame.context, frame.owner, name) else frame.context.lineage(frame.owner)[1:]:
        method = info.methods.get(name)
        if method is not None:
            return Callable(method, f"{info.name}.{name}", frame.bound, info.name)
    if name in {"forward", "__call__"}:
        # Of a library's class: not the method that calls it.
        bases = [base for info in frame.context.lineage(frame.owner) for base in info.bases]
        named = [base.name for base in bases if isinstance(base, Ref)]
        known = [base for base in named if base.startswith("torch.nn.")]
        if name == "__call__" and named and not is_module_class(frame.context, frame.owner):
            return UNKNOWN
        return Method(Instance(known[0] if known else MODULE_CLASS, False), "forward")
    return Method(frame.bound if frame.bound is not None else UNKNOWN, name)


EVALUATORS[facts.Call] = _call
