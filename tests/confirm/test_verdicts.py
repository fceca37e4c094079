"""Verdict files: what they keep, and how findings are known again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.confirm.records import CONFIRMED, NOT_REACHED, NOT_SEEN, REFUTED, Judged, RunInfo
from hostsync.confirm.verdicts import (
    NONE,
    Count,
    Run,
    Verdicts,
    VerdictsError,
    file_key,
    mark,
    merged,
    of,
    read,
    verdict,
    write,
)
from hostsync.findings import Finding
from hostsync.report.keys import Key, keyed

from .test_join import finding

SOURCE = """\
def f(x):
    a = x.item()
    b = x.item() + x.item()
    return a, b


def g(x):
    return x.item()
"""
RUN = RunInfo(("train.py",), 0, "NVIDIA H200", "2.11.0", "2026-11-20", (), True)


def findings_in(source: str) -> list[Finding]:
    """A finding for each `x.item()`, as a scan would place it."""
    found, symbol = [], ""
    for row, line in enumerate(source.splitlines(), start=1):
        if line.startswith("def "):
            symbol = line[4 : line.index("(")]
        at = line.find("x.item()")
        while at >= 0:
            found.append(finding((row, at + 1, row, at + 9), symbol=symbol))
            at = line.find("x.item()", at + 1)
    return found


def keys_of(source: str) -> list[Key]:
    return [key for _, key in keyed(findings_in(source), source.splitlines())]


def judged(found: Finding, status: str, waits: int = 0, executions: int | None = 200) -> Judged:
    waited = None if executions is None else waits
    return Judged(found, True, status, waits, waited, executions, waits / 100, 0, False)


def test_keys_are_symbol_code_text_and_occurrence() -> None:
    assert keys_of(SOURCE) == [
        Key("f", "HS101", "x.item()", 1),
        Key("f", "HS101", "x.item()", 2),
        Key("f", "HS101", "x.item()", 3),
        Key("g", "HS101", "x.item()", 1),
    ]


@pytest.mark.parametrize(
    "edited",
    [
        "import os\n\n" + SOURCE,
        SOURCE.replace("def f(x):\n", "def f(x):\n    print(1)\n"),
        SOURCE.replace("    return a, b", "    c = 3\n    return a, b, c"),
        SOURCE.replace("    a = ", "    if True:\n        a = "),
    ],
)
def test_keys_survive_edits_elsewhere(edited: str) -> None:
    assert keys_of(edited) == keys_of(SOURCE)


def test_keys_do_not_depend_on_layout() -> None:
    one = "def f(x):\n    foo(x , y)\n"
    two = "def f(x):\n    foo(\n        x, y\n    )\n"
    key = next(keyed([finding((2, 5, 2, 15))], one.splitlines()))[1]
    assert key == next(keyed([finding((2, 5, 4, 6))], two.splitlines()))[1]
    assert key.text == "foo(x,y)"
    assert next(keyed([finding((9, 1, 9, 2))], one.splitlines()))[1].text == ""


def test_round_trip(tmp_path: Path) -> None:
    found = list(keyed(findings_in(SOURCE), SOURCE.splitlines()))
    verdicts = of(
        [
            ("src/é m.py", found[0][1], judged(found[0][0], CONFIRMED, 200)),
            ("src/é m.py", found[1][1], judged(found[1][0], REFUTED)),
            ("src/é m.py", found[2][1], judged(found[2][0], NOT_SEEN)),
            ("src/é m.py", found[3][1], judged(found[3][0], NOT_REACHED, executions=0)),
        ],
        [RUN],
    )
    path = tmp_path / "v.json"
    write(path, verdicts)
    assert read(path) == verdicts
    assert list(verdicts.files["src/é m.py"]) == [found[0][1], found[1][1]]
    text = path.read_text(encoding="ascii")
    assert len([line for line in text.splitlines() if '"file"' in line]) == 2
    assert json.loads(text)["hostsync_verdicts"] == 1
    write(path, NONE)
    assert read(path) == NONE
    assert [entry.name for entry in tmp_path.iterdir()] == ["v.json"]


def test_counts_of_runs_add() -> None:
    key = Key("f", "HS101", "x.item()", 1)
    other = Key("g", "HS101", "x.item()", 1)
    one = Verdicts((Run(("a",), "2026-11-19", "2.11", "H200"),), {"m.py": {key: Count(0, 0, 5, 0.0, frozenset({0}))}})
    two = Verdicts(
        (Run(("b",), "2026-11-20", "2.12", "A100"),),
        {"m.py": {key: Count(9, 3, 3, 1.0, frozenset({0})), other: Count(1, None, None, 0.5, frozenset({0}))}},
    )
    both = merged(one, two)
    assert both.files["m.py"] == {
        key: Count(9, 3, 8, 1.0, frozenset({0, 1})),
        other: Count(1, None, None, 0.5, frozenset({1})),
    }
    said = verdict(both.files["m.py"][key], both.runs)
    assert (said.status, said.device, said.torch, said.date) == ("confirmed", "H200, A100", "2.11, 2.12", "2026-11-20")
    unknown = merged(both, both).files["m.py"][other]
    assert (unknown.waits, unknown.waited) == (2, None)


def test_marks_raise_demote_and_tell_what_is_stale() -> None:
    found = list(keyed(findings_in(SOURCE), SOURCE.splitlines()))
    counts = {
        found[0][1]: Count(200, 200, 200, 1.21, frozenset({0})),
        found[3][1]: Count(0, 0, 200, 0.0, frozenset({0})),
        Key("gone", "HS101", "x.item()", 1): Count(1, 1, 1, 0.0, frozenset({0})),
    }
    marked = mark(found, counts, (Run(("a",), "2026-11-20", "2.11", "H200"),))
    assert [one.confidence for one in marked.findings] == ["certain", "likely", "likely", "possible"]
    assert [one.verdict and one.verdict.status for one in marked.findings] == ["confirmed", None, None, "refuted"]
    assert [key.symbol for key in marked.stale] == ["gone"]


def test_files_are_named_from_the_folder_of_the_verdict_file(tmp_path: Path) -> None:
    assert file_key(tmp_path / "src" / "m.py", tmp_path / "v.json") == "src/m.py"
    assert file_key(tmp_path / "m.py", tmp_path / "verdicts" / "v.json") == "../m.py"


numbers = st.integers(0, 10**9)
counts = st.builds(
    Count,
    numbers,
    st.none() | numbers,
    st.none() | numbers,
    st.integers(0, 10**6).map(lambda n: n / 8),
    st.just(frozenset({0})),
)
keys = st.builds(Key, st.text(max_size=8), st.just("HS101"), st.text(max_size=8), st.integers(1, 9))
files = st.dictionaries(
    st.text(min_size=1, max_size=8), st.dictionaries(keys, counts, min_size=1, max_size=4), max_size=3
)


@given(files.map(lambda given: Verdicts((Run(("a", "é"), "2026-11-20", "2.11", "H200"),), given)))
def test_any_verdicts_come_back(tmp_path_factory: pytest.TempPathFactory, verdicts: Verdicts) -> None:
    path = tmp_path_factory.mktemp("verdicts") / "v.json"
    write(path, verdicts)
    assert read(path) == verdicts


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["runs", "verdicts", "file", "symbol", "code"]), inner)
        ),
    )
)
def test_a_damaged_file_is_one_sentence(tmp_path_factory: pytest.TempPathFactory, data: object) -> None:
    path = tmp_path_factory.mktemp("verdicts") / "v.json"
    content = {**data, "hostsync_verdicts": 1} if isinstance(data, dict) else data
    path.write_text(json.dumps(content), encoding="utf-8")
    try:
        read(path)
    except VerdictsError as error:
        assert str(error).startswith(f"{path}: ")
