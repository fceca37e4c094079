"""The vocabulary that `syntax` produces and `infer` consumes: one module of Python as plain, frozen data.

Every node is a `NamedTuple` of strings, numbers, `None` and further nodes, so that facts can be compared,
cached as plain data and sent between processes. Nothing here knows how the source was parsed.
Rows and columns are 1-based; a column counts characters, as editors do, and an end column points just past
the last character.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

new: Final = tuple.__new__
"""Makes a `NamedTuple` of all its fields, for a third of what calling the class costs; only where that shows."""


class Span(NamedTuple):
    """A source range."""

    row: int
    column: int
    end_row: int
    end_column: int


Place: TypeAlias = tuple[int, int, int, int]
"""As `Span`, bare: row, column, end row, end column. There is one for each node, so what it costs counts."""


# --- expressions ---------------------------------------------------------------------------------


class Name(NamedTuple):
    span: Place
    id: str


class Attr(NamedTuple):
    span: Place
    value: Expr
    name: str


class Const(NamedTuple):
    """A literal. `value` is None for `None`, and also for bytes and complex numbers; `kind` tells them apart."""

    span: Place
    kind: str
    """One of: none, bool, int, float, str, bytes, complex, ellipsis."""
    value: str | int | float | bool | None


class Keyword(NamedTuple):
    """A keyword argument; `name` is None for `**value`."""

    name: str | None
    value: Expr


class Call(NamedTuple):
    span: Place
    func: Expr
    args: tuple[Expr, ...]
    """Positional arguments in order; `*x` is a `Starred`."""
    keywords: tuple[Keyword, ...]


class Subscript(NamedTuple):
    span: Place
    value: Expr
    key: Expr
    """The index; several, as in `x[a, b]`, are a `Sequence` of kind tuple."""


class Slice(NamedTuple):
    span: Place
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Sequence(NamedTuple):
    """A tuple, list or set display."""

    span: Place
    kind: str
    """One of: tuple, list, set."""
    items: tuple[Expr, ...]


class Dict(NamedTuple):
    """A dict display. A key of None stands for `**value`."""

    span: Place
    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


class Generator(NamedTuple):
    """One `for target in iterable if …` of a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


class Comprehension(NamedTuple):
    span: Place
    kind: str
    """One of: list, set, dict, generator."""
    element: Expr
    """The element; of a dict comprehension, the value."""
    key: Expr | None
    generators: tuple[Generator, ...]


class Binary(NamedTuple):
    span: Place
    op: str
    """The operator as written: + - * / // % ** @ & | ^ << >>"""
    left: Expr
    right: Expr


class Unary(NamedTuple):
    span: Place
    op: str
    """One of: not, -, +, ~"""
    operand: Expr


class Logical(NamedTuple):
    """`a and b and c` or `a or b or c`."""

    span: Place
    op: str
    """One of: and, or."""
    values: tuple[Expr, ...]


class Compare(NamedTuple):
    """A comparison, chained when there is more than one operator."""

    span: Place
    left: Expr
    ops: tuple[str, ...]
    """The operators as written: == != < <= > >= is, is not, in, not in."""
    rights: tuple[Expr, ...]


class Conditional(NamedTuple):
    """`body if test else orelse`."""

    span: Place
    test: Expr
    body: Expr
    orelse: Expr


class Lambda(NamedTuple):
    span: Place
    params: tuple[Param, ...]
    body: Expr


class Formatted(NamedTuple):
    """One replacement field of an f-string."""

    span: Place
    value: Expr
    conversion: str
    """The conversion letter, or an empty string."""
    spec: Expr | None


class FString(NamedTuple):
    span: Place
    fields: tuple[Formatted, ...]
    start: str
    """The text before the first field, if a name may begin so; else empty."""


class Starred(NamedTuple):
    span: Place
    value: Expr


class Walrus(NamedTuple):
    span: Place
    target: Name
    value: Expr


class Await(NamedTuple):
    span: Place
    value: Expr


class Yield(NamedTuple):
    span: Place
    value: Expr | None
    is_from: bool


Expr: TypeAlias = (
    Name
    | Attr
    | Const
    | Call
    | Subscript
    | Slice
    | Sequence
    | Dict
    | Comprehension
    | Binary
    | Unary
    | Logical
    | Compare
    | Conditional
    | Lambda
    | FString
    | Formatted
    | Starred
    | Walrus
    | Await
    | Yield
)

# --- statements ----------------------------------------------------------------------------------


class Assign(NamedTuple):
    """`a = b = value`; an annotated assignment has one target and an annotation, and perhaps no value."""

    span: Place
    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


class AugAssign(NamedTuple):
    span: Place
    target: Expr
    op: str
    value: Expr


class ExprStmt(NamedTuple):
    span: Place
    value: Expr


class Shown(NamedTuple):
    """What the last statement of a notebook's cell gives, and IPython writes below the cell."""

    span: Place
    value: Expr


class Return(NamedTuple):
    span: Place
    value: Expr | None


class If(NamedTuple):
    """An `elif` is an `If` alone in `orelse`."""

    span: Place
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class For(NamedTuple):
    span: Place
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    is_async: bool


class While(NamedTuple):
    span: Place
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class WithItem(NamedTuple):
    value: Expr
    target: Expr | None


class With(NamedTuple):
    span: Place
    items: tuple[WithItem, ...]
    body: tuple[Stmt, ...]
    is_async: bool


class Handler(NamedTuple):
    """An `except` clause."""

    span: Place
    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]


class Try(NamedTuple):
    span: Place
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


class Raise(NamedTuple):
    span: Place
    value: Expr | None


class Assert(NamedTuple):
    span: Place
    test: Expr
    message: Expr | None


class Delete(NamedTuple):
    span: Place
    targets: tuple[Expr, ...]


class Case(NamedTuple):
    """A `case` clause. `captures` are the names that the pattern binds; `compares` the values it compares with."""

    span: Place
    captures: tuple[str, ...]
    compares: tuple[Expr, ...]
    guard: Expr | None
    body: tuple[Stmt, ...]


class Match(NamedTuple):
    span: Place
    subject: Expr
    cases: tuple[Case, ...]


class Import(NamedTuple):
    """`import a.b as c` (name None) or `from ..a import b as c` (module "..a", name "b"); `alias` is the bound name.

    `import a.b` without an alias binds `a`, and then `module` is "a".
    `from a import *` has name and alias "*".
    """

    span: Place
    module: str
    name: str | None
    alias: str


class Scope(NamedTuple):
    """`global` or `nonlocal`."""

    span: Place
    kind: str
    names: tuple[str, ...]


class Jump(NamedTuple):
    """`break`, `continue` or `pass`."""

    span: Place
    kind: str


class Param(NamedTuple):
    name: str
    kind: str
    """One of: positional (positional-only), normal, args (`*a`), keyword (keyword-only), kwargs (`**k`)."""
    annotation: Expr | None
    default: Expr | None
    documented: str = ""
    """What a docstring says of its type, where it has no annotation."""


class Function(NamedTuple):
    """`span` covers the whole definition, decorators left out."""

    span: Place
    name: str
    params: tuple[Param, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    is_async: bool
    is_generator: bool


class Class(NamedTuple):
    span: Place
    name: str
    bases: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]


Stmt: TypeAlias = (
    Assign
    | AugAssign
    | ExprStmt
    | Shown
    | Return
    | If
    | For
    | While
    | With
    | Try
    | Raise
    | Assert
    | Delete
    | Match
    | Import
    | Scope
    | Jump
    | Function
    | Class
)

NODES_IN: Final[Mapping[type, str]] = MappingProxyType(
    {
        Name: "",
        Attr: "value",
        Const: "",
        Keyword: "value",
        Call: "func args* keywords*",
        Subscript: "value key",
        Slice: "lower upper step",
        Sequence: "items*",
        Dict: "keys* values*",
        Generator: "target iterable conditions*",
        Comprehension: "element key generators*",
        Binary: "left right",
        Unary: "operand",
        Logical: "values*",
        Compare: "left rights*",
        Conditional: "test body orelse",
        Lambda: "params* body",
        Formatted: "value spec",
        FString: "fields*",
        Starred: "value",
        Walrus: "target value",
        Await: "value",
        Yield: "value",
        Assign: "targets* value annotation",
        AugAssign: "target value",
        ExprStmt: "value",
        Shown: "value",
        Return: "value",
        If: "test body* orelse*",
        For: "target iterable body* orelse*",
        While: "test body* orelse*",
        WithItem: "value target",
        With: "items* body*",
        Handler: "type body*",
        Try: "body* handlers* orelse* final*",
        Raise: "value",
        Assert: "test message",
        Delete: "targets*",
        Case: "compares* guard body*",
        Match: "subject cases*",
        Import: "",
        Scope: "",
        Jump: "",
        Param: "annotation default",
        Function: "params* returns decorators* body*",
        Class: "bases* keywords* decorators* body*",
    }
)
"""In which fields a node holds other nodes; a star stands for a tuple of them. It says what the annotations say, which
a compiled wheel forgets; a test compares the two."""

# --- a whole module ------------------------------------------------------------------------------


class Allow(NamedTuple):
    """A `# hostsync: allow[…] reason` comment."""

    span: Span
    """The comment itself."""
    codes: tuple[str, ...]
    """Codes or rule names as written; empty when the brackets are missing or empty."""
    reason: str
    whole_file: bool
    first_row: int
    last_row: int
    """The rows of the statement that it covers (of the file, for `allow-file`)."""
    is_malformed: bool = False
    """It has brackets that are not closed, or with nothing in them, or is not understood. It allows nothing."""
    unknown: str = ""
    """What is not understood of it, if anything, such as `ignore` in the place of `allow`."""


class Module(NamedTuple):
    """The facts of one source file."""

    name: str
    """Dotted name as far as the folder layout tells it, e.g. `timm.optim.kron`."""
    body: tuple[Stmt, ...]
    allows: tuple[Allow, ...]


# --- the outline of a module, known without parsing it -------------------------------------------

KNOWN_BY_NAME: Final = "="
"""Begins what an import stands for, where that is no part of the project but known by its dotted name."""


class Imported(NamedTuple):
    """What one name of an import statement asks for; as `Import`, but `module` is whole for `import a.b` too."""

    module: str
    name: str | None
    alias: str
    typing: bool
    """It stands under `if TYPE_CHECKING`."""
    local: bool = False
    """It stands in a function."""


class Outline(NamedTuple):
    """The imports of a module, and the names that it defines where its body runs."""

    imports: tuple[Imported, ...]
    names: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()
    """What it looks up in imports that may be modules: the alias, and the dotted rest of `alias.part.name`."""
