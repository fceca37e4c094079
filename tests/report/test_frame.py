"""Marked source lines: tabs, wide characters, long lines, several rows."""

from __future__ import annotations

import pytest

from hostsync.findings import Location
from hostsync.report.frame import WIDEST, draw, frame
from hostsync.report.style import Style


def drawn(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> list[str]:
    return list(frame(lines, Location(*start), Location(*end), "message", Style()))


def test_tabs_and_wide_characters_are_aligned() -> None:
    assert drawn(['\tx = "日本", y.item()'], (1, 12), (1, 20))[1:3] == [
        '1 |     x = "日本", y.item()',
        "  |                 ^^^^^^^^ message",
    ]


def test_combining_characters_take_no_column() -> None:
    assert drawn(["é = e\u0301.item()"], (1, 5), (1, 14))[2] == "  |     ^^^^^^^^ message"


def test_control_characters_are_escapes() -> None:
    assert "".join(draw("a\x1b[0mb\x0c").cells) == "a\\x1b[0mb\\x0c"


def test_an_empty_range_has_one_mark() -> None:
    assert drawn(["x"], (1, 1), (1, 1))[2] == "  | ^ message"


def test_a_long_line_is_cropped_around_the_range() -> None:
    line = "a" * 500 + "x.item()" + "b" * 500
    text, mark = drawn([line], (1, 501), (1, 509))[1:3]
    assert text.startswith("1 | …aaa")
    assert text.endswith("bbb…")
    assert len(text) <= WIDEST + 6
    start = mark.index("^")
    assert text[start : start + 8] == "x.item()"
    assert mark.count("^") == 8


def test_a_range_longer_than_a_line_may_be() -> None:
    text, mark = drawn(["x" * 5000], (1, 1), (1, 5001))[1:3]
    assert len(text) == WIDEST + 5
    assert mark.count("^") == WIDEST


def test_rows_that_start_a_line() -> None:
    assert drawn(["    f(", "      x,", "    ).item()"], (1, 5), (3, 13)) == [
        "  |",
        "1 | /     f(",
        "2 | |       x,",
        "3 | |     ).item()",
        "  | |____________^ message",
        "  |",
    ]


def test_rows_that_start_inside_a_line() -> None:
    assert drawn(["y = f(", ").item()"], (1, 5), (2, 9))[1:5] == [
        "1 |   y = f(",
        "  |  _____^",
        "2 | | ).item()",
        "  | |________^ message",
    ]


def test_of_many_rows_the_middle_is_left_out() -> None:
    rows = drawn(["f("] + ["  a,"] * 98 + [").item()"], (1, 1), (100, 9))
    assert [row.split()[0] for row in rows[1:7]] == ["1", "2", "3", "4", "...", "100"]


@pytest.mark.parametrize(
    ("start", "end"), [((9, 1), (9, 5)), ((1, 99), (1, 120)), ((1, 1), (40, 2)), ((1, 9), (2, 99)), ((1, 9), (1, 2))]
)
def test_places_beyond_the_source_do_no_harm(start: tuple[int, int], end: tuple[int, int]) -> None:
    assert any("message" in line for line in drawn(["ab", "cd"], start, end))


def test_a_line_with_many_findings_is_laid_out_once() -> None:
    line = ", ".join(["x.item()"] * 5_000)
    before = draw.cache_info().misses
    for column in range(1, len(line), 10):
        list(frame([line], Location(1, column), Location(1, column + 8), "waits", Style(False)))
    assert draw.cache_info().misses == before + 1
