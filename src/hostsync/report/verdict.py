"""How a report words a verdict."""

from __future__ import annotations

from hostsync.findings import Verdict
from hostsync.report.escape import visible
from hostsync.report.quantities import counted, duration


def verdict_text(verdict: Verdict) -> tuple[str, str]:
    """`confirmed on NVIDIA H200` and `200 of 200 executions waited, 1.21 s blocked`."""
    device = f" on {visible(verdict.device)}" if verdict.device else ""
    return f"{verdict.status}{device}", evidence_text(
        verdict.waits, verdict.waited, verdict.executions, verdict.seconds
    )


def evidence_text(waits: int, waited: int | None, executions: int | None, seconds: float) -> str:
    """`200 of 200 executions waited, 1.21 s blocked`."""
    if not waits:
        return "never waited" if executions is None else f"0 of {counted(executions, 'execution')} waited"
    blocked = f", {duration(seconds)} blocked" if seconds else ""
    if waited is None or executions is None:
        return f"{counted(waits, 'wait')}{blocked}"
    several = f" ({counted(waits, 'wait')})" if waits != waited else ""
    return f"{waited:,} of {counted(executions, 'execution')} waited{several}{blocked}"
