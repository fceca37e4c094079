"""What a `watch` saw."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from hostsync.report.quantities import counted, duration
from hostsync.runtime.records import SOURCES, Site, Wait
from hostsync.runtime.tally import Room, Tally

if TYPE_CHECKING:
    from hostsync.runtime.cause import Causes
    from hostsync.runtime.sources import Active, Session


class Capture:
    """What a `watch` saw. Its memory stays bounded: sites are counted, and of the waits a sample is kept.

    Attributes:
        count: waits seen that were not allowed.
        allowed: waits seen that were allowed.
        seconds: time blocked in the waits that were not allowed, in seconds; 0.0 where no source can tell.
    """

    KEPT = 10_000
    """Waits kept: the first ones, then a random sample of all."""
    SITES = 20_000
    """Sites told apart; waits at further ones are added up by their kind."""

    def __init__(self, on_wait: Callable[[Wait], None] | None = None, kept: int = KEPT) -> None:
        self.count = 0
        self.allowed = 0
        self.seconds = 0.0
        self._session: Session | None = None
        self._on_wait = on_wait
        self._kept = kept
        self._waits: list[Wait] = []
        self._sites: dict[tuple[Any, ...], Tally] = {}
        self._room = Room()
        self._random = random.Random(0)
        # A callback can interrupt `add` in its own thread (a wait in a finalizer), so the lock must let it in again.
        self._lock = threading.RLock()

    @property
    def active(self) -> Active:
        """The sources that are active (or were when the region ended), what they can't see, and why others are not."""
        from hostsync.runtime.sources import NOTHING_ACTIVE

        return NOTHING_ACTIVE if self._session is None else self._session.active

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the active sources, out of `records.SOURCES`."""
        return self.active.names

    @property
    def blind_spots(self) -> tuple[str, ...]:
        """What none of the active sources can see, and why better ones, or any, are not active; a phrase each."""
        active = self.active
        if not (active.names or active.unavailable):
            from hostsync.runtime.prerequisites import why_unused

            return (f"no source was active: {why_unused()}",)
        return (*active.blind, *(f"{SOURCES[name]}: {why}" for name, why in active.unavailable))

    @property
    def waits(self) -> tuple[Wait, ...]:
        """The waits in the order in which they were seen, allowed ones too; a sample once they are more than `KEPT`."""
        with self._lock:
            return tuple(self._waits)

    def add(self, wait: Wait) -> None:
        """Take in one wait."""
        with self._lock:
            if wait.allowed is None:
                self.count += 1
                self.seconds += wait.seconds
            else:
                self.allowed += 1
            if self._kept:
                self._keep(wait)
        if self._on_wait is not None:
            self._on_wait(wait)

    def _keep(self, wait: Wait) -> None:
        if len(self._waits) < self._kept:
            self._waits.append(wait)
        else:
            at = int(self._random.random() * (self.count + self.allowed))
            if at < self._kept:
                del self._waits[at]
                self._waits.append(wait)
        key = (wait.place, wait.kind, wait.operation, wait.memory, wait.phase, wait.allowed)
        site = self._sites.get(key)
        if site is None:
            if len(self._sites) >= self.SITES:
                key = (None, wait.kind, "", "", "other", wait.allowed)
            site = self._sites.setdefault(key, Tally(wait))
        site.add(wait, self._room)

    def sites(self, code_of: Callable[[Wait], str | None] | None = None) -> tuple[Site, ...]:
        """The waits added up by expression and kind, the longest blocked first, then the most frequent.

        Args:
            code_of: names the rule that speaks of a wait, for `Site.code`; by default out of the shipped rules.
        """
        if code_of is None and self._sites:
            code_of = _shipped().code_of
        with self._lock:
            sites = [
                tally.site(None if code_of is None else code_of(tally.example))._replace(
                    place=place, operation=operation, memory=memory, phase=phase
                )
                for (place, _, operation, memory, phase, _), tally in self._sites.items()
            ]
        return tuple(sorted(sites, key=lambda site: (-site.seconds, -site.count)))

    def __repr__(self) -> str:
        blocked = f", {duration(self.seconds)} blocked" if self.seconds else ""
        allowed = f", {self.allowed:,} allowed" if self.allowed else ""
        seen_by = f"seen by {', '.join(self.sources)}" if self.sources else "; ".join(self.blind_spots)
        return f"<Capture: {counted(self.count, 'wait')}{blocked}{allowed}; {seen_by}>"


@cache
def _shipped() -> Causes:
    from hostsync.catalogue import load_only_rules
    from hostsync.runtime.cause import Causes

    return Causes(load_only_rules())
