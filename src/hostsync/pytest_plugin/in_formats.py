"""The waits of a test run in the formats that `hostsync check` writes too."""

from __future__ import annotations

from pathlib import Path

from hostsync.pytest_plugin.gathering import Gathered
from hostsync.report import render
from hostsync.report.quantities import counted
from hostsync.runtime.as_findings import report_of
from hostsync.runtime.cause import Causes
from hostsync.runtime.read_report import site_of
from hostsync.runtime.records import Site


def rendered(gathered: Gathered, causes: Causes, name: str, root: Path) -> str:
    """The unexpected waits, each with the tests that have it.

    Args:
        gathered: the run.
        causes: knows the rules.
        name: of the format.
        root: the folder that paths are relative to.
    """
    tests: dict[Site, list[str]] = {}
    for entry in gathered.sites():
        tests.setdefault(site_of(entry), []).extend(entry["tests"])
    notes = [f"{counted(gathered.watched, 'test')} watched."]
    notes += [f"Not to be seen here: {text}." for text in gathered.blind]
    notes += [f"{counted(number, 'test')} not watched: {reason}." for reason, number in gathered.inactive.items()]
    return "".join(render(report_of(tests, causes, root=root, notes=notes, holders=tests.__getitem__), name))
