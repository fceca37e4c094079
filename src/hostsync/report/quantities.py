"""How reports write numbers."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """`1.21 s`, `6.05 ms`, `12.0 µs`."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        value = seconds * factor
        if value >= 0.9995 or (unit == "µs" and seconds):
            return f"{value:,.0f} {unit}" if value >= 999.5 else f"{value:#.3g} {unit}".replace(". ", " ")
    return "0 s"


def percent(share: float) -> str:
    """`20 %`, `0.06 %`."""
    hundredths = 100 * share
    return f"{hundredths:.0f} %" if hundredths >= 1 or not hundredths else f"{hundredths:.1g} %"


def size(bytes_: float) -> str:
    """`12.6 MB`, in powers of ten."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_ >= factor:
            return f"{bytes_ / factor:#.3g} {unit}".replace(". ", " ")
    return f"{bytes_:.0f} B"


def counted(count: int, noun: str) -> str:
    """`1 wait`, `2 waits`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
