"""Which statements of a function are reached in every call of it, and which in calls that hand in certain constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from hostsync import facts
from hostsync.infer.hints.evidence import asks_for_tracing, nodes_in
from hostsync.infer.values import Array, Instance, Items, Mapping, Nothing, Number, Tensor, Text, Value

Constant: TypeAlias = str | int | float | bool | None


class Need(NamedTuple):
    """What a parameter has to be for a test in a function to come out as it must."""

    param: str
    same: bool
    """It is compared with `constant`; else it is asked for its truth, and `constant` is True."""
    constant: Constant
    outcome: bool
    """How the comparison must come out."""
    by_default: bool
    """Whether it does so where nothing is handed in."""


class Step(NamedTuple):
    """A statement or expression, and when it is reached."""

    node: Any
    needs: tuple[Need, ...]
    usual: bool
    """Something undecided comes before that may end the function, such as a guard for a special case."""


class Scope(NamedTuple):
    """What the tests of a function are about."""

    params: dict[str, facts.Param]
    """Those that keep what is handed in."""
    held: Callable[[str], tuple[Constant] | None]
    """What `self.name` usually is, where that is a constant, in a tuple."""
    self_name: str


class Decided(NamedTuple):
    """That a test comes out one way: what it needs, and whether that is so only usually."""

    needs: tuple[Need, ...]
    usual: bool


def scope_of(function: facts.Function, held: Callable[[str], tuple[Constant] | None]) -> Scope:
    """The scope of a function.

    Args:
        function: its definition.
        held: what attributes of its object usually are.
    """
    names = {param.name for param in function.params if param.kind in _SINGLE}
    for node in nodes_in(function.body, _DEFINING):
        for name in _set_by(node):
            names.discard(name)
    params = {param.name: param for param in function.params if param.name in names}
    return Scope(params, held, function.params[0].name if function.params else "")


def steps_of(function: facts.Function, scope: Scope) -> Iterator[Step]:
    """Statements and expressions that are reached in every call, or in those that hand in what is needed."""
    return _steps(function.body, scope, (), usual=False)


def need_of(node: facts.Expr, scope: Scope, need: Need) -> Decided | None:
    """The need of a parameter, or what is usual for an attribute of the object if that meets it; None for all else."""
    if isinstance(node, facts.Name) and node.id in scope.params:
        param = scope.params[node.id]
        return Decided((need._replace(param=node.id, by_default=_by_default(param, need)),), False)
    if isinstance(node, facts.Attr) and isinstance(node.value, facts.Name) and node.value.id == scope.self_name:
        held = scope.held(node.name)
        return Decided((), True) if held is not None and _holds_for(need, held[0]) else None
    return None


def is_met(need: Need, value: Value | None) -> bool | None:
    """Whether what is handed in is what is needed; None where nobody knows. None as a value: nothing is handed in."""
    if value is None:
        return need.by_default
    known = _constant(value)
    if known is not None:
        return _holds_for(need, known[0])
    is_something = isinstance(value, (Array, Items, Mapping, Instance)) or (isinstance(value, Tensor) and value.sure)
    if is_something and need.same and (need.constant is None or isinstance(need.constant, (bool, str))):
        return not need.outcome
    return None


def comes_past(step: Any, span: facts.Place) -> Any:
    """The node at `span`, if evaluating a statement or expression comes past it in all cases; else None.

    Where nothing is at just that place, the innermost node around it.
    """
    node = step if _holds(step.span, span) else None
    while node is not None and node.span != span:
        parts = [part for part in _parts(node) if _holds(part.span, span)]
        if not parts:
            return node
        if any(part is optional for part in parts for optional in _optional(node)):
            return None
        node = parts[0]
    return node


# --- statements ----------------------------------------------------------------------------------


def _steps(body: Sequence[facts.Stmt], scope: Scope, needs: tuple[Need, ...], *, usual: bool) -> Iterator[Step]:
    for statement in body:
        if isinstance(statement, facts.If):
            yield from _test(statement.test, scope, needs, usual=usual)
            for branch, truth in ((statement.body, True), (statement.orelse, False)):
                decided = _decided(statement.test, scope, truth)
                if decided is not None and branch:
                    yield from _steps(branch, scope, needs + decided.needs, usual=usual or decided.usual)
            past = _past(statement, scope)
            if past is None:
                return
            needs, usual = needs + past.needs, usual or past.usual
            continue
        if isinstance(statement, facts.While):
            yield from _test(statement.test, scope, needs, usual=usual)
        elif isinstance(statement, facts.For):
            yield Step(statement.iterable, needs, usual)
            if isinstance(statement.iterable, facts.Sequence) and statement.iterable.items:
                yield from _steps(statement.body, scope, needs, usual=usual)
        elif isinstance(statement, facts.With):
            for item in statement.items:
                yield Step(item.value, needs, usual)
            yield from _steps(statement.body, scope, needs, usual=usual)
        elif isinstance(statement, facts.Try):
            yield from _steps(statement.body, scope, needs, usual=usual)
        elif isinstance(statement, _SIMPLE):
            yield Step(statement, needs, usual)
        if _leaves((statement,)):
            return


def _test(test: facts.Expr, scope: Scope, needs: tuple[Need, ...], *, usual: bool) -> Iterator[Step]:
    """The parts of a test: a later one is reached where those before leave it open how the test comes out."""
    parts = test.values if isinstance(test, facts.Logical) else (test,)
    for part in parts:
        yield Step(part, needs, usual)
        decided = _decided(part, scope, isinstance(test, facts.Logical) and test.op == "and")
        if decided is None:
            return
        needs, usual = needs + decided.needs, usual or decided.usual


_SIMPLE: Final = (facts.ExprStmt, facts.Assign, facts.AugAssign, facts.Assert, facts.Return, facts.Delete)


def _past(statement: facts.If, scope: Scope) -> Decided | None:
    """When the function goes on after an `if`; None if it never does."""
    yes, no = _leaves(statement.body), _leaves(statement.orelse)
    if not yes and not no:
        return Decided((), False)
    if _ends(statement.body) and _ends(statement.orelse):
        return None
    decided = None
    if not (yes and no):
        decided = _decided(statement.test, scope, truth=no)
    # What is left early where nobody knows when is a special case, more often than not.
    return decided or Decided((), True)


def _ends(body: Sequence[facts.Stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (facts.Return, facts.Raise))


def _leaves(body: Sequence[facts.Stmt]) -> bool:
    """Whether a function may end in a block, other than by an error."""
    return any(type(node) in _WAYS_OUT for node in nodes_in(tuple(body), _DEFINING))


_WAYS_OUT: Final[frozenset[type]] = frozenset({facts.Return, facts.Yield})
_DEFINING: Final[frozenset[type]] = frozenset({facts.Function, facts.Lambda, facts.Class})


# --- tests ---------------------------------------------------------------------------------------


def _decided(test: facts.Expr, scope: Scope, truth: bool) -> Decided | None:
    """What a test needs to come out as `truth`; None if it hangs on anything but parameters and constants."""
    if isinstance(test, facts.Unary) and test.op == "not":
        return _decided(test.operand, scope, not truth)
    if isinstance(test, facts.Logical):
        parts = [_decided(part, scope, truth) for part in test.values]
        if (test.op == "and") == truth:
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            return Decided(tuple(need for part in known for need in part.needs), any(part.usual for part in known))
        # One of them is enough: one that is so when nothing is handed in, if there is such a one.
        enough = [part for part in parts if part is not None]
        enough.sort(key=lambda part: (not all(need.by_default for need in part.needs), part.usual))
        return enough[0] if enough else None
    if asks_for_tracing(test):
        return None if truth else Decided((), False)
    if isinstance(test, facts.Compare) and len(test.ops) == 1 and test.ops[0] in _SAME:
        right = test.rights[0]
        if isinstance(right, facts.Const) and right.kind in _LITERAL:
            return need_of(test.left, scope, Need("", True, right.value, _SAME[test.ops[0]] == truth, False))
        return None
    return need_of(test, scope, Need("", False, True, truth, False))


_SAME: Final = {"==": True, "is": True, "!=": False, "is not": False}
_LITERAL: Final = frozenset({"none", "bool", "int", "float", "str"})
_SINGLE: Final = frozenset({"positional", "normal", "keyword"})


def default_of(param: facts.Param) -> tuple[Constant] | None:
    """The constant that a parameter has by default, in a tuple."""
    default = param.default
    return (default.value,) if isinstance(default, facts.Const) and default.kind in _LITERAL else None


def _by_default(param: facts.Param, need: Need) -> bool:
    default = default_of(param)
    return default is not None and _holds_for(need, default[0])


def _holds_for(need: Need, constant: Constant) -> bool:
    came_out = constant == need.constant if need.same else bool(constant)
    return came_out == need.outcome


def _constant(value: Value) -> tuple[Constant] | None:
    if isinstance(value, Nothing):
        return (None,)
    return (value.const,) if isinstance(value, (Number, Text)) and value.const is not None else None


def _set_by(node: Any) -> Iterator[str]:
    """Names that a statement or expression puts something else under."""
    targets: list[Any] = []
    if isinstance(node, facts.Assign):
        targets += node.targets
    elif isinstance(node, (facts.AugAssign, facts.For)):
        targets.append(node.target)
    elif isinstance(node, facts.With):
        targets += [item.target for item in node.items if item.target is not None]
    while targets:
        target = targets.pop()
        if isinstance(target, facts.Name):
            yield target.id
        elif isinstance(target, facts.Sequence):
            targets += target.items
        elif isinstance(target, facts.Starred):
            targets.append(target.value)


# --- expressions ---------------------------------------------------------------------------------


def _parts(node: Any) -> Iterator[Any]:
    """The nodes right below a node, those in tuples and in keyword arguments, too."""
    stack = list(node)
    while stack:
        part = stack.pop()
        if not isinstance(part, tuple):
            continue
        if hasattr(part, "span"):
            yield part
        else:
            stack.extend(part)


def _optional(node: Any) -> tuple[Any, ...]:
    """The parts of an expression that are not evaluated in all cases."""
    if isinstance(node, facts.Conditional):
        return node.body, node.orelse
    if isinstance(node, facts.Logical):
        return node.values[1:]
    if isinstance(node, facts.Lambda):
        return (node.body,)
    if isinstance(node, facts.Comprehension):
        return tuple(part for part in (node.element, node.key) if part is not None)
    return ()


def _holds(outer: facts.Place, inner: facts.Place) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
