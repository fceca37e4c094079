"""Which statements of a function are reached in every call of it, and which in calls that hand in certain constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from hostsync import facts
from hostsync.infer.hints.asked_types import asks_for_tracing
from hostsync.infer.hints.elements import has_elements
from hostsync.infer.nodes import DEFINITIONS, LITERALS, SINGLE, last_name, nodes_in
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
    scope: Scope


class Scope(NamedTuple):
    """What the tests of a function are about, at some place in it."""

    params: dict[str, facts.Param]
    """Those that still are what was handed in."""
    held: Callable[[str], tuple[Constant] | None]
    """What `self.name` usually is, where that is a constant, in a tuple."""
    self_name: str
    aliases: dict[str, str]
    """By name, the attribute of `self` that it stands for."""


class Decided(NamedTuple):
    """That a test comes out one way: what it needs, and whether that is so only usually."""

    needs: tuple[Need, ...]
    usual: bool


def scope_of(function: facts.Function, held: Callable[[str], tuple[Constant] | None]) -> Scope:
    """The scope in which a function begins.

    Args:
        function: its definition.
        held: what attributes of its object usually are.
    """
    params = {param.name: param for param in function.params if param.kind in SINGLE}
    return Scope(params, held, function.params[0].name if function.params else "", {})


def steps_of(function: facts.Function, scope: Scope) -> Iterator[Step]:
    """Statements and expressions that are reached in every call, or in those that hand in what is needed."""
    return _steps(function.body, scope, (), usual=False)


def need_of(node: facts.Expr, scope: Scope, need: Need) -> Decided | None:
    """The need of a parameter, or what is usual for an attribute of the object if that meets it; None for all else."""
    if isinstance(node, facts.Name) and node.id in scope.params:
        param = scope.params[node.id]
        return Decided((need._replace(param=node.id, by_default=_by_default(param, need)),), False)
    name = scope.aliases.get(node.id) if isinstance(node, facts.Name) else _own_attribute(node, scope)
    held = None if name is None else scope.held(name)
    return Decided((), True) if held is not None and _holds_for(need, held[0]) else None


def _own_attribute(node: facts.Expr | None, scope: Scope) -> str | None:
    """The `name` of `self.name`; None for anything else."""
    is_own = isinstance(node, facts.Attr) and isinstance(node.value, facts.Name) and node.value.id == scope.self_name
    return node.name if is_own and isinstance(node, facts.Attr) else None


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
        after = _without(scope, statement)
        if isinstance(statement, (facts.While, facts.For, facts.With)):
            yield from _of_block(statement, scope, after, needs, usual=usual)
        elif isinstance(statement, facts.If):
            yield from _test(statement.test, scope, needs, usual=usual)
            for branch, truth in ((statement.body, True), (statement.orelse, False)):
                decided = _decided(statement.test, scope, truth)
                if decided is not None and branch:
                    yield from _steps(branch, scope, needs + decided.needs, usual=usual or decided.usual)
            past = _past(statement, scope)
            if past is None:
                return
            needs, usual, scope = needs + past.needs, usual or past.usual, after
            continue
        elif isinstance(statement, facts.Try):
            yield from _steps(statement.body, scope, needs, usual=usual)
        elif isinstance(statement, _SIMPLE):
            yield Step(statement, needs, usual, scope)
        if _leaves((statement,)):
            return
        scope = after


def _of_block(
    statement: facts.While | facts.For | facts.With,
    scope: Scope,
    inside: Scope,
    needs: tuple[Need, ...],
    *,
    usual: bool,
) -> Iterator[Step]:
    """The steps of a loop, in which what it sets is no longer what was handed in, or of a `with`."""
    if isinstance(statement, facts.While):
        yield from _test(statement.test, inside, needs, usual=usual)
    elif isinstance(statement, facts.For):
        yield Step(statement.iterable, needs, usual, scope)
        runs = isinstance(statement.iterable, facts.Sequence) and bool(statement.iterable.items)
        yield from _steps(statement.body, inside, needs, usual=usual or not runs)
    else:
        for item in statement.items:
            yield Step(item.value, needs, usual, scope)
        yield from _steps(statement.body, inside, needs, usual=usual)


def _without(scope: Scope, statement: facts.Stmt) -> Scope:
    """The scope behind a statement, which may put something else under the names of parameters."""
    if isinstance(statement, (facts.ExprStmt, facts.Return)):
        return scope
    parts = (statement,) if isinstance(statement, facts.Assign) else nodes_in((statement,), DEFINITIONS)
    gone = {name for node in parts for name in set_by(node)}
    if not gone:
        return scope
    params, aliases = scope.params, scope.aliases
    if not gone.isdisjoint(params):
        params = {name: param for name, param in params.items() if name not in gone}
    if not gone.isdisjoint(aliases):
        aliases = {name: own for name, own in aliases.items() if name not in gone}
    match statement:
        case facts.Assign(targets=(facts.Name(id=name),), value=value):
            own = _own_attribute(value, scope)
            aliases = aliases if own is None else {**aliases, name: own}
    return scope._replace(params=params, aliases=aliases)


def _test(test: facts.Expr, scope: Scope, needs: tuple[Need, ...], *, usual: bool) -> Iterator[Step]:
    """The parts of a test: a later one is reached where those before leave it open how the test comes out."""
    parts = test.values if isinstance(test, facts.Logical) else (test,)
    for part in parts:
        yield Step(part, needs, usual, scope)
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
    return any(type(node) in _WAYS_OUT for node in nodes_in(tuple(body), DEFINITIONS))


_WAYS_OUT: Final[frozenset[type]] = frozenset({facts.Return, facts.Yield})


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
    if _asks_for_tensor(test, scope):
        return Decided((), True) if truth else None
    of_some = has_elements(test)
    if of_some is not None:
        # Nothing at all is a special case.
        return Decided((), True) if of_some is truth else None
    if isinstance(test, facts.Compare) and len(test.ops) == 1 and test.ops[0] in _SAME:
        right = test.rights[0]
        if isinstance(right, facts.Const) and right.kind in LITERALS:
            return need_of(test.left, scope, Need("", True, right.value, _SAME[test.ops[0]] == truth, False))
        return None
    return need_of(test, scope, Need("", False, True, truth, False))


def _asks_for_tensor(test: facts.Expr, scope: Scope) -> bool:
    """`isinstance(x, Tensor)` of a parameter: where it is none, nothing is waited for."""
    if not isinstance(test, facts.Call) or len(test.args) != 2 or last_name(test.func) != "isinstance":
        return False
    asked, kind = test.args
    return isinstance(asked, facts.Name) and asked.id in scope.params and last_name(kind) == "Tensor"


_SAME: Final = {"==": True, "is": True, "!=": False, "is not": False}


def default_of(param: facts.Param) -> tuple[Constant] | None:
    """The constant that a parameter has by default, in a tuple."""
    default = param.default
    return (default.value,) if isinstance(default, facts.Const) and default.kind in LITERALS else None


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


def set_by(node: Any) -> Iterator[str]:
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
        of_some = has_elements(node.test)
        # Nothing at all is a special case.
        return (node.orelse,) if of_some else (node.body,) if of_some is False else (node.body, node.orelse)
    if isinstance(node, facts.Logical):
        return node.values[1:]
    if isinstance(node, facts.Lambda):
        return (node.body,)
    if isinstance(node, facts.Comprehension):
        return tuple(part for part in (node.element, node.key) if part is not None)
    return ()


def _holds(outer: facts.Place, inner: facts.Place) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
