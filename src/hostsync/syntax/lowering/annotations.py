"""Annotations and type comments as trees: the types in strings parsed."""

from __future__ import annotations

import ast
import keyword
from typing import Any, Final


def unquoted(node: ast.expr, depth: int) -> ast.expr:
    """Replace the strings of an annotation, in place where they are nested, by the expressions in them."""
    if depth > 20:
        return node
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, str):
            return node
        parsed = parse_type(node.value, node)
        return node if parsed is None else unquoted(parsed, depth + 1)
    if isinstance(node, ast.Subscript):
        head = node.value
        name = head.id if isinstance(head, ast.Name) else head.attr if isinstance(head, ast.Attribute) else ""
        if name == "Annotated" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
            node.slice.elts[0] = unquoted(node.slice.elts[0], depth + 1)
        elif name != "Literal":
            node.slice = unquoted(node.slice, depth + 1)
    elif isinstance(node, ast.BinOp):
        node.left = unquoted(node.left, depth + 1)
        node.right = unquoted(node.right, depth + 1)
    elif isinstance(node, (ast.Tuple, ast.List)):
        node.elts = [unquoted(item, depth + 1) for item in node.elts]
    return node


_PARSE_ERRORS: Final = (SyntaxError, ValueError, RecursionError, MemoryError)
_TYPE_TEXT_LIMIT: Final = 2000


def parse_type(text: str, at: Any) -> ast.expr | None:
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


def parse_signature(text: str | None, at: Any) -> tuple[list[ast.expr], ast.expr] | None:
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
