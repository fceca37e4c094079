"""A measurement on disk: what is kept, what goes on, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostsync.calibrate import journal
from hostsync.calibrate.children import Outcome
from hostsync.calibrate.journal import JournalError, read_measurement
from hostsync.calibrate.keep import kept_rows, text_of

ABOUT = {"torch": "2.11.0", "device": "NVIDIA H200", "python": "3.12.3", "date": "2026-11-20"}


def sample(op: str, kinds: str, waited: bool) -> dict[str, object]:
    return {"op": op, "kinds": kinds, "waited": waited, "warned": waited}


def begun(path: Path) -> None:
    journal.start(path, ABOUT)
    journal.append(path, Outcome("one", (sample("torch.a", "f2", True), sample("torch.a", "f2", False)), ()))
    failed = {"op": "torch.b", "kinds": "n", "error": "ValueError: no"}
    skipped = {"op": "torch.b", "kinds": "cpu:f2, f2", "skipped": "RuntimeError: two devices"}
    journal.append(path, Outcome("two", (failed, skipped, sample("torch.b", "f1", False)), ("ended with exit code 3",)))


def test_what_is_written_is_summed_up(tmp_path: Path) -> None:
    path = tmp_path / "new" / "measured.jsonl"
    begun(path)
    found = read_measurement(path)
    assert found.ops == {"torch.a": {"f2": (2, 1, 1)}, "torch.b": {"f1": (1, 0, 0)}}
    assert found.errors == {"torch.b (n)": "ValueError: no", "two (process 1)": "ended with exit code 3"}
    assert (found.skipped, found.items, found.seconds) == (1, {"one", "two"}, None)
    journal.finish(path, 12.34)
    assert read_measurement(path).seconds == 12.3


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "measured.jsonl"
    begun(path)
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[:-40], encoding="utf-8")
    assert journal.resume(path, ABOUT).items == {"one"}
    journal.append(path, Outcome("two", (sample("torch.b", "f1", True),), ()))
    assert read_measurement(path).ops["torch.b"] == {"f1": (1, 1, 1)}


def test_a_finished_measurement_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "measured.jsonl"
    begun(path)
    journal.finish(path, 5)
    known = journal.resume(path, {**ABOUT, "date": "2026-11-21"})
    assert (known.items, known.seconds) == ({"one", "two"}, 5)
    assert read_measurement(path).seconds is None


@pytest.mark.parametrize("key", ["torch", "device"])
def test_a_measurement_of_something_else_does_not_go_on(tmp_path: Path, key: str) -> None:
    path = tmp_path / "measured.jsonl"
    begun(path)
    with pytest.raises(JournalError, match=f"measurement of {key} .*, and this is other"):
        journal.resume(path, {**ABOUT, key: "other"})
    assert read_measurement(path).items == {"one", "two"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json\n",
        "{}\n",
        "[1]\n",
        '{"about": {}}\n{"item": 3}\n',
        '{"ops": {',
        '{"about": {"torch": "2.11"}}\n',
        '{"torch": "2", "ops": {}}\n',
    ],
)
def test_no_measurement(tmp_path: Path, text: str) -> None:
    path = tmp_path / "measured.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(JournalError, match="it is no measurement"):
        read_measurement(path)


def test_what_is_kept_as_evidence_is_read_like_a_measurement(tmp_path: Path) -> None:
    path = tmp_path / "measured.jsonl"
    begun(path)
    journal.append(path, Outcome("three", (sample("torch.unheard_of", "f1", True), sample("len", "f1", False)), ()))
    measured = read_measurement(path)
    kept = kept_rows(measured.ops, frozenset({"torch.a", "torch.b"}))
    (tmp_path / "ops.json").write_text(text_of(measured.about, kept), encoding="utf-8")
    again = read_measurement(tmp_path / "ops.json")
    assert again.about == ABOUT
    assert again.ops == {"len": {"*": (1, 0, 0)}, "torch.a": {"f": (2, 1, 1)}, "torch.b": {"*": (1, 0, 0)}}
