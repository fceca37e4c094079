"""`hostsync calibrate` where there is no GPU: its usage, and measurements that were taken elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Hostsync, path_without_torch

from hostsync.catalogue.location import rules_dir
from hostsync.cli.calibrating import journal_of

EVIDENCE = sorted((rules_dir() / "evidence").glob("ops-*.json"))[0]
ABOUT = {"torch": "2.11.0+cu130", "device": "NVIDIA H200", "python": "3.12.3", "date": "2026-11-20"}


def measured(path: Path, op: str, *rows: tuple[str, bool]) -> str:
    """Write a measurement of one operation."""
    records = [{"op": op, "kinds": kinds, "waited": waited, "warned": False} for kinds, waited in rows]
    lines = [{"about": ABOUT}, {"item": "op", "records": records, "breaks": []}, {"finished": 1.0}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def test_without_cuda_one_sentence(hostsync_in: Hostsync, tmp_path: Path) -> None:
    ran = hostsync_in("calibrate", "--output", "measured", CUDA_VISIBLE_DEVICES="")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1 and "no wait can be seen" in ran.err
    assert not (tmp_path / "measured").exists()


def test_without_torch_one_sentence(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path = path_without_torch(tmp_path)
    ran = hostsync_in("calibrate", "--compare", PYTHONPATH=path)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1 and "torch is not installed for" in ran.err
    ran = hostsync_in("calibrate", "--from", str(EVIDENCE), "--output", "measured", PYTHONPATH=path)
    assert ran.code == 2 and "--output needs torch" in ran.err
    ran = hostsync_in("calibrate", "--from", str(EVIDENCE), "--compare", PYTHONPATH=path)
    assert ran.code == 0 and "operations agree on every sample" in ran.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "Nothing to do"),
        (("--resume", "--compare"), "--resume needs --output"),
        (("--compare", "--only", "("), "is no regular expression"),
        (("--compare", "--jobs", "0"), "not in the range"),
        (("--compare", "--from", "nowhere.jsonl"), "does not exist"),
        (("--compare", "--from", "text.txt"), "it is no measurement"),
        (("--compare", "--from", "empty.jsonl"), "nothing was measured"),
        (("--compare", "--from", "text.txt", "--only", "a"), "--from measures nothing"),
    ],
)
def test_wrong_usage(hostsync_in: Hostsync, tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    (tmp_path / "text.txt").write_text("text\n", encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text(json.dumps({"about": ABOUT}) + "\n", encoding="utf-8")
    ran = hostsync_in("calibrate", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())


def test_what_is_shipped_agrees_with_its_evidence(hostsync_in: Hostsync) -> None:
    ran = hostsync_in("calibrate", "--from", str(EVIDENCE), "--compare")
    assert ran.code == 0
    assert "held out: conditions found without them foretell" in ran.out
    assert "layouts are not known to the scan" in ran.out


def test_a_disagreement_is_named_and_the_exit_code_is_1(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path = measured(tmp_path / "m.jsonl", "torch.cumsum", ("f2, n", True), ("f1, n", False), ("f2, n, cpu:f1", False))
    ran = hostsync_in("calibrate", "--from", path, "--compare")
    assert ran.code == 1
    assert "torch.cumsum(f2, n): known not to wait, waits on 1 of 1 samples" in ran.out
    assert "0 of 1 operations agree on every sample" in ran.out


def test_a_measurement_becomes_operations_for_check(hostsync_in: Hostsync, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = measured(tmp_path / "m.jsonl", "torch.cumsum", ("f2, n", True), ("f2, n, dtype=dtype", False))
    (tmp_path / "m.py").write_text(
        "import torch\n\nx = torch.rand(8, device='cuda')\na = torch.cumsum(x, 0)\n"
        "b = torch.cumsum(x, 0, dtype=torch.float64)\n",
        encoding="utf-8",
    )
    for output in ("own.toml", "own"):
        ran = hostsync_in("calibrate", "--from", path, "--output", output)
        assert ran.code == 0
        assert f"{output}: 1 operations" in ran.out and "other than shipped: torch.cumsum" in ran.out
        assert hostsync_in("check", "m.py").code == 0
        found = hostsync_in("check", "m.py", "--ops", output, "--output-format", "json")
        assert [entry["location"]["row"] for entry in json.loads(found.out)] == [4]
    text = (tmp_path / "own.toml").read_text(encoding="utf-8")
    assert "NVIDIA H200, torch 2.11.0+cu130, 2026-11-20" in text
    assert 'waits = "dtype missing"' in text
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["torch.toml"]


def test_shipped_conditions_stay_where_no_sample_contradicts_them(hostsync_in: Hostsync, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = measured(tmp_path / "m.jsonl", "torch.repeat_interleave", ("f1, i1", True))
    ran = hostsync_in("calibrate", "--from", path, "--output", "own.toml")
    assert ran.code == 0 and "other than shipped" not in ran.out
    assert "repeats tensor and output_size missing" in (tmp_path / "own.toml").read_text(encoding="utf-8")


def test_the_output_can_not_be_written(hostsync_in: Hostsync, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = measured(tmp_path / "m.jsonl", "torch.cumsum", ("f2, n", False))
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = hostsync_in("calibrate", "--from", path, "--output", "file/own.toml")
    assert ran.code == 2 and "can't be written" in ran.err


def test_where_a_measurement_is_kept() -> None:
    assert journal_of(Path("a/own.toml")) == Path("a/own.jsonl")
    assert journal_of(Path("a/own")) == Path("a/own/measured.jsonl")
