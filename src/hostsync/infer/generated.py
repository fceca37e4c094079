"""Constructors that nobody writes: those that `dataclass`, `NamedTuple` and `attrs` make of a class's fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hostsync import facts
from hostsync.infer.linking.links import KnownClass
from hostsync.infer.nodes import is_false, last_name
from hostsync.infer.values import Ref, Value

_MAKERS: Final = frozenset({"dataclass", "define", "frozen", "mutable", "attrs"})
"""Decorators that write a constructor: of `dataclasses` and of libraries that follow it, and of `attrs`."""
_FIELDS: Final = frozenset({"field", "attrib", "ib"})
_SELF: Final = "self"
NAMED_TUPLE: Final = "typing.NamedTuple"


def constructor(node: facts.Class, bases: Sequence[Value], above: Iterable[KnownClass]) -> facts.Function | None:
    """The `__init__` that is made for a class; None where none is, or the class has its own.

    Args:
        node: the class.
        bases: what it is derived from.
        above: those of its bases that are classes of the project.
    """
    own = {statement.name for statement in node.body if isinstance(statement, facts.Function)}
    if not own.isdisjoint(("__init__", "__new__")) or not _is_made(node, bases):
        return None
    params = {param.name: param for base in reversed(list(above)) for param in _inherited(base)}
    params.update((param.name, param) for param in _fields(node))
    if not params:
        return None
    place = facts.Param(_SELF, "normal", None, None)
    body = tuple([_assignment(node.span, name) for name in params])
    return facts.Function(node.span, "__init__", (place, *params.values()), None, (), body, False, False)


def is_made_for(node: facts.Class, function: facts.Function | None) -> bool:
    """Whether a function is the constructor that `constructor` gives for a class."""
    return function is not None and function.name == "__init__" and function.span == node.span


def _is_made(node: facts.Class, bases: Sequence[Value]) -> bool:
    if any(isinstance(base, Ref) and base.name == NAMED_TUPLE for base in bases):
        return True
    for decorator in node.decorators:
        called = decorator.func if isinstance(decorator, facts.Call) else decorator
        if last_name(called) in _MAKERS:
            return not isinstance(decorator, facts.Call) or not _is_off(decorator, "init")
    return False


def _is_off(call: facts.Call, switch: str) -> bool:
    return is_false(_keyword(call, switch))


def _keyword(call: facts.Call, name: str) -> facts.Expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.name == name), None)


def _inherited(base: KnownClass) -> Sequence[facts.Param]:
    """The parameters of a base's constructor, if that was made of its fields as well."""
    init = base.methods.get("__init__")
    params = () if init is None else init.params[1:]
    return params if all(param.name in base.attributes for param in params) else ()


def _fields(node: facts.Class) -> Iterator[facts.Param]:
    kind = "normal"
    for statement in node.body:
        if not isinstance(statement, facts.Assign) or statement.annotation is None:
            continue
        target = statement.targets[0]
        annotated = statement.annotation
        named = annotated.value if isinstance(annotated, facts.Subscript) else annotated
        if last_name(named) == "KW_ONLY":
            kind = "keyword"
            continue
        if not isinstance(target, facts.Name) or last_name(named) == "ClassVar":
            continue
        default = statement.value
        if isinstance(default, facts.Call) and last_name(default.func) in _FIELDS:
            if _is_off(default, "init"):
                continue
            default = _default_of(default)
        yield facts.Param(target.id, kind, annotated, default)


def _default_of(field: facts.Call) -> facts.Expr | None:
    """The default of `x: list = field(default_factory=list)`: only that there is one, where a factory makes it."""
    if any(keyword.name in {"default_factory", "factory"} for keyword in field.keywords):
        return facts.Const(field.span, "ellipsis", None)
    return _keyword(field, "default")


def _assignment(span: facts.Place, name: str) -> facts.Assign:
    target = facts.Attr(span, facts.Name(span, _SELF), name)
    return facts.Assign(span, (target,), facts.Name(span, name), None)


def is_named_tuple(call: facts.Call) -> bool:
    """Whether a call may be `namedtuple("Pair", ["first", "second"])`, by the name of what is called."""
    return last_name(call.func) == "namedtuple" and len(call.args) > 1


def named_tuple(node: facts.Assign, call: facts.Call) -> facts.Class | None:
    """The class that `Pair = namedtuple("Pair", ["first", "second"])` makes, to be derived from `NAMED_TUPLE`."""
    target = node.targets[0]
    if not isinstance(target, facts.Name):
        return None
    names = _names(call.args[1])
    default = facts.Const(call.span, "ellipsis", None) if _keyword(call, "defaults") is not None else None
    any_kind = facts.Name(call.span, "Any")
    fields = [facts.Assign(call.span, (facts.Name(call.span, name),), default, any_kind) for name in names]
    return facts.Class(call.span, target.id, (), (), (), tuple(fields)) if fields else None


def _names(listed: facts.Expr) -> list[str]:
    """The names of fields as `namedtuple` takes them: in one text, or a list of texts."""
    parts = listed.items if isinstance(listed, facts.Sequence) else (listed,)
    texts = [part.value for part in parts if isinstance(part, facts.Const)]
    return [name for text in texts if isinstance(text, str) for name in text.replace(",", " ").split()]
