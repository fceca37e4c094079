"""Writing allow comments: the code stays, the comments cover."""

from __future__ import annotations

import ast
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostsync.fix.allow import LINE_LENGTH, add_allows
from hostsync.syntax.comments import find_allows, lay_out

sys.path.insert(0, str(Path(__file__).parents[1]))

from syntax.programs import PROGRAMS

C = "# hostsync: allow[HS101] why"


@pytest.mark.parametrize(
    ("before", "row", "after"),
    [
        ("x.item()\n", 1, f"x.item()  {C}\n"),
        ("x.item()", 1, f"x.item()  {C}"),
        ("x.item()   \r\ny\r\n", 1, f"x.item()  {C}\r\ny\r\n"),
        ("\ufeffx.item()\n", 1, f"\ufeffx.item()  {C}\n"),
        ("f(a,\n  x.item(),\n  b)\n", 2, f"f(a,\n  x.item(),  {C}\n  b)\n"),
        ("x.item()  # noqa\n", 1, f"x.item()  # noqa  {C}\n"),
        ("x.item()  # hostsync: allow[HS2] old\n", 1, "x.item()  # hostsync: allow[HS2, HS101] old\n"),
        ("# hostsync: allow[HS2] old\nx.item()\n", 2, "# hostsync: allow[HS2, HS101] old\nx.item()\n"),
        ("x.item()  # hostsync: allow[HS101] old\n", 1, "x.item()  # hostsync: allow[HS101] old\n"),
        ("x.item()  # hostsync: allow old\n", 1, f"x.item()  # hostsync: allow old  {C}\n"),
        ("x.item()  # hostsync: allow[HS2 old\n", 1, f"x.item()  # hostsync: allow[HS2 old  {C}\n"),
        ("x.item()  # hostsync: allow[] old\n", 1, f"x.item()  # hostsync: allow[] old  {C}\n"),
        ("if a:\n    y = x.item() + \\\n        1\n", 2, f"if a:\n    {C}\n    y = x.item() + \\\n        1\n"),
        ("y = x.item() + \\\n    1\n", 2, f"y = x.item() + \\\n    1  {C}\n"),
        ("y = x.item(), '''\n'''\n", 1, f"{C}\ny = x.item(), '''\n'''\n"),
        ("if a:\n  b\n", 1, f"if a:  {C}\n  b\n"),
        ("if a: b\n", 1, f"if a: b  {C}\n"),
        ("@a(x)\ndef f():\n    pass\n", 1, f"@a(x)  {C}\ndef f():\n    pass\n"),
        ("y = []  # type: List[int]\n", 1, f"{C}\ny = []  # type: List[int]\n"),
        ("y = x  # type: ignore\n", 1, f"y = x  # type: ignore  {C}\n"),
        ("if a:\n\tx" + "x" * 110 + "\n", 2, f"if a:\n\t{C}\n\tx" + "x" * 110 + "\n"),
        ("# comment\nx\n", 1, "# comment\nx\n"),
        ("x\n", 7, "x\n"),
    ],
)
def test_places(before: str, row: int, after: str) -> None:
    assert add_allows(before, {row: ["HS101"]}, "why") == after


def test_one_comment_for_a_statement() -> None:
    assert (
        add_allows("f(a.item(),\n  b.item())\n", {1: ["HS101"], 2: ["HS102", "HS101"]}, "why")
        == "f(a.item(),  # hostsync: allow[HS101, HS102] why\n  b.item())\n"
    )


def test_it_may_be_done_twice() -> None:
    once = add_allows("a.item()\nb.item()\n", {1: ["HS101"]}, "why")
    assert add_allows(once, {1: ["HS101"]}, "other") == once


@pytest.mark.parametrize("reason", ["a\nb", "a # b", "coding: rot13", "x\x00\x1b[31m", "", "  é  "])
def test_reasons(reason: str) -> None:
    text = add_allows("x.item()\n", {1: ["HS101"]}, reason)
    assert text.count("\n") == 1
    (allow,) = find_allows(text)
    assert allow.codes == ("HS101",)
    assert allow.reason.isprintable()
    compile(text.encode(), "m", "exec")


CODES = st.lists(st.sampled_from(["HS101", "HS2", "item-read-back"]), min_size=1, max_size=3)


@given(
    PROGRAMS,
    st.dictionaries(st.integers(1, 25), CODES, min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["why", "a much longer reason " * 6]),
)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_programs(text: str, wanted: dict[int, list[str]], end: str, reason: str) -> None:
    text = text.replace("\n", end)
    statements = lay_out(text).statements
    changed = add_allows(text, wanted, reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text))
    assert changed.count(end) - text.count(end) <= len(wanted)
    allows = find_allows(changed)
    # A row that was put in above moves what follows; the statements stay in order.
    moved = lay_out(changed).statements
    assert len(moved) == len(statements)
    for before, after in zip(statements, moved, strict=True):
        for row, codes in wanted.items():
            if before[0] <= row <= before[1]:
                covering = [allow for allow in allows if allow.first_row <= after[0] and after[1] <= allow.last_row]
                assert set(codes) <= {code for allow in covering for code in allow.codes}
    for line in changed.split(end):
        assert len(line) <= LINE_LENGTH or "allow[" not in line or line.lstrip().startswith("#")
