"""Names of rows: they find their row again, and stay the same where other lines come and go."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hostsync.lint.landmarks import Landmarks, Rows, marked

LINES = st.lists(st.sampled_from(["", "    return x", "        return x", "y = f(x)", "\u00fc", "\ud800"]), min_size=1)


def row_of(lines: list[str], name: str) -> int | None:
    length, own, before = name.split("-")
    return Landmarks(lambda: lines).row(int(length), own, int(before))


@given(LINES)
def test_each_row_is_found_by_its_name(lines: list[str]) -> None:
    landmarks = Landmarks(lambda: lines)
    names = [landmarks.named(row) for row in range(1, len(lines) + 1)]
    assert [row_of(lines, name) for name in names] == list(range(1, len(lines) + 1))


@given(LINES, st.data())
def test_a_name_stays_when_another_line_is_added(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines)))
    longer = [*lines[:at], "added = 0", *lines[at:]]
    for row in range(1, len(lines) + 1):
        name = Landmarks(lambda: lines).named(row)
        assert row_of(longer, name) == row + (row > at)


def test_a_line_that_is_gone_has_no_row() -> None:
    name = Landmarks(lambda: ["a", "b"]).named(2)
    assert row_of(["a"], name) is None
    assert row_of(["a"], Landmarks(lambda: ["a"]).named(9)) is None


def test_a_text_is_shown_with_the_rows_of_today() -> None:
    name = Landmarks(lambda: ["x", "y"]).named(2)
    text = f"{marked('pkg/b.py', name)} hands in a tensor, as {marked('gone.py', name)} does"
    rows = Rows({"pkg/b.py": ["new", "x", "y"], "gone.py": []}.__getitem__)
    assert rows.shown(text) == text, "none of the files takes part"
    rows.names.update(("pkg/b.py", "gone.py"))
    assert rows.shown(text) == "pkg/b.py:3 hands in a tensor, as gone.py does"


@given(st.text(st.sampled_from("\2\3ab- :")))
def test_a_text_that_names_no_row_stays(text: str) -> None:
    # Without a digit none of them is a name, also of a file that takes part.
    rows = Rows(lambda _: ())
    rows.names.update(("", "a", "b", "ab"))
    assert rows.shown(text) == text
