"""The ranks of one torchrun: they leave their reports in a folder, and the last to end merges them.

No rank waits for another. A rank that is killed leaves no report; then no rank is the last, and the reports stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.runtime.read_report import Report, ReportError, read_report
from hostsync.runtime.records import Site
from hostsync.runtime.tally import key_of, merged_parts


class Meeting:
    """The folder where the ranks of this host leave their reports.

    Attributes:
        rank: the number of this one.
        size: how many there are on this host.
    """

    def __init__(self, rank: int, size: int, folder: Path) -> None:
        self.rank = rank
        self.size = size
        self._folder = folder

    def arrive(self) -> None:
        """Takes away what an earlier run may have left."""
        with contextlib.suppress(OSError):
            self._file(self.rank).unlink()
        with contextlib.suppress(OSError):
            (self._folder / "merging").rmdir()

    def leave(self, report: Mapping[str, Any]) -> tuple[Report, ...] | None:
        """Leaves this rank's report.

        Args:
            report: as `data_report.render_json` has it.

        Returns:
            The reports of all ranks of this host in their order, to the last of them; None to the others.

        Raises:
            OSError: it can't be left.
            ReportError: another rank's can't be read.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if not _is_ours(self._folder):
            raise OSError(f"`{self._folder}` belongs to somebody else")
        own = self._file(self.rank)
        partial = own.with_suffix(".partial")
        partial.write_text(json.dumps(report), encoding="utf-8")
        partial.replace(own)
        files = sorted(self._folder.glob("rank*.json"), key=lambda path: int(path.stem[4:]))
        if len(files) < self.size:
            return None
        try:
            # Two may find that all are there; one of them can make this.
            (self._folder / "merging").mkdir()
        except FileExistsError:
            return None
        reports = tuple(_read(path) for path in files)
        shutil.rmtree(self._folder, ignore_errors=True)
        return reports

    def _file(self, rank: int) -> Path:
        return self._folder / f"rank{rank}.json"


def meeting(environment: Mapping[str, str]) -> Meeting | None:
    """The meeting of this process; None if it is no rank among others on its host.

    Args:
        environment: the variables that torchrun sets.
    """
    rank, size = environment.get("RANK", ""), environment.get("LOCAL_WORLD_SIZE", "")
    if not rank.isdigit() or not size.isdigit() or int(size) < 2:
        return None
    names = ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT", "GROUP_RANK")
    user = str(os.getuid()) if hasattr(os, "getuid") else ""
    text = "\0".join((user, *(environment.get(name, "") for name in names)))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Meeting(int(rank), int(size), Path(tempfile.gettempdir()) / f"hostsync-ranks-{key}")


def _is_ours(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def _read(path: Path) -> Report:
    try:
        return read_report(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise ReportError(f"`{path.name}`: {error}") from error


# --- merging -------------------------------------------------------------------------------------


class Shared(NamedTuple):
    """A site over all ranks."""

    site: Site
    """The sums; the example is that of the rank that waited longest in one wait."""
    counts: Mapping[int, int]
    """How often each rank waited there; ranks that didn't are there with 0."""

    @property
    def differs(self) -> bool:
        """Whether some rank waited there more often than another."""
        return len(set(self.counts.values())) > 1


class Merged(NamedTuple):
    """The reports of several ranks."""

    runs: tuple[Mapping[str, Any], ...]
    """What each report says of its run as a whole, by rank."""
    sites: tuple[Shared, ...]
    """The one that blocked longest first."""

    def total(self, key: str) -> float:
        """A figure of the runs, added up."""
        return sum(run[key] or 0 for run in self.runs)


def merge(reports: Iterable[Report]) -> Merged:
    """Adds the sites of several ranks up."""
    reports = tuple(reports)
    ranks = [_rank(report, at) for at, report in enumerate(reports)]
    found: dict[tuple[object, ...], list[tuple[int, Site]]] = defaultdict(list)
    for rank, report in zip(ranks, reports, strict=True):
        for site in report.sites:
            found[key_of(site.example)].append((rank, site))
    shared = [_shared(ranks, sites) for sites in found.values()]
    shared.sort(key=lambda one: (-one.site.seconds, -one.site.count, one.site.place or ()))
    return Merged(tuple(report.run for report in reports), tuple(shared))


def _rank(report: Report, at: int) -> int:
    rank = report.run.get("rank")
    return rank if isinstance(rank, int) else at


def _shared(ranks: list[int], found: list[tuple[int, Site]]) -> Shared:
    sites = [site for _, site in found]
    worst = max(sites, key=lambda site: site.longest)
    counts = dict.fromkeys(ranks, 0)
    for rank, site in found:
        counts[rank] += site.count
    site = worst._replace(
        count=sum(site.count for site in sites),
        seconds=sum(site.seconds for site in sites),
        bytes=sum(site.bytes for site in sites),
        streams=tuple(sorted({stream for site in sites for stream in site.streams})),
        parts=merged_parts(sites),
    )
    return Shared(site, counts)
