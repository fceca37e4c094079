"""The report over several ranks: the sums, and where the ranks differ."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from hostsync.report.escape import visible
from hostsync.report.quantities import counted, duration, percent
from hostsync.report.style import Style
from hostsync.runtime.cause import Causes
from hostsync.runtime.data_report import site_dict
from hostsync.runtime.ranks import Merged, Shared
from hostsync.runtime.read_report import VERSION
from hostsync.runtime.text_report import render_sites, what, where

SHOWN = 20
"""Sites at which ranks differ that are shown, and rows of the ranks themselves."""


def render_text(merged: Merged, causes: Causes, top: int, style: Style) -> Iterator[str]:
    """The lines of the report for reading. The arguments are those of `text_report.render`."""
    seconds = merged.total("wall_s")
    waits = counted(int(merged.total("waits")), "host wait")
    yield style.strong(f"{len(merged.runs)} ranks: {waits} blocked {_of(merged.total('blocked_s'), seconds)}")
    yield from (f"  {line}" for line in _ranks(merged, style))
    yield from render_sites((shared.site for shared in merged.sites), seconds, causes, top, style)
    yield from _differences(merged, style)


def _of(blocked: float, seconds: float) -> str:
    share = f" ({percent(blocked / seconds)})" if seconds else ""
    return f"{duration(blocked)} of {duration(seconds)}{share}"


def _ranks(merged: Merged, style: Style) -> Iterator[str]:
    # The ones that waited longest are those that a reader looks for among many.
    runs = sorted(merged.runs, key=lambda run: -run["blocked_s"])[:SHOWN]
    for run in sorted(runs, key=lambda run: run.get("rank") or 0):
        ended = f", ended by {visible(str(run['ended_by']))}" if run.get("ended_by") else ""
        waits = counted(run["waits"], "wait")
        yield f"rank {run.get('rank')}: {waits}, {_of(run['blocked_s'], run['wall_s'])}{ended}"
    if len(merged.runs) > SHOWN:
        yield style.dim(f"and {len(merged.runs) - SHOWN} ranks that were blocked less")


def _differences(merged: Merged, style: Style) -> Iterator[str]:
    differing = [shared for shared in merged.sites if shared.differs]
    if not differing:
        yield style.strong("Every rank waited as often at each of these places.")
        return
    yield style.strong(f"Ranks differ at {counted(len(differing), 'place')}:")
    for shared in differing[:SHOWN]:
        yield f"  {where(shared.site.place)}  {what(shared.site)}  {style.dim(counts(shared.counts))}"
    if len(differing) > SHOWN:
        yield style.dim(f"  and at {len(differing) - SHOWN} more, see --output-format json")


def counts(by_rank: Mapping[int, int]) -> str:
    """`10 on ranks 0-2 and 7, 15 on rank 3`."""
    ranks_of: dict[int, list[int]] = defaultdict(list)
    for rank, count in sorted(by_rank.items()):
        ranks_of[count].append(rank)
    return ", ".join(
        f"{count:,} on {'rank' if len(ranks) == 1 else 'ranks'} {_spans(ranks)}" for count, ranks in ranks_of.items()
    )


def _spans(numbers: list[int]) -> str:
    """`0-2 and 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return " and ".join("-".join(map(str, span)) for span in spans)


def render_json(merged: Merged, causes: Causes) -> Iterator[str]:
    """One object: the sums, under `ranks` each run, under `sites` every site."""
    yield json.dumps({**_sums(merged), "ranks": list(merged.runs), "sites": list(_sites(merged, causes))}, indent=2)


def render_jsonl(merged: Merged, causes: Causes) -> Iterator[str]:
    """One object on each line, told apart by `type`: the sums, each rank's run, every site."""
    yield json.dumps({"type": "ranks", **_sums(merged)})
    for run in merged.runs:
        yield json.dumps({"type": "run", **run})
    for site in _sites(merged, causes):
        yield json.dumps({"type": "site", **site})


def _sums(merged: Merged) -> dict[str, Any]:
    return {
        "hostsync_run": VERSION,
        "world": len(merged.runs),
        "waits": int(merged.total("waits")),
        "blocked_s": round(merged.total("blocked_s"), 9),
        "wall_s": round(merged.total("wall_s"), 9),
        "allowed_waits": int(merged.total("allowed_waits")),
        "ranks_differ": any(shared.differs for shared in merged.sites),
    }


def _sites(merged: Merged, causes: Causes) -> Iterator[dict[str, Any]]:
    seconds = merged.total("wall_s")
    for shared in merged.sites:
        yield _site(shared, seconds, causes)


def _site(shared: Shared, seconds: float, causes: Causes) -> dict[str, Any]:
    by_rank = {str(rank): count for rank, count in sorted(shared.counts.items())}
    return {**site_dict(shared.site, seconds, causes), "counts_by_rank": by_rank, "ranks_differ": shared.differs}
