"""Decoding and parsing: what can be wrong with a file is said with its place."""

from __future__ import annotations

import threading
import warnings

import pytest

from hostsync.syntax.parse import parse_module, parse_module_text
from hostsync.syntax.text import SourceError, decode, split_lines


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"x = 1",
        b"\xef\xbb\xbfx = 1\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"\x0cx = 1\n",
        b"if x:\n\ty = 1\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"#!/usr/bin/env python\n# coding: cp1252\nx = '\x80'\n",
        "x = 'é'\n".encode(),
        b"# coding: utf-8\nx = 1\n",
        b"s = 'coding: nonsense'\nx = 1",
        b"#",
        b"# type: ignore",
    ],
)
def test_parses(source: bytes) -> None:
    parse_module(source, "m")


@pytest.mark.parametrize(
    ("source", "row", "column", "words"),
    [
        (b"x = 1\ny = '\xe9'\n", 2, 6, "utf-8"),
        (b"x = 1\r\n\r\n  \xff\n", 3, 3, "0xff"),
        (b"x\n\0", 2, 1, "NUL"),
        ("x = 1\n".encode("utf-16"), 1, 4, "NUL"),
        (b"# coding: nonsense\n", 1, 1, "nonsense"),
        (b"# coding: rot13\n", 1, 1, "rot13"),
        (b"# coding: undefined\n", 1, 1, ""),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, ""),
        (b"# coding: ascii\n\xe9", 2, 1, "ascii"),
    ],
)
def test_decode_errors(source: bytes, row: int, column: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_module(source, "m")
    error = caught.value
    assert (error.kind, error.row, error.column) == ("decode-error", row, column)
    assert words in error.message


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("x = (\n", 1, 5),
        ("x = 1\nfor\n", 2, 4),
        ("é = ) \n", 1, 5),
        ("if x:\npass\n", 2, 1),
        ("x = 1\n  y = 2\n", 2, None),
        ("x = '\n", 1, 5),
        ("x = 08\n", 1, None),
        ("print 'a'\n", 1, 1),
        ("x = f'{'\n", 1, None),
    ],
)
def test_syntax_errors(text: str, row: int, column: int | None) -> None:
    with pytest.raises(SourceError) as caught:
        parse_module_text(text, "m")
    error = caught.value
    assert (error.kind, error.row) == ("syntax-error", row)
    assert column is None or error.column == column
    assert error.message
    assert "unknown" not in error.message
    assert error.cell is None


@pytest.mark.parametrize("text", ["x = " + "(" * 1000 + ")" * 1000, "x = " + "not " * 100_000 + "y", "x = [" * 300])
def test_too_deep(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_module_text(text, "m")
    assert caught.value.message == "nested too deeply to be parsed"


def test_no_warning_leaks() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parse_module_text("x = '\\d' is 1\nassert (x, 'y')\nx = 1if 2else 3\n", "m")
    assert not caught


def test_a_long_generated_file() -> None:
    text = "".join(f"x{row} = torch.zeros({row}).item()\n" for row in range(50_000))
    assert len(parse_module_text(text, "m").body) == 50_000


def test_threads() -> None:
    filters = list(warnings.filters)
    texts = ["x = '\\d'\n" * 200, "x = (\n", "x = " + "a + " * 4000 + "b\n", "except* x"]
    errors: list[BaseException] = []

    def work(text: str) -> None:
        try:
            for _ in range(5):
                parse_module_text(text, "m")
        except SourceError:
            pass
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert warnings.filters == filters


def test_lines_are_those_of_the_tokenizer() -> None:
    text = "a\x0cb\u2028c\x1cd\r\ne\rf\n"
    assert split_lines(text) == ["a\x0cb\u2028c\x1cd", "e", "f", ""]
    assert decode(b"a\r\nb") == "a\r\nb"
