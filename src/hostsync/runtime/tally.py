"""The waits of one site, added up as they come: the sums, the longest one, and what waited inside the expression."""

from __future__ import annotations

from collections.abc import Iterable

from hostsync.runtime.records import Part, Place, Site, Wait

MOST_STREAMS = 32
"""Streams that a site remembers."""
MOST_PARTS = 40_000
"""Parts that the sites of a run tell apart, all together; further ones are one part of their site."""

PartKey = tuple["Place | None", str]


class Room:
    """How many more parts may be told apart."""

    __slots__ = ("left",)

    def __init__(self, left: int = MOST_PARTS) -> None:
        self.left = left


class _Sums:
    __slots__ = ("count", "longest", "seconds")

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        self.longest = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.seconds += seconds
        if seconds > self.longest:
            self.longest = seconds


class Tally:
    """What is known of one site so far. Whoever adds holds a lock."""

    __slots__ = ("bytes", "count", "example", "longest", "parts", "seconds", "seen", "streams")

    def __init__(self, example: Wait) -> None:
        self.seen = 0
        """Waits that came, those of a warm-up too."""
        self.count = 0
        self.seconds = 0.0
        self.longest = 0.0
        self.bytes = 0
        self.streams: set[int] = set()
        self.parts: dict[PartKey, _Sums] = {}
        self.example = example

    def add(self, wait: Wait, room: Room) -> None:
        """Takes one wait in.

        Args:
            wait: what happened.
            room: for parts that are new.
        """
        self.count += 1
        self.seconds += wait.seconds
        self.bytes += wait.bytes or 0
        if self.count == 1 or wait.seconds > self.longest:
            self.longest, self.example = wait.seconds, wait
        if wait.stream is not None and len(self.streams) < MOST_STREAMS:
            self.streams.add(wait.stream)
        key: PartKey = (wait.library, wait.operation)
        part = self.parts.get(key)
        if part is None:
            if room.left > 0:
                room.left -= 1
            else:
                key = (None, "")
            part = self.parts.setdefault(key, _Sums())
        part.add(wait.seconds)

    def site(self, code: str | None) -> Site:
        """The site, with the code of the rule that speaks of it."""
        example = self.example
        return Site(
            place=example.place,
            kind=example.kind,
            operation=example.operation,
            count=self.count,
            seconds=self.seconds,
            longest=self.longest,
            bytes=self.bytes,
            memory=example.memory,
            streams=tuple(sorted(self.streams)),
            phase=example.phase,
            code=code,
            allowed=example.allowed,
            example=example,
            parts=in_order(Part(*key, sums.count, sums.seconds, sums.longest) for key, sums in self.parts.items()),
        )


def in_order(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts, the longest blocked first, then the most frequent."""
    return tuple(sorted(parts, key=lambda part: (-part.seconds, -part.count, part.operation, part.library or ())))


def merged_parts(sites: Iterable[Site]) -> tuple[Part, ...]:
    """The parts of several sites together, such as those of several ranks."""
    found: dict[PartKey, Part] = {}
    for part in (part for site in sites for part in site.parts):
        key = (part.library, part.operation)
        before = found.get(key, Part(*key, 0, 0.0, 0.0))
        found[key] = Part(
            *key,
            before.count + part.count,
            before.seconds + part.seconds,
            max(before.longest, part.longest),
        )
    return in_order(found.values())


def key_of(wait: Wait) -> tuple[object, ...]:
    """What the waits of one site have in common."""
    # The nodes of a backward pass share one expression, as do places that have none.
    apart = wait.place is None or wait.phase == "backward"
    operation, library = (wait.operation, wait.library) if apart else ("", None)
    return (wait.place, wait.kind, operation, wait.call, wait.memory, wait.allowed, library)
