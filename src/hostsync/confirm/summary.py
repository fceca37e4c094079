"""The figures of a confirmation."""

from __future__ import annotations

from typing import NamedTuple

from hostsync.confirm.records import CONFIRMED, NOT_REACHED, NOT_SEEN, REFUTED, Joined


class Summary(NamedTuple):
    """Counts of findings that `hostsync check` shows, and of expressions that waited."""

    confirmed: int
    refuted: int
    not_reached: int
    not_seen: int
    missed: int
    """Expressions that waited and that no finding covers."""
    hidden: int
    """Of these, expressions with a finding that is not shown, because it is not sure enough."""
    found: int
    """Expressions that waited and that a finding covers."""

    @property
    def precision(self) -> float | None:
        """Of the findings that were executed, the part that waited; None if none was."""
        executed = self.confirmed + self.refuted
        return self.confirmed / executed if executed else None

    @property
    def recall(self) -> float | None:
        """Of the expressions that waited and are not allowed, the part that was found; None if none waited."""
        waited = self.found + self.missed
        return self.found / waited if waited else None


def summary_of(joined: Joined) -> Summary:
    """The figures of `joined`."""
    statuses = [one.status for one in joined.judged if one.is_shown]
    return Summary(
        confirmed=statuses.count(CONFIRMED),
        refuted=statuses.count(REFUTED),
        not_reached=statuses.count(NOT_REACHED),
        not_seen=statuses.count(NOT_SEEN),
        missed=len(joined.missed),
        hidden=sum(1 for missed in joined.missed if missed.hidden is not None),
        found=joined.found,
    )
