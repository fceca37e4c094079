"""Waits as findings, for the formats that `hostsync check` writes too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from hostsync.catalogue.model import Rule
from hostsync.findings import Finding, Location, Verdict
from hostsync.report import Report
from hostsync.report.quantities import counted, duration
from hostsync.runtime.cause import Causes
from hostsync.runtime.inside import operations
from hostsync.runtime.records import Place, Site
from hostsync.runtime.source import lines_of, text_at, without_body

UNNAMED = ("HS000", "host-wait")
"""Code and name of a wait that no rule speaks of."""
PLAIN = {
    "free": "device memory is given back here, and the host waits for the device",
}
"""What is said of waits that no rule speaks of, by kind."""
MOST_HOLDERS = 3
"""Holders of a wait, such as tests, that a message names."""


def report_of(
    sites: Iterable[Site],
    causes: Causes,
    *,
    root: Path | None,
    device: str = "",
    torch: str = "",
    notes: Iterable[str] = (),
    holders: Callable[[Site], Iterable[str]] = lambda site: (),
) -> Report:
    """The waits that are not allowed, as a report of findings.

    Args:
        sites: of a run. Those at one expression, with one rule, become one finding.
        causes: knows the rules.
        root: the folder that paths are relative to.
        device: names of the GPUs; empty where not known.
        torch: its release; empty where not known.
        notes: what is to be said of the whole.
        holders: what a wait happened in, such as tests.
    """
    groups: dict[tuple[Place, str | None], list[Site]] = {}
    nowhere: list[Site] = []
    for site in sites:
        if site.allowed is not None:
            continue
        if site.place is None:
            nowhere.append(site)
        else:
            groups.setdefault((without_body(site.place), site.code), []).append(site)
    findings = []
    for (place, code), group in groups.items():
        rule = causes.rule(code)
        first = group[0]
        message = message_of(rule, first.kind, operations(group), text_at(place) or first.example.call)
        names = list(dict.fromkeys(name for site in group for name in holders(site)))
        verdict = Verdict(
            status="confirmed",
            waits=sum(site.count for site in group),
            waited=None,
            executions=None,
            seconds=sum(site.seconds for site in group),
            device=device,
            torch=torch,
            date="",
        )
        found = finding_of(place, rule, message + _within(names), verdict)
        findings.append(found._replace(help=causes.help_of(first.example, code)))
    if nowhere:
        waits = counted(sum(site.count for site in nowhere), "wait")
        notes = (*notes, f"{waits} without a Python frame, {duration(sum(site.seconds for site in nowhere))}.")
    return Report(
        tuple(findings),
        (),
        lambda filename, cell: lines_of(filename),
        rules=causes.rules,
        root=root,
        notes=tuple(notes),
    )


def finding_of(place: Place, rule: Rule | None, message: str, verdict: Verdict) -> Finding:
    """A wait that was seen, as a finding.

    Args:
        place: where.
        rule: that speaks of it, if any.
        message: one sentence.
        verdict: what was seen.
    """
    code, name = UNNAMED if rule is None else (rule.code, rule.name)
    # A pseudo file such as `<stdin>` has no absolute name.
    filename = place.filename if place.filename.startswith("<") else str(Path(place.filename).absolute())
    return Finding(
        code=code,
        name=name,
        message=message,
        filename=filename,
        location=Location(place.row, place.column),
        end_location=Location(place.end_row, place.end_column),
        confidence="certain",
        symbol=place.function,
        hot=None,
        chain=(),
        help="" if rule is None else rule.help,
        versions=None,
        url="",
        verdict=verdict,
    )


def message_of(rule: Rule | None, kind: str, operation: str, text: str) -> str:
    """What is said of a wait.

    Args:
        rule: that speaks of it, if any.
        kind: of the wait.
        operation: of torch, or several in words.
        text: the expression.
    """
    if rule is None:
        return PLAIN.get(kind, "the host waits here")
    op = operation.rpartition("::")[2] or text
    return rule.message.replace("{op}", op).replace("{subject}", text or op)


def _within(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - MOST_HOLDERS} more" if len(names) > MOST_HOLDERS else ""
    return f", in {', '.join(names[:MOST_HOLDERS])}{more}"
