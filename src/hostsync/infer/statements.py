"""Following statements in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Final

from hostsync import facts
from hostsync.infer.assignment import assign, iterated_over
from hostsync.infer.calls.operations import operator_result
from hostsync.infer.classes import closed
from hostsync.infer.context import ClassInfo, symbol_of
from hostsync.infer.explaining import as_tensor, explain
from hostsync.infer.expressions import test
from hostsync.infer.frame import EXECUTORS, Frame, State, evaluate, evaluate_silently, execute
from hostsync.infer.generated import NAMED_TUPLE, constructor, is_named_tuple, named_tuple
from hostsync.infer.hints import dimensions
from hostsync.infer.hints.annotations import from_annotation, named_type, only_numbers
from hostsync.infer.hints.defaults import may_be_left_out
from hostsync.infer.hints.elements import has_elements
from hostsync.infer.hints.imported import known_as
from hostsync.infer.hints.mixtures import note_loop
from hostsync.infer.hints.module_uses import GIVE_THE_MODULE
from hostsync.infer.hints.moved_batches import moved_from_host
from hostsync.infer.indexing.loads import load
from hostsync.infer.indexing.masks import is_comparison
from hostsync.infer.indexing.stores import store
from hostsync.infer.left_out import given_or
from hostsync.infer.linking.plain import is_at_top, is_foreign
from hostsync.infer.narrowing import asks_for_accelerator, holds_elsewhere, is_param, narrow, narrow_moved
from hostsync.infer.nodes import is_none, last_name
from hostsync.infer.special_methods import special
from hostsync.infer.values import (
    ACCELERATOR,
    ANYWHERE,
    CPU,
    NUMBER,
    UNKNOWN,
    Array,
    Callable,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Mapping,
    Nothing,
    Number,
    Ref,
    Tensor,
    Unknown,
    Value,
    element_of,
    join,
    of_param,
    only_host,
    tensors_in,
)


def _unless_given(frame: Frame, target: facts.Expr, value: DeviceValue) -> DeviceValue:
    """What a parameter is that becomes the CPU where nobody hands in a device: itself, as None stands for the CPU."""
    if not isinstance(target, facts.Name) or frame.function is None or not only_host(value.device):
        return value
    if not isinstance(frame.env.get(target.id), Nothing):
        return value
    return DeviceValue(of_param(target.id)) if may_be_left_out(frame.function, target.id) else value


def _is_own_call(frame: Frame, node: facts.Expr | None) -> bool:
    return isinstance(node, facts.Call) and isinstance(evaluate_silently(frame, node.func), Callable)


def _names_types(node: facts.Assign) -> bool:
    """`Scalar = int | Tensor`, be it annotated as a `TypeAlias` or not."""
    if not (isinstance(node.value, facts.Binary) and node.value.op == "|"):
        return False
    return node.annotation is None or last_name(node.annotation) == "TypeAlias"


def _assign(frame: Frame, node: facts.Assign) -> bool:
    if isinstance(node.value, facts.Call) and is_named_tuple(node.value):
        made = named_tuple(node, node.value)
        if made is not None and evaluate_silently(frame, node.value.func) == Ref("collections.namedtuple"):
            return _define(frame, made, (Ref(NAMED_TUPLE),))
    if node.value is None:
        value: Value = UNKNOWN
    elif (counted := _unpacked_nonzero(node)) and not isinstance(evaluate(frame, counted), Tensor):
        value = Items("tuple", None, Array(1, "int"))
    else:
        value = evaluate(frame, node.value)
        if type(node.value) is facts.Call and last_name(node.value.func) == "next":
            value = moved_from_host(value, node.targets[0], _around(frame))
        frame.assigning = node.value
        if isinstance(value, Tensor) and not isinstance(node.value, (facts.Name, facts.Const)):
            value = explain(value, node.value)
        elif isinstance(value, DeviceValue):
            value = _unless_given(frame, node.targets[0], value)
    if frame.symbol == "<module>" and _names_types(node):
        value = (node.value and named_type(node.value, lambda expr: evaluate(frame, expr))) or value
    elif node.annotation is not None and (node.value is None or isinstance(value, Unknown)):
        promised = from_annotation(node.annotation, lambda expr: evaluate(frame, expr))
        if promised is not None:
            value = promised
    elif node.annotation is not None and isinstance(value, Tensor):
        # What torch gives is what it gives. What the project gives may differ from call to call.
        if only_numbers(node.annotation) and (not value.sure or _is_own_call(frame, node.value)):
            value = NUMBER
    elif node.annotation is not None and (
        (isinstance(value, Items) and value.items == ()) or (isinstance(value, Mapping) and not value.items)
    ):
        promised = from_annotation(node.annotation, lambda expr: evaluate(frame, expr))
        filled: Value | None = None
        if isinstance(promised, Items) and isinstance(value, Items) and not isinstance(promised.element, Unknown):
            filled = Items(value.kind, None, promised.element)
        elif isinstance(promised, Mapping) and isinstance(value.element, Unknown):
            filled = promised
        target = node.targets[0]
        if filled is not None and not (isinstance(target, facts.Attr) and _declare(frame, target, filled)):
            value = filled
    if node.value is None and isinstance(value, Unknown):
        return True
    if isinstance(value, Unknown) and node.value is not None and is_comparison(node.value):
        first = node.targets[0]
        if isinstance(first, facts.Name) and (
            first.id in frame.usage.tensors
            or (
                (first.id in frame.usage.masks or first.id in frame.usage.indexes)
                and frame.context.uses_torch
                and not frame.knows_arrays()
            )
        ):
            value = Tensor(ANYWHERE, "bool")
    if isinstance(value, Unknown) and _takes_positions(node) and not frame.knows_arrays():
        value = Items("tuple", (Tensor(ANYWHERE), Tensor(ANYWHERE, "int")), UNKNOWN)
    for target in node.targets:
        if node.value is None and isinstance(target, facts.Attr):
            _declare(frame, target, value)
        else:
            assign(frame, target, value)
    dimensions.unpacked(frame, node.targets, node.value)
    if isinstance(node.value, facts.Call) and isinstance(node.targets[0], facts.Name):
        _note_test(frame, node.targets[0].id, node.value)
    return True


def _note_test(frame: Frame, name: str, call: facts.Call) -> None:
    """`is_tensor = isinstance(x, Tensor)`: what is asked of the name later is asked of `x`, until that is another."""
    func = last_name(call.func)
    if func in {"isinstance", "is_tensor"} and call.args and isinstance(call.args[0], facts.Name):
        tested = call.args[0].id
        if tested != name:
            frame.tests[name] = (tested, call)


def _declare(frame: Frame, target: facts.Attr, value: Value) -> bool:
    """`self.sampler: Sampler`, without a value: as in the body of the class, it holds unless something is assigned.

    `self.times: dict[str, Tensor] = {}` says as little of where they are, unless nothing is seen to be put in. Returns
    whether it is an attribute of the class that is followed.
    """
    if frame.sink is None or frame.bound is None or evaluate(frame, target.value) != frame.bound:
        return False
    frame.declared.setdefault(target.name, closed(value))
    return True


_WITH_POSITIONS: Final = frozenset({"max", "min", "sort", "median", "mode", "kthvalue", "topk", "cummax", "cummin"})


def _takes_positions(node: facts.Assign) -> bool:
    """`values, positions = x.max(0)`: only tensors give both."""
    target, call = node.targets[0], node.value
    return (
        isinstance(target, facts.Sequence)
        and len(target.items) == 2
        and isinstance(call, facts.Call)
        and isinstance(call.func, facts.Attr)
        and call.func.name in _WITH_POSITIONS
    )


def _unpacked_nonzero(node: facts.Assign) -> facts.Expr | None:
    """The `x` of `rows, columns = x.nonzero()`.

    An array gives as many as it has dimensions, a tensor a row for each element.
    """
    target, call = node.targets[0], node.value
    if not isinstance(target, facts.Sequence) or len(target.items) < 2 or not isinstance(call, facts.Call):
        return None
    is_it = isinstance(call.func, facts.Attr) and call.func.name == "nonzero" and not (call.args or call.keywords)
    return call.func.value if is_it and isinstance(call.func, facts.Attr) else None


def _aug_assign(frame: Frame, node: facts.AugAssign) -> bool:
    target = node.target
    if isinstance(target, facts.Subscript):
        base = evaluate(frame, target.value)
        old = load(frame, target, base)
        right = evaluate(frame, node.value)
        value = operator_result(node.op, old, right)
        if isinstance(base, Tensor):
            with frame.silently():
                masked = isinstance(old, Tensor)
            if masked:
                store(frame, target, value)
        return True
    old = evaluate(frame, target)
    right = evaluate(frame, node.value)
    frame.assigning = target
    if isinstance(old, Items) and node.op == "+" and old.items is not None and isinstance(right, Items) and frame.loops:
        assign(
            frame,
            target,
            Items(old.kind, None, element_of(right) if old.items == () else join(element_of(old), element_of(right))),
        )
        return True
    value = operator_result(node.op, old, right)
    if isinstance(value, Tensor) and isinstance(old, Tensor):
        # In place: the tensor stays where it is.
        value = value._replace(device=old.device if not isinstance(right, Tensor) or old.ndim != 0 else value.device)
    assign(
        frame,
        target,
        explain(value, node.value) if isinstance(value, Tensor) and not isinstance(old, Tensor) else value,
    )
    return True


def _expression(frame: Frame, node: facts.ExprStmt) -> bool:
    call = node.value
    value = evaluate(frame, call)
    _move_in_place(frame, call, value)
    events = frame.events
    if events and isinstance(call, facts.Call) and isinstance(call.func, facts.Attr) and call.func.name in _MOVING:
        last = events[-1]
        moved = evaluate_silently(frame, call.func.value) if last.event.span == call.span else None
        if moved is not None and not (isinstance(moved, Tensor) and moved.sure):
            # Of a tensor, what is moved would be lost: this is an object that moves its parts, such as a module.
            events[-1] = last._replace(event=last.event._replace(confidence="possible"))
    return True


_MOVING: Final = frozenset({"to", "cuda"})


def _move_in_place(frame: Frame, node: facts.Expr, value: Value) -> None:
    """`net.eval().cpu()` as a statement: from here on the module is there.

    So is what nothing is known of once it was brought to the host: of a tensor the copy would be lost.
    """
    if isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name == "to_numpy":
        _made_arrays(frame, node.func.value)
        return
    moves: set[str] = set()
    while isinstance(node, facts.Call) and isinstance(node.func, facts.Attr) and node.func.name in _IN_PLACE:
        moves.add(node.func.name)
        node = node.func.value
    places = moves & _PLACING
    if not isinstance(node, facts.Name) or not places:
        return
    held = evaluate_silently(frame, node)
    if isinstance(held, Instance):
        if isinstance(value, Instance) and value.name == held.name:
            frame.bind(node.id, value)
    elif places == {"cpu"} and isinstance(value, Tensor) and not (isinstance(held, Tensor) and held.sure):
        frame.bind(node.id, value._replace(sure=False))


def _made_arrays(frame: Frame, node: facts.Expr) -> None:
    """`outputs.to_numpy()` as a statement: from here on the parts of the object are arrays."""
    if isinstance(node, facts.Name) and isinstance(evaluate_silently(frame, node), (Instance, Unknown)):
        frame.bind(node.id, Array())


_PLACING: Final = _MOVING | {"cpu"}
_IN_PLACE: Final = _PLACING | GIVE_THE_MODULE


def _return(frame: Frame, node: facts.Return) -> bool:
    if node.value is not None:
        value = evaluate(frame, node.value)
        if not frame.skipped:
            of_parts = type(value) in _MAY_BE_OF_PARTS and not tensors_in(value) and _calls_itself(frame, node.value)
            (frame.of_nothing if of_parts else frame.returns).append(value)
    return False


_MAY_BE_OF_PARTS: Final = frozenset({Unknown, Items, Mapping})
_ITSELF: Final = frozenset({"self", "cls"})


def _calls_itself(frame: Frame, node: facts.Expr) -> bool:
    """`return type(x)(to_host(part) for part in x)` in `to_host`: it gives for each part what else it returns."""
    name = frame.symbol.rpartition(".")[2]
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if type(current) is facts.Call and last_name(current.func) == name:
            func = current.func
            if isinstance(func, facts.Name) or (isinstance(func, facts.Attr) and last_name(func.value) in _ITSELF):
                return True
        if isinstance(current, tuple):
            stack.extend(current)
    return False


def _raise(frame: Frame, node: facts.Raise) -> bool:
    # What a failing program prints on its way out is not worth a finding.
    if node.value is not None:
        with frame.silently():
            evaluate(frame, node.value)
    return False


def _assert(frame: Frame, node: facts.Assert) -> bool:
    test(frame, node.test, "assert")
    if node.message is not None:
        with frame.silently():
            evaluate(frame, node.message)
    narrow(frame, node.test, True)
    return True


def _body(frame: Frame, node: facts.If) -> bool:
    """Follows what is done where a test holds; what is returned for want of elements says nothing of other cases."""
    before = len(frame.returns)
    goes_on = execute(frame, node.body)
    if len(frame.returns) > before and _is_handed_in(frame, node.test):
        frame.of_given += [value for value in frame.returns[before:] if isinstance(value, Tensor)]
        frame.returns[before:] = [value for value in frame.returns[before:] if not isinstance(value, Tensor)]
    if len(frame.returns) > before and _finds_nothing(frame, node.test):
        made = [value for value in frame.returns[before:] if _is_made_on_the_host(value)]
        frame.returns[before:] = [value for value in frame.returns[before:] if value not in made]
        frame.of_nothing += made
    return goes_on


def _is_handed_in(frame: Frame, node: facts.Expr) -> bool:
    """`latents is not None`, of a parameter."""
    if not isinstance(node, facts.Compare) or node.ops != ("is not",) or not is_none(node.rights[0]):
        return False
    return isinstance(node.left, facts.Name) and is_param(frame, node.left.id)


def _is_made_on_the_host(value: Value) -> bool:
    held = tensors_in(value)
    return bool(held) and all(tensor.device == CPU for tensor in held)


def _finds_nothing(frame: Frame, node: facts.Expr) -> bool:
    """`len(x) == 0`, `x.numel() == 0`, `x.shape[0] < 1`, `not x` of a list."""
    if isinstance(node, facts.Logical):
        found = [_finds_nothing(frame, value) for value in node.values]
        return all(found) if node.op == "or" else any(found)
    if isinstance(node, facts.Unary) and node.op == "not" and isinstance(node.operand, facts.Name):
        with frame.silently():
            return isinstance(evaluate(frame, node.operand), (Items, Mapping))
    return has_elements(node) is False


def _if(frame: Frame, node: facts.If) -> bool:
    # An elif chain nests in `orelse`; it is followed without recursion.
    ends: list[tuple[dict[str, Value], dict[str, Value]]] = []
    current = node
    skipped = 0
    before: State | None = None
    while True:
        elsewhere = holds_elsewhere(current.test)
        test(frame, current.test, "if")
        state = frame.save()
        frame.asks_where = False
        narrow(frame, current.test, True)
        if frame.asks_where:
            before = before or state
        narrow_moved(frame, current)
        replaced = _replaced_when_none(current.test, current.body)
        if elsewhere is True:
            frame.skipped += 1
        if _is_type_checking(current.test):
            execute(frame, tuple(part for part in current.body if isinstance(part, facts.Import)))
            state = frame.save()
        elif _body(frame, current) and elsewhere is not True:
            ends.append((frame.env, frame.paths))
        if elsewhere is True:
            frame.skipped -= 1
        made = frame.env.get(replaced) if replaced is not None else None
        frame.restore(state)
        narrow(frame, current.test, False)
        if replaced is not None and isinstance(made, Tensor) and made.sure:
            held = frame.env.get(replaced)
            if isinstance(held, Unknown):
                frame.env[replaced] = as_tensor(held)
        elif (
            replaced is not None and isinstance(made, (Items, Mapping)) and isinstance(frame.env.get(replaced), Unknown)
        ):
            frame.env[replaced] = _such(made)
        if elsewhere is False:
            frame.skipped += 1
            skipped += 1
        orelse = current.orelse
        if ends and asks_for_accelerator(frame, current.test):
            with frame.silently():
                execute(frame, orelse)
            through = False
            break
        if len(orelse) == 1 and isinstance(orelse[0], facts.If):
            current = orelse[0]
            continue
        through = execute(frame, orelse)
        break
    frame.skipped -= skipped
    if through and not skipped:
        if len(ends) == 1:
            _tell_what_is_left_out(frame, node, ends[0][0])
        for end in ends:
            frame.merge(end)
        if before is not None:
            _forget_where(frame, before)
        return True
    if not ends:
        return through
    frame.adopt(ends[0])
    for end in ends[1:]:
        frame.merge(end)
    return True


def _forget_where(frame: Frame, before: State) -> None:
    """`if x.device.type == "cpu": … else: …` says nothing of where `x` is after both."""
    for now, then in zip((frame.env, frame.paths), before, strict=True):
        for name, value in now.items():
            if isinstance(value, Tensor) and value.device == _EITHER:
                held = then.get(name)
                if isinstance(held, Unknown) and value.origin is None:
                    held = as_tensor(held)
                if isinstance(held, Tensor) and held.origin is value.origin and held.sure == value.sure:
                    now[name] = value._replace(device=held.device, param=held.param)


_EITHER: Final = ACCELERATOR | CPU


def _tell_what_is_left_out(frame: Frame, node: facts.If, made: dict[str, Value]) -> None:
    """`if device is None: device = x.device`: what is made in the branch counts only without a device."""
    tests = node.test.values if isinstance(node.test, facts.Logical) and node.test.op == "and" else (node.test,)
    for condition in tests:
        name = _replaced_when_none(condition, node.body)
        given, other = (env.get(name or "", UNKNOWN) for env in (frame.env, made))
        chosen = given_or(given, other, always=len(tests) == 1)
        if name is not None and chosen is not None and of_param(name) <= chosen.device:
            made[name] = chosen


def _such(value: Value, depth: int = 3) -> Value:
    """Something made like a value, of which it isn't known where it lives."""
    if isinstance(value, Tensor):
        return value._replace(param=None)
    if depth and isinstance(value, Items):
        items = None if value.items is None else tuple(_such(item, depth - 1) for item in value.items)
        return Items(value.kind, items, _such(value.element, depth - 1))
    if depth and isinstance(value, Mapping):
        entries = tuple((key, _such(item, depth - 1)) for key, item in value.items)
        return Mapping(entries, _such(value.element, depth - 1))
    return UNKNOWN if isinstance(value, (Items, Mapping)) else value


def _replaced_when_none(test: facts.Expr, body: tuple[facts.Stmt, ...]) -> str | None:
    """`if x is None: x = …`: the name, if that is what the statement does."""
    if (
        isinstance(test, facts.Compare)
        and test.ops == ("is",)
        and isinstance(test.left, facts.Name)
        and isinstance(test.rights[0], facts.Const)
        and test.rights[0].kind == "none"
        and any(
            isinstance(target, facts.Name) and target.id == test.left.id
            for statement in body
            if isinstance(statement, facts.Assign)
            for target in statement.targets
        )
    ):
        return test.left.id
    return None


def _is_type_checking(node: facts.Expr) -> bool:
    return (isinstance(node, facts.Name) and node.id == "TYPE_CHECKING") or (
        isinstance(node, facts.Attr) and node.name == "TYPE_CHECKING"
    )


def _loop(frame: Frame, enter: Function[[], None], body: tuple[facts.Stmt, ...]) -> None:
    """Follow a loop's body: once silently to learn what a turn leaves behind, then once for its waits."""
    before = frame.save()
    frame.breaks.append([])
    if frame.loud:
        with frame.silently():
            enter()
            if not execute(frame, body):
                frame.restore(before)
        for state in frame.breaks[-1]:
            frame.merge(state)
        frame.merge(_without_starts(frame, before))
        frame.breaks[-1].clear()
    frame.loops += 1
    enter()
    through = execute(frame, body)
    frame.loops -= 1
    broken = frame.breaks.pop()
    if not through:
        if broken:
            frame.restore(broken[0])
        else:
            frame.restore(before)
    for state in broken:
        frame.merge(state)
    frame.merge(_without_starts(frame, before))


def _without_starts(frame: Frame, before: State) -> State:
    """What was there before a loop, less the numbers and Nones that the loop has replaced by tensors.

    A loop that never turns leaves the 0 that a sum began with; one that turns is what the code is about.
    """
    env = {
        name: value
        for name, value in before[0].items()
        if not (isinstance(value, (Number, Nothing)) and isinstance(frame.env.get(name), Tensor))
    }
    return env, before[1]


def _for(frame: Frame, node: facts.For) -> bool:
    element = iterated_over(frame, node.iterable, evaluate(frame, node.iterable))
    if isinstance(element, Tensor) and element.origin is not None:
        element = explain(element, node.iterable)
    element = moved_from_host(element, node.target, node.body)
    note_loop(frame, node.iterable, node.target)
    if frame.sink is not None and frame.setup and isinstance(node.iterable, facts.Sequence):
        _unrolled(frame, node, node.iterable.items)
    _loop(frame, lambda: assign(frame, node.target, element), node.body)
    execute(frame, node.orelse)
    return True


def _around(frame: Frame) -> tuple[facts.Stmt, ...]:
    """The statements of the function that is followed, or of the module."""
    return frame.context.module.body if frame.function is None else frame.function.body


def _unrolled(frame: Frame, node: facts.For, items: tuple[facts.Expr, ...]) -> None:
    """Sets up what a loop over names does: `for name in ("mean", "std"): self.register_buffer(name, …)`."""
    if not all(isinstance(item, facts.Const) and item.kind == "str" for item in items):
        return
    with frame.silently():
        for item in items:
            assign(frame, node.target, evaluate(frame, item))
            execute(frame, node.body)


def _while(frame: Frame, node: facts.While) -> bool:
    _loop(frame, lambda: _enter_while(frame, node), node.body)
    execute(frame, node.orelse)
    return True


def _enter_while(frame: Frame, node: facts.While) -> None:
    frame.loops += 1
    test(frame, node.test, "while")
    frame.loops -= 1
    narrow(frame, node.test, True)


def _with(frame: Frame, node: facts.With) -> bool:
    default = frame.context.default_device
    for item in node.items:
        value = evaluate(frame, item.value)
        entered = special(frame, item.value, value, "__enter__")
        if item.target is not None:
            assign(frame, item.target, value if entered is None else entered)
        if isinstance(value, DeviceValue):
            frame.context.default_device = value.device
    through = execute(frame, node.body)
    frame.context.default_device = default
    return through


def _try(frame: Frame, node: facts.Try) -> bool:
    before = frame.save()
    through = execute(frame, node.body)
    if through:
        through = execute(frame, node.orelse)
    after = frame.save()
    ends = [after] if through else []
    for handler in node.handlers:
        frame.restore(before)
        frame.merge(after)
        if handler.name is not None:
            frame.bind(handler.name, UNKNOWN)
        if execute(frame, handler.body):
            ends.append(frame.save())
    if not ends:
        frame.restore(after)
        execute(frame, node.final)
        return False
    frame.restore(ends[0])
    for end in ends[1:]:
        frame.merge(end)
    return execute(frame, node.final)


def _delete(frame: Frame, node: facts.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, facts.Name):
            frame.env.pop(target.id, None)
    return True


def _match(frame: Frame, node: facts.Match) -> bool:
    evaluate(frame, node.subject)
    before = frame.save()
    ends = [before]
    for case in node.cases:
        frame.restore(before)
        for value in case.compares:
            evaluate(frame, value)
        for name in case.captures:
            frame.bind(name, UNKNOWN)
        if case.guard is not None:
            test(frame, case.guard, "match-guard")
        if execute(frame, case.body):
            ends.append(frame.save())
    frame.restore(ends[0])
    for end in ends[1:]:
        frame.merge(end)
    return True


def _import(frame: Frame, node: facts.Import) -> bool:
    module = node.module
    links = frame.context.links
    if node.alias == "*":
        for name, value in links.starred(node) if links is not None else ():
            _bind_linked(frame, name, value)
        return True
    if links is not None:
        linked = links.imported(node)
        if linked is not None:
            _bind_linked(frame, node.alias, linked)
            return True
    if node.name is None:
        frame.bind(node.alias, Ref(known_as(module)))
    else:
        frame.bind(node.alias, Ref(known_as(f"{module}.{node.name}")))
    return True


def _bind_linked(frame: Frame, name: str, value: Value) -> None:
    """Bind what another module of the project defines, or has from torch and passes on."""
    context = frame.context
    if not context.uses_torch and frame.symbol == "<module>":
        context.uses_torch = context.links is not None and context.links.library.speaks_of_torch(value)
    frame.bind(name, value)


def _scope(frame: Frame, node: facts.Scope) -> bool:
    return True


def _jump(frame: Frame, node: facts.Jump) -> bool:
    if node.kind == "pass":
        return True
    if frame.breaks:
        frame.breaks[-1].append(frame.save())
    return False


def _function(frame: Frame, node: facts.Function) -> bool:
    owner = "" if frame.symbol == "<module>" else frame.symbol
    symbol = symbol_of(node, owner, frame.context.functions.get(f"{owner}.{node.name}" if owner else node.name))
    for decorator in node.decorators:
        evaluate(frame, decorator)
    _defaults(frame, node)
    callee = Callable(node, symbol, None, None)
    if frame.symbol != "<module>":
        frame.context.closures[symbol] = frame.env
    frame.bind(node.name, callee)
    frame.context.functions[symbol] = node
    if frame.symbol == "<module>":
        _leave_open(frame, node)
    if symbol not in frame.context.followed and frame.events is not None:
        frame.context.followed.add(symbol)
        frame.context.follow_later(callee)
    return True


def _leave_open(frame: Frame, node: facts.Function) -> None:
    """`device = None` at the top says nothing of a name that a function with `global device` sets."""
    for statement in node.body:
        if isinstance(statement, facts.Scope) and statement.kind == "global":
            for name in statement.names:
                if isinstance(frame.env.get(name), Nothing):
                    frame.bind(name, UNKNOWN)


def _defaults(frame: Frame, node: facts.Function) -> None:
    """Defaults are evaluated where a function is defined; a lambda among them waits when it is called."""
    for param in node.params:
        if isinstance(param.default, (facts.Lambda, facts.Call)):
            evaluate(frame, param.default)


def _class(frame: Frame, node: facts.Class) -> bool:
    with frame.silently():
        bases = tuple(evaluate(frame, base) for base in node.bases)
    return _define(frame, node, bases)


def _define(frame: Frame, node: facts.Class, bases: tuple[Value, ...]) -> bool:
    """Take up a class that is derived from `bases`."""
    name = node.name if frame.symbol == "<module>" else f"{frame.symbol}.{node.name}"
    context = frame.context
    if name in context.classes:
        frame.bind(node.name, ClassRef(name))
        return True
    info = ClassInfo(name, node, bases)
    if context.links is not None and any(
        isinstance(b, ClassRef) and context.links.library.is_of_torch(b.name) for b in bases
    ):
        context.uses_torch = True
    above = [context.class_named(base.name) for base in bases if isinstance(base, ClassRef)]
    made = constructor(node, bases, [known for known in above if known is not None])
    if made is not None:
        info.methods["__init__"] = made
    context.classes[name] = info
    context.lineages.clear()
    context.functions.update({f"{name}.{method.name}": method for method in info.methods.values()})
    if frame.symbol != "<module>":
        context.closures[name] = frame.env
    frame.bind(node.name, ClassRef(name))
    for statement in node.body:
        if isinstance(statement, facts.Assign):
            _class_attribute(frame, info, statement)
        elif isinstance(statement, facts.Class):
            saved = frame.symbol
            frame.symbol = name
            outer = frame.env.get(statement.name)
            _class(frame, statement)
            info.attributes[statement.name] = frame.env[statement.name]
            frame.symbol = saved
            if outer is not None:
                frame.env[statement.name] = outer
    if frame.events is not None:
        _class_body(frame, node)
        for method in (*info.methods.values(), *info.others):
            _defaults(frame, method)
            symbol = symbol_of(method, name, info.methods[method.name])
            context.functions[symbol] = method
            context.follow_later(Callable(method, symbol, Instance(name, True), name))
    return True


def _class_body(frame: Frame, node: facts.Class) -> None:
    """What runs once, where the class is defined; the names that it binds are the class's own."""
    runs = [statement for statement in node.body if not isinstance(statement, (facts.Function, facts.Class))]
    if any(map(_calculates, runs)):
        state = frame.save()
        execute(frame, tuple(runs))
        frame.restore(state)


def _calculates(statement: facts.Stmt) -> bool:
    """More than a text, a constant or another name."""
    if isinstance(statement, (facts.Assign, facts.ExprStmt)):
        return not isinstance(statement.value, (facts.Const, facts.Name, facts.Attr, type(None)))
    return not isinstance(statement, facts.Jump)


def _class_attribute(frame: Frame, info: ClassInfo, statement: facts.Assign) -> None:
    value: Value = UNKNOWN
    with frame.silently():
        if statement.value is not None:
            value = evaluate(frame, statement.value)
        if statement.annotation is not None and isinstance(value, (Unknown, Items, Nothing)):
            promised = from_annotation(statement.annotation, lambda expr: evaluate(frame, expr))
            if isinstance(value, Nothing):
                # The default of a field says nothing of what an instance is made with.
                value = UNKNOWN
            value = promised if promised is not None and isinstance(value, Unknown) else value
    for target in statement.targets:
        if isinstance(target, facts.Name):
            info.attributes[target.id] = value
            if frame.symbol == "<module>" and isinstance(value, Callable) and is_at_top(value):
                _method_by_value(frame, info, target.id, value)


def _method_by_value(frame: Frame, info: ClassInfo, name: str, function: Callable) -> None:
    """`forward = function` in the body of a class: a function of the module that is a method by that name.

    Not of a class that a function defines: that function may be the one, so that there would be no end of classes.
    """
    if not is_foreign(function.symbol) and name not in info.methods and isinstance(function.node, facts.Function):
        method = function.node._replace(name=name)
        info.methods[name] = method
        frame.context.functions[f"{info.name}.{name}"] = method


EXECUTORS.update(
    {
        facts.Assign: _assign,
        facts.AugAssign: _aug_assign,
        facts.ExprStmt: _expression,
        facts.Return: _return,
        facts.Raise: _raise,
        facts.Assert: _assert,
        facts.If: _if,
        facts.For: _for,
        facts.While: _while,
        facts.With: _with,
        facts.Try: _try,
        facts.Delete: _delete,
        facts.Match: _match,
        facts.Import: _import,
        facts.Scope: _scope,
        facts.Jump: _jump,
        facts.Function: _function,
        facts.Class: _class,
    }
)
