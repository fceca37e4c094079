"""Waits → sites, in bounded memory: every wait is counted at its site, and a sample of the single waits is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from hostsync.runtime.records import Site, Wait
from hostsync.runtime.tally import Room, Tally, key_of

MOST_SITES = 20_000
"""Further sites are counted together as one without a place."""
MOST_EVENTS = 20_000
"""Single waits that are kept, a random sample when there are more."""


class Event(NamedTuple):
    """One wait of the sample, and when it ended."""

    end: float
    """Seconds since the run began."""
    wait: Wait


class Totals(NamedTuple):
    """Sums over all sites. What is allowed, and what was skipped, is not in `waits` and `seconds`."""

    waits: int
    seconds: float
    allowed: int
    allowed_seconds: float
    skipped: int
    """Waits that were left out: before the first step that counts, or the warm-up of their site."""
    skipped_seconds: float
    crowded: int
    """Waits whose site had no room, and are counted without a place."""


class Aggregator:
    """Adds waits up. `add` may be called from any thread, and from a signal handler that interrupts it."""

    def __init__(self, *, warmup: int = 0, most_sites: int = MOST_SITES, most_events: int = MOST_EVENTS) -> None:
        """
        Args:
            warmup: the first hits of each site that are not counted.
            most_sites: sites that are told apart.
            most_events: single waits that are kept.
        """
        self.counting = True
        """While it is false, waits are skipped."""
        self._warmup = warmup
        self._most_sites = most_sites
        self._most_events = most_events
        self._tallies: dict[tuple[object, ...], Tally] = {}
        self._crowd: Tally | None = None
        self._room = Room()
        self._events: list[Event] = []
        self._offered = 0
        # A generator of its own: the watched program must draw the same random numbers as without us.
        self._random = Random(0)
        self._skipped = 0
        self._skipped_seconds = 0.0
        # Reentrant: the handler of SIGTERM may write the report while its own thread is inside `add`.
        self._lock = threading.RLock()

    def add(self, wait: Wait, end: float = 0.0) -> None:
        """Counts one wait.

        Args:
            wait: what happened.
            end: when the wait ended, in seconds since the run began.
        """
        with self._lock:
            if not self.counting:
                self._skip(wait)
                return
            tally = self._tally(wait)
            tally.seen += 1
            if tally.seen <= self._warmup and tally is not self._crowd:
                self._skip(wait)
                return
            tally.add(wait, self._room)
            self._keep(Event(end, wait))

    def sites(self, code_of: Callable[[Wait], str | None] = lambda wait: None) -> tuple[Site, ...]:
        """The sites, the one that blocked longest first.

        Args:
            code_of: names the rule that speaks of a wait; asked once for each site.
        """
        with self._lock:
            tallies = list(self._tallies.values())
            crowd = self._crowd
        found = [tally.site(code_of(tally.example)) for tally in tallies if tally.count]
        if crowd is not None:
            anywhere = crowd.example._replace(kind="other", operation="", place=None, library=None, callers=())
            crowded = crowd.site(None)
            found.append(crowded._replace(place=None, kind="other", operation="", example=anywhere, parts=()))
        return tuple(sorted(found, key=_rank))

    def totals(self) -> Totals:
        """The sums so far."""
        with self._lock:
            tallies = [*self._tallies.values(), *filter(None, [self._crowd])]
            plain = [tally for tally in tallies if tally.example.allowed is None]
            allowed = [tally for tally in tallies if tally.example.allowed is not None]
            return Totals(
                waits=sum(tally.count for tally in plain),
                seconds=sum(tally.seconds for tally in plain),
                allowed=sum(tally.count for tally in allowed),
                allowed_seconds=sum(tally.seconds for tally in allowed),
                skipped=self._skipped,
                skipped_seconds=self._skipped_seconds,
                crowded=self._crowd.count if self._crowd else 0,
            )

    def events(self) -> tuple[Event, ...]:
        """The waits of the sample, in order of time."""
        with self._lock:
            return tuple(sorted(self._events, key=lambda event: event.end))

    @property
    def is_sampled(self) -> bool:
        """Whether `events` leaves some out."""
        return self._offered > self._most_events

    def _tally(self, wait: Wait) -> Tally:
        key = key_of(wait)
        tally = self._tallies.get(key)
        if tally is not None:
            return tally
        if len(self._tallies) < self._most_sites:
            tally = self._tallies[key] = Tally(wait)
            return tally
        if self._crowd is None:
            self._crowd = Tally(wait._replace(allowed=None))
        return self._crowd

    def _skip(self, wait: Wait) -> None:
        self._skipped += 1
        self._skipped_seconds += wait.seconds

    def _keep(self, event: Event) -> None:
        """Reservoir sampling: each wait has the same chance to be kept."""
        self._offered += 1
        if len(self._events) < self._most_events:
            self._events.append(event)
            return
        at = int(self._random.random() * self._offered)
        if at < self._most_events:
            self._events[at] = event


def _rank(site: Site) -> tuple[float, int, str, int, int, str]:
    where = ("", 0, 0) if site.place is None else site.place[:3]
    return (-site.seconds, -site.count, *where, site.kind)
