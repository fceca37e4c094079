"""What the scan says of the annotated sources in tests/cases, and that the sources cover every rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from .cases import FILES, FOLDER, GAPS, Mark, difference, found_in, marks_of, places, rules

CASES = tuple(path for path in FILES if path.stem != GAPS)
NO_EVENTS = {rule.code for rule in rules() if not rule.events}


def _name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_reports_what_waits_and_nothing_else(path: Path) -> None:
    found = found_in(path).shown
    expected = places(path, "expect")
    missed = expected - found
    false = found - expected - places(path, "missed-alarm", "false-alarm")
    if missed or false:
        pytest.fail(difference(path, missed, false), pytrace=False)


@pytest.mark.parametrize("path", [path for path in FILES if places(path, "expect-possible")], ids=_name)
def test_reports_what_possibly_waits_as_possible(path: Path) -> None:
    missed = places(path, "expect-possible") - found_in(path).possible
    if missed:
        pytest.fail(difference(path, missed, frozenset()), pytrace=False)


@pytest.mark.parametrize("path", [path for path in FILES if places(path, "certain", "likely")], ids=_name)
def test_says_how_sure_it_is(path: Path) -> None:
    found = found_in(path)
    missed = (places(path, "certain") - found.certain) | (places(path, "likely") - found.shown)
    false = places(path, "likely") & found.certain
    if missed or false:
        pytest.fail(difference(path, missed, false), pytrace=False)


GAP_MARKS = [mark for mark in marks_of(FOLDER / f"{GAPS}.py") if mark.kind in {"missed-alarm", "false-alarm"}]


@pytest.mark.parametrize("mark", GAP_MARKS, ids=lambda mark: f"{mark.kind}-{mark.code}-row-{mark.row}")
def test_gap_is_still_there(mark: Mark) -> None:
    path = FOLDER / f"{GAPS}.py"
    reported = (mark.row, mark.code) in found_in(path).shown
    if reported == (mark.kind == "missed-alarm"):
        line = path.read_text(encoding="utf-8").split("\n")[mark.row - 1].strip()
        pytest.fail(
            f"{path.name}:{mark.row}: {mark.code} is right now; move it to the case file of its topic\n    {line}",
            pytrace=False,
        )


def test_no_case_file_holds_a_gap() -> None:
    assert not [path.name for path in CASES if places(path, "missed-alarm", "false-alarm")]


def test_nothing_is_both_expected_and_silent() -> None:
    for path in FILES:
        assert not places(path, "expect", "missed-alarm") & places(path, "silent", "false-alarm")


def test_marks_name_rules() -> None:
    assert {mark.code for path in FILES for mark in marks_of(path)} <= {rule.code for rule in rules()}


def test_every_rule_is_expected_somewhere() -> None:
    expected = {code for path in CASES for _, code in places(path, "expect")}
    assert {rule.code for rule in rules()} - NO_EVENTS <= expected


def test_every_rule_has_lines_that_only_look_like_it() -> None:
    silent = {code for path in CASES for _, code in places(path, "silent")}
    assert {rule.code for rule in rules()} - NO_EVENTS <= silent
