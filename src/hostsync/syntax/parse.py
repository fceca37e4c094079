"""Source bytes → facts: decoding, parsing, and errors that say where and why, without a traceback."""

from __future__ import annotations

import ast
import io
import re
import sys
import threading
import tokenize
import warnings

from hostsync.facts import Module
from hostsync.syntax.lower import lower, run_in_thread


class SourceError(Exception):
    """A source that cannot be turned into facts.

    Attributes:
        kind: `syntax-error`, `decode-error` or `notebook-error`, as in `findings.Diagnostic`.
        row: where, 1-based; 1 where it is not known.
        column: where, 1-based, in characters.
        message: a sentence for the user.
    """

    def __init__(self, kind: str, row: int, column: int, message: str) -> None:
        super().__init__(kind, row, column, message)
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
    tree = parse_tree(text)
    body = lower(tree, None if text.isascii() else split_lines(text))
    return Module(name, body, ())


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
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _place(source: bytes, offset: int) -> tuple[int, int]:
    before = source[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1, offset - max(source.rfind(b"\n", 0, offset), source.rfind(b"\r", 0, offset))


_parse_lock = threading.Lock()
_DEEP_RECURSION = 20_000
_DEEP_STACK = 64 * 1024 * 1024


def parse_tree(text: str) -> ast.Module:
    """Parse a source text; columns count UTF-8 bytes, as those of `ast.parse` do.

    Type comments are read where there are any.

    Raises:
        SourceError: kind `syntax-error`.
    """
    typed = "# type:" in text
    try:
        try:
            return _parse(text, typed)
        except SyntaxError:
            if not typed:
                raise
            return _parse(text, False)
    except SyntaxError as error:
        if "nested" in str(error.msg) and "too many" in str(error.msg):
            raise SourceError("syntax-error", error.lineno or 1, error.offset or 1, TOO_DEEP) from None
        raise _syntax_error(error) from None
    except (RecursionError, MemoryError):
        return _parse_deep(text)
    except ValueError as error:
        raise SourceError("syntax-error", 1, 1, _sentence(str(error))) from None


def _parse(text: str, typed: bool) -> ast.Module:
    # The filters of `warnings` belong to the whole process: one thread at a time may change them.
    with _parse_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, type_comments=typed)


def _parse_deep(text: str) -> ast.Module:
    """Parse with a large stack what was too deep for the usual one."""

    def work() -> ast.Module:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEP_RECURSION))
        try:
            return _parse(text, False)
        finally:
            sys.setrecursionlimit(before)

    try:
        return run_in_thread(work, _DEEP_STACK)
    except SyntaxError as error:
        raise _syntax_error(error) from None
    except (RecursionError, MemoryError, RuntimeError, ValueError):
        raise SourceError("syntax-error", 1, 1, TOO_DEEP) from None


def _syntax_error(error: SyntaxError) -> SourceError:
    return SourceError("syntax-error", error.lineno or 1, error.offset or 1, _sentence(error.msg or "invalid syntax"))


def _sentence(message: str) -> str:
    """One line, without the place and file name that Python's own messages may carry."""
    message = " ".join(message.split())
    return re.sub(r" \(<unknown>, line \d+\)$", "", message)
