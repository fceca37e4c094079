"""What a rank of torchrun reports besides its own file: to the last of them falls the report over all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hostsync.cli.run_output import in_format, say, text_of, write
from hostsync.report.escape import visible
from hostsync.report.quantities import counted, duration
from hostsync.report.style import Style
from hostsync.runtime.cause import Causes
from hostsync.runtime.data_report import document
from hostsync.runtime.ranks import Meeting, Merged, merge
from hostsync.runtime.ranks_report import render_json, render_jsonl, render_text
from hostsync.runtime.read_report import ReportError
from hostsync.runtime.session import Seen
from hostsync.runtime.text_report import headline

if TYPE_CHECKING:
    from hostsync.runtime.read_report import Report


def merged_report(
    ranks: Meeting, seen: Seen, causes: Causes, output: Path | None, output_format: str, top: int, root: Path | None
) -> bool:
    """Leaves this rank's report, and writes the one over all if no other is awaited.

    Without a file to write to, a rank that ended well says one line, so that eight reports don't run into each other;
    one that failed says all, because it may be that no other comes to merge it.

    Args:
        ranks: where they meet.
        seen: what this rank saw.
        causes: knows the rules.
        output: this rank's own file; None for standard error.
        output_format: one of those of `hostsync run`.
        top: rows of the table.
        root: the folder that paths in formats of CI are relative to.

    Returns:
        Whether what was to be written is written.
    """
    failed = seen.ended.code != 0
    reports: tuple[Report, ...] | None = None
    trouble = ""
    try:
        reports = ranks.leave(document(seen, causes))
    except (OSError, ReportError) as error:
        trouble = f"the reports of the ranks can't be merged: {error}"
    if output is None:
        if failed or trouble:
            say(text_of(seen, causes, top))
        else:
            say(lambda style: [headline(seen)])
    if trouble:
        say(lambda style: [f"hostsync: {visible(trouble)}"])
        return False
    if reports is None:
        return True
    merged = merge(reports)
    if output is None:
        say(lambda style: render_text(merged, causes, top, style))
        return True
    return write(merged_file(output, ranks.rank), _lines(merged, causes, output_format, top, root))


def merged_file(own: Path, rank: int) -> Path:
    """The file of the report over all ranks of this host, from that of one: `report.json` from `report.rank3.json`."""
    nodes = os.environ.get("GROUP_WORLD_SIZE", "1")
    node = f".node{os.environ.get('GROUP_RANK', '0')}" if nodes != "1" else ""
    return own.with_name(own.name.replace(f".rank{rank}", node, 1))


def _lines(merged: Merged, causes: Causes, output_format: str, top: int, root: Path | None) -> Iterable[str]:
    if output_format == "json":
        return render_json(merged, causes)
    if output_format == "jsonl":
        return render_jsonl(merged, causes)
    if output_format == "text":
        return render_text(merged, causes, top, Style())
    waits = counted(int(merged.total("waits")), "host wait")
    notes = [f"{len(merged.runs)} ranks: {waits} blocked {duration(merged.total('blocked_s'))}."]
    notes += dict.fromkeys(str(spot) for run in merged.runs for spot in run["blind_spots"])
    environment = merged.runs[0]["environment"] if merged.runs else {}
    return in_format(output_format, (shared.site for shared in merged.sites), causes, root, environment, notes)
