"""What a run showed of the scanned files, and what becomes of findings beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hostsync.findings import Finding
from hostsync.runtime.executions import Executed, Span

MEMORY_KINDS = frozenset(("free",))
"""Kinds of wait that happen inside an allocator. Where no rule names one, it is by chance that it happens there."""

CONFIRMED, REFUTED, NOT_REACHED, NOT_SEEN = "confirmed", "refuted", "not reached", "not seen"
STATUSES = (CONFIRMED, REFUTED, NOT_REACHED, NOT_SEEN)
"""Verdicts. Not seen: it did not wait, and whether it was executed can't be told."""


class WaitSite(NamedTuple):
    """All waits of one kind at one expression of a scanned file."""

    filename: str
    """As findings name the file."""
    span: Span
    """Columns are 0 where Python does not tell them."""
    symbol: str
    text: str
    """The expression."""
    kind: str
    call: str
    """The driver's name of what waited."""
    operation: str
    """The torch operation, e.g. `aten::item`, where it is known."""
    code: str | None
    """The rule that speaks of such a wait."""
    allowed: str | None
    """The reason of the allowance that covers it."""
    waits: int
    waited: int | None
    """Executions that waited; None where they were not counted."""
    seconds: float
    library: str
    """The library's function in which the longest of them happened, if any."""
    inside: tuple[tuple[str, int], ...] = ()
    """The functions in which they happened, and how often in each; an empty name is the expression itself."""


class Through(NamedTuple):
    """An expression of a scanned file that calls code of scanned files in which the host waited."""

    filename: str
    span: Span
    waits: int
    waited: int | None
    seconds: float


class Total(NamedTuple):
    waits: int = 0
    seconds: float = 0.0

    def plus(self, waits: int, seconds: float) -> Total:
        return Total(self.waits + waits, self.seconds + seconds)


class RunInfo(NamedTuple):
    """One run that the evidence is from."""

    program: tuple[str, ...]
    exit_code: int | None
    device: str
    torch: str
    date: str
    blind_spots: tuple[str, ...]
    counted: bool
    """Whether executions were counted."""


class Evidence(NamedTuple):
    """What runs showed."""

    sites: tuple[WaitSite, ...]
    """Of the scanned files."""
    through: tuple[Through, ...]
    elsewhere: Total
    """Waits in other files, or in none, that were not allowed."""
    executions: Callable[[str, Span], Executed | None]
    """How often an expression was executed; None where it was not counted."""
    runs: tuple[RunInfo, ...]


class Judged(NamedTuple):
    """A finding and its verdict."""

    finding: Finding
    is_shown: bool
    """Whether `hostsync check` shows it with the same options."""
    status: str
    waits: int
    waited: int | None
    executions: int | None
    seconds: float
    allowed: int
    """Of the waits, those that are allowed."""
    is_through: bool
    """Whether the waits were in project code that the expression calls, and are reported there as well."""


class Missed(NamedTuple):
    """An expression that waited and that no finding covers."""

    site: WaitSite
    """Of all kinds of wait there, together."""
    hidden: Finding | None
    """The finding that covers it and is not shown, because it is not sure enough."""


class Joined(NamedTuple):
    """Findings beside the evidence."""

    judged: tuple[Judged, ...]
    missed: tuple[Missed, ...]
    found: int
    """Expressions that waited, are not allowed, and that a shown finding covers."""
    allowed: tuple[WaitSite, ...]
    memory: Mapping[str, Total]
    """Waits inside allocators that no rule names, by kind."""
    elsewhere: Total
    causes: int
    """Findings that get no verdict, as their rules name the cause of a wait elsewhere, or speak of comments."""
    runs: tuple[RunInfo, ...]
