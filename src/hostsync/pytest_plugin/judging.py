"""What the waits of a test amount to. Pure functions over what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hostsync.lint.baseline import Counts, Key, file_key
from hostsync.pytest_plugin.allowances import Allowance, matches
from hostsync.pytest_plugin.ledger import Group
from hostsync.pytest_plugin.markers import Policy
from hostsync.runtime.cause import Causes
from hostsync.runtime.inside import parts_of
from hostsync.runtime.records import Place, Site, Wait
from hostsync.runtime.tally import merged_parts

_RUNNERS = ("/_pytest/", "/pluggy/", "/xdist/")


class Grounds(NamedTuple):
    """What waits are judged by, besides the test's own policy."""

    causes: Causes
    allow: tuple[Allowance, ...]
    baseline: Counts
    baseline_file: Path
    root: Path


class Verdict(NamedTuple):
    """What was found."""

    unexpected: tuple[Site, ...]
    """The longest blocked first."""
    allowed: tuple[Site, ...]
    explicit: int
    """Waits that were asked for, and don't count at this level."""
    warm: int
    """Waits that fell into the warm-up of their place."""
    aside: Mapping[str, int]
    """Waits that are not judged with the test, by their fate."""
    baselined: int
    known: tuple[tuple[Key, Place], ...]
    """The places that a baseline of this test would hold."""
    used: frozenset[str]
    """The allowances that matched, as written."""
    policy: Policy

    @classmethod
    def clean(cls, policy: Policy) -> Verdict:
        """The verdict on a test without a wait."""
        return cls((), (), 0, 0, {}, 0, (), frozenset(), policy)

    @property
    def waits(self) -> int:
        """The unexpected waits."""
        return sum(site.count for site in self.unexpected)

    @property
    def is_over(self) -> bool:
        """Whether there are more than there may be."""
        return self.waits > self.policy.max

    @property
    def fails(self) -> bool:
        """Whether the test fails for it."""
        return self.is_over and self.policy.is_enforced


def judge(groups: Iterable[Group], policy: Policy, grounds: Grounds) -> Verdict:
    """Judges the waits of a test.

    In this order a wait is: set aside by its fate; allowed in the source, by an `allow` or a comment; left out as
    explicit; allowed by the marker, then by an allowance; warm-up; known to the baseline; unexpected.
    """
    explicit = baselined = warm = 0
    aside: Counter[str] = Counter()
    allowed: list[Site] = []
    used: set[str] = set()
    left: dict[tuple[object, ...], Site] = {}
    allowances = (*policy.allow, *grounds.allow)
    for site, fate in groups:
        wait = _of_the_test(site.example)
        code = grounds.causes.code_of(wait)
        site = site._replace(code=code, example=wait)
        if fate:
            aside[fate] += site.count
        elif site.allowed is not None:
            allowed.append(site)
        elif policy.level == "implicit" and grounds.causes.is_explicit(wait):
            explicit += site.count
        elif policy.reason is not None:
            allowed.append(site._replace(allowed=policy.reason))
            used.add("")
        else:
            rule = grounds.causes.rule(code)
            by = [one.text for one in allowances if matches(one, wait, rule, grounds.root)]
            if by:
                used.update(by)
                allowed.append(site._replace(allowed=f"allowed by {by[0]}"))
                continue
            key = (site.place, site.kind, code, site.memory)
            before = left.get(key)
            left[key] = site if before is None else _together(before, site)
    counting = []
    for site in left.values():
        skipped = min(policy.warmup, site.count)
        warm += skipped
        if site.count > skipped:
            counting.append(_without(site, skipped))
    known = _known(counting, grounds)
    hidden = _hidden(known, grounds.baseline)
    unexpected = []
    for site in counting:
        if site.place is not None and (_key(site, grounds), site.place) in hidden:
            baselined += site.count
        else:
            unexpected.append(site)
    return Verdict(
        tuple(sorted(unexpected, key=_rank)),
        tuple(sorted(allowed, key=_rank)),
        explicit,
        warm,
        aside,
        baselined,
        known,
        frozenset(used),
        policy,
    )


def _together(one: Site, other: Site) -> Site:
    return one._replace(
        count=one.count + other.count,
        seconds=one.seconds + other.seconds,
        longest=max(one.longest, other.longest),
        bytes=one.bytes + other.bytes,
        streams=tuple(sorted({*one.streams, *other.streams})),
        example=one.example if one.longest >= other.longest else other.example,
        parts=merged_parts(site._replace(parts=parts_of(site)) for site in (one, other)),
    )


def _of_the_test(wait: Wait) -> Wait:
    """The wait without the callers that are pytest's: those above the test."""
    for depth, caller in enumerate(wait.callers):
        if any(folder in caller.filename.replace("\\", "/") for folder in _RUNNERS):
            return wait._replace(callers=wait.callers[:depth])
    return wait


def _without(site: Site, skipped: int) -> Site:
    """The site without its first waits, of which only the number is known."""
    if not skipped:
        return site
    share = (site.count - skipped) / site.count
    # Which part they were of is not known either.
    site = site._replace(parts=())
    return site._replace(count=site.count - skipped, seconds=site.seconds * share, bytes=round(site.bytes * share))


def _rank(site: Site) -> tuple[float, int, str, int, int]:
    return (-site.seconds, -site.count, *(("", 0, 0) if site.place is None else site.place[:3]))


def _key(site: Site, grounds: Grounds) -> Key:
    place = site.place
    assert place is not None
    return Key(_file_key(place.filename, grounds.baseline_file), place.function, site.code or site.kind)


@lru_cache(maxsize=1024)
def _file_key(filename: str, baseline_file: Path) -> str:
    return file_key(Path(filename), baseline_file)


def _known(sites: Iterable[Site], grounds: Grounds) -> tuple[tuple[Key, Place], ...]:
    return tuple(sorted({(_key(site, grounds), site.place) for site in sites if site.place is not None}))


def _hidden(known: Iterable[tuple[Key, Place]], baseline: Counts) -> set[tuple[Key, Place]]:
    """The places that the baseline covers: it counts places of a key, and takes the first ones."""
    taken: Counter[Key] = Counter()
    hidden = set()
    for key, place in known:
        if taken[key] < baseline.get(key, 0):
            taken[key] += 1
            hidden.add((key, place))
    return hidden
