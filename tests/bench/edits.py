"""Small changes to files of a copy, as somebody who edits makes them."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path


def copied(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Copies of files and folders, of which sources alone."""
    copies = []
    for number, path in enumerate(paths):
        copy = folder / str(number) / path.resolve().name
        if path.is_dir():
            shutil.copytree(path, copy, ignore=_no_source)
        else:
            copy.parent.mkdir(parents=True)
            shutil.copy(path, copy)
        copies.append(copy)
    return copies


def _no_source(folder: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if not name.endswith((".py", ".ipynb")) and not Path(folder, name).is_dir()]


def edited(paths: Sequence[Path], share: float, change: Callable[[bytes, float], bytes | None]) -> Path | None:
    """Changes one file.

    Args:
        paths: files, and folders of such.
        share: which file, from 0 for the smallest to 1 for the largest; and which of its functions, from top to bottom.
        change: gives a source as it is then, or None if that can't be changed: then it is another file.

    Returns:
        The file; None if none can be changed.
    """
    files = [path for root in paths for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])]
    files.sort(key=lambda path: (path.stat().st_size, path))
    first = round(share * (len(files) - 1))
    for path in [*files[first:], *reversed(files[:first])]:
        changed = change(path.read_bytes(), share)
        if changed is not None:
            path.write_bytes(changed)
            return path
    return None


def with_statement(source: bytes, share: float) -> bytes | None:
    """A source with one statement more, before the last one of a function; None if it has no place for that."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    lines = source.splitlines(keepends=True)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    rows = sorted({f.body[-1].lineno for f in functions if f.body[-1].lineno != f.lineno and _is_plain(f.body[-1])})
    if not rows:
        return None
    row = rows[round(share * (len(rows) - 1))]
    indent = lines[row - 1][: len(lines[row - 1]) - len(lines[row - 1].lstrip())]
    return b"".join([*lines[: row - 1], indent + b"added = 0\n", *lines[row - 1 :]])


def with_name(source: bytes, share: float) -> bytes | None:
    """A source that defines one name more, which others may import; None if there is a function nowhere in it."""
    return None if with_statement(source, share) is None else source + b"\n\ndef added_by_benchmark():\n    return 0\n"


def _is_plain(statement: ast.stmt) -> bool:
    """Whether it begins a line, and what stands before it belongs to another."""
    return isinstance(statement, (ast.Return, ast.Assign, ast.If, ast.For, ast.With))
