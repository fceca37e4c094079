"""Several sources, one wait: what more than one of them saw is reported once.

The sources see a wait at different times: the GPU trace right before it, the driver right after it, the debug mode
when the operation returns to Python. Each of them sees all of what the next one in the order driver, trace, debug sees,
unless something bypasses it. So an event is dropped when a better source has reported one at the same instruction of
the same frame in the same thread that nothing else has claimed; a trace event is held until the driver had its chance.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Spot = tuple[int, int]
"""The identity of a frame and its instruction."""


class _Thread(threading.local):
    def __init__(self) -> None:
        self.held: list[tuple[Spot, Callable[[], Any]]] = []
        self.unclaimed: dict[Spot, int] = {}


class Merger:
    """Decides which events to report.

    Args:
        active: the names of the active sources.
    """

    def __init__(self, active: frozenset[str]) -> None:
        self._active = active
        self._thread = _Thread()

    def saw(self, source: str, kind: str, spot: Spot, report: Callable[[], Any]) -> Any:
        """Take an event.

        Args:
            source: who saw it.
            kind: its kind, as in `records.Wait`.
            spot: where the thread is.
            report: reports it; called at once, later in this thread, or never.

        Returns:
            What `report` returned, if it was called for this event; else None.
        """
        if len(self._active) == 1:
            return report()
        state = self._thread
        if source == "driver":
            if state.held and kind in ("stream", "device", "event"):
                del state.held[0]
            if "debug" in self._active and kind == "stream":
                if len(state.unclaimed) > 256:
                    state.unclaimed.clear()
                state.unclaimed[spot] = state.unclaimed.get(spot, 0) + 1
            return report()
        if source == "trace":
            self.flush()
            if "driver" in self._active:
                state.held.append((spot, report))
                return None
            if "debug" in self._active and kind == "stream":
                state.unclaimed[spot] = state.unclaimed.get(spot, 0) + 1
            return report()
        self.flush()
        left = state.unclaimed.get(spot, 0)
        if left:
            if left == 1:
                del state.unclaimed[spot]
            else:
                state.unclaimed[spot] = left - 1
            return None
        return report()

    def flush(self) -> None:
        """Report what this thread holds: the driver did not see it."""
        held, self._thread.held = self._thread.held, []
        for _, report in held:
            report()
