"""What the runtime sees: one wait, its place in the user's code, and the sites that waits add up to."""

from __future__ import annotations

from typing import NamedTuple

PHASES = ("forward", "backward", "optimizer", "other")
SOURCES = {
    "driver": "driver callbacks (CUPTI)",
    "debug": "torch's sync debug mode",
    "trace": "torch's GPU trace callbacks",
    "allocator": "torch's allocator counters",
}
"""The sources of events, with the names that a report gives them."""


class Place(NamedTuple):
    """An expression in a source file. Rows and columns are 1-based, as in findings; columns are 0 where not known."""

    filename: str
    row: int
    column: int
    end_row: int
    end_column: int
    function: str
    """Qualified name of the function."""


class Wait(NamedTuple):
    """One time that the host waited."""

    kind: str
    """stream | device | event | copy-to-host | copy-to-device | memset | free | other."""
    call: str
    """The driver's or torch's name of what waited, e.g. `cuStreamSynchronize`."""
    operation: str
    """The torch operation or autograd node in which it happened, where known, e.g. `aten::item`, `IndexBackward0`."""
    place: Place | None
    """The expression in the user's code; None when no Python frame was there."""
    library: Place | None
    """The innermost frame, when that is library code called from `place`."""
    callers: tuple[Place, ...]
    """Frames above `place`, the nearest first; a few only."""
    stream: int | None
    """The CUDA stream's number as torch and profilers show it; None where it is not known."""
    thread: str
    phase: str
    seconds: float
    """Time blocked in the call, in seconds; 0.0 where the source cannot tell."""
    bytes: int | None
    """Bytes copied or allocated."""
    memory: str
    """For a copy, the host side: pageable, pinned, or empty where it is not known."""
    source: str
    """Which of `SOURCES` saw it."""
    allowed: str | None
    """The reason of the allowance that covers it; None when it is not allowed."""
    first_use: bool = False
    """Whether it happens once: a compiler, an autotuner or the recording of CUDA graphs made it, or the set-up of a
    library that an operation needs, which is the first memory that a thread frees in it."""


class Part(NamedTuple):
    """The waits of a site in one function of a library and one operation."""

    library: Place | None
    """The innermost frame, as in `Wait`; None where the expression itself waited."""
    operation: str
    """The torch operation or autograd node; empty for waits at further places than are told apart."""
    count: int  # type: ignore[assignment]
    seconds: float
    longest: float


class Site(NamedTuple):
    """All waits of one kind at one expression."""

    place: Place | None
    kind: str
    operation: str
    count: int  # type: ignore[assignment]
    seconds: float
    longest: float
    bytes: int
    memory: str
    streams: tuple[int, ...]
    phase: str
    code: str | None
    """The rule that speaks of such a wait, e.g. `HS101`; None where no rule fits."""
    allowed: str | None
    example: Wait
    """The longest of them."""
    parts: tuple[Part, ...] = ()
    """What waited inside of the expression, the longest blocked first; their counts add up to that of the site."""
