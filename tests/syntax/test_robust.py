"""Whatever the source, facts or a SourceError come out."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostsync.fix.allow import add_allows
from hostsync.syntax.parse import parse_module, parse_module_text
from hostsync.syntax.text import SourceError

from .programs import PROGRAMS, mutated

QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))


def check(source: str | bytes) -> None:
    try:
        module = parse_module_text(source, "m") if isinstance(source, str) else parse_module(source, "m")
    except SourceError as error:
        assert error.kind in ("syntax-error", "decode-error")
        assert error.row >= 1
        assert error.column >= 1
        assert error.message
        assert "\n" not in error.message
        return
    json.dumps(module)
    check_spans(module.body)


def check_spans(value: object) -> None:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
            if "span" in getattr(node, "_fields", ()):
                row, column, end_row, end_column = node.span  # type: ignore[attr-defined]
                assert row >= 1
                assert column >= 1
                assert (row, column) <= (end_row, end_column)


@given(PROGRAMS)
@QUICK
def test_programs(text: str) -> None:
    check(text)
    parse_module_text(text, "m")


@given(mutated())
@QUICK
def test_mutated_sources(text: str) -> None:
    check(text)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
@QUICK
def test_noise(source: str | bytes) -> None:
    check(source)


@given(mutated(), st.integers(1, 40))
@QUICK
def test_allow_comments_in_mutated_sources(text: str, row: int) -> None:
    add_allows(text, {row: ("HS101",)}, "why")


@pytest.mark.long
@given(st.one_of(PROGRAMS, mutated()))
@LONG
def test_programs_and_mutated_sources_at_length(text: str) -> None:
    check(text)


@pytest.mark.long
@given(mutated(), st.binary(max_size=3), st.integers(0, 2000))
@LONG
def test_mutated_bytes_at_length(text: str, piece: bytes, at: int) -> None:
    source = text.encode("utf-8", "surrogatepass")
    check(source[:at] + piece + source[at:])


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 1000 + ")" * 1000,
        "".join(" " * level + "if a:\n" for level in range(1000)) + " " * 1000 + "x\n",
        "x = " + "[" * 1000 + "]" * 1000,
        "x = " + "lambda: " * 1000 + "y",
        "x = " + "a + " * 5000 + "b",
        "x = " + "{a: " * 1000 + "1" + "}" * 1000,
        "x = " + "f(" * 1000 + ")" * 1000,
        "if a: pass\n" + "elif a: b\n" * 3000,
        "x = " + "f'{" * 500,
        "x" + " = x" * 5000,
        "x = a" + "[0]" * 5000,
        "class A:\n def f():\n" * 3,
        "@a\n" * 5000 + "def f(): pass",
        "x = " + "not " * 50_000 + "y",
        "x = " + "a if b else " * 5000 + "c",
        "x = " + "-" * 50_000 + "y",
        "x = '" + "a" * 1_000_000 + "'",
        "x = " + "9" * 10_000,
        "x = 0x" + "f" * 100_000,
        "x: '" + "(" * 1000 + "'",
        "x: " + "a['" * 30 + "']" * 30,
        'x: "' + "List[" * 100 + "]" * 100 + '"',
        "match a:\n case " + "[" * 150 + "]" * 150 + ": pass",
        "x = 1e999999, 1e-999999",
        "x = '\\ud800'\n",
        "def f(" + ", ".join(f"a{number}=1" for number in range(5000)) + "): pass",
    ],
    ids=lambda text: text[:20],
)
def test_hostile(text: str) -> None:
    check(text)
