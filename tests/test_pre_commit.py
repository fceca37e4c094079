"""The hooks for pre-commit: the real pre-commit, on real repositories.

Most tests take the hook as it is, but run the package under test in place of an installed one, so that they need no
network. One test lets pre-commit install it, as users do.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from doc_blocks import PAGES, Block, blocks

ROOT = Path(__file__).resolve().parents[1]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
WAITS = "import torch\n\n\ndef f(x):\n    y = x.unsqueeze(0)\n    return y.item()\n"
FIXED = "import torch\n\n\ndef f(x):\n    y = x.unsqueeze(0)\n    return y\n"
ALLOWED = WAITS.replace("y.item()", "y.item()  # hostsync: allow[HS101] read once")
NO_TORCH = """\
import sys

class No:
    def find_spec(self, name, *rest):
        if name == "torch":
            raise ModuleNotFoundError("No torch", name="torch")

sys.meta_path.insert(0, No())
"""

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="needs pre-commit"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]


class Ran(NamedTuple):
    code: int
    out: str


class Repository:
    """A repository with hooks.

    Args:
        folder: that it is made in.
        environment: of every command.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self._environment = environment
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def run(self, *command: str) -> Ran:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
        )
        return Ran(done.returncode, done.stdout.decode("utf-8", "replace"))

    def git(self, *arguments: str) -> Ran:
        done = self.run("git", *arguments)
        assert done.code == 0, done.out
        return done

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def stage(self, name: str, text: str) -> None:
        self.write(name, text)
        self.git("add", name)

    def commit(self) -> Ran:
        """Commits what is staged, which runs the hooks."""
        return self.run("git", "commit", "--message", "change")

    def install(self, config: str) -> None:
        """Installs the hooks that `config` names; the configuration itself is committed."""
        self.stage(".pre-commit-config.yaml", config)
        self.git("commit", "--quiet", "--message", "set-up")
        done = self.run(sys.executable, "-m", "pre_commit", "install")
        assert done.code == 0, done.out


def environment_for(tmp_path: Path, **more: str) -> dict[str, str]:
    """The environment without what would make commands look at other repositories."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "PYTEST_"))}
    for name in ("SKIP", "PYTHONPATH"):
        kept.pop(name, None)
    who = {"NAME": "A", "EMAIL": "a@example.org"}
    people = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in who.items()}
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return {**kept, **people, **nothing, "PRE_COMMIT_HOME": str(tmp_path / "home"), **more}


def config_for(hooks: Repository, *options: str) -> str:
    """The configuration of a repository that uses the hook of `hooks`."""
    revision = hooks.git("rev-parse", "HEAD").out.strip()
    arguments = f"        args: [{', '.join(options)}]\n" if options else ""
    return f"repos:\n  - repo: {hooks.folder}\n    rev: {revision}\n    hooks:\n      - id: hostsync\n{arguments}"


Make = Callable[..., Repository]


@pytest.fixture
def repository(tmp_path: Path) -> Make:
    """Makes a repository with the hook installed; torch can't be imported there."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(NO_TORCH, encoding="utf-8")
    # `hostsync` is the package under test, in the running Python.
    command = site / "hostsync"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hostsync "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environment = environment_for(
        tmp_path,
        PYTHONPATH=os.pathsep.join((str(site), str(ROOT / "src"))),
        PATH=os.pathsep.join((str(site), os.environ["PATH"])),
    )

    def make(*options: str) -> Repository:
        hooks = Repository(tmp_path / "hooks", environment)
        text = HOOKS.read_text(encoding="utf-8")
        assert text.count("language: python\n") == 1
        hooks.stage(".pre-commit-hooks.yaml", text.replace("language: python\n", "language: system\n"))
        hooks.git("commit", "--quiet", "--message", "hooks")
        made = Repository(tmp_path / "work", environment)
        made.install(config_for(hooks, *options))
        return made

    return make


needs_sh = pytest.mark.skipif(os.name == "nt", reason="the command is a shell script")


def test_pre_commit_finds_nothing_wrong_with_the_hooks() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("block", [b for page in PAGES for b in blocks(page, "yaml")], ids=lambda block: block.name)
def test_examples_are_yaml(block: Block, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    data = yaml.safe_load(block.text)
    assert isinstance(data, dict | list)
    if isinstance(data, dict) and "repos" in data:
        (tmp_path / "config.yaml").write_text(block.text, encoding="utf-8")
        command = [sys.executable, "-m", "pre_commit", "validate-config", str(tmp_path / "config.yaml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout


def is_clean(made: Repository) -> bool:
    """Whether the last commit holds everything that git knows of."""
    return made.git("status", "--porcelain", "--untracked-files=no").out == ""


@needs_sh
def test_a_wait_fails_until_it_is_mended_or_allowed(repository: Make) -> None:
    made = repository()
    made.stage("model.py", WAITS)
    failed = made.commit()
    assert failed.code == 1
    assert "hostsync" in failed.out and "model.py:6:12: HS101 item-read-back" in failed.out
    made.stage("model.py", FIXED)
    assert made.commit().code == 0
    assert is_clean(made)
    made.stage("model.py", ALLOWED)
    passed = made.commit()
    assert passed.code == 0 and "Passed" in passed.out
    assert is_clean(made)


@needs_sh
def test_torch_can_not_be_imported_there(repository: Make) -> None:
    made = repository()
    assert "No torch" in made.run(sys.executable, "-c", "import torch").out
    made.stage("model.py", WAITS)
    assert "HS101" in made.commit().out


@needs_sh
def test_only_what_is_staged_counts(repository: Make) -> None:
    made = repository()
    made.stage("model.py", FIXED)
    made.write("model.py", WAITS)
    made.write("other.py", WAITS)
    assert made.commit().code == 0
    assert (made.folder / "model.py").read_text(encoding="utf-8") == WAITS
    made.git("add", "model.py")
    made.write("model.py", FIXED)
    failed = made.commit()
    assert failed.code == 1 and "model.py:6:12: HS101" in failed.out and "other.py" not in failed.out
    assert (made.folder / "model.py").read_text(encoding="utf-8") == FIXED


@needs_sh
def test_files_of_other_kinds_are_not_looked_at(repository: Make) -> None:
    made = repository()
    made.stage("model.txt", WAITS)
    skipped = made.commit()
    assert skipped.code == 0 and "no files to check" in skipped.out
    cell = f'{{"cell_type": "code", "source": {WAITS.splitlines(keepends=True)!r}, "metadata": {{}}, "outputs": []}}'
    notebook = f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    made.stage("explore.ipynb", notebook.replace("'", '"'))
    failed = made.commit()
    assert failed.code == 1 and "explore.ipynb:cell 1:6:12: HS101" in failed.out


@needs_sh
def test_excluded_files_stay_excluded_though_they_are_named(repository: Make) -> None:
    made = repository()
    made.stage("pyproject.toml", '[tool.hostsync]\nextend-exclude = ["generated"]\n')
    made.stage("generated/model.py", WAITS)
    assert made.commit().code == 0
    made.stage("model.py", WAITS)
    failed = made.commit()
    assert failed.code == 1 and "generated" not in failed.out


@needs_sh
def test_options_of_the_user_come_on_top(repository: Make) -> None:
    made = repository("--ignore=HS101", "--extend-exclude=old")
    made.stage("model.py", WAITS)
    made.stage("old/model.py", WAITS.replace("item()", "tolist() if y else 0"))
    assert made.commit().code == 0


@needs_sh
def test_many_files_are_one_call(repository: Make) -> None:
    made = repository()
    for number in range(300):
        made.stage(f"package/{'long_' * 30}{number}.py", "import torch\n")
    made.stage("model.py", WAITS)
    failed = made.commit()
    assert failed.code == 1 and failed.out.count("Found 1 finding in 1 of 301 files.") == 1


def test_pre_commit_installs_it_as_for_users(tmp_path: Path) -> None:
    """In an environment that pre-commit makes, which has what the package needs and nothing else, so no torch."""
    environment = environment_for(tmp_path)
    hooks = Repository(tmp_path / "hostsync", environment)
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "rules"):
        shutil.copytree(ROOT / folder, hooks.folder / folder, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, hooks.folder / name)
    hooks.git("add", "--all")
    hooks.git("commit", "--quiet", "--message", "release")
    made = Repository(tmp_path / "work", environment)
    made.install(config_for(hooks))
    ready = made.run(sys.executable, "-m", "pre_commit", "install-hooks")
    if ready.code:
        pytest.skip(f"the environment can't be made here: {ready.out.strip().splitlines()[-1]}")
    assert not list((tmp_path / "home").rglob("site-packages/torch"))
    made.stage("model.py", WAITS)
    failed = made.commit()
    assert failed.code == 1 and "model.py:6:12: HS101 item-read-back" in failed.out
    made.stage("model.py", ALLOWED)
    assert made.commit().code == 0
