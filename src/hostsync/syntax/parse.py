"""Source bytes → facts: decoding, parsing, and errors that say where and why, without a traceback."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from hostsync.facts import Module
from hostsync.syntax.comments import find_allows
from hostsync.syntax.deep import run_deep, without_warnings
from hostsync.syntax.lower import lower


class SourceError(Exception):
    """A source that cannot be turned into facts.

    Attributes:
        kind: `syntax-error`, `decode-error` or `notebook-error`, as in `findings.Diagnostic`.
        row: where, 1-based; 1 where it is not known.
        column: where, 1-based, in characters.
        message: a sentence for the user.
        cell: the 1-based code cell of a notebook; `row` then counts inside the cell.
    """

    def __init__(self, kind: str, row: int, column: int, message: str, cell: int | None = None) -> None:
        super().__init__(kind, row, column, message, cell)
        self.cell = cell
        self.kind = kind
        self.row = max(row, 1)
        self.column = max(column, 1)
        self.message = message

    def __str__(self) -> str:
        return f"{self.kind} at {self.row}:{self.column}: {self.message}"


TOO_DEEP = "nested too deeply to be parsed"


def parse_module(source: bytes, name: str) -> Module:
    """Turn the bytes of a Python file into facts.

    Args:
        source: the file as it is on disk; its encoding is found as Python finds it (mark, PEP 263 comment, UTF-8).
        name: the dotted name of the module.

    Raises:
        SourceError: it cannot be decoded or parsed. No other error comes out.
    """
    return parse_module_text(decode(source), name)


def parse_module_text(text: str, name: str) -> Module:
    """Turn the text of a Python file into facts; as `parse_module`, for text that is decoded already.

    Raises:
        SourceError: it cannot be parsed.
    """
    text = text.removeprefix("\ufeff")
    try:
        tree = parse_tree(text)
    except SourceError as error:
        newer = None if error.message == TOO_DEEP else _parse_newer(text)
        if newer is None:
            raise
        body = lower(newer)
    else:
        body = lower(tree, None if text.isascii() else split_lines(text))
    return Module(name, body, find_allows(text))


_COOKIE = re.compile(rb"coding[:=]")


def decode(source: bytes) -> str:
    """Decode a Python source as Python does; line ends stay as they are.

    Raises:
        SourceError: kind `decode-error`, with the row of the first byte that is wrong.
    """
    nul = source.find(b"\0")
    if nul >= 0:
        row, column = _place(source, nul)
        raise SourceError("decode-error", row, column, "the file holds NUL bytes and so is not Python source text")
    encoding = "utf-8"
    if source.startswith(b"\xef\xbb\xbf") or _COOKIE.search(source[:1000]):
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
        except (SyntaxError, UnicodeError, LookupError, ValueError) as error:
            raise SourceError("decode-error", 1, 1, _sentence(str(error))) from None
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        row, column = _place(source, error.start)
        byte = source[error.start : error.start + 1].hex()
        message = f"byte 0x{byte} is not valid in {encoding}, the encoding of the file"
        raise SourceError("decode-error", row, column, message) from None
    except (UnicodeError, LookupError, ValueError) as error:
        raise SourceError("decode-error", 1, 1, _sentence(str(error))) from None


def split_lines(text: str) -> list[str]:
    """The lines of a source, without line ends, where Python's tokenizer ends them.

    `str.splitlines` also splits at form feeds and other separators, where Python does not.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def _place(source: bytes, offset: int) -> tuple[int, int]:
    before = source[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1, offset - max(source.rfind(b"\n", 0, offset), source.rfind(b"\r", 0, offset))


def parse_tree(text: str) -> ast.Module:
    """Parse a source text with the parser of the running interpreter; columns count UTF-8 bytes.

    Type comments are read where there are any.

    Raises:
        SourceError: kind `syntax-error`.
    """
    try:
        try:
            return _parse(text)
        except (RecursionError, MemoryError):
            return run_deep(lambda: _parse(text))
    except SyntaxError as error:
        raise _syntax_error(error) from None
    except (RecursionError, MemoryError):
        raise SourceError("syntax-error", 1, 1, TOO_DEEP) from None
    except (ValueError, RuntimeError) as error:
        raise SourceError("syntax-error", 1, 1, _sentence(str(error))) from None


def _parse(text: str) -> ast.Module:
    with without_warnings():
        if "# type:" in text:
            try:
                return ast.parse(text, type_comments=True)
            except SyntaxError:
                # A comment that only looks like a type is an error there.
                pass
        return ast.parse(text)


def _parse_newer(text: str) -> ast.Module | None:
    """Parse with LibCST what may be syntax newer than the running interpreter; columns count characters.

    Returns:
        None where LibCST cannot parse it either.
    """
    from hostsync.syntax.concrete import ConcreteError, parse_concrete

    try:
        return parse_concrete(text)
    except ConcreteError:
        return None


def _syntax_error(error: SyntaxError) -> SourceError:
    message = error.msg or "invalid syntax"
    if "too many nested" in message or "too many levels of indentation" in message:
        message = TOO_DEEP
    return SourceError("syntax-error", error.lineno or 1, error.offset or 1, _sentence(message))


def _sentence(message: str) -> str:
    """One line, without the place and file name that Python's own messages may carry."""
    message = " ".join(message.split())
    return re.sub(r" \(<unknown>, line \d+\)$", "", message)
