"""What workers parse while the main process finds out who imports whom."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hostsync.lint import ahead, scan
from hostsync.lint.ahead import Ahead, hand_out, parse_ahead, parsed_by
from hostsync.lint.check import Plan
from hostsync.lint.entries import content_digest, entry_of
from hostsync.lint.scan import check_files
from hostsync.lint.studying import Process, Task, study_file
from hostsync.project.discovery import SourceFile, discover
from hostsync.project.settings import Settings
from hostsync.project.workers import Workers
from hostsync.syntax import parse

WAITS = b"import torch\n\n\ndef total(x: torch.Tensor):\n    return x.sum().item()\n"
PLAN = Plan((), None, (), ())


def files_in(folder: Path) -> list[SourceFile]:
    return list(discover([folder], lambda place: Settings(root=place)).files)


@pytest.fixture(autouse=True)
def nothing_parsed() -> None:
    Process.parsed.clear()


def test_what_may_matter_is_kept_for_its_study(tmp_path: Path) -> None:
    sources = {"waits.py": WAITS, "plain.py": b"def f():\n    return 1\n", "broken.py": b"import torch\nx.item(\n"}
    for name, source in sources.items():
        (tmp_path / name).write_bytes(source)
    files = [Ahead(tmp_path / name, name[:-3], PLAN, name) for name in (*sources, "gone.py")]
    assert parse_ahead(files) == ["waits.py"]
    assert list(Process.parsed) == ["waits.py"]
    module = Process.taken("waits.py", content_digest(WAITS))
    assert module is not None and module.name == "waits"
    assert Process.taken("waits.py", content_digest(WAITS)) is None


def test_a_study_takes_what_was_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "waits.py"
    path.write_bytes(WAITS)
    parse_ahead([Ahead(path, "waits", PLAN, "waits.py")])
    monkeypatch.setattr(parse, "parse_module", None)
    result = study_file(Task(path, "waits", PLAN, "waits.py", content_digest(WAITS), (), None))
    assert [finding.location.row for finding in result.checked.findings] == [5]


def test_a_file_that_has_changed_since_is_parsed_again(tmp_path: Path) -> None:
    path = tmp_path / "waits.py"
    path.write_bytes(WAITS)
    (found,) = files_in(tmp_path)
    entry = entry_of(found, "waits.py")
    parse_ahead([Ahead(path, "waits", PLAN, "waits.py")])
    path.write_bytes(b"import torch\n\n\n\n\ndef total(x: torch.Tensor):\n    return x.sum().item()\n")
    result = study_file(Task(path, "waits", PLAN, "waits.py", entry.content, (), None))
    assert [finding.location.row for finding in result.checked.findings] == [7]
    assert not result.is_current


def test_workers_parse_until_they_are_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MOST_OF_ALL", 40 * len(WAITS))
    for number in range(8):
        (tmp_path / f"m{number}.py").write_bytes(WAITS * (number + 1))
    (tmp_path / "huge.py").write_bytes(WAITS * 28)
    with Workers(2) as workers:
        workers.start()
        hand_out(workers, files_in(tmp_path), lambda file: file.path.name)
        given = parsed_by(workers)
        assert not workers.busy
        # Of the files of 8, 6, 4 and 2 parts, and of those of 7, 5, 3 and 1: as many as there is room for, or time.
        first, second = workers.numbers
        allowed = {"m7.py": first, "m5.py": first, "m3.py": first, "m1.py": first}
        allowed |= {"m6.py": second, "m4.py": second, "m2.py": second, "m0.py": second}
        assert given.items() <= allowed.items()


def test_notebooks_are_not_parsed_ahead(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_bytes(WAITS)
    (tmp_path / "waits.ipynb").write_bytes(b"{}")
    with Workers(1) as workers:
        workers.start()
        hand_out(workers, files_in(tmp_path), lambda file: file.path.name)
        (chunk,) = (answer.value for answer in workers.wait())
        assert chunk == ["waits.py"]


def test_what_is_given_is_not_parsed_ahead_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[str] = []

    def noted(workers: Workers, files: Sequence[SourceFile], name_of: Callable[[SourceFile], str]) -> None:
        handed.extend(file.path.name for file in files)
        hand_out(workers, files, name_of)

    monkeypatch.setattr(scan, "hand_out", noted)
    given = {}
    for number in range(40):
        path = tmp_path / f"m{number}.py"
        path.write_bytes(WAITS + b"# padding\n" * 600)
        if number % 2:
            given[path] = b"import torch\n"
    found = check_files(files_in(tmp_path), workers=2, given=given)
    assert sum(len(checked.findings) for checked in found) == 20
    assert sorted(handed) == sorted(f"m{number}.py" for number in range(0, 40, 2))


def test_a_worker_that_is_awaited_parses_no_further_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_bytes(WAITS)
    answers = iter((False, False, True))
    monkeypatch.setattr(ahead, "is_awaited", lambda: next(answers))
    files = [Ahead(tmp_path / name, name[:-3], PLAN, name) for name in ("a.py", "b.py", "c.py")]
    assert parse_ahead(files) == ["a.py", "b.py"] == list(Process.parsed)


def test_a_worker_without_other_work_parses_all_that_it_has_room_for(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"m{number}.py").write_bytes(WAITS * (number + 1))
    files = [Ahead(tmp_path / f"m{number}.py", f"m{number}", PLAN, f"m{number}.py") for number in range(8)]
    with Workers(1) as workers:
        workers.start()
        (number,) = workers.numbers
        workers.hand(number, None, parse_ahead, files)
        (answer,) = workers.wait()
        assert answer.value == [f"m{number}.py" for number in range(8)]
        assert parsed_by(workers) == {}


def test_a_project_with_workers_gives_what_one_process_gives(tmp_path: Path) -> None:
    for number in range(40):
        imported = f"from m{number - 1} import total\n" if number else ""
        body = imported.encode() + WAITS.replace(b"total", b"total%d" % number) + b"# padding\n" * 600
        (tmp_path / f"m{number}.py").write_bytes(body + b"\n\ndef total(x):\n    return x.item()\n")
    command = [sys.executable, "-m", "hostsync", "check", "--isolated", "--no-cache", "--exit-zero", "--output-format"]
    runs = [
        subprocess.run([*command, "json", "--jobs", jobs, str(tmp_path)], capture_output=True, check=True).stdout
        for jobs in ("1", "3")
    ]
    assert runs[0] == runs[1] and len(json.loads(runs[0])) == 80
    files = files_in(tmp_path)
    assert [len(checked.findings) for checked in check_files(files, workers=2)] == [2] * 40
