"""The marks in docs/planted/every_family.py."""

from __future__ import annotations

import re
from pathlib import Path

EVERY_FAMILY = Path(__file__).resolve().parents[2] / "docs" / "planted" / "every_family.py"
_MARK = re.compile(r"# (confirmed|refuted|not reached): (HS\d+)$")


def planted() -> dict[tuple[int, str], str]:
    """By row and code of a finding, the verdict that a run must give."""
    found = {}
    for row, line in enumerate(EVERY_FAMILY.read_text(encoding="utf-8").splitlines(), start=1):
        mark = _MARK.search(line)
        if mark is not None:
            found[row, mark[2]] = mark[1]
    return found


def planted_missed() -> set[int]:
    """Rows that wait, without a finding."""
    lines = EVERY_FAMILY.read_text(encoding="utf-8").splitlines()
    return {row for row, line in enumerate(lines, start=1) if line.endswith("  # missed")}
