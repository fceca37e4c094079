"""Allow comments in the source of what runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostsync.runtime.allowances import comment_at
from hostsync.runtime.records import Place


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# hostsync: allow[HS101] logged", "logged"),
        ("# hostsync: allow[HS101]", "allowed for HS101"),
        ("# hostsync: allow", "allowed for all rules"),
        ("# hostsync: allow[HS101 logged", None),
        ("# hostsync: allow[] logged", None),
    ],
)
def test_comments(tmp_path: Path, comment: str, reason: str | None) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"x.item()  {comment}\n", encoding="utf-8")
    assert comment_at(Place(str(path), 1, 1, 1, 9, "<module>")) == reason
