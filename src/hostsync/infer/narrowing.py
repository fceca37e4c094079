"""What a test that came out one way says about the values in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from hostsync import facts
from hostsync.infer.classes import is_module_class
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, MOVES, is_certain, of_param, only_host
from hostsync.infer.elsewhere import AskedPlace, asked_place, called
from hostsync.infer.frame import Frame, evaluate
from hostsync.infer.hints import dimensions
from hostsync.infer.hints.annotations import MODULE_CLASS, from_annotation
from hostsync.infer.nodes import COMPARISONS, OF_SOME, dotted_path, last_name
from hostsync.infer.values import (
    NO_CUDA,
    NOTHING,
    NUMBER,
    ON_HOST,
    UNKNOWN,
    Array,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
)

_OTHER_KINDS: Final = (Number, Text, Array, Items, Mapping)
"""What else an argument may be that is a tensor: what is none of these is the tensor."""
_MEMBERSHIPS: Final = frozenset({"in", "not in"})


def narrow(frame: Frame, test: facts.Expr, truth: bool) -> None:
    """Refine what is known, given that `test` came out as `truth`."""
    if isinstance(test, facts.Unary) and test.op == "not":
        narrow(frame, test.operand, not truth)
    elif isinstance(test, facts.Logical):
        if (test.op == "and") == truth:
            for part in test.values:
                narrow(frame, part, truth)
        elif test.op == "and" and isinstance(_place_asked(frame, test), Tensor):
            narrow(frame, test.values[-1], False)
    elif isinstance(test, facts.Compare) and len(test.ops) == 1:
        _comparison(frame, test, truth)
    elif isinstance(test, facts.Call):
        _call(frame, test, truth)
    elif isinstance(test, facts.Name) and test.id in frame.tests:
        narrow(frame, frame.tests[test.id][1], truth)
    elif isinstance(test, facts.Name) and not truth:
        _set_empty(frame, test)
    elif isinstance(test, facts.Attr) and test.name in {"is_cuda", "is_cpu"}:
        _set_device(frame, test.value, (test.name == "is_cuda") == truth)


def _place_asked(frame: Frame, test: facts.Logical) -> Value | None:
    """What `x` of `isinstance(x, Tensor) and x.is_cuda` is: a tensor that fails it fails the second part."""
    if len(test.values) != 2:
        return None
    first, last = test.values
    path = dotted_path(first.args[0]) if isinstance(first, facts.Call) and first.args else None
    asked = last.left if isinstance(last, facts.Compare) else last
    while isinstance(asked, facts.Attr) and asked.name in _OF_PLACES:
        asked = asked.value
        if path is not None and dotted_path(asked) == path and _asks_for_kind(first):
            return _value(frame, asked)
    return None


_OF_PLACES: Final = frozenset({"is_cuda", "is_cpu", "device", "type"})


def _asks_for_kind(test: facts.Expr) -> bool:
    """`isinstance(x, …)`, `torch.is_tensor(x)`."""
    return isinstance(test, facts.Call) and last_name(test.func) in {"isinstance", "is_tensor"}


def _set_empty(frame: Frame, node: facts.Expr) -> None:
    """A list that is found to hold nothing."""
    held = frame.env.get(node.id) if isinstance(node, facts.Name) else None
    if isinstance(node, facts.Name) and isinstance(held, Items) and held.kind in {"list", "tuple"} and not held.items:
        frame.env[node.id] = Items(held.kind, (), UNKNOWN)


def _length_of(node: facts.Expr) -> facts.Expr | None:
    """What is counted by `len(x)`."""
    is_length = isinstance(node, facts.Call) and isinstance(node.func, facts.Name) and node.func.id == "len"
    return node.args[0] if isinstance(node, facts.Call) and is_length and len(node.args) == 1 else None


def narrow_moved(frame: Frame, node: facts.If) -> None:
    """`if x.device != y.device: x = x.to(y.device)`: what is moved there is not where it is moved to."""
    # Behind `x.dtype != dtype or x.device != device` too: one that is moved for its dtype alone is rare.
    for test in node.test.values if isinstance(node.test, facts.Logical) else (node.test,):
        if not isinstance(test, facts.Compare) or test.ops != ("!=",):
            continue
        sides = (test.left, test.rights[0])
        for side, other in (sides, sides[::-1]):
            path = dotted_path(side.value) if isinstance(side, facts.Attr) and side.name == "device" else None
            if path is not None and any(_moves(statement, path) for statement in node.body):
                assert isinstance(side, facts.Attr)
                _elsewhere(frame, side.value, other)
                return


def _elsewhere(frame: Frame, node: facts.Expr, device: facts.Expr) -> None:
    """What is not where the GPU's tensors are is on the CPU, and the reverse."""
    value, wanted = _value(frame, node), _value(frame, device)
    if (
        isinstance(wanted, DeviceValue)
        and "other" not in wanted.device
        and (isinstance(value, Unknown) or (isinstance(value, Tensor) and not is_certain(value.device)))
    ):
        _set_device(frame, node, only_host(wanted.device))


def _moves(statement: facts.Stmt, path: str) -> bool:
    """`x = x.to(…)` for the name or path `x`."""
    if not isinstance(statement, facts.Assign) or not isinstance(statement.value, facts.Call):
        return False
    func = statement.value.func
    return isinstance(func, facts.Attr) and func.name in MOVES and dotted_path(func.value) == path


def _comparison(frame: Frame, test: facts.Compare, truth: bool) -> None:
    op, right = test.ops[0], test.rights[0]
    dimensions.compared(frame, test, truth)
    if op in _MEMBERSHIPS and isinstance(right, facts.Sequence) and (typed := _typed(frame, test.left)) is not None:
        kinds = [from_annotation(option, lambda node: _value(frame, node) or Unknown()) for option in right.items]
        if kinds:
            _set_one_of(frame, typed, [_as_tensor(frame, kind) for kind in kinds], (op == "in") == truth)
        return
    if op in {"is", "is not", "==", "!="} and (typed := _typed(frame, test.left)) is not None:
        kind = _as_tensor(frame, from_annotation(right, lambda node: _value(frame, node) or Unknown()))
        is_it = (op in {"is", "=="}) == truth
        if isinstance(kind, Tensor) or (kind is not None and is_it and not isinstance(kind, Instance)):
            _set_kind(frame, typed, kind, is_it)
        return
    counted = _length_of(test.left)
    if counted is not None and isinstance(right, facts.Const) and OF_SOME.get((op, right.value)) is (not truth):
        _set_empty(frame, counted)
        return
    if op in {"is", "is not"} and isinstance(right, facts.Const) and right.kind == "none":
        is_none = (op == "is") == truth
        value = _value(frame, test.left)
        if is_none:
            _set(frame, test.left, NOTHING)
        else:
            if isinstance(value, Nothing):
                _set(frame, test.left, Unknown())
            if isinstance(test.left, facts.Name):
                frame.paths[not_none(test.left.id)] = NOTHING
        return
    if op in COMPARISONS:
        for side in (test.left, right):
            if type(side) is facts.Name:
                value = frame.lookup(side.id)
                if type(value) is Tensor and value.ndim is None:
                    # Only what has one element can decide a branch.
                    frame.env[side.id] = value._replace(ndim=0)
    if op in {"==", "!="} and isinstance(test.left, facts.Attr) and test.left.name == "dtype" and (op == "==") == truth:
        wanted = _value(frame, right)
        value = _value(frame, test.left.value)
        if isinstance(wanted, DtypeValue) and wanted.dtype and isinstance(value, (Tensor, Unknown)):
            tensor = value if isinstance(value, Tensor) else Tensor(ANYWHERE, sure=False)
            _set(frame, test.left.value, tensor._replace(dtype=wanted.dtype))
        return
    if op == "==" and not truth and isinstance(test.left, facts.Attr) and test.left.name == "device":
        _elsewhere(frame, test.left.value, right)
    asked = asked_place(test)
    if asked is not None:
        _set_place(frame, asked, truth)


def not_none(name: str) -> str:
    """Under this path, which no source can write, stands that something is not None, until its name is bound anew."""
    return f"{name}.None"


def _set_place(frame: Frame, asked: AskedPlace, truth: bool) -> None:
    """What is asked where it is: a tensor, by its device, or a device itself."""
    node = asked.device
    is_there = asked.is_there == truth
    if isinstance(node, facts.Attr) and node.name == "device":
        value = _value(frame, node.value)
        if isinstance(value, Tensor) or (asked.of_type and isinstance(value, Unknown)):
            _set_device(frame, node.value, is_there != asked.on_host)
            return
    if is_there and asked.on_host and isinstance(_value(frame, node), (DeviceValue, Unknown)):
        frame.asks_where = True
        _set(frame, node, NO_CUDA)


def _typed(frame: Frame, node: facts.Expr) -> facts.Expr | None:
    """`x` of `type(x)`."""
    is_type = isinstance(node, facts.Call) and len(node.args) == 1 and called(frame, node.func) == "builtins.type"
    return node.args[0] if isinstance(node, facts.Call) and is_type else None


def _call(frame: Frame, test: facts.Call, truth: bool) -> None:
    counted = None if truth else _length_of(test)
    if counted is not None:
        _set_empty(frame, counted)
        return
    name = called(frame, test.func)
    if name in {"torch.is_tensor", "torch.overrides.is_tensor_like"} and test.args:
        _set_kind(frame, test.args[0], Tensor(ANYWHERE), truth)
    elif name == "builtins.hasattr" and len(test.args) == 2 and not truth:
        member = test.args[1]
        value = _value(frame, test.args[0])
        if value is not None and isinstance(member, facts.Const) and f"Tensor.{member.value}" in frame.context.ops:
            _set_apart(frame, test.args[0], value)
    elif name in {"builtins.isinstance", "torch.jit.isinstance"} and len(test.args) == 2:
        classes = test.args[1]
        options = classes.items if isinstance(classes, facts.Sequence) else (classes,)
        if isinstance(classes, facts.Binary):
            promised = from_annotation(classes, lambda node: _value(frame, node) or Unknown())
            found = [promised]
        elif (named := _value(frame, classes)) is not None and isinstance(named, Items):
            # A tuple of classes that has a name.
            found = [from_annotation(classes, partial(_one_of, item)) for item in named.items or ()]
        else:
            found = [from_annotation(option, lambda node: _value(frame, node) or Unknown()) for option in options]
        found = [_as_tensor(frame, kind) for kind in found]
        if len(found) == 1 and isinstance(found[0], Instance) and not found[0].local:
            # Of a library's class it is known whether it is a tensor's by its name alone.
            value = _value(frame, test.args[0])
            if truth and isinstance(value, (Tensor, Unknown)) and not found[0].name.endswith(("Tensor", "Parameter")):
                _set(frame, test.args[0], found[0])
        elif len(found) == 1 and found[0] is not None:
            _set_kind(frame, test.args[0], found[0], truth)
        elif found:
            _set_one_of(frame, test.args[0], found, truth)


def _set_one_of(frame: Frame, node: facts.Expr, kinds: Sequence[Value | None], truth: bool) -> None:
    value = _value(frame, node)
    of_tensors = any(isinstance(kind, Tensor) for kind in kinds)
    if truth and all(kind == ON_HOST for kind in kinds) and isinstance(value, (Tensor, Unknown)):
        _set(frame, node, ON_HOST)
        return
    if value is not None and of_tensors and not truth:
        _set_apart(frame, node, value)
    elif isinstance(value, Tensor) and not of_tensors:
        if truth:
            _set(frame, node, Unknown())
        elif all(isinstance(kind, _OTHER_KINDS) for kind in kinds):
            _set(frame, node, value._replace(sure=True))


def _one_of(item: Value, _: facts.Expr) -> Value:
    return item


def _as_tensor(frame: Frame, kind: Value | None) -> Value | None:
    """An object of a class that is derived from `torch.Tensor` is one."""
    is_one = isinstance(kind, Instance) and kind.local and frame.context.is_tensor_class(kind.name)
    return Tensor(ANYWHERE) if is_one else kind


def _set_kind(frame: Frame, node: facts.Expr, wanted: Value, truth: bool) -> None:
    value = _value(frame, node)
    if value is None:
        return
    if isinstance(wanted, Tensor):
        if truth:
            if isinstance(value, Tensor):
                _set(frame, node, value._replace(sure=True))
            elif not (isinstance(value, Number) and isinstance(node, facts.Name) and not is_param(frame, node.id)):
                # Of what the function worked out to be a number, this asks for tracing: sizes are tensors there.
                param = value.param if isinstance(value, Unknown) else None
                device = of_param(param) if param else ANYWHERE
                is_it = isinstance(value, Unknown) and not value.derived
                _set(frame, node, wanted._replace(device=device, param=param if is_it else None))
        else:
            _set_apart(frame, node, value)
        return
    if truth:
        if isinstance(wanted, Text) and isinstance(value, DeviceValue):
            return  # A name of a device is used as one.
        if isinstance(wanted, (Number, Text, Array)) and type(value) is not type(wanted):
            _set(frame, node, NUMBER if isinstance(wanted, Number) else wanted)
        elif isinstance(value, Tensor) and isinstance(wanted, (DtypeValue, DeviceValue)):
            _set(frame, node, wanted)
        elif isinstance(value, (Unknown, Tensor)) and isinstance(wanted, (Items, Mapping)):
            # The elements of a container that was a bundle of tensors are tensors still.
            element = value._replace(sure=False) if isinstance(value, Tensor) and not value.sure else Unknown()
            _set(frame, node, Items(wanted.kind, None, element) if isinstance(wanted, Items) else Mapping((), element))
        elif isinstance(value, Instance) and isinstance(wanted, Instance):
            _set_class(frame, node, value, wanted)
        elif isinstance(value, Unknown) or (isinstance(value, Tensor) and not value.sure):
            _set(frame, node, wanted)
    elif isinstance(value, Tensor) and isinstance(wanted, _OTHER_KINDS):
        _set(frame, node, value._replace(sure=True))


def _set_apart(frame: Frame, node: facts.Expr, value: Value) -> None:
    """What is found to be no tensor."""
    if isinstance(value, Tensor):
        _set(frame, node, Unknown(value.param, apart_from=value.sure))
    elif isinstance(value, Unknown) and value.apart_from is None and not value.derived:
        _set(frame, node, value._replace(apart_from=False))


def _set_class(frame: Frame, node: facts.Expr, value: Instance, wanted: Instance) -> None:
    """An object of a base class that is found to be one of a class that is derived from it."""
    context = frame.context
    if value.local:
        is_derived = value.name in [info.name for info in context.lineage(wanted.name)[1:]]
    else:
        is_derived = value.name == MODULE_CLASS and is_module_class(context, wanted.name)
    if is_derived:
        _set(frame, node, wanted._replace(device=value.device))


def is_param(frame: Frame, name: str) -> bool:
    """Whether a name is a parameter of the function that is followed."""
    return frame.function is not None and any(param.name == name for param in frame.function.params)


def _value(frame: Frame, node: facts.Expr) -> Value | None:
    if type(node) not in {facts.Name, facts.Attr}:
        return None
    with frame.silently():
        return evaluate(frame, node)


def _set(frame: Frame, node: facts.Expr, value: Value) -> None:
    if isinstance(node, facts.Name):
        frame.env[node.id] = value
    elif isinstance(node, facts.Attr):
        path = dotted_path(node)
        if path is not None:
            frame.paths[path] = value


def _set_device(frame: Frame, node: facts.Expr, accelerator: bool) -> None:
    value = _value(frame, node)
    frame.asks_where = True
    if isinstance(value, Tensor):
        _set(frame, node, value._replace(device=ACCELERATOR if accelerator else CPU))
    elif isinstance(value, Unknown):
        _set(frame, node, Tensor(ACCELERATOR if accelerator else CPU, sure=True))
