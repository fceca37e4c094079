"""Notebooks: code cells as one source, magics out, rows mapped back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostsync.syntax.notebook import parse_notebook, read_notebook, require_notebook
from hostsync.syntax.text import SourceError


def notebook(*cells: str | list[str], **extra: object) -> bytes:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4, **extra}
    ).encode()


def test_cells_and_rows() -> None:
    source = json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": "# Title"},
                {"cell_type": "code", "source": ["import torch\n", "x = torch.ones(1)"]},
                {"cell_type": "raw", "source": "raw"},
                {"cell_type": "code", "source": ""},
                {"cell_type": "code", "source": "\ny = x.item()\n"},
            ]
        }
    ).encode()
    module, found = parse_notebook(b"\xef\xbb\xbf" + source, "n")
    assert len(module.body) == 3
    assert found.locate(module.body[0].span[0]) == (1, 1)
    assert found.locate(module.body[2].span[0]) == (3, 2)
    assert found.text.count("\n") == len(found.rows)


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\nx = 1",
        "!pip install torch\nx = 1",
        "!pip install \\\n  torch\nx = 1",
        "files = !ls *.py\nx = 1",
        "t = %timeit -o f()\nx = 1",
        "torch.ones?\nx = 1",
        "?torch\nx = 1",
        "torch.ones??\nx = 1",
        "%%time\nx = 1",
        "# comment\n%%capture out\nx = 1",
        "if True:\n    !ls\n    x = 1",
        "for a in b:\n    %time f(a)\nx = 1",
        "%cd ~\ny = '''\n%not a magic\n'''\nx = 1",
        "!ls\ny = (3\n  %2)\nx = 1",
        "!echo 'it\nx = 1",
        "%env A=(\nx = 1",
        "%time y = f()\nx = a == b != c",
    ],
)
def test_magics(cell: str) -> None:
    module, found = parse_notebook(notebook(cell), "n")
    assert found.text.count("\n") == cell.count("\n") + 1
    assert "x = " in found.text
    assert "!" not in found.text.replace("!=", "")
    assert "Assign" in str(module.body)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("%time y = f()", "pass; y = f()"),
        ("  %time y = f()  # why", "  pass; y = f()  # why"),
        ("%timeit f()", "pass;   f()"),
        ("%timeit -n 10 -r3 -q f()", "pass;".ljust(21) + "f()"),
        ("%time -f()", "pass; -f()"),
        ("%time", "pass"),
        ("%timeit -x f()", "pass"),
        ("%time for a in b: f(a)", "pass"),
        ("%time f(", "pass"),
        ("%times f()", "pass"),
        ("%run f", "pass"),
    ],
)
def test_statements_that_are_timed_stay_in_their_columns(line: str, text: str) -> None:
    found = read_notebook(notebook(f"if a:\n{line}" if line.startswith(" ") else f"x = 1\n{line}"))
    assert found.text.split("\n")[1] == text
    assert found.written.split("\n")[1] == line


def test_python_that_looks_like_magic_stays() -> None:
    cell = "x = (a\n% b)\ny = a != b\n"
    assert read_notebook(notebook(cell)).text.startswith(cell)


@pytest.mark.parametrize("cell", ["%%bash\nls *.py | wc", "%%html\n<b>", "\n%%writefile x\nx ="])
def test_cells_in_other_languages(cell: str) -> None:
    text = read_notebook(notebook(cell, "x = 1")).text
    assert set(text.split("\n")[: cell.count("\n") + 1]) == {"pass"}
    assert text.endswith("x = 1\n")


def test_notebooks_in_other_languages() -> None:
    assert read_notebook(notebook("x <- 1", metadata={"language_info": {"name": "R"}})).text == ""
    assert read_notebook(notebook("x = 1", metadata={"kernelspec": {"language": "python"}})).text == "x = 1\n"


def test_notebooks_that_are_none_of_ours_are_not_broken() -> None:
    for source in (notebook(), notebook("x ="), notebook("x <- 1", metadata={"kernelspec": {"language": "R"}})):
        require_notebook(source)


def test_format_3() -> None:
    source = json.dumps(
        {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]}], "nbformat": 3}
    )
    assert read_notebook(source.encode()).text == "x = 1\ny = 2\n"


def test_a_cell_with_an_error_is_named_and_left_out() -> None:
    module, found = parse_notebook(notebook("x = 1\ny = 2", "z = 3\nx = )", "a = 4"), "n")
    (error,) = found.broken
    assert (error.kind, error.cell, error.row, error.column) == ("syntax-error", None, 4, 5)
    assert found.locate(error.row) == (2, 2)
    assert [statement.span[0] for statement in module.body] == [1, 2, 5]
    assert "x = )\n" in found.text


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"cells": 1}',
        b'{"cells": [1]}',
        b'{"cells": [{"cell_type": "code", "source": 1}]}',
        b'{"cells": [{"cell_type": "code", "source": [1]}]}',
        b'{"worksheets": [1]}',
        b'{"worksheets": [{"cells": 1}]}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"cells": ' + b"9" * 5000 + b"}",
    ],
)
def test_broken_notebooks(source: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        parse_notebook(source, "n")
    assert caught.value.kind == "notebook-error"
    with pytest.raises(SourceError) as again:
        require_notebook(source)
    assert str(again.value) == str(caught.value)


CELL_TEXTS = st.text(st.sampled_from("x=1 \n%!?'\"()[]#\\:ab\té"), max_size=40)


@given(st.lists(CELL_TEXTS, max_size=3))
@settings(max_examples=200, deadline=None)
def test_random_cells(cells: list[str]) -> None:
    try:
        _, found = parse_notebook(notebook(*cells), "n")
    except SourceError as error:
        assert error.cell is None or 1 <= error.cell <= len(cells)
    else:
        assert found.text.count("\n") == len(found.rows)
        assert all(1 <= error.row <= len(found.rows) for error in found.broken)
