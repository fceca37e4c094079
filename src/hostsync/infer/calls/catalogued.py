"""Calls of operations that the catalogue knows: their waits and their results."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.calls.arguments import Arguments, place
from hostsync.infer.calls.conditions import waiting
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.operations import result
from hostsync.infer.calls.packed_sequences import PACKING, what_is_packed
from hostsync.infer.calls.placing import device_of, lead, merged
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, Device, is_of_params, only_host
from hostsync.infer.explaining import as_tensor, explain
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.keys import is_setting
from hostsync.infer.origins import BY_DEFAULT
from hostsync.infer.values import (
    DISTRIBUTIONS,
    UNKNOWN,
    Array,
    Callable,
    Instance,
    Items,
    Method,
    Nothing,
    Number,
    Partial,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)

_NUMBER_PARAMS: Final = frozenset(
    {"size", "fill_value", "end", "start", "step", "steps", "alpha", "num_classes", "n", "m"}
)
"""Parameters that take host numbers: a device tensor passed for one is read back."""


def operation(
    frame: Frame,
    node: facts.Call,
    op: Op,
    args: ArgumentList,
    keywords: KeywordList,
    receiver: Value | None,
    *,
    at_most: str | None = None,
) -> Value:
    """Call an operation of the catalogue: record its waits, and give its result.

    Args:
        at_most: the confidence, where what it is called of may be something else, or switched off.
    """
    placed = place(op, args, keywords)
    tensors = _tensors(frame, op, placed, receiver)
    if op.name in PACKING:
        tensors = tensors_in(what_is_packed(placed.named)) or tensors
    versions = None if _numbers(frame, node, op, placed) else waiting(frame, op, placed, receiver)
    short = op.name.rpartition(".")[2]
    one_argument_where = (
        op.name in {"torch.where", "Tensor.where"} and len(args) == 1 and not keywords and receiver is None
    )
    if one_argument_where:
        versions = ""
    if versions is not None:
        form = "one-argument" if one_argument_where else ""
        _record(frame, node, op, placed, tensors, receiver, form, versions, at_most)
    if one_argument_where or (short == "nonzero" and _is_true(placed.named.get("as_tuple"))):
        return Items("tuple", None, Tensor(merged(tensors), "int", 1, origin=lead(tensors)))
    value = result(op, placed, tensors, receiver)
    if short in _UNIQUE and isinstance(value, Tensor):
        return _distinct(value, placed)
    if isinstance(value, Tensor) and op.device == "argument" and _is_missing(placed.named.get("device")):
        default = frame.context.default_device
        if value.device == CPU:
            return explain(value._replace(device=default), node, "" if default != CPU else BY_DEFAULT)
    if isinstance(value, Instance):
        if op.name.startswith(DISTRIBUTIONS):
            value = value._replace(device=_where_it_draws(frame, tensors, placed))
        options = flags(keywords)
        if op.name in _HANDING_ON:
            options = next((base.options for _, base in args if isinstance(base, Instance)), options)
        return value if op.name in PACKING or options == value.options else value._replace(options=options)
    return (
        explain(value, node)
        if isinstance(value, Tensor) and op.device in {"argument", "like", "cpu", "accelerator"}
        else value
    )


def called(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> None:
    """Records the waits of a module of torch that is called, by the dotted name of its class."""
    op = frame.context.ops.get(f"{name}.forward")
    if op is None or not op.waits:
        return
    placed = place(op, args, keywords)
    tensors = _tensors(frame, op, placed, None)
    versions = waiting(frame, op, placed, None)
    if versions is not None and tensors:
        _record(frame, node, op, placed, tensors, None, "", versions, None)


_HANDING_ON: Final = frozenset({"torch.distributions.Independent"})
"""Distributions that hand what they are given to another, which checks it (distributions/independent.py)."""
_UNIQUE: Final = frozenset({"unique", "unique_consecutive"})


def _distinct(values: Tensor, placed: Arguments) -> Value:
    """The distinct values of a tensor, with where each was and how often, if that is asked for."""
    if _is_missing(placed.named.get("dim")):
        # Of labels, positions and counts they are asked for, hardly ever of truth values or of fractions.
        values = values._replace(ndim=1, dtype=values.dtype or "int")
    asked = [_is_true(placed.named.get(name)) for name in ("return_inverse", "return_counts")]
    if not any(asked):
        return values
    numbers = values._replace(dtype="int", ndim=None)
    parts = [values, *([numbers] if asked[0] else []), *([numbers._replace(ndim=1)] if asked[1] else [])]
    return Items("tuple", tuple(parts), UNKNOWN)


def _where_it_draws(frame: Frame, tensors: tuple[Tensor, ...], placed: Arguments) -> Device:
    """Where the samples of a distribution live: where its parameters do."""
    if tensors:
        return merged([tensor._replace(ndim=None) for tensor in tensors])
    named = [(value, placed.nodes.get(name)) for name, value in placed.named.items() if name != "validate_args"]
    numbers = [_is_numbers(frame, value) for value in (*placed.extra, *[value for value, _ in named])]
    # Beside a number, what stands in the settings is one.
    settings = [False] * len(placed.extra) + [node is not None and is_setting(node) for _, node in named]
    return CPU if any(numbers) and all(one or other for one, other in zip(numbers, settings, strict=True)) else ANYWHERE


def _is_numbers(frame: Frame, value: Value) -> bool:
    """A number, what holds nothing else, or a parameter that is a number by default."""
    if isinstance(value, Items):
        return all(_is_numbers(frame, item) for item in ((value.element,) if value.items is None else value.items))
    if isinstance(value, Unknown) and not value.derived and value.param is not None and frame.function is not None:
        default = next((param.default for param in frame.function.params if param.name == value.param), None)
        return isinstance(default, facts.Const) and default.kind in {"int", "float"}
    return isinstance(value, Number)


def _is_missing(value: Value | None) -> bool:
    return value is None or isinstance(value, Nothing)


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Number) and value.const is True


_ELSEWHERE: Final = frozenset({"device", "dtype", "targets", "input_lengths", "target_lengths"})
"""Parameters that are no tensors, or that a CTC loss takes on the CPU as well, so they don't tell where it is done."""


def _tensors(frame: Frame, op: Op, placed: Arguments, receiver: Value | None) -> tuple[Tensor, ...]:
    """The tensors of a call, the receiver or first argument first."""
    found: list[Tensor] = [receiver] if isinstance(receiver, Tensor) else []
    named = placed.named
    for param in op.params if named else ():
        value = named.get(param.name)
        if value is None or param.name in _ELSEWHERE:
            continue
        # The operation takes nothing but a tensor there, or hardly anything else.
        proves = param is op.params[0] and receiver is None and op.device in {"args", "like"}
        if type(value) is Tensor:
            found.append(value._replace(sure=True) if proves and not value.sure else value)
            continue
        held = tensors_in(value, 2)
        if (
            not held
            and proves
            and _may_be_any(frame, value)
            and not (op.name.startswith(DISTRIBUTIONS) and _is_numbers(frame, value))
        ):
            held = (as_tensor(value) if isinstance(value, Unknown) else Tensor(ANYWHERE),)
        # What may be no tensor doesn't speak for a container that holds one.
        found.extend(sorted(held, key=lambda tensor: not tensor.sure))
    for value in placed.extra:
        found.extend(tensors_in(value, 1))
    return tuple(found)


def _may_be_any(frame: Frame, value: Value) -> bool:
    """Whether nothing is known of a value, such as what somebody has put on a tensor: `param.grad_sample`."""
    if isinstance(value, Method):
        return isinstance(value.receiver, Tensor) and f"Tensor.{value.name}" not in frame.context.ops
    return isinstance(value, Unknown)


def _numbers(frame: Frame, node: facts.Call, op: Op, placed: Arguments) -> bool:
    """Tensors passed where host numbers are wanted; true if there was one."""
    for param in op.params if placed.named else ():
        value = placed.named.get(param.name)
        if value is None:
            continue
        held = tensors_in(value, 2)
        if not held:
            continue
        is_number = param.name in _NUMBER_PARAMS and (
            op.device == "argument" or param.name in {"size", "alpha", "num_classes"}
        )
        if not is_number and not (isinstance(value, Items) and _reads(op, param.name)):
            continue
        if not held[0].sure:
            held = _beside_others(frame, placed.nodes.get(param.name)) or held
        # A number, or else a tensor without dimensions: `1 if norm == 0 else norm / other`.
        is_told = held[0].sure or (param.name == "alpha" and not held[0].ndim and not is_of_params(held[0].device))
        if is_told and not (param.name == "size" and op.returns != "tensor"):
            frame.emit(
                "read-back",
                op.name,
                "size-argument",
                node,
                subject=placed.nodes.get(param.name),
                device=held[0].device,
                sure=held[0].sure,
                origin=held[0].origin,
            )
            return True
    return False


def _beside_others(frame: Frame, node: facts.Expr | None) -> tuple[Tensor, ...]:
    """The tensors that stand in `(*x.shape[:-1], n.max() + 1)`, which holds numbers besides."""
    if not isinstance(node, facts.Sequence) or not any(isinstance(item, facts.Starred) for item in node.items):
        return ()
    values = [evaluate_silently(frame, item) for item in node.items if not isinstance(item, facts.Starred)]
    return tuple([value for value in values if isinstance(value, Tensor) and value.sure])


def _reads(op: Op, param: str) -> bool:
    """Whether an operation waits for a tensor there: one among several numbers, too, as in `x.reshape(n, 3)`."""
    return any(test.param == param and test.predicate == "tensor" for wait in op.waits for test in wait.tests)


def _waits_by_itself(op: Op) -> bool:
    """Whether it is a method of an object, such as `AveragedModel`, that waits whatever is handed in."""
    owner = op.name.rpartition(".")[0].rpartition(".")[2]
    return owner[:1].isupper() and owner != "Tensor" and any(not wait.tests for wait in op.waits)


_EACH: Final = frozenset({"torch.save"})
"""What takes several tensors that need not be in one place."""


def _record(
    frame: Frame,
    node: facts.Call,
    op: Op,
    placed: Arguments,
    tensors: tuple[Tensor, ...],
    receiver: Value | None,
    form: str,
    versions: str,
    at_most: str | None,
) -> None:
    kind = op.event
    subject = (
        node.func.value
        if receiver is not None and isinstance(node.func, facts.Attr)
        else next(iter(placed.nodes.values()), None)
    )
    sure, origin, confidence = True, None, None
    if kind == "synchronize" or op.name.endswith("GradScaler.step"):
        # A cache that holds nothing has nothing to free, and then nothing waits.
        device, confidence = ACCELERATOR, "likely" if op.name.endswith("empty_cache") else at_most
    elif tensors:
        if op.name in _EACH:
            tensors = tuple([tensor for tensor in tensors if not only_host(tensor.device)]) or tensors
        device, origin = merged(tensors), lead(tensors)
        is_reading = kind == "read-back"
        sure = tensors[0].sure or is_reading
        is_likely = is_reading or op.name.startswith(DISTRIBUTIONS)
        confidence = None if tensors[0].sure else "likely" if is_likely else "possible"
    else:
        values = [*placed.named.values(), *placed.extra]
        says_where = "map_location" in placed.named
        is_host = values and all(isinstance(v, (Text, Items, Array)) or _is_numbers(frame, v) for v in values)
        if is_host and not says_where and not _waits_by_itself(op):
            return
        # A distribution's parameters are tensors nearly always, and a function takes none itself; of other operations
        # nothing is claimed without one.
        functions_alone = all(isinstance(v, (Callable, Partial)) for v in values)
        is_sure = says_where or op.name.startswith(DISTRIBUTIONS) or functions_alone or _waits_by_itself(op)
        confidence = "likely" if is_sure else "possible"
        device = device_of(placed.named["map_location"]).device if says_where else ANYWHERE
    frame.emit(
        kind,
        op.name,
        form,
        node,
        subject=subject,
        device=device,
        sure=sure,
        origin=origin,
        confidence=confidence,
        versions=versions or None,
    )


def flags(keywords: KeywordList) -> tuple[tuple[str, bool | None], ...]:
    """The keyword arguments that are switches, as far as their values are known.

    One that settings decide (`enabled=config.mixed_precision`) is told of under another name, too.
    """
    found: list[tuple[str, bool | None]] = []
    for name, node, value in keywords:
        if name in _SWITCHES:
            known = value.const if isinstance(value, Number) and isinstance(value.const, bool) else None
            found.append((name, known))
            if name == ENABLED and known is None and is_setting(node):
                found.append((SET_ELSEWHERE, True))
    return tuple(found)


ENABLED: Final = "enabled"
SET_ELSEWHERE: Final = "enabled by settings"
_SWITCHES: Final = frozenset({"pin_memory", "validate_args", ENABLED})
