"""Lowering of expressions, and of the parameters that lambdas and functions have."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from hostsync import facts as f
from hostsync.facts import new
from hostsync.syntax.lowering.annotations import parse_type, unquoted

EXPRESSION_DEPTH: Final = 200
"""Expressions nested deeper than this are cut."""
# Compiled, `f.Name` would be looked up each time that a name is lowered.
_NAME: Final[type[f.Name]] = f.Name
_ATTR: Final[type[f.Attr]] = f.Attr
_CONST: Final[type[f.Const]] = f.Const
_CALL: Final[type[f.Call]] = f.Call
_AST_NAME: Final[type] = ast.Name
_AST_ATTRIBUTE: Final[type] = ast.Attribute
_AST_CONSTANT: Final[type] = ast.Constant
_AST_CALL: Final[type] = ast.Call


def span_of(node: Any) -> f.Place:
    """Where a node begins and ends: rows, and columns from 1 on."""
    return (node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)


def _opaque(node: Any) -> f.Expr:
    return f.Const(span_of(node), "ellipsis", None)


def lower_expression(node: Any, depth: int) -> f.Expr:
    """Lowers an expression."""
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
            lower_expression(value, depth + 1),
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
    return new(_CONST, (span_of(node), kind, value))


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
            lower_expression(func, depth),
            tuple([lower_expression(arg, depth) for arg in args]) if args else (),
            lower_keywords(keywords, depth) if keywords else (),
        ),
    )


def lower_keywords(keywords: list[ast.keyword], depth: int) -> tuple[f.Keyword, ...]:
    """Lowers the arguments by name of a call."""
    keyword_type = f.Keyword
    result = []
    for node in keywords:
        value = node.value
        result.append(new(keyword_type, (node.arg, lower_expression(value, depth))))
    return tuple(result)


def _subscript(node: ast.Subscript, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    value = node.value
    index = node.slice
    if type(value) is ast.Attribute and value.attr == "__dict__" and is_attribute_name(index):
        # `x.__dict__["name"]` is `x.name`, also where the class makes something else of the latter.
        owner = value.value
        return f.Attr(span_of(node), lower_expression(owner, depth), index.value)  # type: ignore[attr-defined]
    return new(
        f.Subscript,
        (span_of(node), lower_expression(value, depth), lower_expression(index, depth)),
    )


def is_attribute_name(node: ast.expr) -> bool:
    """A text that can be the name of an attribute."""
    return type(node) is ast.Constant and type(node.value) is str and node.value.isidentifier()


def lower_optional(node: ast.expr | None, depth: int) -> f.Expr | None:
    """Lowers what may be left out."""
    return None if node is None else lower_expression(node, depth)


def lower_expressions(nodes: Sequence[ast.expr], depth: int) -> tuple[f.Expr, ...]:
    """Lowers several expressions."""
    return tuple([lower_expression(node, depth) for node in nodes])


def _slice(node: ast.Slice, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    bounds = (lower_optional(node.lower, depth), lower_optional(node.upper, depth), lower_optional(node.step, depth))
    return new(f.Slice, (span_of(node), *bounds))


def _tuple(node: ast.Tuple, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (span_of(node), "tuple", lower_expressions(node.elts, depth + 1)))


def _list(node: ast.List, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (span_of(node), "list", lower_expressions(node.elts, depth + 1)))


def _set(node: ast.Set, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return new(f.Sequence, (span_of(node), "set", lower_expressions(node.elts, depth + 1)))


def _dict(node: ast.Dict, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return f.Dict(
        span_of(node), tuple([lower_optional(key, depth) for key in node.keys]), lower_expressions(node.values, depth)
    )


def _generators(nodes: list[ast.comprehension], depth: int) -> tuple[f.Generator, ...]:
    return tuple(
        [
            f.Generator(
                lower_expression(node.target, depth),
                lower_expression(node.iter, depth),
                lower_expressions(node.ifs, depth),
            )
            for node in nodes
        ]
    )


_COMPREHENSION_KINDS: Final[dict[type, str]] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    kind = _COMPREHENSION_KINDS[type(node)]
    return f.Comprehension(
        span_of(node), kind, lower_expression(node.elt, depth), None, _generators(node.generators, depth)
    )


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
        span_of(node),
        "dict",
        lower_expression(value, depth),
        lower_optional(key, depth),
        _generators(node.generators, depth),
    )


BINARY_OPERATORS: Final[dict[type, str]] = {
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
            span_of(node),
            BINARY_OPERATORS[type(node.op)],
            lower_expression(left, depth),
            lower_expression(right, depth),
        ),
    )


def _unary(node: ast.UnaryOp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    operand = lower_expression(node.operand, depth + 1)
    return new(f.Unary, (span_of(node), _UNARY_OPERATORS[type(node.op)], operand))


def _logical(node: ast.BoolOp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Logical(
        span_of(node), "and" if type(node.op) is ast.And else "or", lower_expressions(node.values, depth + 1)
    )


def _compare(node: ast.Compare, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return new(
        f.Compare,
        (
            span_of(node),
            lower_expression(node.left, depth),
            tuple([_COMPARE_OPERATORS[type(op)] for op in node.ops]),
            lower_expressions(node.comparators, depth),
        ),
    )


def _conditional(node: ast.IfExp, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    return f.Conditional(
        span_of(node),
        lower_expression(node.test, depth),
        lower_expression(node.body, depth),
        lower_expression(node.orelse, depth),
    )


def _lambda(node: ast.Lambda, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    depth += 1
    outer = yields.seen
    result = f.Lambda(span_of(node), lower_params(node.args, depth), lower_expression(node.body, depth))
    yields.seen = outer
    return result


def _fields(values: list[ast.expr], depth: int) -> tuple[f.Formatted, ...]:
    """The replacement fields among the parts of an f-string."""
    fields = []
    for part in values:
        if not isinstance(part, ast.FormattedValue):
            continue
        value = lower_expression(part.value, depth)
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
        return f.FString(span_of(node), fields, _start(node))
    return f.Const(span_of(node), "str", _constant_text(node.values))


def _tstring(node: Any, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    parts = [part.value for part in node.values if not isinstance(part, ast.Constant)]
    return f.Sequence(span_of(node), "tuple", lower_expressions(parts, depth + 1))


def _starred(node: ast.Starred, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Starred(span_of(node), lower_expression(node.value, depth + 1))


def _walrus(node: ast.NamedExpr, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    target = f.Name(span_of(node.target), node.target.id)
    return f.Walrus(span_of(node), target, lower_expression(node.value, depth + 1))


def _await(node: ast.Await, depth: int) -> f.Expr:
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Await(span_of(node), lower_expression(node.value, depth + 1))


class _Yields(threading.local):
    """Whether a `yield` was seen in the function that this thread is lowering."""

    seen = False


yields: Final = _Yields()


def _yield(node: ast.Yield, depth: int) -> f.Expr:
    yields.seen = True
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Yield(span_of(node), lower_optional(node.value, depth + 1), False)


def _yield_from(node: ast.YieldFrom, depth: int) -> f.Expr:
    yields.seen = True
    if depth > EXPRESSION_DEPTH:
        return _opaque(node)
    return f.Yield(span_of(node), lower_expression(node.value, depth + 1), True)


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


def lower_annotation(node: ast.expr | None, depth: int) -> f.Expr | None:
    """An annotation, with what stands in it as strings parsed."""
    if node is None:
        return None
    kind = type(node)
    if kind is ast.Constant or kind is ast.Subscript or kind is ast.BinOp:
        node = unquoted(node, 0)
    return lower_expression(node, depth)


def lower_params(args: ast.arguments, depth: int) -> tuple[f.Param, ...]:
    """Lowers the parameters of a function or lambda."""
    params: list[f.Param] = []
    param_type = f.Param
    defaults = args.defaults
    missing = len(args.posonlyargs) + len(args.args) - len(defaults)
    position = 0
    for kind, group in (("positional", args.posonlyargs), ("normal", args.args)):
        for arg in group:
            default = lower_expression(defaults[position - missing], depth) if position >= missing else None
            params.append(new(param_type, (arg.arg, kind, _param_annotation(arg, depth), default, "")))
            position += 1
    if args.vararg is not None:
        params.append(param_type(args.vararg.arg, "args", _param_annotation(args.vararg, depth), None))
    for arg, keyword_default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        params.append(
            param_type(arg.arg, "keyword", _param_annotation(arg, depth), lower_optional(keyword_default, depth))
        )
    if args.kwarg is not None:
        params.append(param_type(args.kwarg.arg, "kwargs", _param_annotation(args.kwarg, depth), None))
    return tuple(params)


def _param_annotation(arg: ast.arg, depth: int) -> f.Expr | None:
    if arg.annotation is not None:
        return lower_annotation(arg.annotation, depth)
    comment = arg.type_comment
    return None if comment is None else lower_annotation(parse_type(comment, arg), depth)
