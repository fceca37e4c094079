"""Allow comments: what they cover, and what is said of those of no use."""

from __future__ import annotations

from pathlib import Path

from hostsync.catalogue.model import Rule
from hostsync.facts import Allow, Span
from hostsync.findings import Finding, Location
from hostsync.lint.selection import Names
from hostsync.lint.suppression import hygiene, split

NAMES = {"HS101": "item-read-back", "HS201": "branch", "HS901": "unused-allow", "HS902": "allow-without-reason"}
RULES = {
    code: Rule(code, name, "s", f"message of {code}", "h", "0.1", False, "none", (), "", (), (), Path())
    for code, name in NAMES.items()
}
CODES = Names(tuple(RULES.values()))


def finding(code: str, row: int, end_row: int | None = None) -> Finding:
    places = (Location(row, 5), Location(end_row or row, 9))
    return Finding(code, NAMES[code], "m", "", *places, "likely", "f", None, (), "h", None, "u")


def allow(*codes: str, rows: tuple[int, int] = (10, 12), reason: str = "why", whole_file: bool = False) -> Allow:
    return Allow(Span(rows[0], 20, rows[0], 60), codes, reason, whole_file, *rows)


def kept(findings: list[Finding], *allows: Allow) -> list[tuple[str, int]]:
    return [(f.code, f.location.row) for f in split(tuple(findings), allows, CODES).kept]


def told(findings: list[Finding], *allows: Allow, enabled: tuple[str, ...] = tuple(NAMES)) -> list[tuple[str, str]]:
    return [(f.code, f.message) for f in hygiene(tuple(findings), allows, RULES, CODES, enabled)]


def test_covers_what_touches_its_rows() -> None:
    findings = [finding("HS101", 9), finding("HS101", 8, 10), finding("HS101", 11), finding("HS101", 12, 14)]
    findings.append(finding("HS101", 13))
    assert kept(findings, allow("HS101")) == [("HS101", 9), ("HS101", 13)]


def test_covers_codes_and_names_only() -> None:
    findings = [finding("HS101", 10), finding("HS201", 10)]
    assert kept(findings, allow("HS101")) == [("HS201", 10)]
    assert kept(findings, allow("item-read-back", "HS201")) == []
    assert kept(findings, allow("HS1")) == [("HS201", 10)]
    assert kept(findings, allow("HS7")) == [("HS101", 10), ("HS201", 10)]
    assert kept(findings, allow()) == []


def test_a_whole_file() -> None:
    assert kept([finding("HS101", 99), finding("HS201", 99)], allow("HS101", whole_file=True)) == [("HS201", 99)]


def test_an_unused_comment_is_told() -> None:
    (told_code, message), *rest = told([finding("HS201", 10)], allow("HS101"))
    assert (told_code, rest) == ("HS901", [])
    assert "`HS101` is not found in this statement" in message
    assert told([finding("HS101", 11)], allow("HS101")) == []
    assert told([finding("HS101", 11)], allow("item-read-back", "HS201"))[0][1].startswith("`HS201`")
    assert told([], allow())[0][0] == "HS901"


def test_rules_that_are_off_are_not_judged() -> None:
    assert told([], allow("HS101"), enabled=("HS901",)) == []
    assert told([], allow("HS101"), enabled=("HS101",)) == []


def test_unknown_rules_are_told() -> None:
    assert "no rule is called `HS999`, `nonsense`" in told([finding("HS101", 10)], allow("HS999", "nonsense"))[0][1]


def test_malformed_comments_cover_nothing_and_are_told() -> None:
    malformed = allow()._replace(is_malformed=True)
    assert kept([finding("HS101", 10)], malformed) == [("HS101", 10)]
    assert kept([finding("HS101", 10)], malformed, allow("HS101")) == []
    for found in ([], [finding("HS101", 10)]):
        ((code, message),) = told(found, malformed)
        assert code == "HS901"
        assert message == "the brackets of this comment are not closed or name no rule, so it allows nothing"


def test_comments_that_are_not_understood_cover_nothing_and_are_told() -> None:
    unknown = allow(reason="")._replace(is_malformed=True, unknown="ignore")
    assert kept([finding("HS101", 10)], unknown) == [("HS101", 10)]
    message = "`ignore` is not understood, so this comment allows nothing: write `allow[HS101] reason`"
    assert told([finding("HS101", 10)], unknown) == [("HS901", message)]


def test_a_missing_reason_is_told() -> None:
    assert told([finding("HS101", 10)], allow("HS101", reason="")) == [("HS902", "message of HS902")]


def test_hygiene_can_be_allowed_by_name() -> None:
    comment = allow("HS101", "HS901", rows=(10, 10))
    assert told([], comment) == []
    assert told([], allow("HS101", rows=(10, 10)), allow("HS901", whole_file=True)) == []
