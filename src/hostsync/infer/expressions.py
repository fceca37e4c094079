"""Transfer functions of expressions, calls and subscripts left out (`calls`, `indexing`)."""

from __future__ import annotations

from collections.abc import Callable as Callable_
from functools import partial
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.attributes import attribute
from hostsync.infer.calls.host_calls import shown_of
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.calls.placing import merged
from hostsync.infer.classes import is_module_class
from hostsync.infer.devices import ANYWHERE, CPU, is_certain, of_param, only_host
from hostsync.infer.explaining import as_tensor
from hostsync.infer.frame import EVALUATORS, Frame, evaluate, evaluate_silently
from hostsync.infer.functions import usage
from hostsync.infer.hints.defaults import may_be_left_out
from hostsync.infer.hints.keys import note_moved, note_store
from hostsync.infer.hints.loaders_and_models import NAMED_LOADER, is_loader_name
from hostsync.infer.hints.mixtures import note_loop, under_one_key
from hostsync.infer.hints.running_values import running_value
from hostsync.infer.iterating import iterated, iterated_over
from hostsync.infer.joining import element_of, join
from hostsync.infer.left_out import given_or
from hostsync.infer.narrowing import asks_for_accelerator, holds_elsewhere, narrow
from hostsync.infer.nodes import assigned_to, dotted_path, is_none, last_name
from hostsync.infer.special_methods import negated, operated, special
from hostsync.infer.targets import assign
from hostsync.infer.values import (
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
    Nothing,
    Number,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)


def _name(frame: Frame, node: facts.Name) -> Value:
    return frame.lookup(node.id)


def _attr(frame: Frame, node: facts.Attr) -> Value:
    if frame.paths:
        path = dotted_path(node)
        if path is not None and path in frame.paths:
            return frame.paths[path]
    base = evaluate(frame, node.value)
    value = attribute(frame, base, node.name)
    if type(base) is ClassRef and type(value) is DeviceValue and value.device == CPU:
        # `Config.DEVICE = torch.device("cpu")`: what a program says before it has chosen.
        return DeviceValue(ANYWHERE)
    if frame.fed and isinstance(node.value, facts.Name):
        value = running_value(frame, node, value)
    if (isinstance(value, (Unknown, Method))) and frame.usage.tensors:
        path = dotted_path(node)
        if path is not None and path in frame.usage.tensors:
            return as_tensor(UNKNOWN, frame.usage.tensors[path])
    if isinstance(value, (Unknown, Method)) and is_loader_name(node.name) and frame.context.uses_torch:
        return NAMED_LOADER
    return value


def _const(frame: Frame, node: facts.Const) -> Value:
    kind = node.kind
    if kind == "none":
        return NOTHING
    if kind in {"int", "float", "bool"}:
        return new(Number, (node.value,))
    return new(Text, (node.value,)) if kind == "str" else UNKNOWN


def _sequence(frame: Frame, node: facts.Sequence) -> Value:
    items: list[Value] = []
    spread = False
    for item in node.items:
        if isinstance(item, facts.Starred):
            value = evaluate(frame, item.value)
            if isinstance(value, Items) and value.items is not None:
                items.extend(value.items)
            else:
                spread = True
                items.append(iterated(frame, value))
        else:
            items.append(evaluate(frame, item))
    if spread or len(items) > 64:
        return Items(node.kind, None, element_of(Items(node.kind, tuple(items[:64]), UNKNOWN)))
    return new(Items, (node.kind, tuple(items), UNKNOWN))


def _dict(frame: Frame, node: facts.Dict) -> Value:
    items: list[tuple[str, Value]] = []
    element: Value = UNKNOWN
    first = True
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(frame, value_node)
        if isinstance(value, Callable) and frame.loud:
            frame.context.tabled.setdefault(value.symbol, set()).add(frame.symbol)
        if key is None:
            if isinstance(value, Mapping):
                items.extend(value.items)
                if not isinstance(value.element, Unknown):
                    element = value.element if first else join(element, value.element)
            continue
        evaluate(frame, key)
        if isinstance(key, facts.Const) and key.kind == "str" and len(items) < 256:
            note_store(frame, str(key.value), value, key.span[0])
            items.append((str(key.value), value))
        else:
            element = value if first else join(element, value)
            first = False
    return Mapping(tuple(dict(items).items()), element)


def _binary(frame: Frame, node: facts.Binary) -> Value:
    # A chain such as a + b + c + … nests to the left; it is followed without recursion.
    spine = [node]
    while isinstance(spine[-1].left, facts.Binary):
        spine.append(spine[-1].left)
    left = evaluate(frame, spine[-1].left)
    for step in reversed(spine):
        left = _one_binary(frame, step, left)
    return left


def _is_longer_list(node: facts.Binary, left: Value, right: Value) -> bool:
    """`encoded + [end]`: what is added to a list is one. An array is added to numbers as they stand, if to any."""
    return any(
        isinstance(other, Unknown)
        and isinstance(side, facts.Sequence)
        and side.kind == "list"
        and not all(isinstance(item, facts.Const) for item in side.items)
        for side, other in ((node.left, right), (node.right, left))
    )


def _one_binary(frame: Frame, node: facts.Binary, left: Value) -> Value:
    right = evaluate(frame, node.right)
    if node.op == "%" and (isinstance(left, Text) or (isinstance(node.left, facts.Const) and node.left.kind == "str")):
        starred = node.right.items if isinstance(node.right, facts.Sequence) else ()
        parts = [evaluate_silently(frame, part.value) for part in starred if isinstance(part, facts.Starred)]
        for tensor in [*tensors_in(right, 1), *[part for part in parts if isinstance(part, Tensor)]]:
            if tensor.sure:
                frame.emit(
                    "read-back",
                    "operator.mod",
                    "",
                    node,
                    subject=node.right,
                    device=tensor.device,
                    origin=tensor.origin,
                )
                break
        return Text(None, (left.const or left.start).partition("%")[0]) if isinstance(left, Text) else TEXT
    if node.op == "*":
        for items, times, times_node in ((left, right, node.right), (right, left, node.left)):
            if (
                isinstance(items, Items)
                and isinstance(times, Tensor)
                and times.sure
                and items.kind in {"list", "tuple"}
                and not times.ndim
            ):
                if _has_fractions(items):
                    # Weights: a list is repeated by a number, and multiplied by an array.
                    return Array()
                frame.emit(
                    "read-back",
                    "operator.index",
                    "repeat",
                    node,
                    subject=times_node,
                    device=times.device,
                    origin=times.origin,
                )
                return items
        if isinstance(left, Items) and isinstance(right, (Unknown, Method)) and not frame.knows_arrays():
            # Times an array it would be one; times anything else it is repeated.
            right = NUMBER
    if node.op == "*" and (isinstance(left, Text) or isinstance(right, Text)):
        return TEXT
    is_known = isinstance(right, Text) and right.const is not None
    if node.op == "+" and isinstance(left, Text) and left.const is not None and not is_known:
        return Text(None, left.const)
    if node.op == "+" and isinstance(left, Text) and isinstance(right, Text) and left.const is None:
        return TEXT
    if node.op == "+" and _is_longer_list(node, left, right):
        return Items("list", None, UNKNOWN)
    value = operated(frame, node, node.op, (node.left, left), (node.right, right))
    if value is not None:
        return value
    value = operator_result(node.op, left, right)
    if node.op == "-" and isinstance(value, Unknown) and _are_parts(node) and not frame.knows_arrays():
        # `ends[1:] - ends[:-1]`: no list can be taken from another.
        params = {side.param for side in (left, right) if isinstance(side, Unknown)}
        param = params.pop() if len(params) == 1 else None
        return Tensor(ANYWHERE if param is None else of_param(param))
    if node.op in _OF_TRUTH and isinstance(left, Tensor) and isinstance(right, Tensor) and isinstance(value, Tensor):
        # Bits of integers are hardly ever combined, and then with a number.
        return value._replace(dtype=value.dtype or "bool")
    return value


def _are_parts(node: facts.Binary) -> bool:
    sides = (node.left, node.right)
    return all(isinstance(side, facts.Subscript) and isinstance(side.key, facts.Slice) for side in sides)


def _has_fractions(items: Items) -> bool:
    parts = items.items or ()
    return len(parts) > 1 and any(isinstance(part, Number) and isinstance(part.const, float) for part in parts)


_OF_TRUTH: Final = frozenset({"&", "|", "^"})


def _unary(frame: Frame, node: facts.Unary) -> Value:
    if node.op == "not":
        test(frame, node.operand, "not")
        return NUMBER
    value = evaluate(frame, node.operand)
    if isinstance(value, Tensor):
        return value._replace(param=None)
    if isinstance(value, Number) and node.op == "-" and value.const is not None:
        return new(Number, (-value.const,))
    if isinstance(value, Instance):
        return negated(frame, node, value) or UNKNOWN
    if isinstance(value, Unknown) and value.param is not None:
        return Unknown(value.param, True, dtype=value.dtype)
    return value if isinstance(value, (Array, Number)) else UNKNOWN


def _logical(frame: Frame, node: facts.Logical) -> Value:
    state = None
    result: Value | None = None
    rare = frame.rare
    for index, part in enumerate(node.values):
        if index + 1 < len(node.values):
            value = test(frame, part, node.op)
            if state is None:
                state = frame.save()
            narrow(frame, part, node.op == "and")
            frame.rare += node.op == "and" and _is_half(part)
        else:
            value = evaluate(frame, part)
        is_default = node.op == "or" and result is not None and _is_default_device(result, value)
        if result is None or _is_answer(result, value):
            result = value
        elif not is_default:
            chosen = given_or(result, value) if node.op == "or" else None
            result = chosen or join(result, value)
    frame.rare = rare
    if state is not None:
        frame.restore(state)
    return result if result is not None else UNKNOWN


def _is_half(node: facts.Expr) -> bool:
    """Whether a condition holds for 16-bit floats alone: `x.dtype == torch.float16`, a guard against their overflow."""
    if not isinstance(node, facts.Compare) or node.ops != ("==",) or not isinstance(node.left, facts.Attr):
        return False
    return node.left.name == "dtype" and last_name(node.rights[0]) in {"float16", "half"}


def _is_answer(asked: Value, value: Value) -> bool:
    """Whether `count == 0 or mask.all()` is a tensor: most often the last operand is the one that decides."""
    return isinstance(asked, Number) and asked.const is None and isinstance(value, Tensor) and value.dtype == "bool"


def _is_default_device(given: Value, value: Value) -> bool:
    """Whether `device or torch.device("cpu")` is what the parameter `device` is, for which None stands for the CPU."""
    if not isinstance(given, DeviceValue) or not isinstance(value, DeviceValue) or not only_host(value.device):
        return False
    return len(given.device) == 1 and all(atom.startswith("=") for atom in given.device)


def test(frame: Frame, node: facts.Expr, op: str) -> Value:
    """Evaluate an expression whose truth decides what runs next; a tensor there makes the host wait."""
    if isinstance(node, facts.Logical):
        state = None
        value: Value = UNKNOWN
        rare = frame.rare
        for index, part in enumerate(node.values):
            last = index + 1 == len(node.values)
            value = test(frame, part, op)
            if not last:
                if state is None:
                    state = frame.save()
                narrow(frame, part, node.op == "and")
                frame.rare += node.op == "and" and _is_half(part)
        frame.rare = rare
        if state is not None:
            frame.restore(state)
        return value
    if isinstance(node, facts.Unary) and node.op == "not":
        test(frame, node.operand, op)
        return NUMBER
    if isinstance(node, facts.Conditional):
        # Each side is asked by itself: `x != x if isinstance(x, float) else x.isnan().any()`.
        return _conditional(frame, node, partial(test, op=op))
    value = evaluate(frame, node)
    if isinstance(value, Tensor) and not only_host(value.device):
        frame.ask(node, op, value._replace(sure=False) if _is_asked_for(frame, node, value) else value)
    return value


def _is_asked_for(frame: Frame, node: facts.Expr, value: Tensor) -> bool:
    """`if noise:` of what may be None as well: a tensor of several elements raises, when it is asked."""
    function = frame.function
    if not isinstance(node, facts.Name) or value.dtype == "bool" or value.ndim == 0 or function is None:
        return False
    return may_be_left_out(function, node.id) or any(map(is_none, assigned_to(function.body, node.id)))


def _compare(frame: Frame, node: facts.Compare) -> Value:
    left, left_node = evaluate(frame, node.left), node.left
    result: Value = NUMBER
    chained = len(node.ops) > 1
    for index, (op, right_node) in enumerate(zip(node.ops, node.rights, strict=True)):
        right = evaluate(frame, right_node)
        if op in {"is", "is not"}:
            result = NUMBER
        elif op in {"in", "not in"}:
            _contains(frame, node, left, right, right_node)
            result = NUMBER
        else:
            own = operated(frame, node, op, (left_node, left), (right_node, right))
            result = operator_result(op, left, right) if own is None else own
            if chained and index + 1 < len(node.ops) and isinstance(result, Tensor) and result.sure:
                frame.emit(
                    "control-flow",
                    "compare-chain",
                    "",
                    node,
                    subject=right_node,
                    device=result.device,
                    origin=result.origin,
                )
        left, left_node = right, right_node
    return result


def _contains(frame: Frame, node: facts.Compare, left: Value, right: Value, right_node: facts.Expr) -> None:
    special(frame, node, right, "__contains__", (node.left, left))
    if isinstance(right, Tensor) and right.sure and not isinstance(left, Text):
        frame.emit(
            "read-back", "operator.contains", "", node, subject=right_node, device=right.device, origin=right.origin
        )
    elif isinstance(right, Unknown) and right.param is not None and isinstance(left, Tensor) and left.sure:
        # In a set or among the keys of a dictionary nobody looks for a tensor: it is found by what it is, not holds.
        frame.emit(
            "read-back", "operator.contains", "", node, subject=node.left, device=left.device, origin=left.origin
        )
    elif isinstance(right, Items) and right.kind in {"list", "tuple"}:
        if right.items and all(isinstance(item, (Text, Nothing)) for item in right.items):
            return
        tensors = [v for v in (left, *(right.items or (right.element,))) if isinstance(v, Tensor) and v.sure]
        if tensors and (isinstance(left, (Tensor, Number))):
            frame.emit(
                "read-back",
                "operator.contains",
                "",
                node,
                subject=node.left,
                device=merged(tensors),
                origin=tensors[0].origin,
            )


def _conditional(
    frame: Frame, node: facts.Conditional, side: Callable_[[Frame, facts.Expr], Value] = evaluate
) -> Value:
    test(frame, node.test, "ternary")
    state = frame.save()
    elsewhere = holds_elsewhere(node.test)
    if elsewhere is not None:
        narrow(frame, node.test, not elsewhere)
        value = side(frame, node.orelse if elsewhere else node.body)
        frame.restore(state)
        return value
    narrow(frame, node.test, True)
    body = side(frame, node.body)
    frame.restore(state)
    if asks_for_accelerator(frame, node.test):
        return body
    narrow(frame, node.test, False)
    orelse = side(frame, node.orelse)
    frame.restore(state)
    name, is_given = _told_or_not(node.test)
    chosen = given_or(body, orelse) if is_given else given_or(orelse, body)
    if chosen is not None and of_param(name) <= chosen.device:
        return chosen
    if type(body) is DeviceValue and type(orelse) is DeviceValue and type(node.test) in _FLAGS:
        # `"cpu" if self.offload else x.device`: whoever asks for the CPU there has a GPU.
        return DeviceValue(body.device | orelse.device)
    return join(body, orelse)


_FLAGS: Final = frozenset({facts.Name, facts.Attr})


def _told_or_not(node: facts.Expr) -> tuple[str, bool]:
    """The name of which a condition asks whether it is there, and whether it is true if so; empty for another one."""
    if isinstance(node, facts.Name):
        return node.id, True
    if isinstance(node, facts.Compare) and isinstance(node.left, facts.Name) and is_none(node.rights[0]):
        return (node.left.id, node.ops == ("is not",)) if node.ops in {("is",), ("is not",)} else ("", True)
    return "", True


_DESCRIBING: Final = frozenset({"__repr__", "__str__", "extra_repr", "__format__"})


def _describes_module(frame: Frame) -> bool:
    """Whether a module describes itself: that is read when it is set up, before it is moved to the device."""
    name = frame.symbol.rpartition(".")[2]
    return name in _DESCRIBING and frame.owner is not None and is_module_class(frame.context, frame.owner)


def _fstring(frame: Frame, node: facts.FString) -> Value:
    describes = _describes_module(frame)
    for field in node.fields:
        value = shown_of(evaluate(frame, field.value))
        if field.spec is not None:
            evaluate(frame, field.spec)
        if isinstance(value, Tensor) and value.sure:
            frame.emit(
                "read-back",
                "f-string",
                "",
                field.value,
                subject=field.value,
                device=value.device,
                origin=value.origin,
                confidence="possible" if describes and not is_certain(value.device) else None,
            )
    return Text(None, node.start)


def _formatted(frame: Frame, node: facts.Formatted) -> Value:
    evaluate(frame, node.value)
    return TEXT


def _lambda(frame: Frame, node: facts.Lambda) -> Value:
    saved = frame.save()
    proven = usage(frame.context, node).tensors
    # What the function around it, or another of its lambdas, does with something of that name says nothing.
    frame.inner_scope += 1
    for param in node.params:
        place = proven.get(param.name)
        frame.bind(param.name, UNKNOWN if place is None else as_tensor(UNKNOWN, place))
    frame.inner_scope -= 1
    evaluate(frame, node.body)
    frame.restore(saved)
    symbol = frame.symbol + ".<lambda>"
    if frame.symbol != "<module>":
        frame.context.closures[f"{symbol}{node.span}"] = {**(frame.outer or {}), **frame.env}
    return Callable(node, symbol, None, None)


def _comprehension(frame: Frame, node: facts.Comprehension) -> Value:
    saved = frame.save()
    loops = frame.loops
    for generator in node.generators:
        value = iterated_over(frame, generator.iterable, evaluate(frame, generator.iterable))
        frame.loops = loops + 1
        frame.inner_scope += 1
        assign(frame, generator.target, value)
        frame.inner_scope -= 1
        note_loop(frame, generator.iterable, generator.target)
        for condition in generator.conditions:
            test(frame, condition, "comprehension-if")
            narrow(frame, condition, True)
    if node.key is not None:
        evaluate(frame, node.key)
    element = evaluate(frame, node.element)
    frame.loops = loops
    frame.restore(saved)
    if node.kind == "dict":
        note_moved(frame, node)
        return Mapping((), under_one_key(frame, element, node.element))
    return Items(node.kind, None, element)


def _starred(frame: Frame, node: facts.Starred) -> Value:
    return evaluate(frame, node.value)


def _walrus(frame: Frame, node: facts.Walrus) -> Value:
    value = evaluate(frame, node.value)
    frame.bind(node.target.id, value)
    return frame.env[node.target.id]


def _await(frame: Frame, node: facts.Await) -> Value:
    return evaluate(frame, node.value)


def _yield(frame: Frame, node: facts.Yield) -> Value:
    if node.value is not None:
        value = evaluate(frame, node.value)
        frame.yields.append(iterated(frame, value) if node.is_from else value)
    return UNKNOWN


def _slice(frame: Frame, node: facts.Slice) -> Value:
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            evaluate(frame, bound)
    return UNKNOWN


EVALUATORS.update(
    {
        facts.Name: _name,
        facts.Attr: _attr,
        facts.Const: _const,
        facts.Sequence: _sequence,
        facts.Dict: _dict,
        facts.Binary: _binary,
        facts.Unary: _unary,
        facts.Logical: _logical,
        facts.Compare: _compare,
        facts.Conditional: _conditional,
        facts.FString: _fstring,
        facts.Formatted: _formatted,
        facts.Lambda: _lambda,
        facts.Comprehension: _comprehension,
        facts.Starred: _starred,
        facts.Walrus: _walrus,
        facts.Await: _await,
        facts.Yield: _yield,
        facts.Slice: _slice,
    }
)
