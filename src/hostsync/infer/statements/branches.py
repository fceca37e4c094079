"""Branches: what is known on each path, and where they meet again."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.devices import ACCELERATOR, CPU, of_param
from hostsync.infer.elsewhere import asks_for_accelerator, holds_elsewhere
from hostsync.infer.explaining import as_tensor
from hostsync.infer.expressions.truth import test
from hostsync.infer.frame import EXECUTORS, Frame, State, evaluate, evaluate_silently, execute
from hostsync.infer.hints.elements import has_elements
from hostsync.infer.left_out import given_or
from hostsync.infer.narrowing import is_param, narrow, narrow_moved
from hostsync.infer.nodes import dotted_path, is_none
from hostsync.infer.values import NO_CUDA, UNKNOWN, Items, Mapping, Number, Tensor, Unknown, Value, tensors_in


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
        elsewhere = holds_elsewhere(frame, current.test)
        test(frame, current.test, "if")
        state = frame.save()
        frame.asks_where = False
        narrow(frame, current.test, True)
        if frame.asks_where:
            before = before or state
        narrow_moved(frame, current)
        replaced = _replaced_when_none(current.test, current.body)
        kept = _kept_when_none(current.test, current.body)
        if elsewhere is True:
            frame.skipped += 1
        if _is_type_checking(current.test):
            execute(frame, tuple(part for part in current.body if isinstance(part, facts.Import)))
            state = frame.save()
        elif _body(frame, current) and elsewhere is not True and not skipped:
            ends.append((frame.env, frame.paths))
        if elsewhere is True:
            frame.skipped -= 1
        made = frame.env.get(replaced) if replaced is not None else None
        filled = frame.paths.get(dotted_path(kept) or "") if kept is not None else None
        frame.restore(state)
        frame.asks_where = False
        narrow(frame, current.test, False)
        if frame.asks_where:
            before = before or state
        if replaced is not None and isinstance(made, Tensor) and made.sure:
            held = frame.env.get(replaced)
            if isinstance(held, Unknown):
                frame.env[replaced] = as_tensor(held)
        elif kept is not None and isinstance(filled, Tensor) and filled.sure:
            # What is not None is what was kept in an earlier call.
            held = evaluate_silently(frame, kept)
            if isinstance(held, Tensor):
                frame.paths[dotted_path(kept) or ""] = held._replace(sure=True)
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
    if before is not None and ends:
        for end in (*ends, (frame.env, frame.paths)):
            _forget_devices(end, before)
    if through and not skipped:
        if len(ends) == 1:
            _tell_what_is_left_out(frame, node, ends[0][0])
        for end in ends:
            frame.merge(end)
        if before is not None:
            _forget_where(frame, before)
        return True
    if not ends:
        # What comes after is reached only where nothing runs on CUDA.
        return through and not skipped
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


def _forget_devices(end: State, before: State) -> None:
    """`if device == "cpu": …` says nothing of the device after it."""
    for now, then in zip(end, before, strict=True):
        for name in [name for name, value in now.items() if value is NO_CUDA]:
            if name in then:
                now[name] = then[name]
            else:
                del now[name]


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


def _kept_when_none(test: facts.Expr, body: tuple[facts.Stmt, ...]) -> facts.Attr | None:
    """`if self.mask is None: self.mask = …`: the attribute, if that is what the statement does."""
    if not isinstance(test, facts.Compare) or test.ops != ("is",) or not is_none(test.rights[0]):
        return None
    path = dotted_path(test.left)
    targets = [target for statement in body if isinstance(statement, facts.Assign) for target in statement.targets]
    if isinstance(test.left, facts.Attr) and path is not None and path in map(dotted_path, targets):
        return test.left
    return None


def _is_type_checking(node: facts.Expr) -> bool:
    return (isinstance(node, facts.Name) and node.id == "TYPE_CHECKING") or (
        isinstance(node, facts.Attr) and node.name == "TYPE_CHECKING"
    )


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


def _match(frame: Frame, node: facts.Match) -> bool:
    subject = evaluate(frame, node.subject)
    before = frame.save()
    ends = [before]
    for case in node.cases:
        frame.restore(before)
        compared = [(value, evaluate(frame, value)) for value in case.compares]
        if compared and isinstance(subject, Tensor):
            first, value = compared[0]
            # Values inside of other patterns are compared with parts of what a tensor is not: a sequence, say.
            if first.span[:2] == case.span[:2] and isinstance(value, (Number, Tensor)):
                frame.ask(first, "match-value", subject)
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


EXECUTORS[facts.If] = _if
EXECUTORS[facts.Match] = _match
EXECUTORS[facts.Try] = _try
EXECUTORS[facts.Assert] = _assert
