"""The vocabulary that `syntax` produces and `infer` consumes: one module of Python as plain, frozen data.

Every node is a `NamedTuple` of strings, numbers, `None` and further nodes, so that facts can be compared,
cached as plain data and sent between processes. Nothing here knows how the source was parsed.
Rows and columns are 1-based; a column counts characters, as editors do, and an end column points just past
the last character.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """The source range of a node."""

    row: int
    column: int
    end_row: int
    end_column: int


# --- expressions ---------------------------------------------------------------------------------


class Name(NamedTuple):
    span: Span
    id: str


class Attr(NamedTuple):
    span: Span
    value: Expr
    name: str


class Const(NamedTuple):
    """A literal. `value` is None for `None`, and also for bytes and complex numbers; `kind` tells them apart."""

    span: Span
    kind: str
    """One of: none, bool, int, float, str, bytes, complex, ellipsis."""
    value: str | int | float | bool | None


class Keyword(NamedTuple):
    """A keyword argument; `name` is None for `**value`."""

    name: str | None
    value: Expr


class Call(NamedTuple):
    span: Span
    func: Expr
    args: tuple[Expr, ...]
    """Positional arguments in order; `*x` is a `Starred`."""
    keywords: tuple[Keyword, ...]


class Subscript(NamedTuple):
    span: Span
    value: Expr
    key: Expr
    """The index; several, as in `x[a, b]`, are a `Sequence` of kind tuple."""


class Slice(NamedTuple):
    span: Span
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Sequence(NamedTuple):
    """A tuple, list or set display."""

    span: Span
    kind: str
    """One of: tuple, list, set."""
    items: tuple[Expr, ...]


class Dict(NamedTuple):
    """A dict display. A key of None stands for `**value`."""

    span: Span
    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


class Generator(NamedTuple):
    """One `for target in iterable if …` of a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


class Comprehension(NamedTuple):
    span: Span
    kind: str
    """One of: list, set, dict, generator."""
    element: Expr
    """The element; of a dict comprehension, the value."""
    key: Expr | None
    generators: tuple[Generator, ...]


class Binary(NamedTuple):
    span: Span
    op: str
    """The operator as written: + - * / // % ** @ & | ^ << >>"""
    left: Expr
    right: Expr


class Unary(NamedTuple):
    span: Span
    op: str
    """One of: not, -, +, ~"""
    operand: Expr


class Logical(NamedTuple):
    """`a and b and c` or `a or b or c`."""

    span: Span
    op: str
    """One of: and, or."""
    values: tuple[Expr, ...]


class Compare(NamedTuple):
    """A comparison, chained when there is more than one operator."""

    span: Span
    left: Expr
    ops: tuple[str, ...]
    """The operators as written: == != < <= > >= is, is not, in, not in."""
    rights: tuple[Expr, ...]


class Conditional(NamedTuple):
    """`body if test else orelse`."""

    span: Span
    test: Expr
    body: Expr
    orelse: Expr


class Lambda(NamedTuple):
    span: Span
    params: tuple[Param, ...]
    body: Expr


class Formatted(NamedTuple):
    """One replacement field of an f-string."""

    span: Span
    value: Expr
    conversion: str
    """The conversion letter, or an empty string."""
    spec: Expr | None


class FString(NamedTuple):
    span: Span
    fields: tuple[Formatted, ...]


class Starred(NamedTuple):
    span: Span
    value: Expr


class Walrus(NamedTuple):
    span: Span
    target: Name
    value: Expr


class Await(NamedTuple):
    span: Span
    value: Expr


class Yield(NamedTuple):
    span: Span
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

    span: Span
    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


class AugAssign(NamedTuple):
    span: Span
    target: Expr
    op: str
    value: Expr


class ExprStmt(NamedTuple):
    span: Span
    value: Expr


class Return(NamedTuple):
    span: Span
    value: Expr | None


class If(NamedTuple):
    """An `elif` is an `If` alone in `orelse`."""

    span: Span
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class For(NamedTuple):
    span: Span
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    is_async: bool


class While(NamedTuple):
    span: Span
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class WithItem(NamedTuple):
    value: Expr
    target: Expr | None


class With(NamedTuple):
    span: Span
    items: tuple[WithItem, ...]
    body: tuple[Stmt, ...]
    is_async: bool


class Handler(NamedTuple):
    """An `except` clause."""

    span: Span
    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]


class Try(NamedTuple):
    span: Span
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


class Raise(NamedTuple):
    span: Span
    value: Expr | None


class Assert(NamedTuple):
    span: Span
    test: Expr
    message: Expr | None


class Delete(NamedTuple):
    span: Span
    targets: tuple[Expr, ...]


class Case(NamedTuple):
    """A `case` clause. `captures` are the names that the pattern binds; `compares` the values it compares with."""

    span: Span
    captures: tuple[str, ...]
    compares: tuple[Expr, ...]
    guard: Expr | None
    body: tuple[Stmt, ...]


class Match(NamedTuple):
    span: Span
    subject: Expr
    cases: tuple[Case, ...]


class Import(NamedTuple):
    """`import a.b as c` (name None) or `from ..a import b as c` (module "..a", name "b"); `alias` is the bound name.

    `import a.b` without an alias binds `a`, and then `module` is "a".
    `from a import *` has name and alias "*".
    """

    span: Span
    module: str
    name: str | None
    alias: str


class Scope(NamedTuple):
    """`global` or `nonlocal`."""

    span: Span
    kind: str
    names: tuple[str, ...]


class Jump(NamedTuple):
    """`break`, `continue` or `pass`."""

    span: Span
    kind: str


class Param(NamedTuple):
    name: str
    kind: str
    """One of: positional (positional-only), normal, args (`*a`), keyword (keyword-only), kwargs (`**k`)."""
    annotation: Expr | None
    default: Expr | None


class Function(NamedTuple):
    """`span` covers the whole definition, decorators left out."""

    span: Span
    name: str
    params: tuple[Param, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    is_async: bool
    is_generator: bool


class Class(NamedTuple):
    span: Span
    name: str
    bases: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]


Stmt: TypeAlias = (
    Assign
    | AugAssign
    | ExprStmt
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


class Module(NamedTuple):
    """The facts of one source file."""

    name: str
    """Dotted name as far as the folder layout tells it, e.g. `timm.optim.kron`."""
    body: tuple[Stmt, ...]
    allows: tuple[Allow, ...]


# --- the outline of a module, known without parsing it -------------------------------------------


class Imported(NamedTuple):
    """What one name of an import statement asks for; as `Import`, but `module` is whole for `import a.b` too."""

    module: str
    name: str | None
    alias: str
    typing: bool
    """It stands under `if TYPE_CHECKING`."""


class Outline(NamedTuple):
    """The imports that run with a module, and the names that it defines."""

    imports: tuple[Imported, ...]
    names: tuple[str, ...]
