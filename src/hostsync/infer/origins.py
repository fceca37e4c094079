"""The chain of reasons that a value carries: where it comes from, step by step."""

from __future__ import annotations

from typing import Final, NamedTuple

from hostsync.facts import new
from hostsync.infer.events import Reason


class Origin(NamedTuple):
    """Why a value is believed to be what it is: the latest reason, and the one before it."""

    reason: Reason
    parent: Origin | None
    depth: int


MAX_CHAIN: Final = 4
HANDED_IN: Final = "the call that hands it in"
LOADER: Final = "its batches are not pinned"
"""The reason that marks a batch of a DataLoader in a chain."""
FROM_LOADER: Final = "the loader that it comes from"
"""The same of a loader whose batches are pinned, or may be."""
BY_DEFAULT: Final = "on the default device"
"""The reason where a new tensor is on the CPU because nothing here says otherwise: callers may."""
AS_ITS_DATASET: Final = "and are where its dataset has them"
"""The end of the reason where a loader without workers hands on what a dataset holds, which may be on the GPU."""


ELSEWHERE: Final = Reason((0, 0, 0, 0), BY_DEFAULT)
"""The same of a tensor that another file tells of: the first place in this one that it comes to takes the word over."""

TOLD_BY_DEFAULT: Final = Origin(ELSEWHERE, None, 1)


def _taken_over(reason: Reason) -> Reason:
    text = f"{reason.text}, {BY_DEFAULT}" if reason.text else BY_DEFAULT
    return reason if reason.text.endswith(BY_DEFAULT) else Reason(reason.span, text)


def because(reason: Reason, parent: Origin | None) -> Origin:
    """Append a reason. Beyond `MAX_CHAIN` steps one in the middle goes: the first evidence and the last steps stay.

    Of two for one place the later stays, unless only the earlier has something to say.
    """
    if parent is not None and parent.reason is ELSEWHERE:
        return new(Origin, (_taken_over(reason), None, 1))
    if parent is not None and parent.reason.span == reason.span:
        if parent.reason.text and not reason.text:
            return parent
        parent = parent.parent
    if parent is not None and parent.depth >= MAX_CHAIN:
        parent = new(Origin, (parent.reason, parent.parent and parent.parent.parent, MAX_CHAIN - 1))
    return new(Origin, (reason, parent, parent.depth + 1 if parent is not None else 1))


def reasons(origin: Origin | None) -> tuple[Reason, ...]:
    """The chain, oldest first."""
    steps: list[Reason] = []
    while origin is not None and len(steps) < MAX_CHAIN:
        if origin.reason is not ELSEWHERE:
            steps.append(origin.reason)
        origin = origin.parent
    return tuple(reversed(steps))
