"""The cache: what it keeps, what it forgets, and what can happen to it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.project.cache import FORMAT, KEEP_DAYS, RENEW_DAYS, Cache, digest


def test_keeps_results_by_name_and_digest(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.put("a.py", "k1", [1, "x", None])
    cache.put("b\udcff.py", "k2", 0)
    cache.save()
    again = Cache(tmp_path / "c")
    assert again.get("a.py", "k1") == [1, "x", None]
    assert again.get("b\udcff.py", "k2") == 0
    assert again.get("a.py", "other") is None
    assert again.get("c.py", "k1") is None


def test_marks_its_folder(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.put("a.py", "k", 0)
    assert not (tmp_path / "c").exists()
    cache.save()
    assert (tmp_path / "c/.gitignore").read_text() == "*\n"
    assert (tmp_path / "c/CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


@pytest.mark.parametrize("is_asked_before", [False, True])
@pytest.mark.parametrize("is_there_before", [False, True])
def test_two_writers_keep_what_both_wrote(tmp_path: Path, is_there_before: bool, is_asked_before: bool) -> None:
    if is_there_before:
        zero = Cache(tmp_path)
        for number in range(50):
            zero.put(f"zero{number}", "k", 0)
        zero.save()
    one, two = Cache(tmp_path), Cache(tmp_path)
    for number in range(50):
        if is_asked_before:
            assert one.get(f"one{number}", "k") is two.get(f"two{number}", "k") is None
        one.put(f"one{number}", "k", number)
        two.put(f"two{number}", "k", number)
    one.save()
    two.save()
    for number in range(50):
        one.put(f"one{number}", "k", number + 1)
        two.put(f"two{number}", "k", number)
    one.save()
    two.save()
    after = Cache(tmp_path)
    assert all(after.get(f"one{number}", "k") == number + 1 for number in range(50))
    assert all(after.get(f"two{number}", "k") == number for number in range(50))
    assert all((after.get(f"zero{number}", "k") == 0) is is_there_before for number in range(50))


@pytest.mark.parametrize(
    "damage",
    [b"", b"\n", b"{\n", b"\xff\x00", b"[]\n", b"null\n", b'{"format": 1}\n', b"[" * 100_000 + b"\n"]
    + [
        json.dumps({"format": version, "size": size, "files": {"a.py": entry}}).encode() + b"\n0"
        for version, size, entry in (
            (FORMAT + 1, 1, ["k", 1, 0, 1]),
            (FORMAT, 2, ["k", 1, 0, 1]),
            (FORMAT, 1, 1),
            (FORMAT, 1, []),
            (FORMAT, 1, {}),
            (FORMAT, 1, ["k", 1]),
            (FORMAT, 1, ["k", "x", 0, 1]),
            (FORMAT, 1, ["k", 1, -1, 1]),
            (FORMAT, 1, ["k", 1, 0, -1]),
            (FORMAT, 1, ["k", 1, 1, 1]),
        )
    ],
)
def test_damage_costs_only_time(tmp_path: Path, damage: bytes) -> None:
    for number in range(16):
        (tmp_path / f"results-{number:02d}.shard").write_bytes(damage)
    cache = Cache(tmp_path)
    assert cache.get("a.py", "k") is None
    cache.put("a.py", "k", "fresh")
    cache.save()
    assert Cache(tmp_path).get("a.py", "k") == "fresh"


def test_a_shard_that_is_cut_off_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path, shards=1)
    cache.put("a.py", "k", ["a", 1])
    cache.put_text("b.py", "k", "two\nlines")
    cache.save()
    (shard,) = tmp_path.glob("results-*.shard")
    whole = shard.read_bytes()
    assert Cache(tmp_path, shards=1).get("a.py", "k") == ["a", 1]
    for end in range(len(whole)):
        shard.write_bytes(whole[:end])
        damaged = Cache(tmp_path, shards=1)
        assert (damaged.get("a.py", "k"), damaged.get_text("b.py", "k")) == (None, None)


@given(st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), st.text()))
def test_texts_stay_as_they_are(first: dict[str, str], second: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        for texts in (first, second):
            cache = Cache(Path(folder), shards=2)
            for name, text in texts.items():
                cache.put_text(name, "k", text)
            cache.save()
        kept = Cache(Path(folder), shards=2)
        for name, text in {**first, **second}.items():
            assert kept.get_text(name, "k") == text


def test_a_text_that_is_no_result_gives_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_text("a.py", "k", "{")
    cache.save()
    assert Cache(tmp_path).get("a.py", "k") is None
    assert Cache(tmp_path).latest("a.py") is None
    assert Cache(tmp_path).get_text("a.py", "k") == "{"


def test_forgets_what_was_not_used_for_long(tmp_path: Path) -> None:
    cache = Cache(tmp_path, today=1000)
    for number in range(100):
        cache.put(f"f{number}", "k", number)
    cache.save()
    later = Cache(tmp_path, today=1000 + KEEP_DAYS)
    assert later.get("f0", "k") == 0  # used: kept
    later.save()
    last = Cache(tmp_path, today=1001 + KEEP_DAYS)
    for number in range(100):
        last.put(f"g{number}", "k", number)
    last.save()
    heads = [json.loads(path.read_bytes().partition(b"\n")[0]) for path in tmp_path.glob("results-*.shard")]
    names = {name for head in heads for name in head["files"]}
    assert names == {"f0", *(f"g{number}" for number in range(100))}


def test_keeps_what_was_put_last(tmp_path: Path) -> None:
    for number in range(5):
        cache = Cache(tmp_path, shards=1, most=2)
        cache.put(f"set{number}", "k", number)
        if number == 3:
            cache.put("set1", "k", "again")
        cache.save()
    kept = Cache(tmp_path, shards=1, most=2)
    assert [kept.get(f"set{number}", "k") for number in range(5)] == [None, "again", None, None, 4]
    assert Cache(tmp_path).of_kind("graphs", most=1).get("set4", "k") is None


def test_a_warm_run_writes_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path, today=1000)
    cache.put("a", "k", 1)
    cache.save()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    warm = Cache(tmp_path, today=1000 + RENEW_DAYS)
    assert warm.get("a", "k") == 1
    warm.save()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_place_that_is_a_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("mine")
    cache = Cache(tmp_path / "c")
    assert cache.get("a", "k") is None
    cache.put("a", "k", 1)
    cache.save()
    assert (tmp_path / "c").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a folder that can't be written to")
def test_a_read_only_place_is_no_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        cache = Cache(tmp_path / "c")
        cache.put("a", "k", 1)
        cache.save()
    finally:
        tmp_path.chmod(0o755)


def test_digests_tell_parts_apart() -> None:
    digests = {digest(b"f", b"ab", b"c"), digest(b"f", b"a", b"bc"), digest(b"g", b"ab", b"c"), digest(b"f", b"abc")}
    assert len(digests) == 4
