"""Questions to syntax alone: which names, calls and numbers stand in an expression or a block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hostsync.facts import (
    NODES_IN,
    Assert,
    Assign,
    Attr,
    Binary,
    Call,
    Class,
    Compare,
    Const,
    Expr,
    For,
    Function,
    Handler,
    If,
    Lambda,
    Logical,
    Name,
    Slice,
    Stmt,
    Subscript,
    Try,
    Unary,
    While,
    With,
)

COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
IDENTITIES: Final = frozenset({"is", "is not", "in", "not in"})
"""Comparisons that give no tensor, whatever is compared."""
ARITHMETIC: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
"""Operators, and what Python calls them: `__add__`, `__iadd__`, `operator.add`, `operator.and_`."""
OF_SOME: Final[dict[tuple[str, str | int | float | None], bool]] = {
    (">", 0): True,
    (">=", 1): True,
    ("!=", 0): True,
    ("==", 0): False,
    ("<", 1): False,
    ("<=", 0): False,
}
"""Comparisons of a count with a number: whether they hold where there is something, and not where there is nothing."""
COMBINING: Final = frozenset({"&", "|", "^"})
"""Operators that make a mask of masks."""
PATHS: Final = frozenset({Name, Attr})
DEFINITIONS: Final[frozenset[type]] = frozenset({Function, Lambda, Class})
"""What is in there is not done where it stands."""
BY_PLACE: Final = frozenset({"positional", "normal"})
"""Kinds of parameters that take arguments by their places."""
SINGLE: Final = BY_PLACE | {"keyword"}
"""Kinds of parameters that take one argument each."""
LITERALS: Final = frozenset({"none", "bool", "int", "float", "str"})
"""Kinds of constants that stand for themselves, also between files."""
SELF: Final = frozenset({"self", "cls"})


def dotted_path(node: Expr) -> str | None:
    """`self.x.y` as text, None for anything but names and attributes."""
    path = ""
    while type(node) is Attr:
        _, value, name = node
        path = f".{name}{path}"
        node = value
    return node.id + path if type(node) is Name else None


def last_name(node: Expr) -> str:
    """The last part of a dotted name; empty for anything else."""
    return node.id if isinstance(node, Name) else node.name if isinstance(node, Attr) else ""


def text_key(node: Expr | None) -> str | None:
    """`mask` of `batch["mask"]`; None for anything else."""
    if isinstance(node, Subscript) and isinstance(node.key, Const) and isinstance(node.key.value, str):
        return node.key.value
    return None


def used_path(node: Expr) -> str | None:
    """As `dotted_path`, and also for `batch["x"]`, and for `sigmas[i + 1]`, which stands for all that it holds."""
    if type(node) is not Subscript:
        return dotted_path(node)
    key = node.key
    if type(key) is Const and key.kind == "str":
        path = dotted_path(node.value)
        return None if path is None else f"{path}[{key.value}]"
    return element_path(node) if type(key) is Binary and key.op in {"+", "-"} and is_number(key.right) else None


def element_path(node: Subscript) -> str | None:
    """What stands for all elements of something that is indexed."""
    path = dotted_path(node.value)
    return None if path is None else f"{path}[]"


def receiver_node(node: Call) -> Expr | None:
    """`x` of `x.method()`; None for a call of anything else."""
    return node.func.value if isinstance(node.func, Attr) else None


def indexed_whole(node: Expr) -> Expr:
    """What a part, `x[:, 0]`, is taken of."""
    while type(node) is Subscript:
        node = node.value
    return node


def subtracted_slices(node: Binary) -> tuple[Expr, ...]:
    """What both sides of `ends[1:] - ends[:-1]` are taken of; nothing for any other operation."""
    if node.op != "-":
        return ()
    sides = [side for side in (node.left, node.right) if isinstance(side, Subscript) and isinstance(side.key, Slice)]
    return tuple([side.value for side in sides]) if len(sides) == 2 else ()


def is_number(node: Expr | None) -> bool:
    """Whether an expression is a number as written: `2`, `-1.0`."""
    if type(node) is Unary:
        node = node.operand
    return type(node) is Const and node.kind in {"int", "float"}


def is_none(node: Expr | None) -> bool:
    """Whether an expression is `None` as written."""
    return isinstance(node, Const) and node.kind == "none"


def is_false(node: Expr | None) -> bool:
    """Whether an expression is `False` as written."""
    return isinstance(node, Const) and node.value is False


def names_mentioned(node: object) -> set[str]:
    """All names that stand anywhere in an expression or statement."""
    found: set[str] = set()
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Name):
            found.add(current.id)
        elif isinstance(current, tuple):
            stack.extend(current)
    return found


def mentions_any(body: tuple[Stmt, ...], names: frozenset[str]) -> bool:
    """Whether a block speaks of one of some names."""
    stack: list[Any] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Name:
            if node.id in names:
                return True
        elif node is not None and kind is not Const:
            for at in SINGLE_CHILDREN[kind]:
                stack.append(node[at])
            for at in SEVERAL_CHILDREN[kind]:
                stack += node[at]
    return False


def _children(kind: type, several: bool) -> tuple[int, ...]:
    """Where a kind of node holds other nodes: single ones, or tuples of them."""
    fields: tuple[str, ...] = getattr(kind, "_fields")  # noqa: B009
    named = NODES_IN[kind].split()
    return tuple(fields.index(name.rstrip("*")) for name in named if name.endswith("*") == several)


SINGLE_CHILDREN: Final = {node: _children(node, False) for node in NODES_IN}
SEVERAL_CHILDREN: Final = {node: _children(node, True) for node in NODES_IN}
_LEAVES: Final = frozenset({Name, Const, type(None)})


def nodes_in(body: tuple[Stmt, ...], closed: frozenset[type]) -> Iterator[Any]:
    """All statements and expressions of a block but names and constants, and what is in them.

    Args:
        body: the block.
        closed: the kinds of node that are left out with all that is in them.
    """
    stack: list[Any] = list(body)
    left_out = closed | _LEAVES
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in left_out:
            continue
        yield node
        for at in SINGLE_CHILDREN[kind]:
            stack.append(node[at])
        for at in SEVERAL_CHILDREN[kind]:
            stack += node[at]


def calls_in(body: tuple[Stmt, ...]) -> Iterator[Call]:
    """All calls that stand anywhere in a block."""
    return (node for node in nodes_in(body, frozenset()) if type(node) is Call)


def assigned_to(body: tuple[Stmt, ...], name: str) -> list[Expr | None]:
    """What a name is bound to in some statements, nested ones included, in no particular order."""
    return [
        node.value
        for node in nodes_in(body, frozenset())
        if type(node) is Assign and any(last_name(target) == name for target in node.targets)
    ]


def rebound(body: tuple[Stmt, ...], name: str) -> Iterator[tuple[Attr, Call]]:
    """The calls of methods that a block binds a name to, as `x = x.to(device)`: the method, and the call."""
    for node in nodes_in(body, frozenset()):
        if type(node) is not Assign or type(node.value) is not Call or type(node.value.func) is not Attr:
            continue
        if any(type(target) is Name and target.id == name for target in node.targets):
            yield node.value.func, node.value


def decides(body: tuple[Stmt, ...], name: str) -> bool:
    """Whether a condition of a statement compares what `name` stands for, which is one number then."""
    stack: list[object] = [body]
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            stack.extend(node)
        elif isinstance(node, BLOCKS):
            stack.extend(part for part in node if type(part) is tuple)
        if isinstance(node, (If, While, Assert)) and _compares(node.test, name):
            return True
    return False


BLOCKS: Final = (If, For, While, With, Try, Handler)
"""Statements, and a part of one, that hold others, but for definitions."""


def _compares(test: Expr, name: str) -> bool:
    if isinstance(test, Logical):
        return any(_compares(value, name) for value in test.values)
    if isinstance(test, Unary):
        return _compares(test.operand, name)
    if not isinstance(test, Compare) or set(test.ops) & IDENTITIES:
        return False
    return any(isinstance(side, Name) and side.id == name for side in (test.left, *test.rights))
