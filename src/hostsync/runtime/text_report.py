"""The report of a run for reading: a table of sites, then the worst of them with their source and what to do."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from hostsync.catalogue.model import Rule
from hostsync.findings import Location
from hostsync.report.escape import visible
from hostsync.report.frame import frame
from hostsync.report.quantities import counted, duration, percent, size
from hostsync.report.style import Style
from hostsync.runtime.as_findings import message_of
from hostsync.runtime.cause import Causes
from hostsync.runtime.data_report import sample_note
from hostsync.runtime.inside import by_place, functions, named, operations
from hostsync.runtime.records import SOURCES, Place, Site
from hostsync.runtime.session import Seen
from hostsync.runtime.source import lines_of, text_at, without_body

MOST_INSIDE = 5
"""Places in libraries that the details of a site name."""
MOST_CHILD_SECONDS = 1.0
"""Processor time of child processes from which on they are spoken of where the program itself used no GPU."""
DETAILED = 3
"""Sites that are shown with their source line."""
WIDEST = 44
"""Columns of a cell; longer text is cropped."""
HEADINGS = ("blocked", "count", "mean", "share", "where", "what", "kind", "rule", "stream", "size", "inside")
_RIGHT = frozenset(("blocked", "count", "mean", "share", "stream", "size"))


def render(seen: Seen, causes: Causes, top: int, style: Style) -> Iterator[str]:
    """The lines of the report.

    Args:
        seen: the run.
        causes: knows the rules.
        top: the number of sites that the table shows.
        style: how it looks.
    """
    yield style.strong(headline(seen))
    yield from (f"  {style.dim(note)}" for note in notes(seen))
    yield from render_sites(seen.sites, seen.seconds, causes, top, style)


def render_sites(sites: Iterable[Site], seconds: float, causes: Causes, top: int, style: Style) -> Iterator[str]:
    """The table of sites, the worst of them with their source, what to do, and what was allowed.

    Args:
        sites: the one that blocked longest first.
        seconds: wall time, of which the table shows shares.
        causes: knows the rules.
        top: the number of sites that the table shows.
        style: how it looks.
    """
    sites = list(sites)
    plain = [site for site in sites if site.allowed is None]
    allowed = [site for site in sites if site.allowed is not None]
    if plain:
        yield ""
        yield from _table(plain[:top], seconds, causes, style)
        if len(plain) > top:
            rest = plain[top:]
            hidden = f"{counted(sum(s.count for s in rest), 'wait')}, {duration(sum(s.seconds for s in rest))}"
            yield style.dim(f"and {counted(len(rest), 'more site')}: {hidden} (--top {len(plain)} shows them)")
        yield ""
        yield from _details(plain[: min(top, DETAILED)], causes, style)
        yield from _advice(plain[:top], plain[: min(top, DETAILED)], causes, style)
    if allowed:
        total = duration(sum(site.seconds for site in allowed))
        yield style.strong(f"Allowed: {counted(sum(site.count for site in allowed), 'wait')}, {total}")
        for site in allowed[:top]:
            cells = f"{duration(site.seconds):>9}  {site.count:>6,}  {where(site.place)}"
            yield f"{cells}  {style.dim(visible(site.allowed or ''))}"


def headline(seen: Seen) -> str:
    """`312 host waits blocked 1.84 s of 9.20 s (20 %)`."""
    totals = seen.totals
    rank = "" if seen.rank is None else f"rank {seen.rank}: "
    if not seen.used_cuda:
        return f"{rank}the program never used CUDA, so there was nothing to wait for"
    if not seen.sources:
        return f"{rank}nothing was watched"
    share = f" ({percent(totals.seconds / seen.seconds)})" if seen.seconds else ""
    blocked = f" blocked {duration(totals.seconds)} of {duration(seen.seconds)}{share}" if totals.waits else ""
    steps = ""
    if seen.steps:
        steps = f", {totals.waits / seen.steps:.3g} for each of {counted(seen.steps, 'optimizer step')}"
    if not totals.waits:
        return f"{rank}no host waits in {duration(seen.seconds)}"
    return f"{rank}{counted(totals.waits, 'host wait')}{blocked}{steps}"


def notes(seen: Seen) -> Iterator[str]:
    """What one has to know about the figures."""
    if seen.ended.code is None:
        yield f"The program was terminated ({seen.ended.how}); this is what was seen until then."
    elif seen.ended.how:
        yield f"The program ended with {visible(seen.ended.how)}; this is what was seen until then."
    if seen.sources:
        yield f"Seen by: {', '.join(SOURCES.get(name, name) for name in seen.sources)}."
    yield from map(visible, seen.blind_spots)
    totals = seen.totals
    if totals.skipped:
        skipped = f"{counted(totals.skipped, 'wait')} of setup and warm-up, {duration(totals.skipped_seconds)}"
        yield f"Not counted: {skipped}."
    if seen.allocations is not None and seen.allocations.retries:
        times = counted(seen.allocations.retries, "time")
        yield f"Memory ran out {times}: all cached blocks were given back, and the host waited for the device."
    if not seen.used_cuda and seen.child_seconds >= MOST_CHILD_SECONDS:
        yield f"Its child processes, which ran for {duration(seen.child_seconds)}, were not watched."
    if seen.is_sampled:
        yield f"{sample_note(seen)} The sites count all."
    if totals.crowded:
        yield f"{counted(totals.crowded, 'wait')} at further places are counted without a place."


def where(place: Place | None) -> str:
    """`train.py:41:18`, relative to the current folder where it is below it."""
    if place is None:
        return "(no Python frame)"
    column = f":{place.column}" if place.column else ""
    return visible(f"{shown_name(place.filename)}:{place.row}{column}")


def shown_name(filename: str) -> str:
    """A file name below the current folder or that of the program, or the end of one in an installed package."""
    return _shown_below((os.getcwd(), *sys.path[:1]), filename)  # noqa: PTH109 - as text, as in sys.path


@lru_cache(maxsize=1024)
def _shown_below(folders: tuple[str, ...], filename: str) -> str:
    for folder in folders:
        with contextlib.suppress(OSError, ValueError):
            if folder and Path(filename).is_relative_to(folder):
                return os.path.relpath(filename, folder)
    return _in_package(filename)


def _in_package(filename: str) -> str:
    for part in ("site-packages", "dist-packages"):
        _, found, rest = filename.replace("\\", "/").rpartition(f"/{part}/")
        if found:
            return rest
    return filename


def kind_of(site: Site) -> str:
    """`copy to device, pageable`."""
    kind = site.kind.replace("-", " ")
    return f"{kind}, {site.memory}" if site.memory else kind


def what(site: Site) -> str:
    """The expression, or what stands for it where there is none."""
    text = "" if site.place is None else text_at(site.place)
    return visible(text or site.operation or site.example.call)


def _table(sites: list[Site], seconds: float, causes: Causes, style: Style) -> Iterator[str]:
    rows = [HEADINGS, *(_row(site, seconds, causes.rule(site.code)) for site in sites)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    empty = {index for index in range(len(HEADINGS)) if not any(row[index] for row in rows[1:])}
    for number, row in enumerate(rows):
        cells = []
        for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
            if index in empty:
                continue
            padded = cell.rjust(width) if HEADINGS[index] in _RIGHT else cell.ljust(width)
            cells.append(style.code(padded) if HEADINGS[index] == "rule" and number else padded)
        line = "  ".join(cells).rstrip()
        yield style.dim(line) if number == 0 else line


def _row(site: Site, seconds: float, rule: Rule | None) -> tuple[str, ...]:
    streams = ",".join(map(str, site.streams[:3])) + (",…" if len(site.streams) > 3 else "")
    return (
        duration(site.seconds),
        f"{site.count:,}",
        duration(site.seconds / site.count),
        percent(site.seconds / seconds) if seconds else "",
        where(site.place),
        _cropped(what(site)),
        visible(kind_of(site)),
        site.code or "",
        streams,
        size(site.bytes / site.count) if site.bytes else "",
        visible(_inside(site, rule)),
    )


def _inside(site: Site, rule: Rule | None) -> str:
    """What waited inside a call, where neither its rule nor its text says that."""
    says_call_only = rule is not None and any(match.kind == "call" and not match.ops for match in rule.events)
    several = len({part.library for part in site.parts}) > 1
    return named(functions(site)) if says_call_only or several else ""


def _cropped(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _details(sites: list[Site], causes: Causes, style: Style) -> Iterator[str]:
    for site in sites:
        place = site.place
        rule = causes.rule(site.code)
        name = "" if rule is None else f" {style.code(rule.code)} {rule.name}"
        blocked = f"{counted(site.count, 'wait')}, {duration(site.seconds)}"
        function = "" if place is None else f" in {visible(place.function)}"
        yield f"{style.strong(where(place))}{function}:{name} ({blocked}, longest {duration(site.longest)})"
        margin = 0
        if place is not None and place.column:
            place = without_body(place)
            start, end = Location(place.row, place.column), Location(place.end_row, place.end_column)
            message = message_of(rule, site.kind, operations([site]), what(site))
            yield from frame(lines_of(place.filename), start, end, visible(message), style)
            margin = len(str(place.end_row))
        for line in _circumstances(site, rule, causes, style):
            yield f"{'':{margin}} {style.frame('=')} {line}"
        yield ""


def _circumstances(site: Site, rule: Rule | None, causes: Causes, style: Style) -> Iterator[str]:
    example = site.example
    through = [example.call, kind_of(site)]
    if site.phase != "other":
        through.append(f"in the {site.phase} pass" if site.phase != "optimizer" else "in the optimizer")
    if example.operation and site.phase == "backward":
        through.append(example.operation)
    if example.thread != "MainThread":
        through.append(f"on {example.thread}")
    yield f"{style.strong('through')}: {visible(', '.join(through))}"
    yield from _insides(site, style)
    if example.callers:
        yield f"{style.strong('called from')}: {' <- '.join(where(caller) for caller in example.callers[:3])}"
    if rule is not None:
        yield f"{style.help('help')}: {visible(causes.help_of(example, site.code))}"


def _insides(site: Site, style: Style) -> Iterator[str]:
    """Where libraries waited, and how often in each place if there are several."""
    found = by_place(site)
    for place, names, count, seconds in found[:MOST_INSIDE]:
        text = f"{visible(place.function)}, {where(place)}"
        if len(found) > 1:
            often = f"{counted(count, 'wait')}, {duration(seconds)}"
            text += f" ({', '.join((visible(' and '.join(names)), often)) if names else often})"
        yield f"{style.strong('inside')}: {text}"
    if len(found) > MOST_INSIDE:
        rest = found[MOST_INSIDE:]
        often = f"{counted(sum(row[2] for row in rest), 'wait')}, {duration(sum(row[3] for row in rest))}"
        yield f"{style.strong('inside')}: {counted(len(rest), 'more place')} ({often})"


def _advice(sites: list[Site], detailed: list[Site], causes: Causes, style: Style) -> Iterator[str]:
    """What to do about the rules of the table that no detail has spoken of."""
    told = {site.code for site in detailed}
    codes = sorted({site.code for site in sites if site.code is not None} - told)
    for code in codes:
        rule = causes.rule(code)
        if rule is not None:
            yield f"{style.code(code)} {rule.name}: {visible(rule.help)}"
    if codes:
        yield ""
