"""The source text at a place of a running program, and the syntax node there."""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
from functools import lru_cache
from typing import NamedTuple

from hostsync.runtime.records import Place

LONGEST = 60
"""Characters of an expression that are quoted."""
LARGEST = 4_000_000
"""Characters of a file that is still parsed."""

_WITH_BODY = re.compile(r"(async\s+)?(for|with|while|if|try|match)\b.*:$")


class Node(NamedTuple):
    """A syntax node, and what it stands in."""

    node: ast.AST
    parents: tuple[ast.AST, ...]
    """From the nearest outwards."""
    is_exact: bool
    """Whether the node has exactly the span that was asked for."""


def lines_of(filename: str) -> list[str]:
    """The lines of a source file without their ends, not to be changed; empty if it can't be had."""
    try:
        read = linecache.getlines(filename)
    except (SyntaxError, UnicodeError, OSError, MemoryError):
        return []
    known = _lines.get(filename)
    if known is None or known[0] is not read:
        known = _lines[filename] = (read, [line.rstrip("\r\n") for line in read])
    return known[1]


_lines: dict[str, tuple[list[str], list[str]]] = {}
"""By file: what linecache keeps of it, and that without the ends of its lines."""


def text_at(place: Place) -> str:
    """The expression at `place` on one line, cropped; its whole row where Python doesn't tell columns."""
    place = without_body(place)
    lines = lines_of(place.filename)
    if not 1 <= place.row <= len(lines):
        return ""
    rows = lines[place.row - 1 : max(place.end_row, place.row)]
    if place.column > 0:
        rows[-1] = rows[-1][: max(place.end_column - 1, 0)]
        rows[0] = rows[0][place.column - 1 :]
    text = " ".join(" ".join(rows).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def without_body(place: Place) -> Place:
    """The first row of a statement with a body, such as a `for` whose iterator waits; any other place as it is."""
    if place.end_row <= place.row or not place.column:
        return place
    lines = lines_of(place.filename)
    first = lines[place.row - 1].rstrip() if place.row <= len(lines) else ""
    if _WITH_BODY.match(first[place.column - 1 :]):
        return place._replace(end_row=place.row, end_column=len(first))
    return place


@lru_cache(maxsize=4096)
def node_at(place: Place) -> Node | None:
    """The innermost expression that spans `place`; the statement where Python doesn't tell columns."""
    tree = _tree(place.filename)
    if tree is None:
        return None
    lines = lines_of(place.filename)
    if not 1 <= place.row <= len(lines):
        return None
    best: Node | None = None
    pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while pending:
        node, parents = pending.pop()
        rows = _rows(node)
        if rows is not None:
            if not (rows[0] <= place.row and place.end_row <= rows[1]):
                continue
            span = _span(node, rows, lines)
            if place.column > 0:
                around = span[:2] <= (place.row, place.column) and (place.end_row, place.end_column) <= span[2:]
                fits = around and isinstance(node, (ast.expr, ast.stmt))
            else:
                fits = isinstance(node, ast.stmt)
            if fits:  # What fits is nested, and a node is reached after what it stands in: the last one is innermost.
                best = Node(node, parents, span == tuple(place[1:5]))
        pending += [(child, (node, *parents)) for child in ast.iter_child_nodes(node)]
    return best


def imports_of(filename: str) -> dict[str, str]:
    """What the names that a module imports stand for: `{"F": "torch.nn.functional"}`."""
    tree = _tree(filename)
    return {} if tree is None else _imports(filename)


@lru_cache(maxsize=256)
def module_of(filename: str) -> str:
    """The dotted name of the module in `filename`, by the folders that Python imports from; empty if in none."""
    best = ""
    for folder in sys.path:
        root = os.path.join(os.path.abspath(folder), "")  # noqa: PTH100, PTH118
        if filename.startswith(root) and len(root) > len(best):
            best = root
    stem, extension = os.path.splitext(filename)  # noqa: PTH122
    if not best or extension != ".py":
        return ""
    parts = stem[len(best) :].replace("\\", "/").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@lru_cache(maxsize=64)
def _tree(filename: str) -> ast.Module | None:
    text = "\n".join(lines_of(filename))
    if not text or len(text) > LARGEST:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=256)
def _imports(filename: str) -> dict[str, str]:
    tree = _tree(filename)
    found: dict[str, str] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    found[alias.asname] = alias.name
                else:
                    top = alias.name.partition(".")[0]
                    found[top] = top
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _rows(node: ast.AST) -> tuple[int, int] | None:
    row, end_row = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    if row is None or end_row is None:
        return None
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(row, *(decorator.lineno for decorator in decorators)) if decorators else row, end_row


def _span(node: ast.AST, rows: tuple[int, int], lines: list[str]) -> tuple[int, int, int, int]:
    """Row, column, end row and end column, 1-based and in characters."""
    offset: int = getattr(node, "col_offset", 0)
    end: int = getattr(node, "end_col_offset", None) or 0
    return rows[0], _characters(lines, rows[0], offset) + 1, rows[1], _characters(lines, rows[1], end) + 1


def _characters(lines: list[str], row: int, offset: int) -> int:
    line = lines[row - 1] if row <= len(lines) else ""
    return offset if line.isascii() else len(line.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore"))
