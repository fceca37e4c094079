"""A confirmation for reading: a table for each verdict, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostsync.confirm.records import (
    CONFIRMED,
    NOT_REACHED,
    NOT_SEEN,
    REFUTED,
    Joined,
    Judged,
    Missed,
    RunInfo,
    WaitSite,
)
from hostsync.confirm.summary import Summary, summary_of
from hostsync.report.escape import visible
from hostsync.report.place import certainty, place
from hostsync.report.quantities import counted, duration, percent
from hostsync.report.style import Style
from hostsync.runtime.executions import Span
from hostsync.runtime.inside import named

WIDEST = 60
"""Columns of a cell; longer text is cropped."""
_ABOUT = {
    CONFIRMED: "Confirmed: executed, and waited",
    REFUTED: "Refuted: executed, and never waited",
    NOT_REACHED: "Not reached: never executed",
    NOT_SEEN: "Not seen: never waited, and whether it was executed is not known",
}


def render(joined: Joined, texts: dict[int, str], top: int, style: Style) -> Iterator[str]:
    """The lines of the report.

    Args:
        joined: findings beside waits.
        texts: of each entry of `joined.judged`, by index, its expression.
        top: the number of rows of each table.
        style: how it looks.
    """
    summary = summary_of(joined)
    yield style.strong(headline(summary, joined))
    yield from (f"  {style.dim(note)}" for note in _notes(summary, joined))
    shown = [(one, visible(texts.get(index, ""))) for index, one in enumerate(joined.judged) if one.is_shown]
    for status, title in _ABOUT.items():
        ones = [(one, text) for one, text in shown if one.status == status]
        if status == CONFIRMED:
            ones.sort(key=lambda pair: (-pair[0].seconds, -pair[0].waits))
        if ones:
            rows = [_finding_row(one, text) for one, text in ones]
            yield from _section(title, _HEADINGS[status], rows, top, style)
    if joined.missed:
        missed = [_missed_row(one) for one in joined.missed]
        yield from _section("Missed: waited, and not found", _HEADINGS["missed"], missed, top, style)
    if joined.allowed:
        allowed = [_allowed_row(site) for site in joined.allowed]
        yield from _section("Allowed", _HEADINGS["allowed"], allowed, top, style)


def headline(summary: Summary, joined: Joined) -> str:
    """`15 findings on NVIDIA H200: 14 confirmed, 0 refuted, 1 not reached; 1 wait missed`."""
    parts = [f"{summary.confirmed} confirmed", f"{summary.refuted} refuted", f"{summary.not_reached} not reached"]
    if summary.not_seen:
        parts.append(f"{summary.not_seen} not seen")
    total = summary.confirmed + summary.refuted + summary.not_reached + summary.not_seen
    devices = ", ".join(dict.fromkeys(run.device for run in joined.runs if run.device))
    on = f" on {visible(devices)}" if devices else ""
    return f"{counted(total, 'finding')}{on}: {', '.join(parts)}; {counted(summary.missed, 'wait')} missed"


def _notes(summary: Summary, joined: Joined) -> Iterator[str]:
    executed = summary.confirmed + summary.refuted
    if summary.precision is not None:
        yield f"Precision {percent(summary.precision)}: {summary.confirmed} of {executed} executed findings waited."
    if summary.recall is not None:
        waited = summary.found + summary.missed
        yield f"Recall {percent(summary.recall)}: {summary.found} of {waited} expressions that waited are found."
    if summary.hidden:
        yield (
            f"Of the missed, {summary.hidden} {'is' if summary.hidden == 1 else 'are'} found with less certainty "
            "than is shown."
        )
    if joined.causes:
        yield f"Without a verdict: {counted(joined.causes, 'finding')} of rules that do not name what waits itself."
    memory = sum(total.waits for total in joined.memory.values())
    if memory:
        kinds = ", ".join(f"{kind} {total.waits:,}" for kind, total in sorted(joined.memory.items()))
        seconds = sum(total.seconds for total in joined.memory.values())
        yield f"Not judged: {counted(memory, 'wait')} inside allocators, {duration(seconds)} ({kinds})."
    if joined.elsewhere.waits:
        where = "in files that were not scanned"
        yield f"Left out: {counted(joined.elsewhere.waits, 'wait')} {where}, {duration(joined.elsewhere.seconds)}."
    for run in joined.runs:
        yield from _run_notes(run)


def _run_notes(run: RunInfo) -> Iterator[str]:
    program = visible(" ".join(run.program))
    if run.exit_code is None:
        yield f"`{program}` was terminated; this is what was seen until then."
    elif run.exit_code:
        yield f"`{program}` ended with exit code {run.exit_code}; this is what was seen until then."
    yield from map(visible, run.blind_spots)


# --- tables --------------------------------------------------------------------------------------

_PLACE = ("where", "what", "rule")
_HEADINGS: dict[str, tuple[str, ...]] = {
    CONFIRMED: ("blocked", "waited", *_PLACE, "as"),
    REFUTED: ("executed", *_PLACE, "as"),
    NOT_REACHED: (*_PLACE, "as"),
    NOT_SEEN: (*_PLACE, "as", ""),
    "missed": ("blocked", "waits", *_PLACE, "kind", ""),
    "allowed": ("blocked", "waits", *_PLACE[:2], "reason"),
}
_RIGHT = frozenset(("blocked", "waited", "executed", "waits"))


def _section(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], top: int, style: Style
) -> Iterator[str]:
    yield ""
    yield f"{style.strong(title)} ({len(rows)})"
    listed = [headings, *rows[:top]]
    widths = [max(len(row[column]) for row in listed) for column in range(len(headings))]
    for number, row in enumerate(listed):
        cells = [
            cell.rjust(width) if heading in _RIGHT else cell.ljust(width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        ]
        line = "  ".join(cells).rstrip()
        yield style.dim(line) if number == 0 else line
    if len(rows) > top:
        yield style.dim(f"and {len(rows) - top} more (--top {len(rows)} shows them)")


def _finding_row(one: Judged, text: str) -> tuple[str, ...]:
    finding = one.finding
    rule = f"{finding.code} {finding.name}"
    where = (place(finding), _cropped(text), rule, certainty(finding))
    if one.status == CONFIRMED:
        return (duration(one.seconds) if one.seconds else "", _waited(one), *where)
    if one.status == REFUTED:
        return (f"{one.executions:,}", *where)
    if one.status == NOT_REACHED:
        return where
    maybe = f"its line ran {counted(one.executions, 'time')}" if one.executions else ""
    return (*where, maybe)


def _waited(one: Judged) -> str:
    if one.waited is None or one.executions is None:
        return counted(one.waits, "wait")
    return f"{one.waited:,} of {one.executions:,}"


def _missed_row(missed: Missed) -> tuple[str, ...]:
    site, hidden = missed.site, missed.hidden
    functions = named(site.inside)
    note = f"inside {functions}" if functions else ""
    if hidden is not None:
        note = f"found as {hidden.code}, {hidden.confidence}"
    where = (_where(site), _cropped(visible(site.text)), site.code or "")
    return (duration(site.seconds), f"{site.waits:,}", *where, site.kind.replace("-", " "), visible(note))


def _allowed_row(site: WaitSite) -> tuple[str, ...]:
    where = (_where(site), _cropped(visible(site.text)))
    return (duration(site.seconds), f"{site.waits:,}", *where, visible(site.allowed or ""))


def _where(site: WaitSite) -> str:
    span: Span = site.span
    return visible(f"{site.filename}:{span.row}") + (f":{span.column}" if span.column else "")


def _cropped(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1].rstrip() + "…"
