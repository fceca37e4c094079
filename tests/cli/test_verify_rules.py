"""`hostsync verify-rules` where there is no GPU, and its wrong usage. What a GPU says is tested by tests/gpu."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Hostsync, path_without_torch


def test_without_cuda_one_sentence(hostsync_in: Hostsync, tmp_path: Path) -> None:
    ran = hostsync_in("verify-rules", "--output", "out.json", CUDA_VISIBLE_DEVICES="")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1 and "hostsync check" in ran.err
    assert not (tmp_path / "out.json").exists()


def test_without_torch_one_sentence(hostsync_in: Hostsync, tmp_path: Path) -> None:
    ran = hostsync_in("verify-rules", PYTHONPATH=path_without_torch(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1 and "torch is not installed for" in ran.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("HS999",), "no rule has the code or name `HS999`"),
        (("",), "no rule has the code or name ``"),
        (("--rules", "nowhere"), "does not exist"),
        (("--update", "--output", "a.json"), "exclude each other"),
        (("--jobs", "0"), "0 is not in the range"),
        (("HS901",), "none of these rules is about a wait"),
        (("--rules", "broken"), "HS101"),
    ],
)
def test_wrong_usage(hostsync_in: Hostsync, tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "HS101-x.md").write_text("no rule", encoding="utf-8")
    ran = hostsync_in("verify-rules", *args)
    assert ran.code == 2
    assert said in ran.err


def test_help_says_that_rules_are_run(hostsync_in: Hostsync) -> None:
    ran = hostsync_in("verify-rules", "--help")
    assert ran.code == 0
    assert "only command that runs code of rule files" in " ".join(ran.out.split())
