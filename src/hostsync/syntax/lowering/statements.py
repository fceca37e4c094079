"""Lowering of statements, and of whole modules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from hostsync import facts as f
from hostsync.facts import new
from hostsync.syntax.deep import run_in_thread
from hostsync.syntax.docstrings import types_in
from hostsync.syntax.lowering.annotations import parse_signature, parse_type
from hostsync.syntax.lowering.expressions import (
    BINARY_OPERATORS,
    is_attribute_name,
    lower_annotation,
    lower_expression,
    lower_expressions,
    lower_keywords,
    lower_optional,
    lower_params,
    span_of,
    yields,
)
from hostsync.syntax.lowering.positions import columns_to_characters

STATEMENT_DEPTH: Final = 100
"""Statements nested deeper than this are cut."""
_ASSIGN: Final[type[f.Assign]] = f.Assign


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
    return (
        is_known
        and len(args) == 3
        and not node.keywords
        and is_attribute_name(args[1])
        and type(args[0]) is not ast.Starred
    )


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
                target = f.Attr(span_of(owner), lower_expression(owner, 0), name.value)  # type: ignore[attr-defined]
                append(f.Assign(span_of(node), (target,), lower_expression(given, 0), None))
            elif type(value) is not ast.Constant:
                append(new(f.ExprStmt, (span_of(node), lower_expression(value, 0))))
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
        parsed = parse_type(comment, node.targets[0])
        annotation = None if parsed is None else lower_annotation(parsed, 0)
    return new(
        _ASSIGN,
        (
            span_of(node),
            tuple([lower_expression(target, 0) for target in node.targets]),
            lower_expression(value, 0),
            annotation,
        ),
    )


def _annotated_assign(node: ast.AnnAssign, depth: int) -> f.Stmt:
    return f.Assign(
        span_of(node),
        (lower_expression(node.target, 0),),
        lower_optional(node.value, 0),
        lower_annotation(node.annotation, 0),
    )


def _type_alias(node: Any, depth: int) -> f.Stmt:
    return f.Assign(span_of(node), (lower_expression(node.name, 0),), lower_expression(node.value, 0), None)


def _augmented_assign(node: ast.AugAssign, depth: int) -> f.Stmt:
    return f.AugAssign(
        span_of(node),
        lower_expression(node.target, 0),
        BINARY_OPERATORS[type(node.op)],
        lower_expression(node.value, 0),
    )


def _return(node: ast.Return, depth: int) -> f.Stmt:
    value = node.value
    return new(f.Return, (span_of(node), None if value is None else lower_expression(value, 0)))


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
                f.If(span_of(link), lower_expression(link.test, 0), _body(link.body, depth + len(nested)), end)
                for link, end in zip(flat, ends, strict=True)
            ]
        )
    for level in range(len(nested) - 1, -1, -1):
        link = nested[level]
        parts = (span_of(link), lower_expression(link.test, 0), _body(link.body, depth + level + 1), orelse)
        orelse = (new(f.If, parts),)
    return orelse[0]


def _for(node: ast.For | ast.AsyncFor, depth: int) -> f.Stmt:
    depth += 1
    return f.For(
        span_of(node),
        lower_expression(node.target, 0),
        lower_expression(node.iter, 0),
        _body(node.body, depth),
        _body(node.orelse, depth),
        type(node) is ast.AsyncFor,
    )


def _while(node: ast.While, depth: int) -> f.Stmt:
    depth += 1
    return f.While(span_of(node), lower_expression(node.test, 0), _body(node.body, depth), _body(node.orelse, depth))


def _with(node: ast.With | ast.AsyncWith, depth: int) -> f.Stmt:
    items = tuple(
        [
            f.WithItem(lower_expression(item.context_expr, 0), lower_optional(item.optional_vars, 0))
            for item in node.items
        ]
    )
    return f.With(span_of(node), items, _body(node.body, depth + 1), type(node) is ast.AsyncWith)


def _try(node: Any, depth: int) -> f.Stmt:
    depth += 1
    handlers = tuple(
        [
            f.Handler(span_of(handler), lower_optional(handler.type, 0), handler.name, _body(handler.body, depth))
            for handler in node.handlers
        ]
    )
    return f.Try(
        span_of(node), _body(node.body, depth), handlers, _body(node.orelse, depth), _body(node.finalbody, depth)
    )


def _raise(node: ast.Raise, depth: int) -> f.Stmt:
    return f.Raise(span_of(node), lower_optional(node.exc, 0))


def _assert(node: ast.Assert, depth: int) -> f.Stmt:
    return f.Assert(span_of(node), lower_expression(node.test, 0), lower_optional(node.msg, 0))


def _delete(node: ast.Delete, depth: int) -> f.Stmt:
    return f.Delete(span_of(node), lower_expressions(node.targets, 0))


def _match(node: ast.Match, depth: int) -> f.Stmt:
    depth += 1
    cases = []
    for case in node.cases:
        captures, compares = _pattern(case.pattern)
        last: Any = case.body[-1]
        span = (*span_of(case.pattern)[:2], last.end_lineno, last.end_col_offset + 1)
        cases.append(f.Case(span, captures, compares, lower_optional(case.guard, 0), _body(case.body, depth)))
    return f.Match(span_of(node), lower_expression(node.subject, 0), tuple(cases))


def _pattern(root: ast.pattern) -> tuple[tuple[str, ...], tuple[f.Expr, ...]]:
    """What a pattern captures and, apart from None, True and False, which are found by identity, compares with."""
    captures: list[str] = []
    compares: list[f.Expr] = []
    stack: list[ast.pattern] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.MatchValue):
            compares.append(lower_expression(node.value, 0))
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
            result.append(f.Import(span_of(alias), top, None, top))
        else:
            result.append(f.Import(span_of(alias), alias.name, None, alias.asname))
    return result


def _imports_from(node: ast.ImportFrom) -> list[f.Stmt]:
    module = "." * node.level + (node.module or "")
    return [new(f.Import, (span_of(alias), module, alias.name, alias.asname or alias.name)) for alias in node.names]


def _dropped(node: ast.stmt, depth: int) -> None:
    return None


def _global(node: ast.Global, depth: int) -> f.Stmt:
    return f.Scope(span_of(node), "global", tuple(node.names))


def _nonlocal(node: ast.Nonlocal, depth: int) -> f.Stmt:
    return f.Scope(span_of(node), "nonlocal", tuple(node.names))


def _pass(node: ast.Pass, depth: int) -> f.Stmt:
    return f.Jump(span_of(node), "pass")


def _break(node: ast.Break, depth: int) -> f.Stmt:
    return f.Jump(span_of(node), "break")


def _continue(node: ast.Continue, depth: int) -> f.Stmt:
    return f.Jump(span_of(node), "continue")


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, depth: int) -> f.Stmt:
    params = lower_params(node.args, 0)
    returns = lower_annotation(node.returns, 0)
    decorators = lower_expressions(node.decorator_list, 0) if node.decorator_list else ()
    if node.type_comment is not None:
        params, returns = _with_signature(node, params, returns)
    params = _with_docstring(params, node.body)
    outer = yields.seen
    yields.seen = False
    body = _body(node.body, depth + 1)
    is_generator = yields.seen
    yields.seen = outer
    return f.Function(
        span_of(node), node.name, params, returns, decorators, body, type(node) is ast.AsyncFunctionDef, is_generator
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
    parsed = parse_signature(node.type_comment, node)
    if parsed is None:
        return params, returns
    types, result = parsed
    if returns is None:
        returns = lower_annotation(result, 0)
    skipped = len(params) - len(types)
    if skipped not in (0, 1):
        return params, returns
    typed = [
        param if param.annotation is not None else param._replace(annotation=lower_annotation(kind, 0))
        for param, kind in zip(params[skipped:], types, strict=True)
    ]
    return params[:skipped] + tuple(typed), returns


def _class(node: ast.ClassDef, depth: int) -> f.Stmt:
    outer = yields.seen
    body = _body(node.body, depth + 1)
    yields.seen = outer
    if type(node.body[0]) is ast.Expr:
        # The parameters of a constructor may be documented with the class.
        body = tuple(
            s._replace(params=_with_docstring(s.params, node.body))
            if isinstance(s, f.Function) and s.name == "__init__"
            else s
            for s in body
        )
    return f.Class(
        span_of(node),
        node.name,
        lower_expressions(node.bases, 0),
        lower_keywords(node.keywords, 0),
        lower_expressions(node.decorator_list, 0),
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
