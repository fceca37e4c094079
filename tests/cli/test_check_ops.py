"""Operations of the user lie over the shipped ones, and decide what is cached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Hostsync

from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.ops import load_measured_ops
from hostsync.lint.check import Plan, check_source
from hostsync.lint.scan import fingerprint

SOURCE = "import torch\n\nx = torch.rand(8, device='cuda')\na = torch.nonzero(x)\nb = torch.cumsum(x, 0)\n"
NEVER = (
    'torch = "2.99.0"\n\n[ops]\n"torch.nonzero" = { params = "input, *, out=None, as_tuple=False", dtype = "int" }\n'
)
WAITS = '[ops]\n"torch.cumsum" = { params = "input, dim, *, dtype=None, out=None", waits = "always" }\n'


def rows(plan: Plan) -> list[int]:
    return [finding.location.row for finding in check_source(SOURCE.encode(), "m", plan).findings]


def test_a_finding_goes_and_a_finding_comes(tmp_path: Path) -> None:
    (tmp_path / "never.toml").write_text(NEVER, encoding="utf-8")
    (tmp_path / "waits.toml").write_text(WAITS, encoding="utf-8")
    assert rows(Plan()) == [4]
    assert rows(Plan(ops=(tmp_path / "never.toml",))) == []
    assert rows(Plan(ops=(tmp_path / "waits.toml",))) == [4, 5]
    assert rows(Plan(ops=(tmp_path,))) == [5]


def test_of_two_the_later_holds(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text(WAITS, encoding="utf-8")
    second.write_text(WAITS.replace("always", "never"), encoding="utf-8")
    assert rows(Plan(ops=(first, second))) == [4]
    assert rows(Plan(ops=(second, first))) == [4, 5]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"no \.toml file"):
        load_measured_ops([tmp_path])
    with pytest.raises(CatalogueError, match="cannot be read"):
        load_measured_ops([tmp_path / "nowhere.toml"])


def test_the_cache_knows_of_them(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(NEVER, encoding="utf-8")
    one = fingerprint(Plan(ops=(path,)))
    assert one != fingerprint(Plan())
    assert fingerprint(Plan(ops=(tmp_path,))) == one
    path.write_text(WAITS, encoding="utf-8")
    assert fingerprint(Plan(ops=(path,))) != one


def test_from_the_command_line_with_the_cache(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.toml").write_text(NEVER, encoding="utf-8")

    def found(*args: str) -> list[int]:
        ran = hostsync_in("check", "m.py", "--output-format", "json", "--quiet", *args)
        return [entry["location"]["row"] for entry in json.loads(ran.out)]

    assert found() == [4]
    assert found("--ops", "own") == []
    assert found("--ops", "own/a.toml", "--isolated") == []
    assert found() == [4]
    (tmp_path / "own" / "a.toml").write_text(WAITS, encoding="utf-8")
    assert found("--ops", "own") == [4, 5]
    (tmp_path / "hostsync.toml").write_text('ops = ["own"]\n', encoding="utf-8")
    assert found() == [4, 5]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ops]\n'torch.nonzero' = { waits = 'sometimes' }\n", "'sometimes' is not a test"),
        ("[ops]\n'torch.nonzero' = 3\n", "an operation must be a table"),
        ("[ops\n", "own.toml:1"),
        ("[other]\n", "unknown key"),
    ],
)
@pytest.mark.parametrize("path", ["m.py", "-"])
def test_a_wrong_file(hostsync_in: Hostsync, tmp_path: Path, text: str, said: str, path: str) -> None:
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    ran = hostsync_in("check", path, "--ops", "own.toml", stdin=SOURCE.encode())
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err and "own.toml" in ran.err and len(ran.err.splitlines()) == 1


def test_a_path_that_does_not_exist(hostsync_in: Hostsync) -> None:
    ran = hostsync_in("check", "--ops", "nowhere.toml")
    assert ran.code == 2 and "does not exist" in ran.err
