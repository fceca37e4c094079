"""Allow comments: which findings they cover, and which of them are of no use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from hostsync.catalogue.model import Rule
from hostsync.facts import Allow
from hostsync.findings import Covered, Finding, Location
from hostsync.lint.checked import rule_url
from hostsync.lint.selection import Names

UNUSED, UNREASONED = "HS901", "HS902"
"""The rules on allow comments themselves. They take no event."""


class Split(NamedTuple):
    kept: tuple[Finding, ...]
    suppressed: tuple[Covered, ...]


def split(findings: tuple[Finding, ...], allows: tuple[Allow, ...], names: Names) -> Split:
    """Takes out the findings that an allow comment covers.

    Args:
        findings: of one file.
        allows: its comments.
        names: what names in comments stand for.
    """
    if not allows:
        return Split(findings, ())
    kept: list[Finding] = []
    suppressed: list[Covered] = []
    for finding in findings:
        covering = [allow for allow in allows if _covers(allow, finding, names)]
        if covering:
            reasons = dict.fromkeys(allow.reason for allow in covering if allow.reason)
            suppressed.append(Covered(finding, "comment", "; ".join(reasons)))
        else:
            kept.append(finding)
    return Split(tuple(kept), tuple(suppressed))


def hygiene(
    findings: tuple[Finding, ...],
    allows: tuple[Allow, ...],
    rules: Mapping[str, Rule],
    names: Names,
    enabled: Collection[str],
) -> tuple[Finding, ...]:
    """The findings on the allow comments of one file: those that suppress nothing, name no rule or give no reason.

    Args:
        findings: everything found in the file, of any confidence: a comment is of use as long as it covers any of it.
        allows: its comments.
        rules: by code.
        names: what names in comments stand for.
        enabled: the codes that are on in this file; a comment for a rule that is off is not judged.
    """
    found = []
    for allow in allows:
        if UNUSED in enabled and UNUSED in rules:
            message = _of_no_use(allow, findings, names, enabled)
            if message:
                found.append(_on(allow, rules[UNUSED], message))
        if UNREASONED in enabled and UNREASONED in rules and not (allow.reason or allow.is_malformed):
            found.append(_on(allow, rules[UNREASONED], ""))
    return tuple(f for f in found if not any(_names(allow, f.code, names) and _spans(allow, f) for allow in allows))


def _of_no_use(allow: Allow, findings: tuple[Finding, ...], names: Names, enabled: Collection[str]) -> str | None:
    if allow.unknown:
        return f"`{allow.unknown}` is not understood, so this comment allows nothing: write `allow[HS101] reason`"
    if allow.is_malformed:
        return "the brackets of this comment are not closed or name no rule, so it allows nothing"
    unknown = [name for name in allow.codes if not names.codes(name)]
    if unknown:
        return f"no rule is called {_listed(unknown)}, so this comment allows nothing there"
    if not allow.codes:
        return None if any(_spans(allow, f) for f in findings) else "this comment allows nothing: nothing is found here"
    used = {finding.code for finding in findings if _spans(allow, finding)}
    idle = [name for name in allow.codes if _is_idle(names.codes(name), used, enabled)]
    if not idle:
        return None
    where = "in this file" if allow.whole_file else "in this statement"
    return f"{_listed(idle)} is not found {where}, so allowing it does nothing"


def _is_idle(codes: frozenset[str], used: set[str], enabled: Collection[str]) -> bool:
    """Rules that are off are not judged, nor are those on comments themselves."""
    judged = codes - {UNUSED, UNREASONED}
    return bool(judged) and judged.issubset(enabled) and judged.isdisjoint(used)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _covers(allow: Allow, finding: Finding, names: Names) -> bool:
    if allow.is_malformed or not _spans(allow, finding):
        return False
    return not allow.codes or _names(allow, finding.code, names)


def _names(allow: Allow, code: str, names: Names) -> bool:
    return any(code in names.codes(name) for name in allow.codes)


def _spans(allow: Allow, finding: Finding) -> bool:
    return allow.whole_file or (finding.location.row <= allow.last_row and allow.first_row <= finding.end_location.row)


def _on(allow: Allow, rule: Rule, message: str) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        message=message or rule.message,
        filename="",
        location=Location(allow.span.row, allow.span.column),
        end_location=Location(allow.span.end_row, allow.span.end_column),
        confidence="certain",
        symbol="<module>",
        hot=None,
        chain=(),
        help=rule.help,
        versions=None,
        url=rule_url(rule),
    )
