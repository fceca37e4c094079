"""Selectors: codes, prefixes, names, ALL; which one wins; what is said of unknown ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostsync.catalogue.model import Rule
from hostsync.lint.selection import FileIgnores, UnknownSelectorError, enabled, expand
from hostsync.project.settings import PerFileIgnore, Settings

NAMES = {
    "HS101": "item-read-back",
    "HS102": "copy-to-host",
    "HS110": "print-tensor",
    "HS201": "branch-on-tensor",
    "XY100": "own-rule",
    "XY200": "barrier",
}


def rule(code: str, name: str) -> Rule:
    return Rule(code, name, "s", "m", "h", "0.1", False, "none", (), "", (), (), Path(f"{code}-{name}.md"))


RULES = tuple(rule(code, name) for code, name in NAMES.items())


@pytest.mark.parametrize(
    ("selector", "codes"),
    [
        ("ALL", set(NAMES)),
        ("HS", {"HS101", "HS102", "HS110", "HS201"}),
        ("HS1", {"HS101", "HS102", "HS110"}),
        ("HS10", {"HS101", "HS102"}),
        ("HS101", {"HS101"}),
        ("item-read-back", {"HS101"}),
        ("all", set(NAMES)),
        ("hs1", {"HS101", "HS102", "HS110"}),
        ("hs101", {"HS101"}),
        ("Item-Read-Back", {"HS101"}),
    ],
)
def test_what_selectors_stand_for(selector: str, codes: set[str]) -> None:
    assert expand(selector, RULES) == codes


@pytest.mark.parametrize(
    ("selector", "telling"),
    [
        ("HS109", "did you mean"),
        ("item-readback", "did you mean `item-read-back`?"),
        ("hs1o1", "`HS101`"),
        ("item", "unknown rule `item`"),
        ("", "unknown rule ``"),
        ("%%%", "`hostsync rules` lists them"),
    ],
)
def test_unknown_selectors_are_told_with_suggestions(selector: str, telling: str) -> None:
    with pytest.raises(UnknownSelectorError) as caught:
        expand(selector, RULES)
    assert telling in str(caught.value)


@pytest.mark.parametrize(
    ("select", "ignore", "extend", "codes"),
    [
        (("ALL",), (), (), "HS101 HS102 HS110 HS201 XY100 XY200"),
        (("HS1",), ("HS101",), (), "HS102 HS110"),
        (("HS101",), ("HS1",), (), "HS101"),
        (("HS1",), ("HS1",), (), ""),
        (("ALL",), ("HS1",), ("HS10",), "HS101 HS102 HS201 XY100 XY200"),
        (("item-read-back",), ("HS1",), (), "HS101"),
        (("HS1",), ("item-read-back",), (), "HS102 HS110"),
        (("HS2",), (), ("own-rule",), "HS201 XY100"),
        (("hs101",), ("Hs1",), (), "HS101"),
        (("HS1",), ("Item-Read-Back",), ("all",), "HS102 HS110 HS201 XY100 XY200"),
        (("barrier",), ("XY200",), (), ""),
        (("XY200",), ("barrier",), (), ""),
        ((), (), (), ""),
    ],
)
def test_the_more_specific_selector_wins(
    select: tuple[str, ...], ignore: tuple[str, ...], extend: tuple[str, ...], codes: str
) -> None:
    settings = Settings(Path(), select=select, ignore=ignore, extend_select=extend)
    assert enabled(settings, RULES) == set(codes.split())


def test_per_file_ignores(tmp_path: Path) -> None:
    entries = (
        PerFileIgnore("tests/", ("HS1",)),
        PerFileIgnore("*_gen.py", ("ALL",)),
        PerFileIgnore("!src/", ("XY100",)),
    )
    ignores = FileIgnores(entries, tmp_path, RULES)
    assert ignores.ignored(tmp_path / "src/a.py") == frozenset()
    assert ignores.ignored(tmp_path / "tests/a.py") == {"HS101", "HS102", "HS110", "XY100"}
    assert ignores.ignored(tmp_path / "src/a_gen.py") == set(NAMES)
