"""Files that nothing has happened to are not read again, and those that something has happened to are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.lint.test_project import scan

from hostsync.lint import entries, stamps
from hostsync.lint.check import Plan
from hostsync.lint.entries import Entry, content_digest
from hostsync.lint.gathering import survey
from hostsync.lint.orders import may_be_kept
from hostsync.lint.sketches import Outlines
from hostsync.lint.stamps import Stamps
from hostsync.lint.studying import Task, study_file
from hostsync.project.cache import Cache
from hostsync.project.discovery import SourceFile, discover
from hostsync.project.settings import Settings

pytestmark = pytest.mark.skipif(os.name == "nt", reason="listings of folders may lag behind")
WAITS = "import torch\ntorch.ones(2, device='cuda').item()\n"
HIDES = "import torch\ntorch.ones(2, device='cpu' ).item()\n"


def found(path: Path) -> SourceFile:
    (file,) = discover([path], lambda folder: Settings(root=folder)).files
    return file


def contents(file: SourceFile, cache: Path, now: int) -> str:
    kept = Cache(cache)
    listed, _ = survey([file], None, lambda _: "a.py", {}, Stamps(kept, now))
    kept.save()
    return listed[0].content


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text(WAITS)
    file = found(path)
    later = max(file.stamp[:2]) + 60_000_000_000
    assert contents(file, tmp_path / "cache", later) == content_digest(WAITS.encode())
    with monkeypatch.context() as patch:
        patch.setattr(entries, "content_digest", lambda source: "read")
        assert contents(file, tmp_path / "cache", later) == content_digest(WAITS.encode())
        assert contents(found(path)._replace(stamp=()), tmp_path / "cache", later) == "read"


def test_a_file_that_was_just_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another change within a tick of the clock would leave the same stamp."""
    path = tmp_path / "a.py"
    path.write_text(WAITS)
    file = found(path)
    now = max(file.stamp[:2]) + 1_000_000_000
    contents(file, tmp_path / "cache", now)
    monkeypatch.setattr(entries, "content_digest", lambda source: "read")
    assert contents(file, tmp_path / "cache", now) == "read"


@pytest.mark.parametrize("way", ["written", "replaced", "moved"])
def test_a_change_that_leaves_size_and_time_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    # No clock of a file system is so coarse: every stamp counts.
    monkeypatch.setattr(stamps, "_SETTLED", -(10**18))
    path, other = tmp_path / "src" / "a.py", tmp_path / "other.py"
    path.parent.mkdir()
    path.write_text(HIDES)
    other.write_text(WAITS)
    assert len(HIDES) == len(WAITS)
    cache = tmp_path / "cache"
    before = path.stat()
    assert scan(path, cache=cache) == scan(path, cache=cache) == {"a.py": []}
    if way == "written":
        path.write_text(WAITS)
    elif way == "replaced":
        path.unlink()
        shutil.copy(other, path)
    else:
        other.replace(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_mtime_ns, path.stat().st_size) == (before.st_mtime_ns, before.st_size)
    assert scan(path, cache=cache) == {"a.py": [(2, "HS101", "certain")]}


def test_what_came_from_a_later_content_is_not_kept(tmp_path: Path) -> None:
    """The file was written to after the run had looked at it."""
    path = tmp_path / "a.py"
    path.write_text(WAITS)
    task = Task(path, "a", Plan(), "a.py", content_digest(WAITS.encode()), (), None)
    assert may_be_kept(study_file(task))
    assert not may_be_kept(study_file(task._replace(content=content_digest(HIDES.encode()))))


def test_a_file_that_is_gone_leaves_no_outline(tmp_path: Path) -> None:
    """It was there when the run began."""
    path = tmp_path / "a.py"
    path.write_text(WAITS)
    entry = Entry(found(path), "a.py", content_digest(WAITS.encode()))
    path.unlink()
    cache = Cache(tmp_path / "cache")
    outlines = Outlines(cache.of_kind("sketches"), cache.of_kind("outlines"))
    assert outlines.sketch(entry) is None
    outlines.save()
    assert not outlines.knows(entry)
