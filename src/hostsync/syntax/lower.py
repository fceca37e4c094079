"""Lowering: the nodes of `ast` become facts.

This is the hot path of a scan, which is why it looks as it does: one function per node type in a dict, facts built
with `tuple.__new__` (a third of the cost of calling the class), no visitor classes, no attribute look-up by name.

What is not in the facts, on purpose:

* expression statements that are a bare constant (doc strings, `...`), `type X = …` statements and type parameters;
* expressions nested more than `EXPRESSION_DEPTH` deep: an *opaque* constant (kind `ellipsis`, value None) stands there;
* statements nested more than `STATEMENT_DEPTH` deep. An `elif` chain longer than that goes on as `If` statements one
  after another. What follows may therefore recurse over facts without fear;
* the value of an int literal of more than 64 bits (None).

Spans: that of a field of an f-string, and of its format, is the span of the expression in it, and a t-string is the
tuple of its values, because Python releases differ in the positions (and the syntax) that they know here.
"""

from __future__ import annotations

import ast
import keyword
import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, Final

from hostsync import facts as f
from hostsync.facts import new
from hostsync.syntax.deep import run_in_thread
from hostsync.syntax.docstrings import types_in

EXPRESSION_DEPTH: Final = 200
"""Expressions nested deeper than this are cut."""
STATEMENT_DEPTH: Final = 100
"""Statements nested deeper than this are cut."""

# Compiled, `f.Name` would be looked up each time that a name is lowered.
_NAME: Final[type[f.Name]] = f.Name
_ATTR: Final[type[f.Attr]] = f.Attr
_CONST: Final[type[f.Const]] = f.Const
_CALL: Final[type[f.Call]] = f.Call
_ASSIGN: Final[type[f.Assign]] = f.Assign
_AST_NAME: Final[type] = ast.Name
_AST_ATTRIBUTE: Final[type] = ast.Attribute
_AST_CONSTANT: Final[type] = ast.Constant
_AST_CALL: Final[type] = ast.Call


def lower(tree: ast.Module, lines: Sequence[str] | None = None) -> tuple[f.Stmt, ...]:
    """Lower a parsed module.

    Args:
        tree: the tree. With `lines`, its column offsets are changed in place from bytes to characters.
        lines: the lines of the source, where the columns of `tree` count UTF-8 bytes, as those of `ast.parse` do and
            the source is not all ASCII. None where columns count characters already.

    Returns:
        The statements of the module. Never raises on a tree that a parser has built.
    """
    if lines is not None:
        columns_to_characters(tree, lines)
    try:
        return _body(tree.body, 0)
    except RecursionError:
        # The caller stands deep in its own stack; a thread starts with an empty one, and the depths above fit there.
        return run_in_thread(lambda: _body(tree.body, 0))


def columns_to_characters(tree: ast.Module, lines: Sequence[str]) -> None:
    """Change the column offsets of `tree`, in place, from UTF-8 bytes to characters.

    Args:
        tree: a module as `ast.parse` gives it.
        lines: the lines of its source, without line ends.
    """
    wide = {row: line.encode("utf-8", "surrogatepass") for row, line in enumerate(lines, 1) if not line.isascii()}
    rows = sorted(wide)
    if not rows:
        return
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node: Any = stack.pop()
        if hasattr(node, "lineno"):
            first, last = node.lineno, node.end_lineno
            decorators = getattr(node, "decorator_list", None)
            if decorators:
                first = decorators[0].lineno
            at = bisect_left(rows, first)
            if at == len(rows) or rows[at] > last:
                continue
            node.col_offset = _characters(wide.get(node.lineno), node.col_offset)
            node.end_col_offset = _characters(wide.get(last), node.end_col_offset)
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                stack.extend(item for item in value if isinstance(item, ast.AST))


def _characters(line: bytes | None, offset: int) -> int:
    return offset if line is None else len(line[:offset].decode("utf-8", "ignore"))


def _span(node: Any) -> f.Place:
    return (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)


def _opaque(node: Any) -> f.Expr:
    return f.Const(_span(node), "ellipsis", None)


# --- expressions ---------------------------------------------------------------------------------


def _expression(node: Any, depth: int) -> f.Expr:
    kind = type(node)
    # Compiled, a call by name costs a fraction of one by table; most expressions are these.
    if kind is _AST_NAME:
        return _name(node, depth)
    if kind is _AST_ATTRIBUTE:
        return _attribute(node, depth)
    if kind is _AST_CONSTANT:
        return _constant(node, depth)
    if kind is _AST_CALL:
        return _call(node, depth)
    return _EXPRESSIONS[kind](node, depth)


def _name(node: ast.Name, depth: int) -> f.Expr:
    return new(
        _NAME,
        (
            (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1),  # type: ignore[operator]
            node.id,
        ),
    )


def _attribute(node: ast.Attribute, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    value = node.value
    return new(
        _ATTR,
        (
            (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1),  # type: ignore[operator]
            _expression(value, depth + 1),
            node.attr,
        ),
    )


_CONSTANT_KINDS: Final[dict[type, str]] = {
    type(None): "none",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    bytes: "bytes",
    complex: "complex",
    type(...): "ellipsis",
}
_INT_LIMIT: Final = 1 << 63


def _constant(node: ast.Constant, depth: int) -> f.Expr:
    value: Any = node.value
    kind = _CONSTANT_KINDS[type(value)]
    if kind == "int":
        if value >= _INT_LIMIT:
            value = None
    elif kind == "bytes" or kind == "complex" or kind == "ellipsis":
        value = None
    return new(_CONST, (_span(node), kind, value))


def _call(node: ast.Call, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    func = node.func
    args = node.args
    keywords = node.keywords
    return new(
        _CALL,
        (
            (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1),  # type: ignore[operator]
            _expression(func, depth),
            tuple([_expression(arg, depth) for arg in args]) if args else (),
            _keywords(keywords, depth) if keywords else (),
        ),
    )


def _keywords(keywords: list[ast.keyword], depth: int) -> tuple[f.Keyword, ...]:
    keyword_type = f.Keyword
    result = []
    for node in keywords:
        value = node.value
        result.append(new(keyword_type, (node.arg, _expression(value, depth))))
    return tuple(result)


def _subscript(node: ast.Subscript, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    value = node.value
    index = node.slice
    if type(value) is ast.Attribute and value.attr == "__dict__" and _is_name(index):
        # `x.__dict__["name"]` is `x.name`, also where the class makes something else of the latter.
        owner = value.value
        return f.Attr(_span(node), _expression(owner, depth), index.value)  # type: ignore[attr-defined]
    return new(
        f.Subscript,
        (_span(node), _expression(value, depth), _expression(index, depth)),
    )


def _is_name(node: ast.expr) -> bool:
    """A text that can be the name of an attribute."""
    return type(node) is ast.Constant and type(node.value) is str and node.value.isidentifier()


def _sets_attribute(node: ast.Call) -> bool:
    """`setattr(x, "name", value)` and `object.__setattr__(x, "name", value)`, which are `x.name = value`."""
    func = node.func
    if type(func) is ast.Name:
        is_known = func.id == "setattr"
    elif type(func) is ast.Attribute and func.attr == "__setattr__":
        is_known = type(func.value) is ast.Name and func.value.id == "object"
    else:
        return False
    args = node.args
    return is_known and len(args) == 3 and not node.keywords and _is_name(args[1]) and type(args[0]) is not ast.Starred


def _optional(node: ast.expr | None, depth: int) -> f.Expr | None:
    return None if node is None else _expression(node, depth)


def _expressions(nodes: Sequence[ast.expr], depth: int) -> tuple[f.Expr, ...]:
    return tuple([_expression(node, depth) for node in nodes])


def _slice(node: ast.Slice, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    bounds = (_optional(node.lower, depth), _optional(node.upper, depth), _optional(node.step, depth))
    return new(f.Slice, (_span(node), *bounds))


def _tuple(node: ast.Tuple, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (_span(node), "tuple", _expressions(node.elts, depth + 1)))


def _list(node: ast.List, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (_span(node), "list", _expressions(node.elts, depth + 1)))


def _set(node: ast.Set, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (_span(node), "set", _expressions(node.elts, depth + 1)))


def _dict(node: ast.Dict, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return f.Dict(_span(node), tuple([_optional(key, depth) for key in node.keys]), _expressions(node.values, depth))


def _generators(nodes: list[ast.comprehension], depth: int) -> tuple[f.Generator, ...]:
    return tuple(
        [
            f.Generator(_expression(node.target, depth), _expression(node.iter, depth), _expressions(node.ifs, depth))
            for node in nodes
        ]
    )


_COMPREHENSION_KINDS: Final[dict[type, str]] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    kind = _COMPREHENSION_KINDS[type(node)]
    return f.Comprehension(_span(node), kind, _expression(node.elt, depth), None, _generators(node.generators, depth))


def _dict_comprehension(node: ast.DictComp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    # `{**x for …}` (3.15) has no value: the mapping stands in its place.
    value: ast.expr | None = node.value
    key: ast.expr | None = node.key
    if value is None:
        value, key = node.key, None
    return f.Comprehension(
        _span(node), "dict", _expression(value, depth), _optional(key, depth), _generators(node.generators, depth)
    )


_BINARY_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_UNARY_OPERATORS: Final[dict[type, str]] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARE_OPERATORS: Final[dict[type, str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def _binary(node: ast.BinOp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    left = node.left
    right = node.right
    return new(
        f.Binary,
        (
            _span(node),
            _BINARY_OPERATORS[type(node.op)],
            _expression(left, depth),
            _expression(right, depth),
        ),
    )


def _unary(node: ast.UnaryOp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    operand = _expression(node.operand, depth + 1)
    return new(f.Unary, (_span(node), _UNARY_OPERATORS[type(node.op)], operand))


def _logical(node: ast.BoolOp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Logical(_span(node), "and" if type(node.op) is ast.And else "or", _expressions(node.values, depth + 1))


def _compare(node: ast.Compare, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return new(
        f.Compare,
        (
            _span(node),
            _expression(node.left, depth),
            tuple([_COMPARE_OPERATORS[type(op)] for op in node.ops]),
            _expressions(node.comparators, depth),
        ),
    )


def _conditional(node: ast.IfExp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return f.Conditional(
        _span(node), _expression(node.test, depth), _expression(node.body, depth), _expression(node.orelse, depth)
    )


def _lambda(node: ast.Lambda, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    outer = _yields.seen
    result = f.Lambda(_span(node), _params(node.args, depth), _expression(node.body, depth))
    _yields.seen = outer
    return result


def _fields(values: list[ast.expr], depth: int) -> tuple[f.Formatted, ...]:
    """The replacement fields among the parts of an f-string."""
    fields = []
    for part in values:
        if not isinstance(part, ast.FormattedValue):
            continue
        value = _expression(part.value, depth)
        conversion = "" if part.conversion == -1 else chr(part.conversion)
        fields.append(f.Formatted(value.span, value, conversion, _format_spec(part.format_spec, value.span, depth)))
    return tuple(fields)


def _format_spec(node: ast.expr | None, span: f.Place, depth: int) -> f.Expr | None:
    if not isinstance(node, ast.JoinedStr) or depth > EXPRESSION_DEPTH:
        return None
    fields = _fields(node.values, depth + 1)
    return f.FString(span, fields, _start(node)) if fields else f.Const(span, "str", _constant_text(node.values))


def _constant_text(values: list[ast.expr]) -> str:
    return "".join([part.value for part in values if isinstance(part, ast.Constant) and isinstance(part.value, str)])


def _start(node: ast.JoinedStr) -> str:
    text = ""
    for part in node.values:
        if not isinstance(part, ast.Constant):
            break
        text += str(part.value)
    return text if text.isidentifier() else ""


def _fstring(node: ast.JoinedStr, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    fields = _fields(node.values, depth + 1)
    if fields:
        return f.FString(_span(node), fields, _start(node))
    return f.Const(_span(node), "str", _constant_text(node.values))


def _tstring(node: Any, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    parts = [part.value for part in node.values if not isinstance(part, ast.Constant)]
    return f.Sequence(_span(node), "tuple", _expressions(parts, depth + 1))


def _starred(node: ast.Starred, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Starred(_span(node), _expression(node.value, depth + 1))


def _walrus(node: ast.NamedExpr, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    target = f.Name(_span(node.target), node.target.id)
    return f.Walrus(_span(node), target, _expression(node.value, depth + 1))


def _await(node: ast.Await, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Await(_span(node), _expression(node.value, depth + 1))


class _Yields(threading.local):
    """Whether a `yield` was seen in the function that this thread is lowering."""

    seen = False


_yields: Final = _Yields()


def _yield(node: ast.Yield, depth: int) -> f.Expr:
    _yields.seen = True
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Yield(_span(node), _optional(node.value, depth + 1), False)


def _yield_from(node: ast.YieldFrom, depth: int) -> f.Expr:
    _yields.seen = True
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Yield(_span(node), _expression(node.value, depth + 1), True)


_EXPRESSIONS: Final[dict[type, Callable[[Any, int], f.Expr]]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _logical,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.JoinedStr: _fstring,
    ast.Starred: _starred,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
if hasattr(ast, "TemplateStr"):
    _EXPRESSIONS[ast.TemplateStr] = _tstring


# --- annotations ---------------------------------------------------------------------------------


def _annotation(node: ast.expr | None, depth: int) -> f.Expr | None:
    """An annotation, with what stands in it as strings parsed."""
    if node is None:
        return None
    kind = type(node)
    if kind is ast.Constant or kind is ast.Subscript or kind is ast.BinOp:
        node = _unquote(node, 0)
    return _expression(node, depth)


def _unquote(node: ast.expr, depth: int) -> ast.expr:
    """Replace the strings of an annotation, in place where they are nested, by the expressions in them."""
    if depth > 20:
        return node
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, str):
            return node
        parsed = _parse_type(node.value, node)
        return node if parsed is None else _unquote(parsed, depth + 1)
    if isinstance(node, ast.Subscript):
        head = node.value
        name = head.id if isinstance(head, ast.Name) else head.attr if isinstance(head, ast.Attribute) else ""
        if name == "Annotated" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
            node.slice.elts[0] = _unquote(node.slice.elts[0], depth + 1)
        elif name != "Literal":
            node.slice = _unquote(node.slice, depth + 1)
    elif isinstance(node, ast.BinOp):
        node.left = _unquote(node.left, depth + 1)
        node.right = _unquote(node.right, depth + 1)
    elif isinstance(node, (ast.Tuple, ast.List)):
        node.elts = [_unquote(item, depth + 1) for item in node.elts]
    return node


_PARSE_ERRORS: Final = (SyntaxError, ValueError, RecursionError, MemoryError)
_TYPE_TEXT_LIMIT: Final = 2000


def _parse_type(text: str, at: Any) -> ast.expr | None:
    """Parse the text of a type; every node of the result gets the position of `at`. None where it is no expression."""
    if not text or len(text) > _TYPE_TEXT_LIMIT or text.isspace():
        return None
    if text.isidentifier() and text.isascii() and not keyword.iskeyword(text):
        # The commonest case, without the cost of the parser.
        return _place(ast.Name(id=text, ctx=ast.Load()), at)
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
    except _PARSE_ERRORS:
        return None
    return _place(parsed, at)


def _parse_signature(text: str | None, at: Any) -> tuple[list[ast.expr], ast.expr] | None:
    """The argument types and the result type of a function's type comment, or None."""
    if text is None or len(text) > _TYPE_TEXT_LIMIT:
        return None
    try:
        parsed = ast.parse(text, mode="func_type")
    except _PARSE_ERRORS:
        return None
    if not isinstance(parsed, ast.FunctionType):
        return None
    return [_place(node, at) for node in parsed.argtypes], _place(parsed.returns, at)


def _place(tree: ast.expr, at: Any) -> ast.expr:
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword)):
            node.lineno, node.col_offset = at.lineno, at.col_offset
            node.end_lineno, node.end_col_offset = at.end_lineno, at.end_col_offset
    return tree


# --- statements ----------------------------------------------------------------------------------


def _body(nodes: Sequence[ast.stmt], depth: int) -> tuple[f.Stmt, ...]:
    if depth > STATEMENT_DEPTH:
        return ()
    result: list[f.Stmt] = []
    append = result.append
    table = _STATEMENTS
    for node in nodes:
        kind = type(node)
        if kind is ast.Expr:
            value = node.value  # type: ignore[attr-defined]
            if type(value) is ast.Call and _sets_attribute(value):
                owner, name, given = value.args
                target = f.Attr(_span(owner), _expression(owner, 0), name.value)  # type: ignore[attr-defined]
                append(f.Assign(_span(node), (target,), _expression(given, 0), None))
            elif type(value) is not ast.Constant:
                append(new(f.ExprStmt, (_span(node), _expression(value, 0))))
            continue
        lowered = table[kind](node, depth)
        if lowered is not None:
            append(lowered)
        elif kind is ast.Import:
            result.extend(_imports(node))  # type: ignore[arg-type]
        elif kind is ast.ImportFrom:
            result.extend(_imports_from(node))  # type: ignore[arg-type]
    return tuple(result)


def _assign(node: ast.Assign, depth: int) -> f.Stmt:
    value = node.value
    comment = node.type_comment
    annotation = None
    if comment is not None:
        parsed = _parse_type(comment, node.targets[0])
        annotation = None if parsed is None else _annotation(parsed, 0)
    return new(
        _ASSIGN,
        (
            _span(node),
            tuple([_expression(target, 0) for target in node.targets]),
            _expression(value, 0),
            annotation,
        ),
    )


def _annotated_assign(node: ast.AnnAssign, depth: int) -> f.Stmt:
    return f.Assign(
        _span(node), (_expression(node.target, 0),), _optional(node.value, 0), _annotation(node.annotation, 0)
    )


def _type_alias(node: Any, depth: int) -> f.Stmt:
    return f.Assign(_span(node), (_expression(node.name, 0),), _expression(node.value, 0), None)


def _augmented_assign(node: ast.AugAssign, depth: int) -> f.Stmt:
    return f.AugAssign(
        _span(node), _expression(node.target, 0), _BINARY_OPERATORS[type(node.op)], _expression(node.value, 0)
    )


def _return(node: ast.Return, depth: int) -> f.Stmt:
    value = node.value
    return new(f.Return, (_span(node), None if value is None else _expression(value, 0)))


def _if(node: ast.If, depth: int) -> f.Stmt:
    chain = [node]
    while len(node.orelse) == 1 and type(node.orelse[0]) is ast.If:
        node = node.orelse[0]
        chain.append(node)
    nested, flat = chain[: max(STATEMENT_DEPTH - depth, 1)], chain[max(STATEMENT_DEPTH - depth, 1) :]
    orelse = _body(node.orelse, depth + len(nested)) if node.orelse else ()
    if flat:
        ends = [()] * (len(flat) - 1) + [orelse]
        orelse = tuple(
            [
                f.If(_span(link), _expression(link.test, 0), _body(link.body, depth + len(nested)), end)
                for link, end in zip(flat, ends, strict=True)
            ]
        )
    for level in range(len(nested) - 1, -1, -1):
        link = nested[level]
        parts = (_span(link), _expression(link.test, 0), _body(link.body, depth + level + 1), orelse)
        orelse = (new(f.If, parts),)
    return orelse[0]


def _for(node: ast.For | ast.AsyncFor, depth: int) -> f.Stmt:
    depth += 1
    return f.For(
        _span(node),
        _expression(node.target, 0),
        _expression(node.iter, 0),
        _body(node.body, depth),
        _body(node.orelse, depth),
        type(node) is ast.AsyncFor,
    )


def _while(node: ast.While, depth: int) -> f.Stmt:
    depth += 1
    return f.While(_span(node), _expression(node.test, 0), _body(node.body, depth), _body(node.orelse, depth))


def _with(node: ast.With | ast.AsyncWith, depth: int) -> f.Stmt:
    items = tuple(
        [f.WithItem(_expression(item.context_expr, 0), _optional(item.optional_vars, 0)) for item in node.items]
    )
    return f.With(_span(node), items, _body(node.body, depth + 1), type(node) is ast.AsyncWith)


def _try(node: Any, depth: int) -> f.Stmt:
    depth += 1
    handlers = tuple(
        [
            f.Handler(_span(handler), _optional(handler.type, 0), handler.name, _body(handler.body, depth))
            for handler in node.handlers
        ]
    )
    return f.Try(
        _span(node), _body(node.body, depth), handlers, _body(node.orelse, depth), _body(node.finalbody, depth)
    )


def _raise(node: ast.Raise, depth: int) -> f.Stmt:
    return f.Raise(_span(node), _optional(node.exc, 0))


def _assert(node: ast.Assert, depth: int) -> f.Stmt:
    return f.Assert(_span(node), _expression(node.test, 0), _optional(node.msg, 0))


def _delete(node: ast.Delete, depth: int) -> f.Stmt:
    return f.Delete(_span(node), _expressions(node.targets, 0))


def _match(node: ast.Match, depth: int) -> f.Stmt:
    depth += 1
    cases = []
    for case in node.cases:
        captures, compares = _pattern(case.pattern)
        last: Any = case.body[-1]
        span = (*_span(case.pattern)[:2], last.end_lineno, last.end_col_offset + 1)
        cases.append(f.Case(span, captures, compares, _optional(case.guard, 0), _body(case.body, depth)))
    return f.Match(_span(node), _expression(node.subject, 0), tuple(cases))


def _pattern(root: ast.pattern) -> tuple[tuple[str, ...], tuple[f.Expr, ...]]:
    """What a pattern captures and, apart from None, True and False, which are found by identity, compares with."""
    captures: list[str] = []
    compares: list[f.Expr] = []
    stack: list[ast.pattern] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.MatchValue):
            compares.append(_expression(node.value, 0))
        elif isinstance(node, (ast.MatchSequence, ast.MatchOr)):
            stack.extend(reversed(node.patterns))
        elif isinstance(node, ast.MatchMapping):
            stack.extend(reversed(node.patterns))
            if node.rest is not None:
                captures.append(node.rest)
        elif isinstance(node, ast.MatchClass):
            stack.extend(reversed(node.kwd_patterns))
            stack.extend(reversed(node.patterns))
        elif isinstance(node, ast.MatchAs):
            if node.name is not None:
                captures.append(node.name)
            if node.pattern is not None:
                stack.append(node.pattern)
        elif isinstance(node, ast.MatchStar) and node.name is not None:
            captures.append(node.name)
    return tuple(dict.fromkeys(captures)), tuple(compares)


def _imports(node: ast.Import) -> list[f.Stmt]:
    result: list[f.Stmt] = []
    for alias in node.names:
        if alias.asname is None:
            top = alias.name.partition(".")[0]
            result.append(f.Import(_span(alias), top, None, top))
        else:
            result.append(f.Import(_span(alias), alias.name, None, alias.asname))
    return result


def _imports_from(node: ast.ImportFrom) -> list[f.Stmt]:
    module = "." * node.level + (node.module or "")
    return [new(f.Import, (_span(alias), module, alias.name, alias.asname or alias.name)) for alias in node.names]


def _dropped(node: ast.stmt, depth: int) -> None:
    return None


def _global(node: ast.Global, depth: int) -> f.Stmt:
    return f.Scope(_span(node), "global", tuple(node.names))


def _nonlocal(node: ast.Nonlocal, depth: int) -> f.Stmt:
    return f.Scope(_span(node), "nonlocal", tuple(node.names))


def _pass(node: ast.Pass, depth: int) -> f.Stmt:
    return f.Jump(_span(node), "pass")


def _break(node: ast.Break, depth: int) -> f.Stmt:
    return f.Jump(_span(node), "break")


def _continue(node: ast.Continue, depth: int) -> f.Stmt:
    return f.Jump(_span(node), "continue")


def _params(args: ast.arguments, depth: int) -> tuple[f.Param, ...]:
    params: list[f.Param] = []
    param_type = f.Param
    defaults = args.defaults
    missing = len(args.posonlyargs) + len(args.args) - len(defaults)
    position = 0
    for kind, group in (("positional", args.posonlyargs), ("normal", args.args)):
        for arg in group:
            default = _expression(defaults[position - missing], depth) if position >= missing else None
            params.append(new(param_type, (arg.arg, kind, _param_annotation(arg, depth), default, "")))
            position += 1
    if args.vararg is not None:
        params.append(param_type(args.vararg.arg, "args", _param_annotation(args.vararg, depth), None))
    for arg, keyword_default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        params.append(param_type(arg.arg, "keyword", _param_annotation(arg, depth), _optional(keyword_default, depth)))
    if args.kwarg is not None:
        params.append(param_type(args.kwarg.arg, "kwargs", _param_annotation(args.kwarg, depth), None))
    return tuple(params)


def _param_annotation(arg: ast.arg, depth: int) -> f.Expr | None:
    if arg.annotation is not None:
        return _annotation(arg.annotation, depth)
    comment = arg.type_comment
    return None if comment is None else _annotation(_parse_type(comment, arg), depth)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, depth: int) -> f.Stmt:
    params = _params(node.args, 0)
    returns = _annotation(node.returns, 0)
    decorators = _expressions(node.decorator_list, 0) if node.decorator_list else ()
    if node.type_comment is not None:
        params, returns = _with_signature(node, params, returns)
    params = _with_docstring(params, node.body)
    outer = _yields.seen
    _yields.seen = False
    body = _body(node.body, depth + 1)
    is_generator = _yields.seen
    _yields.seen = outer
    return f.Function(
        _span(node), node.name, params, returns, decorators, body, type(node) is ast.AsyncFunctionDef, is_generator
    )


def _with_docstring(params: tuple[f.Param, ...], body: Sequence[ast.stmt]) -> tuple[f.Param, ...]:
    """Add what the docstring of a function or class with that body says."""
    if not body or type(body[0]) is not ast.Expr or type(body[0].value) is not ast.Constant:
        return params
    text = body[0].value.value
    if not isinstance(text, str) or not any(_is_undocumented(param) and param.name in text for param in params):
        return params
    said = types_in(text)
    return tuple(
        param._replace(documented=said.get(param.name, "")) if _is_undocumented(param) else param for param in params
    )


def _is_undocumented(param: f.Param) -> bool:
    return param.annotation is None and not param.documented and param.name != "self"


def _with_signature(
    node: ast.FunctionDef | ast.AsyncFunctionDef, params: tuple[f.Param, ...], returns: f.Expr | None
) -> tuple[tuple[f.Param, ...], f.Expr | None]:
    """Add what the function's type comment says; `self` may be missing in it."""
    parsed = _parse_signature(node.type_comment, node)
    if parsed is None:
        return params, returns
    types, result = parsed
    if returns is None:
        returns = _annotation(result, 0)
    skipped = len(params) - len(types)
    if skipped not in (0, 1):
        return params, returns
    typed = [
        param if param.annotation is not None else param._replace(annotation=_annotation(kind, 0))
        for param, kind in zip(params[skipped:], types, strict=True)
    ]
    return params[:skipped] + tuple(typed), returns


def _class(node: ast.ClassDef, depth: int) -> f.Stmt:
    outer = _yields.seen
    body = _body(node.body, depth + 1)
    _yields.seen = outer
    if type(node.body[0]) is ast.Expr:
        # The parameters of a constructor may be documented with the class.
        body = tuple(
            s._replace(params=_with_docstring(s.params, node.body))
            if isinstance(s, f.Function) and s.name == "__init__"
            else s
            for s in body
        )
    return f.Class(
        _span(node),
        node.name,
        _expressions(node.bases, 0),
        _keywords(node.keywords, 0),
        _expressions(node.decorator_list, 0),
        body,
    )


_STATEMENTS: Final[dict[type, Callable[[Any, int], f.Stmt | None]]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Match: _match,
    ast.Import: _dropped,
    ast.ImportFrom: _dropped,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _try
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = _type_alias
