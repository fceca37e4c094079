"""Calls of what the scanned module defines, and of modules as functions."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.calls.callbacks import call_back
from hostsync.infer.calls.catalogued import called, flags
from hostsync.infer.calls.derived_distributions import method_of_base
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.image_transforms import MAKES_TENSORS, PACKAGE, tensor_of_picture, transformed
from hostsync.infer.calls.indexed import said_by_tables
from hostsync.infer.calls.library_objects import MODEL, TOKENIZER
from hostsync.infer.calls.metrics import metric_made, stands_for
from hostsync.infer.calls.module_containers import SEQUENTIAL
from hostsync.infer.calls.packed_sequences import PACKED
from hostsync.infer.calls.placing import lead, merged
from hostsync.infer.calls.prepared_loaders import passed_through
from hostsync.infer.classes import class_attribute, distribution_base, is_module_class
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, of_param
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame
from hostsync.infer.hints.annotations import MODULE_CLASS
from hostsync.infer.hints.loaders_and_models import SAMPLE
from hostsync.infer.hints.placeholders import without_placeholders
from hostsync.infer.joining import join
from hostsync.infer.linking.alternatives import has_alternatives, in_common
from hostsync.infer.linking.summaries import apply_effects, bind_arguments, is_abstract, returned, returned_in_full
from hostsync.infer.records import CallSite
from hostsync.infer.values import (
    ON_HOST,
    UNKNOWN,
    Callable,
    ClassRef,
    Instance,
    Items,
    Tensor,
    Unknown,
    Value,
    tensor_shaped,
    tensors_in,
)

WRAPPER: Final = "wrapper"
"""The class of what is called with a function and gives one that does the same, such as `torch.no_grad()`."""


def construct(frame: Frame, node: facts.Call, callee: ClassRef, args: ArgumentList, keywords: KeywordList) -> Value:
    """What the constructor of a class of the project gives."""
    init = class_attribute(frame.context, callee.name, "__init__", Instance(callee.name, True))
    if isinstance(init, Callable):
        told = bind_arguments(init.node, True, without_placeholders(args), keywords)
        _record_call(frame, node, init.symbol, told, frame.hot())
    made = metric_made(frame.context, Instance(callee.name, True), args, keywords)
    values = [*(value for _, value in args), *(value for _, _, value in keywords)]
    tensors = [tensor for value in values for tensor in tensors_in(value)]
    distribution = distribution_base(frame.context, callee.name)
    if distribution is not None and not isinstance(init, Callable) and _is_plain(frame, callee.name):
        method_of_base(frame, node, made, distribution, "__init__", args, keywords)
    if tensors and distribution is not None:
        return made._replace(device=merged(tensors), options=flags(keywords))
    return made


def _is_plain(frame: Frame, name: str) -> bool:
    """Whether all that a class is derived from are distributions: a base of another kind may make its objects anew."""
    return all(distribution_base(frame.context, info.name) is not None for info in frame.context.lineage(name))


def own_function(
    frame: Frame,
    node: facts.Expr,
    callee: Callable,
    args: ArgumentList,
    keywords: KeywordList,
    *,
    is_choice: bool = False,
) -> Value:
    """Call a function of the project; with `is_choice`, one of several that may be meant."""
    value = (said_by_tables(frame, node, callee, args, keywords) if isinstance(node, facts.Call) else None) or UNKNOWN
    for method in stands_for(frame.context, callee):
        takes_all = not method.symbol.endswith(".compute")
        value = own_function(
            frame, node, method, args if takes_all else [], keywords if takes_all else [], is_choice=is_choice
        )
    bindings = bind_arguments(callee.node, callee.bound is not None, args, keywords)
    called = callee.node
    if (
        isinstance(called, facts.Function)
        and called.decorators
        and any(_breaks_signature(d) for d in called.decorators)
    ):
        return UNKNOWN
    # Of several functions nobody says which is called each time.
    telling = without_placeholders(args)
    told = bindings if telling is args else bind_arguments(called, callee.bound is not None, telling, keywords)
    _record_call(frame, node, callee.symbol, told, None if is_choice else frame.hot(), callee.bound)
    given = returned_in_full(frame.context, callee, bindings)
    if has_alternatives(given):
        frame.either = None if is_choice else (node, given)
        given = in_common(given)
    value = passed_through(given, args) if isinstance(value, Unknown) else value
    if isinstance(called, facts.Function) and isinstance(value, Unknown) and is_abstract(called):
        value = _overriding(frame, callee, called, args, keywords)
    apply_effects(frame, callee, bindings)
    call_back(frame, node, callee, bindings)
    return explain(value, node)


def _overriding(
    frame: Frame, callee: Callable, called: facts.Function, args: ArgumentList, keywords: KeywordList
) -> Value:
    """What the methods give that classes of this module put in place of one that only raises an error."""
    context = frame.context
    own = context.classes.get(callee.owner) if callee.owner is not None else None
    found: Value | None = None
    if own is not None and frame.owner == own.name:
        own.wants.add(called.name)
        found = own.promised.get(called.name)
    # What a method gives may be worked out here for the first time, with the classes that it defines.
    for name, info in tuple(context.classes.items()):
        method = info.methods.get(called.name)
        if method is None or is_abstract(method) or callee.owner not in [base.name for base in context.lineage(name)]:
            continue
        other = Callable(method, f"{name}.{called.name}", Instance(name, True), name)
        value = returned(context, other, bind_arguments(method, True, args, keywords))
        found = value if found is None else join(found, value)
    return UNKNOWN if found is None else found


def _record_call(
    frame: Frame,
    node: facts.Expr,
    symbol: str,
    bindings: Mapping_[str, Value],
    hot: str | None,
    receiver: Value | None = None,
) -> None:
    if frame.loud and not _tests_itself(frame):
        site = new(CallSite, (frame.symbol, bindings, node.span, hot, receiver))
        frame.context.calls.setdefault(symbol, []).append(site)


def _tests_itself(frame: Frame) -> bool:
    """`def test():` in a module that others use, too: it hands in whatever is handy, as the tests of a project do."""
    node = frame.function
    is_named = node is not None and not node.params and frame.symbol.startswith(("test", "_test"))
    return is_named and bool(frame.context.asked)


def _breaks_signature(decorator: facts.Expr) -> bool:
    node = decorator.func if isinstance(decorator, facts.Call) else decorator
    name = node.id if isinstance(node, facts.Name) else node.name if isinstance(node, facts.Attr) else ""
    return name in {"vmap", "fixture"}


def instance_called(
    frame: Frame, node: facts.Call, callee: Instance, args: ArgumentList, keywords: KeywordList
) -> Value:
    """What an object that is called gives: a module, or whatever has `__call__`."""
    if callee.local:
        for name in ("forward", "__call__"):
            method = class_attribute(frame.context, callee.name, name, callee)
            if isinstance(method, Callable):
                return own_function(frame, node, method, args, keywords)
        if not is_module_class(frame.context, callee.name):
            return UNKNOWN
    if callee.name == MAKES_TENSORS:
        return tensor_of_picture(frame, node)
    if callee.name.startswith(PACKAGE):
        return transformed(frame, node, callee.name, args, keywords)
    if callee == ON_HOST:
        # A method of it, or of a part of it.
        return ON_HOST
    if callee.name == TOKENIZER:
        return SAMPLE
    if callee.name == WRAPPER:
        return args[0][1] if args else UNKNOWN
    if callee.name == SEQUENTIAL and isinstance(callee.held, Items) and callee.held.items and len(args) == 1:
        return _one_after_another(frame, node, callee.held.items, args[0])
    tensors = [t for _, value in args for t in tensors_in(value)] or _handed_on(callee, args)
    device = callee.device if callee.device != ANYWHERE else merged(tensors)
    if device != ACCELERATOR and tensors:
        device = merged(tensors)
    if callee.name in {MODULE_CLASS, MODEL} or callee.local:
        return explain(Tensor(device, sure=False, origin=lead(tensors)), node)
    if callee.name.startswith("torch.nn."):
        called(frame, node, callee.name, args, keywords)
        last = callee.name.rpartition(".")[2]
        first = tensors[0].ndim if tensors else None
        if last.endswith("Loss"):
            ndim = None if tensors and first is None else 0
            return explain(Tensor(device, "float", ndim, origin=lead(tensors)), node)
        tensor = Tensor(device, "float", origin=lead(tensors))
        if last in {"LSTM", "GRU", "RNN", "MultiheadAttention"}:
            if args and isinstance(args[0][1], Instance) and args[0][1].name == PACKED:
                state = tensor._replace(device=args[0][1].device)
                return Items("tuple", (args[0][1], Items("tuple", None, state) if last == "LSTM" else state), UNKNOWN)
            return Items("tuple", None, tensor)
        if last in {"Embedding"}:
            return explain(tensor, node)
        if tensors and last not in _CONTAINERS:
            return explain(tensor_shaped(tensor, first), node)
        return explain(tensor._replace(sure=bool(tensors) and last == "Sequential"), node)
    return UNKNOWN


_CONTAINERS: Final = frozenset({"Sequential", "ModuleList", "ModuleDict", "DataParallel"})


def _handed_on(callee: Instance, args: ArgumentList) -> list[Tensor]:
    """What a layer of torch is handed where that is a parameter of the function: a tensor, wherever it lives."""
    if not callee.name.startswith("torch.nn.") or callee.name.rpartition(".")[2] in _CONTAINERS or not args:
        return []
    value = args[0][1]
    if not isinstance(value, Unknown) or value.derived or value.param is None:
        return []
    return [Tensor(of_param(value.param))]


def _one_after_another(
    frame: Frame, node: facts.Call, modules: Sequence[Value], given: tuple[facts.Expr, Value]
) -> Value:
    """What the modules of a `Sequential` make of a value."""
    expr, value = given
    for module in modules:
        called = module if isinstance(module, Instance) else Instance(MODULE_CLASS, False)
        value = instance_called(frame, node, called, [(expr, value)], [])
    return value
