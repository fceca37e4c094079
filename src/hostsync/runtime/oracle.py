"""The oracle: does a call make the host wait for the GPU?

A delay kernel is enqueued, an event is recorded behind it, the call is made, and the event is asked whether it is done.
If it is, the call did not return before the GPU had worked off what was enqueued: it waited. No clock decides.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from hostsync.runtime.errors import OracleError, SourceError

if TYPE_CHECKING:
    import torch

DELAY_MS = 20.0
LONGEST_MS = 5_000.0
"""Limits of the delay that is chosen when none is given."""


class Waited(NamedTuple):
    """What the oracle found. True in a condition if the call waited."""

    waited: bool
    scope: str
    """`none`; `stream`: it waits for the stream only; `device`: it waits for work on every stream."""
    through: tuple[str, ...]
    """The driver calls in which the time went; empty when it didn't wait or the driver can't be listened to."""

    def __bool__(self) -> bool:
        return self.waited


_per_ms: dict[tuple[int, str], float] = {}
_lock = threading.Lock()


def waits(
    fn: Callable[[], object],
    *,
    stream: torch.cuda.Stream | None = None,
    delay_ms: float | None = None,
    warm_up: bool = True,
) -> Waited:
    """Find out whether a call makes the host wait for the GPU.

    The function is called two to four times: to warm up, behind a delay on the stream, once more to confirm a wait, and
    behind a delay on another stream to find the scope. So it has to be repeatable.

    Args:
        fn: the call, without arguments. What it returns is dropped.
        stream: the stream whose work might be waited for; the current one by default.
        delay_ms: how long the GPU is kept busy, in milliseconds. It has to be longer than the call takes by itself; by
            default it is at least three times as long as the first call took, from 20 ms to 5 s.
        warm_up: call it once before, so that first-use costs (initialization, allocations, loading) don't count.
            Without it the first call is judged, and nothing confirms it.

    Raises:
        OracleError: CUDA can't be used, or a stream is being captured into a graph.
        ValueError: the delay is not positive.
        Exception: whatever the function raises.
    """
    torch = _torch()
    if delay_ms is not None and not delay_ms > 0:
        raise ValueError(f"delay_ms must be positive, not {delay_ms}")
    if torch.cuda.is_current_stream_capturing():
        raise OracleError("the oracle can't run during CUDA graph capture; call it before the capture begins")
    # The function's own stream stays current; only the delay goes to the given one.
    busy = stream if stream is not None else torch.cuda.current_stream()
    with torch.cuda.device(busy.device):
        other = torch.cuda.Stream()
    seconds = 0.0
    if warm_up:
        _drain(busy.device)
        started = perf_counter()
        fn()
        _drain(busy.device)
        seconds = perf_counter() - started
    delay = delay_ms if delay_ms is not None else min(max(DELAY_MS, seconds * 3e3), LONGEST_MS)
    calls: dict[str, float] = {}
    with _listening(calls):
        waited = _behind(busy, delay, fn)
        if waited and warm_up and delay_ms is None:
            # A hiccup of the host can outlast the delay once; it won't a longer one right after.
            calls.clear()
            delay = min(2 * delay, LONGEST_MS)
            waited = _behind(busy, delay, fn)
    if not waited:
        return Waited(False, "none", ())
    through = tuple(name for name, blocked in calls.items() if blocked > delay * 0.25e-3)
    scope = "device" if warm_up and _behind(other, delay, fn) else "stream"
    return Waited(True, scope, through)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise OracleError("the oracle needs torch, which isn't installed") from None
    if torch.version.cuda is None:
        raise OracleError("the oracle needs CUDA, and this torch is built without it; install a CUDA build of torch")
    if not torch.cuda.is_available():
        raise OracleError("the oracle needs a GPU, and torch can't use one here; see what torch.cuda.init() says")
    return torch


def _behind(stream: Any, delay_ms: float, fn: Callable[[], object]) -> bool:
    """Whether a call waits for a delay on a stream. Everything is done when this returns."""
    torch: Any = import_module("torch")
    cycles = delay_ms * calibrate(stream.device)
    _drain(stream.device)
    event = torch.cuda.Event()
    try:
        with torch.cuda.stream(stream):
            _delay(cycles)
            event.record()
        result = fn()
        done = event.query()
        del result
    finally:
        # With the event and what the call has enqueued behind us, the next call finds the device idle.
        _drain(stream.device)
    return bool(done)


def _drain(device: torch.device) -> None:
    """Wait for everything, unseen by those who watch."""
    from hostsync.runtime.sources import muted

    torch: Any = import_module("torch")
    with muted():
        torch.cuda.synchronize(device)


def calibrate(device: torch.device) -> float:
    """Units of delay that take a millisecond on a device: cycles of `torch.cuda._sleep`, or matrix products."""
    torch: Any = import_module("torch")
    key = (device.index or 0, "sleep" if _has_sleep() else "matmul")
    with _lock:
        if key not in _per_ms:
            with torch.cuda.device(device), torch.cuda.stream(torch.cuda.current_stream(device)):
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                units = 20_000_000 if _has_sleep() else 50
                for _ in range(2):
                    start.record()
                    _delay(units)
                    end.record()
                    _drain(device)
                _per_ms[key] = units / max(start.elapsed_time(end), 1e-3)
        return _per_ms[key]


def _has_sleep() -> bool:
    torch: Any = import_module("torch")
    return hasattr(torch.cuda, "_sleep")


_operands: dict[int, Any] = {}


def _delay(units: float) -> None:
    """Keep the current stream busy. Falls back to a chain of matrix products, each of which needs the one before."""
    torch: Any = import_module("torch")
    if _has_sleep():
        torch.cuda._sleep(int(units))
        return
    device = torch.cuda.current_device()
    matrix = _operands.get(device)
    if matrix is None:
        # Large enough that a thousand launches, the depth of the launch queue, last for seconds.
        matrix = _operands[device] = torch.eye(4096, device="cuda") * 0.5
        _drain(matrix.device)
    out = matrix
    for _ in range(max(int(units), 1)):
        out = out @ matrix


@contextlib.contextmanager
def _listening(calls: dict[str, float]) -> Iterator[None]:
    """Add up, by name, the seconds spent in driver calls; nothing where the driver can't be listened to."""
    from hostsync.runtime import sources
    from hostsync.runtime.driver import Seen

    def listen(seen: Seen) -> None:
        calls[seen.call] = calls.get(seen.call, 0.0) + seen.seconds

    try:
        session = sources.open_session(("driver",))
    except SourceError:
        yield
        return
    sources.driver_listeners.append(listen)
    try:
        yield
    finally:
        sources.driver_listeners.remove(listen)
        session.close()
