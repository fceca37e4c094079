"""Events → findings: names the rule, writes the message and quotes the lines of the chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hostsync.catalogue.model import Rule
from hostsync.catalogue.rules import RuleIndex
from hostsync.facts import Place
from hostsync.findings import CONFIDENCES, ChainStep, Finding, Location
from hostsync.infer.context import AGAIN
from hostsync.infer.events import Event, Reason
from hostsync.lint.checked import rule_url

LONGEST_QUOTE = 60


def to_findings(events: Iterable[Event], index: RuleIndex, lines: Sequence[str]) -> tuple[Finding, ...]:
    """The findings of `events`, in order of their places, one for each place and rule.

    An event that no rule takes, or only a rule for hot code outside of it, gives none.

    Args:
        events: what inference saw in one file.
        index: finds the rule of an event.
        lines: the source, to quote from.
    """
    found: dict[tuple[Location, Location, str], Finding] = {}
    for event in events:
        rule = index.match(event.kind, event.op, event.form)
        if rule is None or (rule.hot_only and event.hot is None):
            continue
        finding = _finding(event, rule, lines)
        key = (finding.location, finding.end_location, finding.code)
        earlier = found.get(key)
        if earlier is None or _rank(finding) < _rank(earlier):
            found[key] = finding
    return tuple(sorted(found.values(), key=lambda f: (f.location[:2], f.end_location[:2], f.code)))


def quote(lines: Sequence[str], span: Place) -> str:
    """The source text of `span` on one line, cropped."""
    row, column, end_row, end_column = span
    rows = list(lines[row - 1 : end_row])
    if not rows:
        return ""
    rows[-1] = rows[-1][: end_column - 1]
    rows[0] = rows[0][column - 1 :]
    return squeeze(" ".join(rows))


def squeeze(text: str) -> str:
    """`text` with single blanks, and no longer than a quote may be."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1].rstrip() + "…"


def _rank(finding: Finding) -> tuple[int, bool, int]:
    """The less, the better: of two findings of one place and rule the surer one stays."""
    return CONFIDENCES.index(finding.confidence), finding.hot is None, len(finding.chain)


def _finding(event: Event, rule: Rule, lines: Sequence[str]) -> Finding:
    row, column, end_row, end_column = event.span
    subject = squeeze(event.subject) or quote(lines, event.span) or event.op
    return Finding(
        code=rule.code,
        name=rule.name,
        message=_fill(rule.message, event.op, subject),
        filename="",
        location=Location(row, column),
        end_location=Location(end_row, end_column),
        confidence=event.confidence,
        symbol=event.symbol.partition(AGAIN)[0],
        hot=event.hot,
        chain=tuple(_step(reason, lines) for reason in event.chain),
        help=rule.help_for(event.op),
        versions=event.versions,
        url=rule_url(rule),
    )


def _fill(message: str, op: str, subject: str) -> str:
    # Not str.format: what is quoted from a source may hold braces.
    return "".join(
        {"{op}": op, "{subject}": subject}.get(part, part)
        for part in message.replace("{op}", "\0{op}\0").replace("{subject}", "\0{subject}\0").split("\0")
    )


def _step(reason: Reason, lines: Sequence[str]) -> ChainStep:
    row = reason.span[0]
    parts = (quote(lines, reason.span), " ".join(reason.text.split()))
    return ChainStep(row, ", ".join(part for part in parts if part))
