"""What a person reads: why a test failed, the section of its report, the summary of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hostsync.pytest_plugin.judging import Verdict
from hostsync.report.escape import visible
from hostsync.report.quantities import counted, duration
from hostsync.report.style import Style
from hostsync.runtime.cause import Causes
from hostsync.runtime.records import Site
from hostsync.runtime.text_report import render_sites, shown_name, what, where

SHOWN = 20
"""Sites in the section of a test."""
TOP = 10
"""Sites in the summary."""
HOW_TO_ALLOW = (
    'To allow a wait that is meant: `with hostsync.allow("why"):` around it, or `# hostsync: allow[CODE] why` on its '
    "line;",
    'for the test `@pytest.mark.host_sync(max=N, allow=["file.py::function"])` or '
    '`@pytest.mark.allow_host_sync(reason="why")`; for the run --host-sync-allow or --host-sync-baseline.',
)


def headline(verdict: Verdict) -> str:
    """`3 unexpected host waits, 0 allowed (max): worst at train.py:41:18 loss.item()`."""
    worst = f": {_brief(verdict.unexpected[0])}" if verdict.unexpected else ""
    more = len(verdict.unexpected) - 1
    rest = f", and {counted(more, 'more place')}" if more > 0 else ""
    budget = f", at most {verdict.policy.max} may be" if verdict.policy.max else ""
    return f"{counted(verdict.waits, 'unexpected host wait')}{budget}{worst}{rest}"


def _brief(site: Site) -> str:
    code = f" {site.code}" if site.code else ""
    times = f" ({site.count:,} times)" if site.count > 1 else ""
    return f"{where(site.place)} {what(site)}{code}{times}"


def listing(sites: Iterable[Site]) -> Iterator[str]:
    """One line for each site, in an assertion's message."""
    for site in sites:
        yield f"  {_brief(site)}"


def section(verdict: Verdict, causes: Causes, sources: Sequence[str]) -> Iterator[str]:
    """The section of a test: table, source lines with what to do, what was left out, how to allow."""
    blocked = sum(site.seconds for site in verdict.unexpected)
    took = f" blocked {duration(blocked)}" if blocked else ""
    limit = f"; at most {verdict.policy.max} may be" if verdict.policy.max else ""
    yield f"{counted(verdict.waits, 'unexpected host wait')}{took}{limit} (seen by: {', '.join(sources) or 'nothing'})"
    shown = verdict.unexpected[:SHOWN]
    yield from render_sites(shown, 0.0, causes, SHOWN, Style())
    if len(verdict.unexpected) > SHOWN:
        yield f"and {counted(len(verdict.unexpected) - SHOWN, 'more place')}"
    left_out = list(_left_out(verdict))
    if left_out:
        yield f"Not counted: {', '.join(left_out)}."
    yield from HOW_TO_ALLOW


def _left_out(verdict: Verdict) -> Iterator[str]:
    allowed = sum(site.count for site in verdict.allowed)
    for count, text in (
        (allowed, "allowed"),
        (verdict.explicit, "asked for explicitly (--host-sync-level=all counts them)"),
        (verdict.warm, "in the warm-up of their place"),
        (verdict.baselined, "known to the baseline"),
        (verdict.aside.get("checked", 0), "judged by an assertion in the test"),
        (verdict.aside.get("first use", 0), "of compilation, autotuning, or the set-up of libraries"),
        (verdict.aside.get("shared", 0), "in the set-up of fixtures that tests share"),
    ):
        if count:
            yield f"{count:,} {text}"


def describe_sites(sites: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The table of a summary, of sites as the reports of tests carry them."""
    rows = [("count", "blocked", "where", "what", "rule", "tests")]
    for site in sites[:TOP]:
        rows.append(
            (
                f"{site['count']:,}",
                duration(site["blocked_s"]) if site["blocked_s"] else "",
                place_of(site),
                _cropped(visible(site["expression"] or site["operation"] or site["call"])),
                site["code"] or site["kind"],
                str(len(site["tests"])),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(width) if column in (0, 1, 5) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    if len(sites) > TOP:
        yield f"and {counted(len(sites) - TOP, 'more place')}"


def place_of(site: Mapping[str, Any]) -> str:
    """`train.py:41:18` of a site as the reports of tests carry it."""
    location = site["location"]
    if site["filename"] is None or location is None:
        return "(no Python frame)"
    column = f":{location['column']}" if location["column"] else ""
    return visible(f"{shown_name(site['filename'])}:{location['row']}{column}")


def _cropped(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
