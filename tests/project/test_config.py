"""Configuration files: which one holds, what they may say, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostsync.project.config import KEYS, ConfigError, Resolver, load, parse_torch_version
from hostsync.project.settings import Overrides, PerFileIgnore, Settings


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_setting_has_a_key() -> None:
    others = {"root", "source", "usual_confidence", "usually_hot_only"}
    assert {key.replace("-", "_") for key in KEYS} | others == set(Settings._fields)


def test_every_override_is_a_setting() -> None:
    assert set(Overrides._fields) <= set(Settings._fields)


def test_reads_all_keys(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pyproject.toml",
        """
        [tool.hostsync]
        select = ["HS1"]
        ignore = ["HS101"]
        extend-select = ["HS2"]
        exclude = ["a"]
        extend-exclude = ["b"]
        force-exclude = true
        respect-gitignore = false
        min-confidence = "certain"
        hot-only = true
        torch-version = "2.11.0"
        extend-rules = ["lint/rules"]
        baseline = "base.json"
        output-format = "concise"
        cache-dir = ".c"
        jobs = 3
        [tool.hostsync.per-file-ignores]
        "tests/*" = ["HS1", "HS2"]
        """,
    )
    assert load(path) == Settings(
        root=tmp_path,
        source=path,
        select=("HS1",),
        ignore=("HS101",),
        extend_select=("HS2",),
        per_file_ignores=(PerFileIgnore("tests/*", ("HS1", "HS2")),),
        exclude=("a",),
        extend_exclude=("b",),
        force_exclude=True,
        respect_gitignore=False,
        min_confidence="certain",
        hot_only=True,
        torch_version="2.11",
        extend_rules=(tmp_path / "lint/rules",),
        baseline=tmp_path / "base.json",
        output_format="concise",
        cache_dir=tmp_path / ".c",
        jobs=3,
    )


def test_the_nearest_wins_for_each_folder(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.hostsync]\njobs = 1")
    write(tmp_path / "a/hostsync.toml", "jobs = 2")
    write(tmp_path / "a/pyproject.toml", "[tool.hostsync]\njobs = 3")
    write(tmp_path / "a/b/pyproject.toml", "[tool.other]\nhostsync = 1")
    resolver = Resolver(Overrides())
    assert [resolver.settings(tmp_path / p).jobs for p in ("", "x/y", "a", "a/b/c")] == [1, 1, 2, 2]
    assert Resolver(Overrides(), isolated=True).settings(tmp_path / "a").jobs == 0
    assert Resolver(Overrides(), config=tmp_path / "a/hostsync.toml").settings(tmp_path).jobs == 2
    assert Resolver(Overrides(jobs=9)).settings(tmp_path).jobs == 9


def test_the_command_line_is_above_the_configuration(tmp_path: Path) -> None:
    settings = Settings(tmp_path, select=("HS1",), ignore=("HS101",), extend_select=("HS2",), exclude=("a",))
    added = Overrides(ignore=("HS102",), extend_select=("HS3",), extend_exclude=("b",)).over(settings)
    assert (added.select, added.ignore, added.extend_select) == (("HS1",), ("HS101", "HS102"), ("HS2", "HS3"))
    assert (added.exclude, added.extend_exclude) == (("a",), ("b",))
    replaced = Overrides(select=("HS101",)).over(settings)
    assert (replaced.select, replaced.ignore, replaced.extend_select) == (("HS101",), (), ())


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        ("min_confidence = 'likely'", "unknown key `min_confidence`; did you mean `min-confidence`?"),
        ("zzzzz = 1", "unknown key `zzzzz`; the keys are select,"),
        ("select = 'HS1'", "select: expected a list of strings"),
        ("ignore = [1]", "ignore: expected a list of strings"),
        ("hot-only = 1", "hot-only: expected true or false"),
        ("jobs = true", "jobs: expected a number of processes"),
        ("jobs = -1", "jobs: expected a number of processes"),
        ("min-confidence = 'sure'", "min-confidence: expected one of certain, likely, possible"),
        ("torch-version = 'new'", "torch-version: expected a release of torch such as 2.11"),
        ("cache-dir = ''", "cache-dir: expected a string that is not empty"),
        ("per-file-ignores = []", "per-file-ignores: expected a table of patterns"),
        (
            "per-file-ignores = {a = 'HS1'}",
            "per-file-ignores: expected a table whose values are each a list of strings",
        ),
        ("a = [", "not valid TOML"),
        ("a" * 5 + " = " + "[" * 5000, "TOML"),
    ],
)
def test_mistakes_name_file_and_key(tmp_path: Path, text: str, telling: str) -> None:
    path = write(tmp_path / "hostsync.toml", text)
    with pytest.raises(ConfigError) as caught:
        load(path)
    if "TOML" not in telling:
        assert telling in str(caught.value)
    assert str(path) in str(caught.value)


def test_the_folder_of_the_cache_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    (tmp_path / "hostsync.toml").write_text('cache-dir = "a.py"\n')
    with pytest.raises(ConfigError, match=r"hostsync.toml: cache-dir: expected a folder, and `.*a.py` is a file"):
        load(tmp_path / "hostsync.toml")
    (tmp_path / "hostsync.toml").write_text('cache-dir = "a"\n')
    assert load(tmp_path / "hostsync.toml").cache_dir == tmp_path / "a"


def test_undecodable_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "hostsync.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path / "hostsync.toml")
    with pytest.raises(ConfigError, match="can't read"):
        load(tmp_path / "gone.toml")
    write(tmp_path / "pyproject.toml", "[tool.hostsync]\n").write_text("[tool]\nhostsync = 1")
    with pytest.raises(ConfigError, match="expected a table"):
        load(tmp_path / "pyproject.toml")


def test_a_broken_pyproject_of_somebody_else_does_not_matter(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "= broken")
    assert Resolver(Overrides(), isolated=False).settings(tmp_path).source is None


@pytest.mark.parametrize(("text", "release"), [("2.11", "2.11"), ("2.4.1", "2.4"), ("2.13.0+cu130", "2.13")])
def test_releases(text: str, release: str) -> None:
    assert parse_torch_version(text) == release
