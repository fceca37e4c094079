"""The byte screen lets through whatever could matter."""

from __future__ import annotations

import pytest

from hostsync.syntax.screen import EVIDENCE, may_matter


@pytest.mark.parametrize(
    "source",
    [
        b"import torch\n",
        b"def f(x: Tensor): pass\n",
        b"x.unsqueeze(0).item()\n",
        b"x = 1  # hostsync: allow[HS1] nothing\n",
        "import torch\n".encode("utf-16"),
        b"# coding: utf-7\nimport +AHQ-orch\n",
        b"x.cuda()\n",
        *(f"x.{word}()".encode() for word in EVIDENCE),
    ],
)
def test_lets_through(source: bytes) -> None:
    assert may_matter(source)


@pytest.mark.parametrize("source", [b"", b"import os\nprint(os.environ)\n", b"# coding: utf-8\nx = {}.items()\n"])
def test_keeps_out(source: bytes) -> None:
    assert not may_matter(source)


def test_words_of_the_caller() -> None:
    many = [f"word{number}" for number in range(100)]
    assert may_matter(b"x.word99()", many)
    assert may_matter(b"x.word1()", many)
    assert not may_matter(b"import torch", many)
    assert may_matter(b"a.b", ["a.b"])
    assert not may_matter(b"axb", ["a.b", *many])
