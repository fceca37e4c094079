"""README's two commands: on a fresh machine they are all the set-up there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_blocks import ROOT, blocks, copy_example, run

from hostsync.lint.scan import check_files
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.settings import Overrides

README = ROOT / "README.md"
CI = ROOT / ".ci" / "run"


def set_up_commands() -> list[str]:
    """The lines of README that make an environment."""
    return [line for block in blocks(README, "sh") for line in block.text.splitlines() if "-m venv" in line]


def test_there_are_two_and_each_is_one_line() -> None:
    main_job, tests = set_up_commands()
    assert main_job.startswith("python3 -m venv .venv && ") and tests.startswith("python3 -m venv .venv && ")
    assert main_job.endswith(".venv/bin/hostsync check docs/example")
    assert tests.endswith("&& .venv/bin/pytest")


def test_the_first_finds_something_and_says_so_by_its_exit_code(tmp_path: Path) -> None:
    copy_example(tmp_path)
    code, lines = run("hostsync check docs/example", tmp_path)
    assert code == 1
    assert lines[-1].startswith("Found ")


@pytest.mark.skipif(sys.platform == "win32" or not CI.exists(), reason="a shell script of the repository")
def test_ci_runs_the_command_of_the_readme() -> None:
    done = subprocess.run(["bash", str(CI), "--show-test-command"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == set_up_commands()[1]


def test_the_example_is_as_large_as_one_can_read() -> None:
    lines = [path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "docs" / "example").rglob("*.py")]
    assert 150 <= sum(lines) <= 300


def test_as_many_lines_are_reported_as_a_gpu_was_asked_about() -> None:
    resolver = Resolver(Overrides(), isolated=True)
    files = discover([ROOT / "docs" / "example" / "trainer"], resolver.settings).files
    found = {
        (file.path.name, finding.location.row)
        for file, checked in zip(files, check_files(files, workers=1), strict=True)
        for finding in checked.findings
        if finding.confidence != "possible"
    }
    stated = re.search(r"all (\d+) lines of the trainer that are reported", README.read_text(encoding="utf-8"))
    assert stated is not None
    assert len(found) == int(stated[1]), "run tests/gpu/verify_example.py"


def test_rules_in_the_readme_exist() -> None:
    mentioned = set(re.findall(r"\bHS\d{3}\b", README.read_text(encoding="utf-8")))
    assert mentioned <= {path.name[:5] for path in (ROOT / "rules").glob("HS*.md")}
