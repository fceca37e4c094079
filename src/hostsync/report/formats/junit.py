"""For CI systems that show test reports: JUnit's XML, a suite for each file and a test case for each finding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from hostsync.findings import Diagnostic
from hostsync.report import Report
from hostsync.report.entries import Entry, entries
from hostsync.report.escape import visible

NAME = "hostsync"
_OUTCOMES = ("failure", "error", "skipped")
_OTHERS = {"not reached": "skipped", "not seen": "skipped", "refuted": ""}
"""What is no failure, by verdict; one without a wait has passed."""


class _Case(NamedTuple):
    name: str
    outcome: str
    """One of _OUTCOMES; empty for a case that has passed."""
    entry: Entry


def render(report: Report) -> Iterator[str]:
    """The document. Without findings it has one case that has passed, as some readers take no empty report."""
    suites = [
        (path, [_case(entry) for entry in group]) for path, group in groupby(entries(report), lambda entry: entry.path)
    ]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    if not suites:
        yield f'<testsuites name="{NAME}" tests="1" failures="0" errors="0" skipped="0" time="0">\n'
        yield f'  <testsuite name="{NAME}" tests="1" failures="0" errors="0" skipped="0" time="0">\n'
        yield f'    <testcase classname="{NAME}" name="no findings" time="0"/>\n'
        yield "  </testsuite>\n</testsuites>\n"
        return
    every = [case for _, cases in suites for case in cases]
    yield f'<testsuites name="{NAME}" {_counts(every)}>\n'
    for path, cases in suites:
        yield f"  <testsuite name={_attribute(path)} {_counts(cases)}>\n"
        for case in cases:
            yield from _lines(case)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _case(entry: Entry) -> _Case:
    """The case. Its name does not change when lines move, so that its history is kept."""
    where = f" in {entry.symbol}" if entry.symbol else ""
    source = entry.source
    if isinstance(source, Diagnostic):
        outcome = "error"
    else:
        outcome = "failure" if source.verdict is None else _OTHERS.get(source.verdict.status, "failure")
    return _Case(f"{entry.title}{where} ({entry.fingerprint[:8]})", outcome, entry)


def _lines(case: _Case) -> Iterator[str]:
    entry = case.entry
    begin = (
        f"    <testcase classname={_attribute(entry.path)} name={_attribute(case.name)}"
        f' file={_attribute(entry.path)} line="{entry.region.row}" time="0"'
    )
    if not case.outcome:
        yield f"{begin}/>\n"
        return
    yield f"{begin}>\n"
    message = f"message={_attribute(entry.message)}"
    if case.outcome == "skipped":
        yield f"      <skipped {message}/>\n"
    else:
        text = "\n".join(filter(None, (f"{entry.place}: {entry.title}", entry.message, _help(entry))))
        yield f"      <{case.outcome} type={_attribute(entry.code)} {message}>{_text(text)}</{case.outcome}>\n"
    yield "    </testcase>\n"


def _help(entry: Entry) -> str:
    return f"help: {entry.help}" if entry.help else ""


def _counts(cases: list[_Case]) -> str:
    failures, errors, skipped = (sum(case.outcome == outcome for case in cases) for outcome in _OUTCOMES)
    return f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="0"'


def _attribute(text: str) -> str:
    return _ascii(quoteattr(visible(text)))


def _text(text: str) -> str:
    return _ascii(escape(text))


def _ascii(text: str) -> str:
    """The same in every encoding that standard output may have."""
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
