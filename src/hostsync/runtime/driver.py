"""The driver as a source: every call in which the host waits, seen where the driver is called.

The callbacks run in the thread that makes the call and take Python's lock there. A thread that makes a driver call
while it holds a lock which another thread wants, without giving up Python's lock, would so be stuck with it; torch
holds its allocator's lock while it frees device memory. One thread that uses the GPU, with its backward threads and
data loaders, is safe.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from time import perf_counter_ns
from types import FrameType
from typing import Any, NamedTuple

from hostsync.runtime import cupti

STAGED_BYTES = 2 << 20
"""A larger asynchronous copy from pageable memory to the device waits for the stream. Measured on an H200 with driver
580, see `tests/gpu/results`: 2 MiB do not wait, 3 MiB do. The CUDA documentation says 64 KiB."""

_MEMORY_TYPE = 2
"""CU_POINTER_ATTRIBUTE_MEMORY_TYPE."""


class Seen(NamedTuple):
    """A driver call, finished."""

    kind: str
    call: str
    stream: int | None
    seconds: float
    bytes: int | None
    memory: str
    waits: bool
    """Whether such a call makes the host wait, by `judge`."""


def judge(call: cupti.Call, direction: str, memory: str, size: int) -> bool:
    """Whether a driver call makes the host wait for work that was enqueued before.

    Calls that synchronize or free the device's memory always do. Copies within the device never do. A copy to the host
    waits when it is synchronous, or when the host's memory is pageable. A copy to the device waits when it is
    synchronous, or from pageable memory of more than `STAGED_BYTES`: smaller ones are staged by the driver. A
    synchronous fill waits where it fills pinned memory. Giving pinned memory back does not wait. Sources: the CUDA
    driver API's page on synchronization behaviour; measured on an H200 with driver 580.

    Args:
        call: which call.
        direction: of a copy: `h2d`, `d2h`, or empty for one that doesn't touch the host's memory.
        memory: the host's side of a copy: `pageable` or `pinned`; what a fill fills.
        size: bytes copied.
    """
    if call.kind == "memset":
        return memory == "pinned"
    if not call.direction:
        return call.kind != "host-free"
    if not direction:
        return False
    if not call.has_stream:
        return True
    if memory != "pageable":
        return False
    return direction == "d2h" or size > STAGED_BYTES


class Driver:
    """Subscribes to the driver's calls while it is started.

    Args:
        on_call: called after each driver call of `cupti.CALLS`, in the thread that made it, with what was seen and the
            innermost Python frame of that thread, or None where it has none. What it raises is dropped.

    Attributes:
        failures: how many callbacks have failed.
        last_failure: the last of them.
    """

    def __init__(self, on_call: Callable[[Seen, FrameType | None], None]) -> None:
        self._on_call = on_call
        self._starts: dict[int, int] = {}
        self._streams: dict[tuple[int, int], int | None] = {}
        self._pinned: set[int] = set()
        """Addresses known to be pinned, until the driver is asked to free or unregister host memory."""
        self._library: cupti.Library | None = None
        self._subscription: cupti.Subscription | None = None
        self.failures = 0
        self.last_failure: BaseException | None = None

    def start(self) -> None:
        """Begin to listen.

        Raises:
            SourceError: CUPTI isn't there, or another subscriber is.
        """
        self._library = cupti.Library()
        self._subscription = cupti.Subscription(self._library, self._callback())

    def stop(self) -> None:
        """Stop listening. Safe to call twice."""
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            subscription.end()
        self._starts.clear()

    def forget(self) -> None:
        """In a forked child: drop the subscription, which is the parent's, without a call into CUPTI."""
        self._subscription = None
        self._starts.clear()

    def _callback(self) -> Callable[[int | None, int, int, int], None]:
        starts, clock, calls, seen_by = self._starts, perf_counter_ns, cupti.CALLS, self._on_call
        word, half, get_frame = ctypes.c_uint64.from_address, ctypes.c_uint32.from_address, sys._getframe
        at_correlation = cupti.CORRELATION
        read, synchronizing = self._read, frozenset(("stream", "event", "device"))

        def on_driver_call(_: int | None, domain: int, number: int, data: int) -> None:
            correlation = half(data + at_correlation).value
            if half(data).value == 0:
                starts[correlation] = clock()
                return
            end = clock()
            start = starts.pop(correlation, None)
            if start is None:
                return
            try:
                try:
                    frame = get_frame(1)
                except ValueError:
                    frame = None
                call = calls[number]
                if call.kind in synchronizing:
                    stream = None
                    if call.has_stream:
                        params = word(data + cupti.PARAMS).value
                        stream = self._stream(data, word(params).value, call.name)
                    seen = Seen(call.kind, call.name, stream, (end - start) * 1e-9, None, "", True)
                else:
                    seen = read(call, data, (end - start) * 1e-9)
                seen_by(seen, frame)
            except BaseException as error:
                self.failures += 1
                self.last_failure = error

        return on_driver_call

    def _read(self, call: cupti.Call, data: int, seconds: float) -> Seen:
        params = ctypes.c_uint64.from_address(data + cupti.PARAMS).value
        kind, memory, direction, size, stream = call.kind, "", call.direction, None, None
        if call.direction:
            copy = cupti.read_copy(call.layout, call.has_stream, params)
            if copy is None:
                return Seen(kind, call.name, None, seconds, None, "", False)
            size = copy.bytes
            if copy.stream is not None:
                stream = self._stream(data, copy.stream, call.name)
            if direction == "any":
                source, target = self._memory(copy.source), self._memory(copy.destination)
                direction = "" if source == target == "device" else "h2d" if target == "device" else "d2h"
                memory = source if direction == "h2d" else target if direction else ""
                if direction == "d2h" and source != "device":
                    # From host to host: the driver does it on the spot.
                    direction, memory = "", ""
                kind = "copy-to-device" if direction == "h2d" else "copy-to-host" if direction else "other"
            else:
                memory = self._memory(copy.destination if direction == "d2h" else copy.source)
        elif call.kind == "host-free":
            self._pinned.clear()
        elif call.kind == "memset":
            memory = self._memory(ctypes.c_uint64.from_address(params).value)
        return Seen(kind, call.name, stream, seconds, size, memory, judge(call, direction, memory, size or 0))

    def _memory(self, pointer: int) -> str:
        """`pageable`, `pinned` or `device`. A pointer that the driver doesn't know is pageable memory."""
        if pointer in self._pinned:
            return "pinned"
        kind = ctypes.c_uint32()
        library: Any = self._library
        if library.cuda.cuPointerGetAttribute(ctypes.addressof(kind), _MEMORY_TYPE, pointer):
            return "pageable"
        if kind.value != 1:
            return "device"
        if len(self._pinned) < 10_000:
            self._pinned.add(pointer)
        return "pinned"

    def _stream(self, data: int, handle: int, name: str) -> int | None:
        """The number of a stream, as CUPTI counts them."""
        context = ctypes.c_uint64.from_address(data + cupti.CONTEXT).value
        known = self._streams.get((context, handle), -1)
        if known == -1:
            number = ctypes.c_uint32()
            library: Any = self._library
            failed = library.cupti.cuptiGetStreamIdEx(
                context, handle, name.endswith(("_ptsz", "_ptds")), ctypes.byref(number)
            )
            known = self._streams[context, handle] = None if failed else number.value
        return known
