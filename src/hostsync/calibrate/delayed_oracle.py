"""Whether a call waits: behind a delay on the stream, an event that is done says that it did."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hostsync.calibrate.delay import cycles_per_ms

torch: Any = import_module("torch")


SHORT_MS, LONG_MS = 1.5, 20.0
"""Delays: of the first run, and at least of the second, which confirms a wait."""


class Oracle:
    """Tells whether a call waits; on the CPU (`dry`) it only runs the call."""

    def __init__(self, dry: bool) -> None:
        self.dry = dry
        self.warned = False
        if dry:
            return
        self.cycles_per_ms = cycles_per_ms()
        self.event = torch.cuda.Event()

    def _behind(self, milliseconds: float, call: Callable[[], Any]) -> bool:
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("warn")
        try:
            torch.cuda._sleep(int(self.cycles_per_ms * milliseconds))
            self.event.record()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call()
            done = bool(self.event.query())
            self.warned = any("synchroniz" in str(item.message) for item in caught)
            del result
        finally:
            torch.cuda.set_sync_debug_mode("default")
            torch.cuda.synchronize()
        return done

    def waits(self, prepare: Callable[[], Callable[[], Any]]) -> bool:
        """Run what `prepare` returns and tell whether it waited. Raises whatever the call raises."""
        prepare()()
        if self.dry:
            return False
        torch.cuda.synchronize()
        call = prepare()
        started = time.perf_counter()
        call()
        own_ms = (time.perf_counter() - started) * 1000
        if not self._behind(max(SHORT_MS, min(own_ms, 200.0)), prepare()):
            return False
        return self._behind(max(LONG_MS, min(own_ms * 10, 1500.0)), prepare())
