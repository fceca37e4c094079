"""A confirmation as findings with verdicts, for the formats that `hostsync check` writes too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hostsync.catalogue.model import Rule
from hostsync.confirm.data_report import verdict_of, verdict_over
from hostsync.confirm.records import CONFIRMED, Joined, Missed
from hostsync.findings import Finding
from hostsync.report import Report
from hostsync.runtime.as_findings import finding_of, message_of
from hostsync.runtime.records import Place
from hostsync.runtime.source import lines_of


def report_of(
    joined: Joined,
    findings: Iterable[Finding],
    rules: Mapping[str, Rule],
    paths: Mapping[str, Path],
    root: Path | None,
) -> Report:
    """The findings that `hostsync check` shows, each with its verdict, and a finding for each wait that was missed.

    Args:
        joined: findings beside waits.
        findings: all of the scan, also those that are not shown.
        rules: by code.
        paths: of the names that findings have of files, the absolute paths: the program may have changed its folder.
        root: the folder that paths are relative to.
    """
    every: dict[str, list[Finding]] = {}
    for finding in findings:
        every.setdefault(str(paths[finding.filename]), []).append(finding)
    shown = [
        one.finding._replace(filename=str(paths[one.finding.filename]), verdict=verdict_of(one, joined))
        for one in joined.judged
        if one.is_shown
    ]
    missed = [_missed(one, joined, rules, paths) for one in joined.missed]
    return Report(
        (*shown, *missed),
        (),
        lambda filename, cell: lines_of(filename),
        rules=rules,
        root=root,
        every=lambda filename: every.get(filename, ()),
        notes=tuple(dict.fromkeys(spot for run in joined.runs for spot in run.blind_spots)),
    )


def _missed(missed: Missed, joined: Joined, rules: Mapping[str, Rule], paths: Mapping[str, Path]) -> Finding:
    site = missed.site
    rule = None if site.code is None else rules.get(site.code)
    found = "no finding covers it" if missed.hidden is None else f"found as {missed.hidden.code}, which is not shown"
    message = f"{message_of(rule, site.kind, site.operation, site.text)}; {found}"
    verdict = verdict_over(joined, CONFIRMED, site.waits, site.waited, None, site.seconds)
    return finding_of(Place(str(paths[site.filename]), *site.span, site.symbol), rule, message, verdict)
