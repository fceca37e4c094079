"""Annotated sources: what the scan must say of them, and where it must be silent.

Marks are comments at the end of the row on which a finding starts:

    # expect: HS101, HS302       reported as certain or likely
    # expect-possible: HS101     reported as possible only
    # certain: HS101             reported as certain
    # likely: HS101              reported as likely, so not as certain
    # silent: HS101              looks like it, and must not be reported
    # missed-alarm: HS101        known gap: should be reported, and is not yet
    # false-alarm: HS101         known gap: should be silent, and is reported
"""

from __future__ import annotations

import io
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hostsync.catalogue.model import Rule
from hostsync.lint.check import Plan, check_source, load_catalogue
from hostsync.lint.decision import Judge
from hostsync.project.settings import Settings

FOLDER = Path(__file__).resolve().parent.parent / "cases"
FILES = tuple(sorted(FOLDER.glob("*.py")))
GAPS = "known_gaps"

_KINDS = "expect|expect-possible|certain|likely|silent|missed-alarm|false-alarm"
_MARK = re.compile(rf"#\s*({_KINDS}):\s*(HS\d{{3}}(?:\s*,\s*HS\d{{3}})*)\s*$")
_LIKE_A_MARK = re.compile(r"#\s*(expect|certain|likely|silent|missed|false)[\w-]*\s*:", re.IGNORECASE)

Place = tuple[int, str]
"""The row of a finding, and its code."""


class Mark(NamedTuple):
    kind: str
    row: int
    code: str


class Found(NamedTuple):
    certain: frozenset[Place]
    shown: frozenset[Place]
    """Certain or likely."""
    possible: frozenset[Place]


@cache
def rules() -> tuple[Rule, ...]:
    return load_catalogue(()).rules


@cache
def marks_of(path: Path) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type != tokenize.COMMENT:
            continue
        row = token.start[0]
        parts = re.split(r"\s+(?=#)", token.string)
        for part in parts:
            match = _MARK.fullmatch(part.strip())
            if match is not None:
                marks += [Mark(match[1], row, code.strip()) for code in match[2].split(",")]
            elif _LIKE_A_MARK.match(part):
                raise ValueError(f"{path.name}:{row}: no mark: {part}")
    return tuple(marks)


def places(path: Path, *kinds: str) -> frozenset[Place]:
    return frozenset((mark.row, mark.code) for mark in marks_of(path) if mark.kind in kinds)


@cache
def found_in(path: Path) -> Found:
    checked = check_source(path.read_bytes(), path.stem, Plan())
    if checked.diagnostics:
        raise ValueError(f"{path.name}: {checked.diagnostics}")
    by_code = {rule.code: rule for rule in rules()}
    sets = []
    for confidence in ("certain", "likely", "possible"):
        judge = Judge(Settings(FOLDER, min_confidence=confidence), by_code)
        findings = judge.decide(checked, path, path.name).findings
        sets.append(frozenset((finding.location.row, finding.code) for finding in findings))
    return Found(sets[0], sets[1], sets[2] - sets[1])


def difference(path: Path, missed: frozenset[Place], false: frozenset[Place]) -> str:
    """What is wrong, row by row, with the source; empty if nothing is."""
    lines = path.read_text(encoding="utf-8").split("\n")
    wrong = [(row, code, "missed alarm") for row, code in missed] + [(row, code, "false alarm") for row, code in false]
    return "".join(
        f"\n{path.name}:{row}: {code} {what}\n    {lines[row - 1].strip()}" for row, code, what in sorted(wrong)
    )
