"""The line that shows progress."""

from __future__ import annotations

import io

import pytest

from hostsync.cli import progress
from hostsync.cli.progress import ProgressLine
from hostsync.lint.scan import Progress


def test_a_short_scan_shows_nothing() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.update(Progress(1, 2))
    assert stream.getvalue() == ""


def test_a_long_scan_shows_a_line_and_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.update(Progress(500, 2000))
        line.update(Progress(2000, 2000))
    parts = stream.getvalue().split("\r")
    assert parts[1].startswith("[######..................] 500 of 2,000 files")
    assert parts[2].startswith("[########################] 2,000 of 2,000 files")
    assert parts[-1] == ""
    assert not parts[-2].strip()


def test_without_a_terminal_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with ProgressLine(None) as line:
        line.update(Progress(1, 2))
