"""Jupyter notebooks: their code cells as one Python source, and which cell each row comes from."""

from __future__ import annotations

import ast
import json
import re
from itertools import groupby
from typing import Any, NamedTuple

from hostsync.facts import ExprStmt, Handler, If, Jump, Module, Place, Raise, Return, Shown, Stmt, Try, With
from hostsync.syntax.deep import without_warnings
from hostsync.syntax.parse import parse_module_text
from hostsync.syntax.text import SourceError, split_lines


class Notebook(NamedTuple):
    """The code of a notebook.

    `rows[i]` says where row i + 1 of `text` comes from: the 1-based number of the code cell and the row in it.
    """

    text: str
    rows: tuple[tuple[int, int], ...]
    broken: tuple[SourceError, ...] = ()
    """What is wrong with the cells that are no part of the facts, being broken; rows count through `text`."""
    written: str = ""
    """As `text`, with what only IPython understands as it is."""

    def locate(self, row: int) -> tuple[int, int]:
        """The code cell and the row in it of a 1-based row of `text`; rows beyond the end count as the last one."""
        if not self.rows:
            return 1, 1
        return self.rows[min(max(row, 1), len(self.rows)) - 1]


def parse_notebook(source: bytes, name: str) -> tuple[Module, Notebook]:
    """Turn the bytes of an .ipynb file into the facts of all its code cells, as if they were one module.

    A cell that cannot be parsed is left out, as Jupyter runs the others without it; and what ends a cell, such as
    `raise`, does not end those below.

    Args:
        source: the file as it is on disk.
        name: the dotted name of the module.

    Returns:
        The facts, whose rows are those of `Notebook.text`, and what maps rows to cells, with the cells left out.

    Raises:
        SourceError: kind `notebook-error` where it is no notebook, `syntax-error` (with the cell, and the row in it)
            where the cells cannot be parsed together.
    """
    notebook = read_notebook(source)
    try:
        return _cell_by_cell(parse_module_text(notebook.text, name), notebook), notebook
    except SourceError:
        text, broken = _without_broken(notebook)
    try:
        return _cell_by_cell(parse_module_text(text, name), notebook), notebook._replace(broken=broken)
    except SourceError as error:
        cell, row = notebook.locate(error.row)
        raise SourceError(error.kind, row, error.column, error.message, cell) from None


def _cell_by_cell(module: Module, notebook: Notebook) -> Module:
    """The facts, with the rest of a cell from what ends it for sure as if its errors were caught, and with what IPython
    shows of its last expression."""
    body: list[Stmt] = []
    lines, written = notebook.text.split("\n"), notebook.written.split("\n")
    for _, group in groupby(module.body, lambda statement: notebook.locate(statement.span[0])[0]):
        cell = tuple(group)
        end = next((place for place, statement in enumerate(cell) if _is_end(statement)), len(cell))
        body += cell[:end]
        if end < len(cell):
            span: Place = (*cell[end].span[:2], *cell[-1].span[2:])
            body.append(Try(span, cell[end:], (Handler(span, None, None, (Jump(span, "pass"),)),), (), ()))
        elif isinstance(last := cell[-1], ExprStmt) and _is_shown(last, notebook, lines, written):
            body.append(Shown(last.span, last.value))
    return module._replace(body=tuple(body))


def _is_shown(last: ExprStmt, notebook: Notebook, lines: list[str], written: list[str]) -> bool:
    """Whether IPython shows what the last statement of a cell gives: not before a `;`, and under few magics."""
    first, _, row, column = last.span
    if row > len(notebook.rows) or lines[row - 1][column - 1 :].lstrip(" \t)").startswith(";"):
        return False
    _, above = notebook.locate(first)
    return not _HIDES.match(written[first - 1]) and not any(map(_CELL_HIDES.match, written[first - above : first - 1]))


_HIDES = re.compile(r"\s*%(?!time\b)")
_CELL_HIDES = re.compile(r"\s*%%(?!time\b)")
"""Begin rows whose value, and cells whose last one, is not shown."""


def _is_end(statement: Stmt) -> bool:
    """Whether nothing behind a statement is reached, whatever its tests give."""
    # An `elif` chain nests in `orelse`; all else is nested no deeper than Python allows.
    while isinstance(statement, If) and len(statement.orelse) == 1 and _has_end(statement.body):
        statement = statement.orelse[0]
    if isinstance(statement, If):
        return _has_end(statement.body) and _has_end(statement.orelse)
    if isinstance(statement, With):
        return _has_end(statement.body)
    if isinstance(statement, Try):
        tried = _has_end(statement.body) or _has_end(statement.orelse)
        return _has_end(statement.final) or (tried and all(_has_end(handler.body) for handler in statement.handlers))
    return isinstance(statement, (Raise, Return))


def _has_end(body: tuple[Stmt, ...]) -> bool:
    return any(_is_end(statement) for statement in body)


def _without_broken(notebook: Notebook) -> tuple[str, tuple[SourceError, ...]]:
    """The text of a notebook with empty rows for the cells that cannot be parsed, and what is wrong with these."""
    lines = notebook.text.split("\n")
    broken: list[SourceError] = []
    for _, places in groupby(range(len(notebook.rows)), lambda place: notebook.rows[place][0]):
        first, *more = places
        end = first + len(more) + 1
        try:
            parse_module_text("\n".join(lines[first:end]) + "\n", "")
        except SourceError as error:
            # The end of a cell may be on the row below it, which is one of the next.
            row = min(first + error.row, end)
            broken.append(SourceError(error.kind, row, error.column, error.message))
            lines[first:end] = [""] * (end - first)
    return "\n".join(lines), tuple(broken)


def read_notebook(source: bytes) -> Notebook:
    """Read the code cells of a notebook (nbformat 3 and 4).

    What only IPython understands (magics, shell commands, help) is replaced by `pass`, row by row; a simple statement
    that `%time` or `%timeit` is given stays where it is. A notebook in another language than Python has no code for us.

    Raises:
        SourceError: kind `notebook-error`.
    """
    texts: list[str] = []
    written: list[str] = []
    rows: list[tuple[int, int]] = []
    for number, text in enumerate(_code_cells(_load(source)), 1):
        lines = _python_lines(text)
        texts.extend(lines)
        written.extend(split_lines(text))
        rows.extend((number, row) for row in range(1, len(lines) + 1))
    return Notebook(_ended(texts), tuple(rows), (), _ended(written))


def _ended(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def require_notebook(source: bytes) -> None:
    """Raises SourceError (kind `notebook-error`) where `read_notebook` does, and costs less."""
    _code_cells(_load(source))


def _load(source: bytes) -> dict[str, Any]:
    try:
        data = json.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        row = source.count(b"\n", 0, error.start) + 1
        raise SourceError("notebook-error", row, 1, "the notebook is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        message = f"the notebook is not valid JSON: {error.msg}"
        raise SourceError("notebook-error", error.lineno, error.colno, message) from None
    except (ValueError, RecursionError, MemoryError):
        raise SourceError("notebook-error", 1, 1, "the notebook is not JSON that can be read") from None
    if not isinstance(data, dict):
        raise SourceError("notebook-error", 1, 1, "not a notebook: the outermost JSON value is no object")
    return data


def _code_cells(data: dict[str, Any]) -> list[str]:
    if not _is_python(data.get("metadata")):
        return []
    cells = data.get("cells")
    if cells is None and isinstance(data.get("worksheets"), list):
        cells = []
        for sheet in data["worksheets"]:
            part = sheet.get("cells", []) if isinstance(sheet, dict) else None
            if not isinstance(part, list):
                raise SourceError("notebook-error", 1, 1, "not a notebook: a worksheet without cells")
            cells.extend(part)
    if not isinstance(cells, list):
        raise SourceError("notebook-error", 1, 1, "not a notebook: it has no list of cells")
    texts = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            raise SourceError("notebook-error", 1, 1, f"cell {number} of the notebook is no object")
        if cell.get("cell_type") != "code":
            continue
        if "language" in cell and not str(cell["language"]).lower().startswith("python"):
            texts.append("")
            continue
        text = cell.get("source", cell.get("input", ""))
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            text = "".join(text)
        if not isinstance(text, str):
            raise SourceError("notebook-error", 1, 1, f"cell {number} of the notebook has no text as its source")
        texts.append(text.replace("\0", " "))
    return texts


def _is_python(metadata: object) -> bool:
    if not isinstance(metadata, dict):
        return True
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(key)
        language = value.get(field) if isinstance(value, dict) else None
        if isinstance(language, str) and language:
            return language.lower() in ("python", "ipython", "python3", "python2")
    return True


_PYTHON_CELL_MAGICS = frozenset(
    {"capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit", "matplotlib"}
)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_MAGIC = re.compile(
    r"""\s*(?:
        [%!?]                                                # %magic, !command, ?help
        | [,;/](?=[A-Za-z_])                                 # quoting and calling without brackets
        | [\w.,\s\[\]()*'"]+(?<![=<>!])=\s*(?:%[A-Za-z]|!)   # x = %magic, x = !command
        | %?[\w.\[\]*]+\?\??\s*;?\s*$                        # help?
    )""",
    re.VERBOSE,
)


_TIMED = re.compile(r"(\s*)(%time\s+|%timeit\s+(?:-(?:[nrp]\s*\d+|[tcqov]+)\s+)*)(?=\S)")


def _without_magic(line: str) -> str:
    """What stands for a row that begins with a magic: `pass`, and a statement that is timed, in its columns."""
    indent = line[: len(line) - len(line.lstrip())]
    timed = _TIMED.match(line)
    if timed is not None:
        statement = "pass;".ljust(len(timed[2])) + line[timed.end() :]
        if _parses(statement):
            return indent + statement
    return f"{indent}pass"


def _python_lines(text: str) -> list[str]:
    """The rows of a cell as Python: as they are, or `pass` for what only IPython understands."""
    lines = split_lines(text)
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    magic = _CELL_MAGIC.match(first)
    if magic is not None and magic[1] not in _PYTHON_CELL_MAGICS:
        return ["pass"] * len(lines)
    if magic is None and _parses(text):
        return lines
    result: list[str] = []
    state = _State()
    joined = False
    for line in lines:
        if joined or (state.at_start() and _MAGIC.match(line)):
            result.append("" if joined else _without_magic(line))
            joined = line.endswith("\\")
            continue
        state.feed(line)
        result.append(line)
    return result


def _parses(text: str) -> bool:
    try:
        with without_warnings():
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_TOKEN = re.compile(
    r"""(?P<comment>\#)|(?P<quote>\"{3}|'{3}|["'])|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<escape>\\.?)"""
)


class _State:
    """Whether, row by row, a statement or a string goes on."""

    def __init__(self) -> None:
        self.depth = 0
        self.quote = ""
        self.joined = False

    def at_start(self) -> bool:
        return not (self.depth or self.quote or self.joined)

    def feed(self, line: str) -> None:
        self.joined = False
        for match in _TOKEN.finditer(line):
            kind, text = match.lastgroup, match[0]
            if kind == "escape":
                self.joined = text == "\\"
            elif self.quote:
                if kind == "quote" and text.startswith(self.quote):
                    self.quote = ""
            elif kind == "quote":
                self.quote = text
            elif kind == "comment":
                break
            elif kind == "open":
                self.depth += 1
            elif kind == "close":
                self.depth = max(self.depth - 1, 0)
        if len(self.quote) == 1 and not self.joined:
            self.quote = ""
