"""What the tests of a run showed, gathered where the run is reported: in xdist's controller, or the one process."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hostsync import __version__
from hostsync.lint import baseline
from hostsync.pytest_plugin.judging import Verdict
from hostsync.pytest_plugin.settings import Settings
from hostsync.report.quantities import counted

Data = Mapping[str, Any]


def data_of(verdict: Verdict, sites: list[dict[str, Any]], sources: Iterable[str]) -> dict[str, Any]:
    """What the report of a test carries to the controller: plain types only.

    Args:
        verdict: of the test.
        sites: its unexpected and allowed sites.
        sources: how waits were seen.
    """
    policy = verdict.policy
    own = [(text.text, text.text in verdict.used) for text in policy.allow]
    if policy.reason is not None:
        own.append((f"allow_host_sync({policy.reason!r})", "" in verdict.used))
    return {
        "waits": verdict.waits,
        "max": policy.max,
        "level": policy.level,
        "over": verdict.is_over,
        "enforced": policy.is_enforced,
        "blocked_s": round(sum(site.seconds for site in verdict.unexpected), 9),
        "allowed": sum(site.count for site in verdict.allowed),
        "explicit": verdict.explicit,
        "warmup": verdict.warm,
        "baselined": verdict.baselined,
        **{fate.replace(" ", "_"): verdict.aside.get(fate, 0) for fate in ("checked", "first use", "shared")},
        "sources": list(sources),
        "sites": sites,
        "known": [[*key, place.row, place.column] for key, place in verdict.known],
        "used": sorted(verdict.used),
        "own": [[policy.holder, text, used] for text, used in own],
    }


class Gathered:
    """The results of a run.

    Attributes:
        inactive: why tests were not watched, by reason, with their number.
        elsewhere: waits that belong to no test.
    """

    def __init__(self) -> None:
        self.inactive: Counter[str] = Counter()
        self.elsewhere = 0
        self._sources: set[str] = set()
        self._blind: set[str] = set()
        self._tests: dict[tuple[str, str], tuple[str, Data]] = {}

    def add(self, nodeid: str, when: str, outcome: str, data: Data) -> None:
        """Take in the report of one phase of a test."""
        self._tests[nodeid, when] = (outcome, data)

    def add_process(self, data: Data) -> None:
        """Take in what `process_data` says of a process."""
        self.inactive.update(data["inactive"])
        self.elsewhere += data["elsewhere"]
        self._sources.update(data["sources"])
        self._blind.update(data["blind"])

    @property
    def sources(self) -> tuple[str, ...]:
        """How waits were seen."""
        return tuple(sorted(self._sources))

    @property
    def blind(self) -> tuple[str, ...]:
        """What the sources could not see."""
        return tuple(sorted(self._blind))

    @property
    def watched(self) -> int:
        """The tests that were watched."""
        return len({nodeid for nodeid, _ in self._tests})

    def over(self) -> tuple[str, ...]:
        """The tests with more unexpected waits than they may have."""
        return tuple(sorted({nodeid for (nodeid, _), (_, data) in self._tests.items() if data["over"]}))

    def sum_of(self, key: str) -> int:
        """A figure, over all tests."""
        return sum(int(data[key]) for _, data in self._tests.values())

    def sites(self) -> list[dict[str, Any]]:
        """The unexpected sites of all tests together, the longest blocked first, each with the tests that have it."""
        merged: dict[tuple[Any, ...], dict[str, Any]] = {}
        for (nodeid, _), (_, data) in sorted(self._tests.items()):
            for site in data["sites"]:
                if site["allowed"] is not None:
                    continue
                location = site["location"] or {}
                key = (site["filename"], location.get("row"), location.get("column"), site["kind"], site["code"])
                known = merged.setdefault(
                    key, {**site, "count": 0, "blocked_s": 0.0, "longest_s": 0.0, "bytes": 0, "inside": [], "tests": []}
                )
                known["count"] += site["count"]
                known["blocked_s"] = round(known["blocked_s"] + site["blocked_s"], 9)
                known["longest_s"] = max(known["longest_s"], site["longest_s"])
                known["bytes"] += site["bytes"]
                known["inside"] = _inside(known["inside"], site["inside"])
                if nodeid not in known["tests"]:
                    known["tests"].append(nodeid)
        found = list(merged.values())
        for site in found:
            site["mean_s"] = round(site["blocked_s"] / site["count"], 9)
        return sorted(found, key=lambda site: (-site["blocked_s"], -site["count"], str(site["filename"])))

    def unused(self, settings: Settings) -> Iterator[str]:
        """The allowances that matched nothing in the tests that were watched."""
        if not self._tests:
            return
        used = {text for _, data in self._tests.values() for text in data["used"]}
        yield from (f"--host-sync-allow {one.text}" for one in settings.allow if one.text not in used)
        own: dict[tuple[str, str], bool] = {}
        for (_, when), (_, data) in self._tests.items():
            for holder, text, was_used in data["own"] if when == "call" else ():
                own[holder, text] = own.get((holder, text), False) or was_used
        yield from (f"{holder}: {text}" for (holder, text), was_used in sorted(own.items()) if not was_used)

    def counts(self) -> baseline.Counts:
        """The baseline that accepts everything of this run."""
        places = {tuple(entry) for _, data in self._tests.values() for entry in data["known"]}
        return Counter(baseline.Key(*entry[:3]) for entry in places)

    def stale(self, recorded: baseline.Counts) -> int:
        """The entries of a baseline that record more than was found."""
        found = self.counts()
        return sum(found.get(key, 0) < count for key, count in recorded.items())

    def as_json(self, settings: Settings) -> str:
        """The report for programs."""
        tests = [
            {"nodeid": nodeid, "phase": when, "outcome": outcome, **_without_internals(data)}
            for (nodeid, when), (outcome, data) in sorted(self._tests.items())
        ]
        whole = {
            "hostsync": __version__,
            "mode": settings.mode,
            "level": settings.level,
            "scope": sorted(settings.scope),
            "inactive": dict(self.inactive),
            "sources": list(self.sources),
            "blind_spots": list(self.blind),
            "tests_watched": self.watched,
            "waits": self.sum_of("waits"),
            "waits_of_no_test": self.elsewhere,
            "unused_allowances": list(self.unused(settings)),
            "sites": self.sites(),
            "tests": tests,
        }
        return json.dumps(whole, indent=2) + "\n"


_INTERNAL = ("known", "used", "own")


def _inside(*lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What waited inside of one site in several tests, together."""
    found: dict[str, dict[str, Any]] = {}
    for part in (part for parts in lists for part in parts):
        key = json.dumps([part["library"], part["operation"]])
        known = found.setdefault(key, {**part, "count": 0, "blocked_s": 0.0, "longest_s": 0.0})
        known["count"] += part["count"]
        known["blocked_s"] = round(known["blocked_s"] + part["blocked_s"], 9)
        known["longest_s"] = max(known["longest_s"], part["longest_s"])
    return sorted(found.values(), key=lambda part: (-part["blocked_s"], -part["count"]))


def _without_internals(data: Data) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _INTERNAL}


def process_data(inactive: Mapping[str, int], elsewhere: int, sources: Iterable[str], blind: Iterable[str]) -> Data:
    """What a process says of itself at its end: plain types only."""
    return {"inactive": dict(inactive), "elsewhere": elsewhere, "sources": list(sources), "blind": list(blind)}


def read_baseline(settings: Settings, warn: Callable[[str], None]) -> baseline.Counts:
    """The baseline of a run; empty without one.

    Where nothing can be watched, one that is not there is only warned of: nothing is held to it.

    Raises:
        pytest.UsageError: it is not there, unless it is to be written, or can't be read.
    """
    path = settings.baseline
    if path is None or (settings.update and not path.exists()):
        return {}
    if not path.exists():
        text = f"hostsync: {path}: there is no such baseline; --host-sync-update writes it"
        if _can_watch():
            raise pytest.UsageError(text)
        warn(text)
        return {}
    try:
        return baseline.read(path)
    except baseline.BaselineError as error:
        raise pytest.UsageError(f"hostsync: {error}".replace("--update-baseline", "--host-sync-update")) from error


def _can_watch() -> bool:
    from hostsync.runtime import prerequisites

    try:
        prerequisites.require_cuda()
    except prerequisites.NothingToWatchError:
        return False
    return True


def write_baseline(path: Path, gathered: Gathered, recorded: baseline.Counts, is_partial: bool) -> str:
    """Writes the baseline and says so.

    Args:
        path: the file.
        gathered: the run.
        recorded: what it held; kept where a partial run has seen nothing.
        is_partial: whether tests were selected.

    Raises:
        BaselineError: it can't be written.
    """
    counts = gathered.counts()
    baseline.write(path, {**recorded, **counts} if is_partial else counts)
    kept = len(set(recorded) - set(counts)) if is_partial else 0
    more = f", {counted(kept, 'entry').replace('entrys', 'entries')} of tests that did not run kept" if kept else ""
    return f"baseline {path}: {counted(sum(counts.values()), 'place')} recorded{more}"
