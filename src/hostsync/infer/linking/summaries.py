"""What a function of the scanned module returns in terms of its parameters, and what a call of it therefore gives."""

from __future__ import annotations

from collections.abc import Mapping as Bindings
from functools import partial, reduce
from typing import Final

from hostsync import facts
from hostsync.infer.calls.placing import device_of
from hostsync.infer.context import Context
from hostsync.infer.devices import ANYWHERE, CPU, Device, is_of_params, unmixed
from hostsync.infer.frame import Frame, evaluate, execute
from hostsync.infer.functions import run, usage
from hostsync.infer.hints.annotations import from_annotation
from hostsync.infer.hints.defaults import is_device_name, is_host_default
from hostsync.infer.joining import join
from hostsync.infer.left_out import MARK, in_call, is_conditional, place_of, told_in, where_left_out
from hostsync.infer.linking.alternatives import in_common, with_alternatives
from hostsync.infer.linking.handed import HELD
from hostsync.infer.linking.plain import is_foreign, is_tensor_annotation
from hostsync.infer.nodes import BY_PLACE, last_name
from hostsync.infer.values import (
    EITHER,
    NUMBER,
    UNKNOWN,
    Array,
    Callable,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Number,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    holds_no_tensor,
    params_in,
    tensor_at,
    tensors_in,
)


def returned(context: Context, callee: Callable, bindings: Bindings[str, Value]) -> Value:
    """What calling a function of this module returns, given the values of its arguments by parameter name."""
    return in_common(returned_in_full(context, callee, bindings))


def returned_in_full(context: Context, callee: Callable, bindings: Bindings[str, Value]) -> Value:
    """As `returned`, with what is known only to those who take the value apart."""
    node = callee.node
    if isinstance(node, facts.Lambda):
        return _lambda_result(context, callee, bindings)
    assert isinstance(node, facts.Function)
    if callee.bound is None and _calls_its_default(node) and not is_foreign(callee.symbol):
        return _function_result(context, callee, node, bindings)
    summary = summarise(context, callee)
    return summary if type(summary) in _WITHOUT_PARAMETERS else substitute(summary, bindings, _defaults(context, node))


_WITHOUT_PARAMETERS: Final = frozenset({Number, Text, Nothing, Array, Ref, ClassRef, DtypeValue, Callable})
"""What a caller gets as it is."""


def summarise(context: Context, callee: Callable) -> Value:
    """What a function returns in terms of its parameters; UNKNOWN inside its own recursion."""
    node = callee.node
    assert isinstance(node, facts.Function)
    if is_foreign(callee.symbol):
        return context.links.library.summary(callee.symbol) if context.links is not None else UNKNOWN
    key = (callee.symbol, callee.bound)
    known = context.summaries.get(key)
    if known is not None:
        return known
    if key in context.busy or len(context.busy) > 40:
        return UNKNOWN
    if node.returns is not None and isinstance(node.returns, facts.Const) and node.returns.kind == "none":
        context.summaries[key] = Nothing()
        return context.summaries[key]
    if context.follow_now is not None and key in context.due and not context.busy and not context.building:
        # What it returns comes out on the way, so that it need not be followed twice.
        context.follow_now(callee)
        known = context.summaries.get(key)
        if known is not None:
            return known
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
            if path.startswith(prefix) and "." not in path[len(prefix) :] and path[len(prefix) :] not in frame.buffers
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
        defaults = _defaults(frame.context, callee.node)
        for name, value in effects.items():
            frame.paths[f"{self_name}.{name}"] = substitute(value, bindings, defaults)


def result_of(frame: Frame, node: facts.Function) -> Value:
    """The union of what a followed function returned, helped out by its return annotation."""
    if node.is_generator:
        element = UNKNOWN if not frame.yields else frame.yields[0]
        for value in frame.yields[1:]:
            element = join(element, value)
        if any(last_name(d) == "contextmanager" for d in node.decorators):
            return element
        return Items("generator", None, element)
    result: Value | None = None
    last = frame.returns[-1] if frame.returns else None
    is_taken_apart = isinstance(last, Items) and last.kind == "tuple" and last.items is not None and len(last.items) > 1
    given = [] if is_taken_apart else frame.of_given
    for value in [*given, *frame.returns] or frame.of_nothing:
        result = value if result is None else join(result, value)
    if result is None:
        # What only raises an error, or is a method that does nothing, is left to those that override it.
        is_open = is_abstract(node) or (frame.owner is not None and _is_stub(node))
        result = UNKNOWN if is_open else Nothing()
    if node.returns is not None:
        is_stub = _is_stub(node)
        if is_stub or isinstance(result, Method) or (isinstance(result, Unknown) and result.param is None):
            return from_annotation(node.returns, partial(evaluate, frame)) or result
        if isinstance(result, Tensor) and not result.sure:
            # Of a chain of tests nobody sees that one of them holds.
            promised = from_annotation(node.returns, partial(evaluate, frame))
            if isinstance(promised, Tensor) and promised.sure:
                return with_alternatives(frame.returns, result._replace(sure=True))
    return with_alternatives(frame.returns, result)


def is_abstract(node: facts.Function) -> bool:
    """It ends in an error, as a method does that others are to override, or is marked as one and does nothing."""
    if node.body and isinstance(node.body[-1], facts.Raise):
        return True
    return bool(node.decorators) and any(last_name(d) == "abstractmethod" for d in node.decorators) and _is_stub(node)


def _is_stub(node: facts.Function) -> bool:
    """It has no body of its own, as in a protocol or an abstract class: a text, `...`, `pass`, a `raise`."""
    return len(node.body) <= 2 and all(
        isinstance(s, facts.Raise)
        or (isinstance(s, facts.Jump) and s.kind == "pass")
        or (isinstance(s, facts.ExprStmt) and isinstance(s.value, facts.Const))
        for s in node.body
    )


def defaults_of(context: Context, symbol: str) -> Bindings[str, Value]:
    """The constant defaults of a function that was called, by its symbol."""
    node = context.functions.get(symbol)
    return _defaults(context, node) if node is not None else {}


def _defaults(context: Context, node: facts.Function) -> Bindings[str, Value]:
    known = context.defaults.get(id(node))
    if known is None:
        known = context.defaults[id(node)] = (node, _constant_defaults(node))
    return known[1]


def _constant_defaults(node: facts.Function) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for param in node.params:
        default = param.default
        if is_host_default(default) and isinstance(default, facts.Call):
            result[param.name] = DeviceValue(CPU)
        elif isinstance(default, facts.Const):
            if default.kind == "none":
                # Without a device it is the CPU; a tensor that is left out says nothing of where others are.
                if not is_tensor_annotation(param.annotation):
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
            if EITHER in value.param:
                # What other calls hand in says nothing of a call that hands in no tensor.
                given = [bindings.get(name, defaults.get(name, UNKNOWN)) for name in params_in(value.param)]
                if not any(tensors_in(one) for one in given):
                    return reduce(join, given)
        elif not is_of_params(value.device):
            return value
        no_tensor = None if value.sure else _of_no_tensors(value.device, bindings, defaults)
        if no_tensor is not None:
            return no_tensor
        if not value.sure and _is_of_tensors(value, bindings):
            value = value._replace(device=value.device - ANYWHERE, sure=True)
        # Where another place is known, what is made there is a tensor whatever the argument holds.
        of_arguments = all(atom.startswith("=") for atom in value.device)
        sure = value.sure and not (
            of_arguments and any(_holds_no_tensor(bindings.get(atom[1:])) for atom in value.device)
        )
        placed = tensor_at(value, _place(value.device, bindings, defaults, sure=value.sure), value.origin)
        return placed if sure is value.sure else placed._replace(sure=sure)
    if isinstance(value, Unknown):
        if value.param is None or value.param.startswith(HELD):
            return value
        argument = bindings.get(value.param, defaults.get(value.param))
        if argument is None:
            return UNKNOWN
        return _derived(argument, value.dtype) if value.derived else argument
    if isinstance(value, (DeviceValue, Instance)):
        if not is_of_params(value.device):
            return value
        return value._replace(device=_place(value.device, bindings, defaults))
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


def _of_no_tensors(device: Device, bindings: Bindings[str, Value], defaults: Bindings[str, Value]) -> Value | None:
    """What may be a tensor by a parameter alone is none if that is handed numbers. None for other calls."""
    atoms = device - ANYWHERE
    if not atoms or not all(atom.startswith("=") for atom in atoms):
        return None
    given = [bindings.get(atom[1:], defaults.get(atom[1:], UNKNOWN)) for atom in atoms]
    if not all(map(holds_no_tensor, given)):
        return None
    return NUMBER if len(atoms) == len(device) else UNKNOWN


def _is_of_tensors(value: Tensor, bindings: Bindings[str, Value]) -> bool:
    """Whether a truth that may be a tensor by parameters alone is one, as tensors are handed in: `is_nan(x)`, which
    takes numbers, too."""
    if value.dtype != "bool":
        return False
    atoms = value.device - ANYWHERE
    given = [bindings.get(atom[1:]) for atom in atoms if atom.startswith("=")]
    return 0 < len(given) == len(atoms) and all(isinstance(one, Tensor) and one.sure for one in given)


def _holds_no_tensor(argument: Value | None) -> bool:
    """A container of something else, where an annotation promises tensors."""
    return isinstance(argument, (Items, Mapping)) and not tensors_in(argument)


def _derived(argument: Value, dtype: str) -> Value:
    """The result of arithmetic on an argument, element by element."""
    if isinstance(argument, Tensor):
        return argument._replace(dtype=dtype, param=None)
    if isinstance(argument, Number):
        return NUMBER
    if isinstance(argument, Unknown):
        return argument._replace(derived=True, dtype=dtype)
    return argument if isinstance(argument, Array) else UNKNOWN


def _place(
    device: Device, bindings: Bindings[str, Value], defaults: Bindings[str, Value], *, sure: bool = True
) -> Device:
    result: set[str] = set()
    handed_in: set[str] = set()
    doubtful: set[str] = set()
    if is_conditional(device):
        device = in_call(device, partial(told_in, bindings, defaults))
    for atom in device:
        if not atom.startswith("=") or atom.startswith("=" + HELD):
            result.add(atom)
            continue
        if MARK in atom:
            base, _, mark = atom.partition(MARK)
            result |= where_left_out(_place(place_of(base), bindings, defaults), mark)
            continue
        argument = bindings.get(atom[1:])
        if argument is None:
            argument = defaults.get(atom[1:])
            if isinstance(argument, Nothing) and not is_device_name(atom[1:]) and (not sure or len(device) > 1):
                # A tensor that is left out is nowhere. What surely is a tensor is made on the CPU without a device.
                doubtful |= ANYWHERE
                continue
            if argument is None:
                result.add("?")
            else:
                result |= device_of(argument).device
            continue
        if isinstance(argument, Tensor) and argument.sure:
            handed_in |= argument.device
        if isinstance(argument, (Items, Mapping)):
            held = tensors_in(argument)
            if held and not any(tensor.sure for tensor in held):
                doubtful |= held[0].device
            elif not held and holds_no_tensor(argument):
                doubtful |= ANYWHERE
            else:
                result |= unmixed(frozenset().union(*(tensor.device for tensor in held))) if held else ANYWHERE
        elif isinstance(argument, Number):
            doubtful |= ANYWHERE
        elif isinstance(argument, Ref):
            result.add("?")
        else:
            result |= device_of(argument).device
    if handed_in and "cpu" in result and "cpu" not in handed_in:
        # `if not isinstance(x, Tensor): x = torch.tensor(x)`: what is a tensor already stays where it is. Or something
        # else brings it to the host, so nothing is certain.
        result = (result - CPU) | ANYWHERE
    # Numbers or tensors are numbers where there is another place for what is made of them.
    return frozenset(result or doubtful)


def _lambda_result(context: Context, callee: Callable, bindings: Bindings[str, Value]) -> Value:
    node = callee.node
    assert isinstance(node, facts.Lambda)
    key = (f"{callee.symbol}{node.span}", None)
    if key in context.busy or len(context.busy) > 40:
        return UNKNOWN
    context.busy.add(key)
    try:
        frame = Frame(context, callee.symbol, usage(context, node), outer=context.closures.get(key[0]), loud=False)
        for param in node.params:
            frame.bind(param.name, bindings.get(param.name, UNKNOWN))
        return evaluate(frame, node.body)
    finally:
        context.busy.discard(key)


def _calls_its_default(node: facts.Function) -> bool:
    """`def default(value, d): …; return d() if callable(d) else d`: what it gives differs from call to call."""
    end = node.body[-1] if node.body else None
    if not isinstance(end, facts.Return) or not isinstance(end.value, facts.Conditional):
        return False
    test = end.value.test
    return isinstance(test, facts.Call) and isinstance(test.func, facts.Name) and test.func.id == "callable"


def _function_result(context: Context, callee: Callable, node: facts.Function, bindings: Bindings[str, Value]) -> Value:
    """What a small function gives in one call, followed with the arguments of that call."""
    key = (callee.symbol, callee.bound)
    if key in context.busy or len(context.busy) > 40:
        return UNKNOWN
    context.busy.add(key)
    try:
        outer = context.closures.get(callee.symbol)
        frame = Frame(context, callee.symbol, usage(context, node), outer=outer, function=node, loud=False)
        defaults = _defaults(context, node)
        for param in node.params:
            given = bindings.get(param.name)
            frame.bind(param.name, defaults.get(param.name, UNKNOWN) if given is None else given)
        execute(frame, node.body)
        return result_of(frame, node)
    finally:
        context.busy.discard(key)


def bind_arguments(
    node: facts.Function | facts.Lambda,
    bound: bool,
    args: list[tuple[facts.Expr, Value]],
    keywords: list[tuple[str | None, facts.Expr, Value]],
) -> dict[str, Value]:
    """Match the arguments of a call with a function's parameters, `self` left out when it is bound."""
    result: dict[str, Value] = {}
    if args:
        names = [name for name, kind, *_ in node.params if kind in BY_PLACE]
        if bound:
            names = names[1:]
        values = _one_by_one(args)
        for name, value in zip(names, values, strict=False):
            result[name] = value
        if len(values) > len(names):
            rest = next((name for name, kind, *_ in node.params if kind == "args"), None)
            if rest is not None:
                result[rest] = Items("tuple", tuple(values[len(names) :]), UNKNOWN)
    if keywords:
        known = {param.name for param in node.params}
        others: list[tuple[str, Value]] = []
        for keyword, _, value in keywords:
            if keyword is None:
                # Any device may be among them.
                result.update({name: UNKNOWN for name in known if is_device_name(name) and name not in result})
            else:
                if keyword in known:
                    result[keyword] = value
                else:
                    others.append((keyword, value))
        if others:
            rest = next((name for name, kind, *_ in node.params if kind == "kwargs"), None)
            if rest is not None:
                result[rest] = Mapping(tuple(others), UNKNOWN)
    return result


def _one_by_one(args: list[tuple[facts.Expr, Value]]) -> list[Value]:
    """The values of arguments, those of `*args` among them, up to one of which nobody knows how many it holds."""
    found: list[Value] = []
    for expr, value in args:
        if type(expr) is not facts.Starred:
            found.append(value)
        elif isinstance(value, Items) and value.items is not None:
            found += value.items
        else:
            break
    return found
