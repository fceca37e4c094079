"""Ranks that meet, and their reports added up."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hostsync.runtime.ranks import Meeting, meeting, merge
from hostsync.runtime.ranks_report import counts
from hostsync.runtime.read_report import ReportError, read_report

ENVIRONMENT = {"RANK": "1", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "of-this-test", "MASTER_PORT": "1"}


def site(row: int, count: int, seconds: float, **more: Any) -> dict[str, Any]:
    return {
        "code": "HS101",
        "filename": "/train.py",
        "location": {"row": row, "column": 5},
        "end_location": {"row": row, "column": 9},
        "symbol": "train",
        "kind": "stream",
        "call": "cuStreamSynchronize",
        "operation": None,
        "count": count,
        "blocked_s": seconds,
        "longest_s": seconds / count,
        "bytes": 0,
        "memory": None,
        "streams": [7],
        "phase": "other",
        "thread": "MainThread",
        "seen_by": "driver",
        "allowed": None,
        "library": None,
        "callers": [],
        **more,
    }


def report(rank: int, *sites: Mapping[str, Any]) -> dict[str, Any]:
    waits, seconds = sum(one["count"] for one in sites), sum(one["blocked_s"] for one in sites)
    return {"rank": rank, "waits": waits, "blocked_s": seconds, "wall_s": 10.0, "sites": list(sites)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def of_rank(rank: int, **more: str) -> Meeting:
    found = meeting({**ENVIRONMENT, "RANK": str(rank), **more})
    assert found is not None
    return found


def test_the_last_rank_gets_all_and_nothing_stays(folder: Path) -> None:
    first, second = of_rank(0), of_rank(1)
    first.arrive()
    second.arrive()
    assert second.leave(report(1, site(3, 5, 0.5))) is None
    reports = first.leave(report(0, site(3, 2, 0.25)))
    assert reports is not None
    assert [one.run["rank"] for one in reports] == [0, 1]
    assert list(folder.iterdir()) == []


def test_what_an_earlier_run_left_does_not_count() -> None:
    of_rank(1).leave(report(1))
    first, second = of_rank(0), of_rank(1)
    first.arrive()
    second.arrive()
    assert first.leave(report(0)) is None
    assert second.leave(report(1)) is not None


def test_other_runs_and_restarts_meet_elsewhere() -> None:
    assert of_rank(0).leave(report(0)) is None
    assert of_rank(1, TORCHELASTIC_RESTART_COUNT="1").leave(report(1)) is None
    assert of_rank(1, MASTER_PORT="2").leave(report(1)) is None


@pytest.mark.parametrize("missing", [{"RANK": ""}, {"LOCAL_WORLD_SIZE": "1"}, {"LOCAL_WORLD_SIZE": ""}, {"RANK": "-1"}])
def test_a_process_that_is_alone(missing: dict[str, str]) -> None:
    assert meeting({**ENVIRONMENT, **missing}) is None


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="needs symbolic links")
def test_a_folder_of_somebody_else_is_not_used(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    ranks = of_rank(0)
    ranks._folder.symlink_to(folder / "elsewhere")
    with pytest.raises(OSError, match="somebody else"):
        ranks.leave(report(0))
    assert list((folder / "elsewhere").iterdir()) == []


def test_a_report_that_cannot_be_read() -> None:
    of_rank(1).leave({"rank": 1})
    with pytest.raises(ReportError, match=r"`rank1.json`: .* no list of sites"):
        of_rank(0).leave(report(0))
    with pytest.raises(ReportError, match="KeyError"):
        read_report({"sites": [{}], "waits": 1, "blocked_s": 1, "wall_s": 1})
    with pytest.raises(ReportError, match="version 2, and this release reads up to 1"):
        read_report({**report(0), "hostsync_run": 2})
    assert read_report({**report(0), "hostsync_run": 1}).sites == read_report(report(0)).sites == ()


def test_sums_and_differences() -> None:
    reports = [
        report(0, site(3, 5, 0.5), site(8, 1, 2.0)),
        report(1, site(3, 5, 0.75)),
        report(2, site(3, 5, 0.25), site(8, 1, 1.0), site(8, 2, 1.0, kind="device")),
    ]
    merged = merge(map(read_report, reports))
    rows = [
        (one.site.place and one.site.place.row, one.site.kind, one.site.count, one.site.seconds) for one in merged.sites
    ]
    assert rows == [(8, "stream", 2, 3.0), (3, "stream", 15, 1.5), (8, "device", 2, 1.0)]
    assert [one.differs for one in merged.sites] == [True, False, True]
    assert [dict(one.counts) for one in merged.sites] == [{0: 1, 1: 0, 2: 1}, {0: 5, 1: 5, 2: 5}, {0: 0, 1: 0, 2: 2}]
    assert merged.sites[0].site.longest == 2.0
    assert (merged.total("waits"), merged.total("wall_s")) == (19, 30.0)


def test_counts_in_words() -> None:
    assert counts({0: 10, 1: 15}) == "10 on rank 0, 15 on rank 1"
    assert counts({0: 1, 1: 1, 2: 1, 3: 4, 4: 1, 5: 1}) == "1 on ranks 0-2 and 4-5, 4 on rank 3"
