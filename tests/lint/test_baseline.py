"""Baselines: what they hide, when they are stale, how they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostsync.findings import Finding, Location
from hostsync.lint.baseline import BaselineError, Key, Seen, apply, file_key, read, updated, write

CODES = ("HS101", "HS201")


def finding(row: int, code: str = "HS101", scope: str = "f") -> Finding:
    return Finding(
        code, "n", "m", "a.py", Location(row, 1), Location(row, 2), "likely", scope, None, (), "h", None, "u"
    )


def test_round_trip_and_layout(tmp_path: Path) -> None:
    counts = {Key("b.py", "C.f", "HS201"): 1, Key("a.py", "<module>", "HS101"): 2, Key("a.py", "<module>", "HS102"): 1}
    write(tmp_path / "base.json", counts)
    assert read(tmp_path / "base.json") == counts
    text = (tmp_path / "base.json").read_text()
    assert json.loads(text) == {
        "version": 1,
        "files": {"a.py": {"<module>": {"HS101": 2, "HS102": 1}}, "b.py": {"C.f": {"HS201": 1}}},
    }
    assert text.index("a.py") < text.index("b.py")
    assert [path.name for path in tmp_path.iterdir()] == ["base.json"]


def test_hides_as_many_as_it_counts_wherever_they_are() -> None:
    counts = {Key("a.py", "f", "HS101"): 2}
    applied = apply({"a.py": Seen((finding(7), finding(90), finding(91), finding(5, "HS201")))}, counts, CODES)
    assert [(f.code, f.location.row) for f in applied.findings] == [("HS101", 91), ("HS201", 5)]
    assert (applied.hidden, applied.stale) == (2, ())


def test_stale_entries_are_told_for_what_was_looked_at() -> None:
    keys = [Key("a.py", "f", "HS101"), Key("a.py", "g", "HS201"), Key("other.py", "f", "HS101")]
    applied = apply({"a.py": Seen((finding(1),))}, dict.fromkeys(keys, 2), ("HS101",))
    assert [(stale.key, stale.recorded, stale.found) for stale in applied.stale] == [(keys[0], 2, 1)]


def test_updating_keeps_what_was_not_looked_at() -> None:
    counts = {
        Key("a.py", "f", "HS101"): 9,
        Key("a.py", "f", "HS201"): 1,
        Key("other.py", "f", "HS101"): 1,
        Key("gone.py", "f", "HS101"): 1,
    }
    assert updated({"a.py": Seen((finding(1), finding(2)))}, counts, ("HS101",), {"gone.py"}) == {
        Key("a.py", "f", "HS101"): 2,
        Key("a.py", "f", "HS201"): 1,
        Key("other.py", "f", "HS101"): 1,
    }


def test_what_options_hide_is_neither_stale_nor_dropped() -> None:
    keys = [Key("a.py", "f", "HS101"), Key("a.py", "g", "HS101")]
    seen = {"a.py": Seen((finding(1),), (finding(2), finding(3)))}
    counts = dict.fromkeys(keys, 2)
    assert [stale.key for stale in apply(seen, counts, CODES).stale] == [keys[1]]
    assert updated(seen, counts, CODES, ()) == {keys[0]: 2}
    counts = {keys[0]: 9}
    assert [(stale.recorded, stale.found) for stale in apply(seen, counts, CODES).stale] == [(9, 1)]
    assert updated(seen, counts, CODES, ()) == {keys[0]: 3}
    assert updated(seen, {}, CODES, ()) == {keys[0]: 1}


def test_of_a_file_that_could_not_be_read_everything_stays() -> None:
    keys = [Key("a.py", "f", "HS101"), Key("a.py", "g", "HS201")]
    seen = {"a.py": Seen((finding(1), finding(2)), is_whole=False)}
    counts = dict.fromkeys(keys, 1)
    assert apply(seen, counts, CODES).stale == ()
    assert updated(seen, counts, CODES, ()) == {keys[0]: 2, keys[1]: 1}
    assert updated(seen, counts, CODES, {"a.py"}) == {keys[0]: 2}


def test_what_is_off_in_a_file_is_not_judged_there() -> None:
    keys = [Key("a.py", "f", "HS101"), Key("b.py", "f", "HS101")]
    seen = {"a.py": Seen((), off=frozenset(("HS101",))), "b.py": Seen(())}
    counts = dict.fromkeys(keys, 1)
    assert [stale.key for stale in apply(seen, counts, CODES).stale] == [keys[1]]
    assert updated(seen, counts, CODES, ()) == {keys[0]: 1}


def test_keys_are_relative_with_slashes(tmp_path: Path) -> None:
    assert file_key(tmp_path / "src" / "a.py", tmp_path / "ci" / "base.json") == "../src/a.py"


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("{", "no JSON"),
        ("[]", "not a baseline of version 1"),
        ('{"version": 2}', "not a baseline of version 1"),
        ('{"version": 1}', "expected files"),
        ('{"version": 1, "files": {"a": []}}', "expected files"),
        ('{"version": 1, "files": {"a": {"f": {"HS101": 0}}}}', "a: f: HS101: expected a count"),
        ('{"version": 1, "files": {"a": {"f": {"HS101": true}}}}', "expected a count"),
    ],
)
def test_broken_baselines(tmp_path: Path, text: str, telling: str) -> None:
    path = tmp_path / "base.json"
    path.write_text(text)
    with pytest.raises(BaselineError) as caught:
        read(path)
    assert telling in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_baseline_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="--update-baseline"):
        read(tmp_path / "base.json")
