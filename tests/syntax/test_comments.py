"""Allow comments: found in comments only, covering the statement that they stand in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hostsync.syntax import comments
from hostsync.syntax.comments import find_allows, lay_out
from hostsync.syntax.parse import parse_module_text

from .programs import PROGRAMS

WHOLE = "# hostsync: allow[HS1] why"


def covered(text: str) -> list[tuple[int, int]]:
    return [(allow.first_row, allow.last_row) for allow in find_allows(text)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (f"x\ny = f(a){{}}  {WHOLE}\nz\n".format(""), [(2, 2)]),
        (f"y = f(a,  {WHOLE}\n      b,\n      c)\n", [(1, 3)]),
        (f"y = f(a,\n      b,\n      c)  {WHOLE}\n", [(1, 3)]),
        (f"y = f(a,\n      {WHOLE}\n      c)\n", [(1, 3)]),
        (f"{WHOLE}\ny = f(a,\n      c)\nz\n", [(2, 3)]),
        (f"{WHOLE}\n\n# more\ny = 1\n", [(4, 4)]),
        (f"if a:  {WHOLE}\n    b\n", [(1, 1)]),
        (f"if (a and\n    b):  {WHOLE}\n    c\n", [(1, 2)]),
        (f"{WHOLE}\nfor a in b:\n    c\n", [(2, 2)]),
        (f"with a: b  {WHOLE}\n", [(1, 1)]),
        (f"@a  {WHOLE}\n@b\ndef f(\n  a):\n    c\n", [(1, 4)]),
        (f"@a\n@b\ndef f(\n  a):  {WHOLE}\n    c\n", [(1, 4)]),
        (f"@a\n{WHOLE}\ndef f(): c\n", [(1, 3)]),
        (f"{WHOLE}\n@a\ndef f(): c\n", [(2, 3)]),
        (f"x = a + \\\n    b  {WHOLE}\n", [(1, 2)]),
        (f"x = '''\n''' + b  {WHOLE}\n", [(1, 2)]),
        (f"x = 1\n{WHOLE}\n", [(2, 2)]),
        (f"x = 1\r\ny = 2  {WHOLE}\r\n", [(2, 2)]),
        (f"x = 1\ry = (  {WHOLE}\r2)", [(2, 3)]),
        (f"x = 1  {WHOLE}", [(1, 1)]),
        (f"x = '{WHOLE}'\n", []),
        (f"'''\n{WHOLE}\n'''\n", []),
        (f"x = f'{{a}} {WHOLE}'\n", []),
        ("x = 1\n# hostsync: allow-file[HS1] why\ny = 2\n", [(1, 3)]),
        ("# hostsync allow[HS1] why\n# not hostsync: allowed\n", []),
        (f"if a:\n    b\n{WHOLE}\nelif c:\n    d\n", [(4, 4)]),
        (f"x = (\n  f'{{a}}'  {WHOLE}\n)\n", [(1, 3)]),
    ],
)
def test_rows(text: str, rows: list[tuple[int, int]]) -> None:
    assert covered(text) == rows
    assert comments._assemble(comments._by_scan(comments._newlines(text))) == lay_out(text)


@pytest.mark.parametrize(
    ("comment", "codes", "reason"),
    [
        ("# hostsync: allow[HS101] the loop is cold", ("HS101",), "the loop is cold"),
        ("# hostsync: allow[HS101, item-read-back,HS2] x", ("HS101", "item-read-back", "HS2"), "x"),
        ("#hostsync:allow[HS101]", ("HS101",), ""),
        ("# hostsync: allow", (), ""),
        ("# hostsync: allow why not", (), "why not"),
        ("# hostsync: allow[] why", (), "why"),
        ("# hostsync: allow[ , ] why", (), "why"),
        ("# hostsync: allow[HS101] why  # noqa: E501", ("HS101",), "why"),
        ("# noqa: E501  # hostsync: allow[HS101] why  ", ("HS101",), "why"),
        ("# hostsync: allow[HS101] issue #12", ("HS101",), "issue"),
        ("# hostsync: allow[HS101", (), "[HS101"),
        ("# hostsync: allow[HS101 why  # noqa: E501]", (), "[HS101 why"),
    ],
)
def test_texts(comment: str, codes: tuple[str, ...], reason: str) -> None:
    (allow,) = find_allows(f"x = 1  {comment}\n")
    assert (allow.codes, allow.reason) == (codes, reason)
    assert not allow.whole_file


@pytest.mark.parametrize(
    ("comment", "is_malformed"),
    [
        ("# hostsync: allow[HS101] why", False),
        ("# hostsync: allow[HS101,] why [not]", False),
        ("# hostsync: allow why [not]", False),
        ("# hostsync: allow", False),
        ("# hostsync: allow[HS101 why", True),
        ("# hostsync: allow-file [HS101", True),
        ("# hostsync: allow[] why", True),
        ("# hostsync: allow[ , ] why", True),
    ],
)
def test_brackets(comment: str, is_malformed: bool) -> None:
    (allow,) = find_allows(f"x = 1  {comment}\n")
    assert allow.is_malformed is is_malformed


@pytest.mark.parametrize(
    ("comment", "unknown"),
    [
        ("# hostsync: allow(HS101) why", "allow("),
        ("# hostsync: allow(item-read-back) why", "allow("),
        ("# hostsync: allow (HS101) why", "allow (HS101"),
        ("# hostsync: allow-file{HS101} why", "allow-file{"),
        ("# hostsync: allow=HS101", "allow="),
        ("# hostsync: allow: HS101 why", "allow: HS101"),
        ("# hostsync: allow HS101 why", "allow HS101"),
        ("# hostsync: allow hs101 why", "allow hs101"),
        ("# hostsync: ignore[HS101] why", "ignore"),
        ("# noqa  # hostsync: disable=HS101", "disable"),
        ("# hostsync: alow[HS101] why", "alow"),
        ("# hostsync: allow-files[HS101] why", "allow-files"),
        ("# hostsync: allowed", "allowed"),
        ("# hostsync: [HS101] why", "[HS101]"),
        ("# hostsync:", "hostsync:"),
        ("# hostsync: allow (once an epoch) why", ""),
        ("# hostsync: allow: once an epoch", ""),
        ("# hostsync: allow[HS101] why (HS102)", ""),
        ("# hostsync: allow GB200 why", ""),
        ("# hostsync: allow what HS101 tells of", ""),
    ],
)
def test_what_is_not_understood(comment: str, unknown: str) -> None:
    (allow,) = find_allows(f"x = 1  {comment}\n")
    assert (allow.is_malformed, allow.unknown) == (bool(unknown), unknown)


@pytest.mark.parametrize("text", ["x = '# hostsync: ignore'\n", "# see hostsync: it waits\n", "# hostsync is a tool\n"])
def test_what_is_no_comment_to_hostsync(text: str) -> None:
    assert find_allows(text) == ()


def test_several_in_one_comment() -> None:
    first, second = find_allows("x  # hostsync: allow[A] one  # hostsync: allow[B] two\n")
    assert (first.codes, first.reason, second.codes, second.reason) == (("A",), "one", ("B",), "two")


def test_the_span_is_that_of_the_comment() -> None:
    text = "é = 'é'  # hostsync: allow[A] why  # noqa\n"
    (allow,) = find_allows(text)
    assert text[allow.span.column - 1 : allow.span.end_column - 1] == "# hostsync: allow[A] why"


def test_they_are_part_of_the_facts() -> None:
    (allow,) = parse_module_text("\ufeffx.item()  # hostsync: allow[HS101] cold\n", "m").allows
    assert (allow.codes, allow.first_row) == (("HS101",), 1)


def test_a_source_that_cannot_be_tokenized() -> None:
    assert covered(f"x = (1  {WHOLE}\n") == [(1, 1)]
    assert covered(f"x = 1\n   y = 2  {WHOLE}\n z = ('  {WHOLE}\n")


@given(PROGRAMS)
@settings(max_examples=100, deadline=None)
def test_both_scans_agree(text: str) -> None:
    text = comments._newlines(text)
    assert comments._assemble(comments._by_scan(text)) == comments._assemble(comments._by_tokenize(text))
