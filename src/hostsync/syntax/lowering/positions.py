"""Columns that count bytes of UTF-8, turned into columns that count characters."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any


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
