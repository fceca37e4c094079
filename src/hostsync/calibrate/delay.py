"""How long a delay kernel takes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

TRIES = 20
WARM_CYCLES = 20_000_000
"""Brings the clock of an idle GPU up."""
CYCLES = 1_000_000


def cycles_per_ms() -> float:
    """Cycles of `torch.cuda._sleep` in a millisecond, at least.

    The fastest of short tries counts: one that another process on the GPU interrupts takes longer than its cycles, and
    with a rate from it delays would be too short, and slow calls taken for waits. A longer delay only costs time.
    """
    torch: Any = import_module("torch")
    torch.cuda._sleep(WARM_CYCLES)
    shortest = float("inf")
    for _ in range(TRIES):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.cuda._sleep(CYCLES)
        end.record()
        end.synchronize()
        shortest = min(shortest, start.elapsed_time(end))
    # The highest clock in kHz, in releases of torch that tell it.
    stated = float(getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "clock_rate", 0) or 0)
    return max(CYCLES / max(shortest, 1e-3), stated)
