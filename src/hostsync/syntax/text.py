"""Source bytes → text and lines: how Python decodes a file and where it ends a line. Imports hardly anything."""

from __future__ import annotations

import re


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
        import io
        import tokenize

        try:
            encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
        except (SyntaxError, UnicodeError, LookupError, ValueError) as error:
            raise SourceError("decode-error", 1, 1, sentence(str(error))) from None
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        row, column = _place(source, error.start)
        byte = source[error.start : error.start + 1].hex()
        message = f"byte 0x{byte} is not valid in {encoding}, the encoding of the file"
        raise SourceError("decode-error", row, column, message) from None
    except (UnicodeError, LookupError, ValueError) as error:
        raise SourceError("decode-error", 1, 1, sentence(str(error))) from None


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


def sentence(message: str) -> str:
    """One line, without the place and file name that Python's own messages may carry."""
    message = " ".join(message.split())
    return re.sub(r" \(<unknown>, line \d+\)$", "", message)
