"""Findings + evidence → verdicts. A pure function.

A wait belongs to the finding that has exactly its span. A wait without one may belong to a finding around it, such as
`print(loss)` around a formatted part, or inside it, if both name the same rule and that finding has no wait of its own:
the receiver in `x[mask].item()` is another wait than the call. The span of a jump may be a whole `a and b`, or a whole
`if`: a condition inside it has it. Where Python tells rows only, the row decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from hostsync.confirm.records import (
    CONFIRMED,
    MEMORY_KINDS,
    NOT_REACHED,
    NOT_SEEN,
    REFUTED,
    Evidence,
    Joined,
    Judged,
    Missed,
    Through,
    Total,
    WaitSite,
)
from hostsync.findings import Finding
from hostsync.runtime.executions import Executed, Span

_Rank = tuple[int, int, int]
_TRUTH = "aten::is_nonzero"
"""The operation of a wait for the truth of a tensor."""


def join(
    findings: Iterable[Finding],
    evidence: Evidence,
    *,
    is_shown: Callable[[Finding], bool] = lambda finding: True,
    is_judged: Callable[[Finding], bool] = lambda finding: True,
    is_condition: Callable[[Finding], bool] = lambda finding: False,
) -> Joined:
    """The verdict of each finding, and the waits that none covers.

    Args:
        findings: all of the scanned files, of every confidence.
        evidence: what runs showed.
        is_shown: whether `hostsync check` would show a finding.
        is_judged: whether a finding names the expression that waits, not the cause of a wait elsewhere.
        is_condition: whether a finding is about a value that decides which line runs next.
    """
    listed = list(findings)
    judged = [finding for finding in listed if is_judged(finding) and finding.location.cell is None]
    memory: dict[str, Total] = {}
    sites: list[WaitSite] = []
    for site in evidence.sites:
        if site.kind in MEMORY_KINDS and site.code is None:
            if site.allowed is None:
                memory[site.kind] = memory.get(site.kind, Total()).plus(site.waits, site.seconds)
        else:
            sites.append(site)
    taken, covered = _matched(judged, sites, is_condition)
    through = _by_file(evidence.through)
    verdicts = tuple(
        _judge(finding, is_shown(finding), [sites[s] for s in taken[index]], through, evidence.executions)
        for index, finding in enumerate(judged)
    )
    shown = {index for index, verdict in enumerate(verdicts) if verdict.is_shown}
    uncovered = [
        (site, judged[min(covered[number])] if covered[number] else None)
        for number, site in enumerate(sites)
        if site.allowed is None and not shown.intersection(covered[number])
    ]
    found = {
        (site.filename, site.span)
        for number, site in enumerate(sites)
        if site.allowed is None and shown.intersection(covered[number])
    }
    return Joined(
        judged=verdicts,
        missed=_missed(uncovered),
        found=len(found),
        allowed=tuple(site for site in sites if site.allowed is not None),
        memory=memory,
        elsewhere=evidence.elsewhere,
        causes=sum(1 for finding in listed if is_shown(finding) and not is_judged(finding)),
        runs=evidence.runs,
    )


def span_of(finding: Finding) -> Span:
    """The span of a finding."""
    return Span(*finding.location[:2], *finding.end_location[:2])


def _matched(
    findings: Sequence[Finding], sites: Sequence[WaitSite], is_condition: Callable[[Finding], bool]
) -> tuple[list[list[int]], list[list[int]]]:
    """For each finding its sites, and for each site its findings; by index."""
    taken: list[list[int]] = [[] for _ in findings]
    covered: list[list[int]] = [[] for _ in sites]
    by_file: dict[str, list[int]] = defaultdict(list)
    by_span: dict[tuple[str, Span], list[int]] = defaultdict(list)
    for index, finding in enumerate(findings):
        by_file[finding.filename].append(index)
        by_span[finding.filename, span_of(finding)].append(index)

    def take(number: int, indices: Iterable[int]) -> None:
        for index in indices:
            taken[index].append(number)
            covered[number].append(index)

    for number, site in enumerate(sites):
        take(number, by_span.get((site.filename, site.span), ()))
    own = {index for index, numbers in enumerate(taken) if numbers}
    for number, site in enumerate(sites):
        if not covered[number]:
            # Where there are rows only, several waits of a row may belong to one finding.
            among = [index for index in by_file[site.filename] if not site.span.column or index not in own]
            ranks = {
                index: rank
                for index in among
                if (rank := _rank(findings[index], site, is_condition(findings[index]))) is not None
            }
            best = min(ranks.values(), default=None)
            take(number, [index for index, rank in ranks.items() if rank == best])
    return taken, covered


def _rank(finding: Finding, site: WaitSite, is_condition: bool) -> _Rank | None:
    """How well a finding fits a wait of another span, the least the best; None if it does not."""
    own, there = span_of(finding), site.span
    likeness = _likeness(finding.code, site.code)
    if not there.column:
        return (likeness, 0, own.end_row - own.row) if own.row <= there.row <= own.end_row else None
    if _holds(there, own):
        # Of those inside, the first row's: the rest may be the body of a statement.
        if is_condition and site.operation == _TRUTH:
            return (1, 0, own.row)
        return (2, likeness, own.row) if likeness < 2 and site.code is not None else None
    return (0, likeness, _size(own)) if likeness < 2 and _holds(own, there) else None


def _likeness(code: str, other: str | None) -> int:
    """0 for the same rule, or where none is known; 1 for one of the same family; else 2."""
    if other is None or code == other:
        return 0
    return 1 if code[:3] == other[:3] else 2


def _holds(outer: Span, inner: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _size(span: Span) -> int:
    """Rows count more than any column."""
    return (span.end_row - span.row) * 1_000_000 + (span.end_column - span.column)


def _by_file(through: Iterable[Through]) -> Mapping[str, list[Through]]:
    found: dict[str, list[Through]] = defaultdict(list)
    for call in through:
        found[call.filename].append(call)
    return found


def _judge(
    finding: Finding,
    is_shown: bool,
    sites: Sequence[WaitSite],
    through: Mapping[str, list[Through]],
    executions: Callable[[str, Span], Executed | None],
) -> Judged:
    span = span_of(finding)
    executed = executions(finding.filename, span)
    times = None if executed is None else executed.times
    waits, waited, seconds = _summed(sites)
    allowed = sum(site.waits for site in sites if site.allowed is not None)
    is_through = False
    if not waits:
        waits, waited, seconds = _summed([call for call in through.get(finding.filename, ()) if _calls(span, call)])
        is_through = waits > 0
    if waits:
        if waited is not None and times is not None:
            times = max(times, waited)
        return Judged(finding, is_shown, CONFIRMED, waits, waited, times, seconds, allowed, is_through)
    status = NOT_SEEN
    if executed is not None and not executed.times:
        status = NOT_REACHED
    elif executed is not None and executed.is_sure:
        status = REFUTED
    return Judged(finding, is_shown, status, 0, None if times is None else 0, times, 0.0, 0, False)


def _calls(span: Span, call: Through) -> bool:
    return call.span == span or (not call.span.column and call.span.row == span.row)


def _summed(parts: Sequence[WaitSite] | Sequence[Through]) -> tuple[int, int | None, float]:
    """Waits, executions that waited, and seconds. The same execution may have waited at several parts."""
    counted = [part.waited for part in parts if part.waited is not None]
    waited = max(counted) if counted and len(counted) == len(parts) else None
    return sum(part.waits for part in parts), waited, sum(part.seconds for part in parts)


def _missed(uncovered: Iterable[tuple[WaitSite, Finding | None]]) -> tuple[Missed, ...]:
    """One entry for each expression, the one that blocked longest first."""
    groups: dict[tuple[str, Span], list[tuple[WaitSite, Finding | None]]] = defaultdict(list)
    for site, hidden in uncovered:
        groups[site.filename, site.span].append((site, hidden))
    found = []
    for group in groups.values():
        # The rule of the wait that blocked longest, of those that have one.
        main = max((site for site, _ in group), key=lambda site: (site.code is not None, site.seconds, site.waits))
        waits, waited, seconds = _summed([site for site, _ in group])
        hidden = next((finding for _, finding in group if finding is not None), None)
        inside: dict[str, int] = {}
        for name, count in (pair for site, _ in sorted(group, key=lambda one: -one[0].seconds) for pair in site.inside):
            inside[name] = inside.get(name, 0) + count
        together = main._replace(waits=waits, waited=waited, seconds=seconds, inside=tuple(inside.items()))
        found.append(Missed(together, hidden))
    return tuple(sorted(found, key=lambda m: (-m.site.seconds, -m.site.waits, m.site.filename, m.site.span)))
