"""The driver as a source: every call in which the host waits, seen where the driver is called.

The callbacks run in the thread that makes the call and take Python's lock there. A thread that makes a driver call
while it holds a lock which another thread wants, without giving up Python's lock, would so be stuck with it; torch
holds its allocator's lock while it frees device memory. One thread that uses the GPU, with its backward threads and
data loaders, is safe.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from types import FrameType
from typing import Any, NamedTuple

from hostsync.runtime import cupti

STAGED_BYTES = 2 << 20
"""A larger asynchronous copy from pageable memory to the device waits for the stream. Measured on an H200 with driver
580, see `tests/gpu/results`: 2 MiB do not wait, 3 MiB do. The CUDA documentation says 64 KiB."""

_MEMORY_TYPE = 2
"""CU_POINTER_ATTRIBUTE_MEMORY_TYPE."""
_SYNCHRONIZING = frozenset(("stream", "event", "device"))
"""Kinds of calls that do nothing but wait."""


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


_HOST_POINTER = {
    number: 0 if call.direction == "d2h" else 1
    for number, call in cupti.CALLS.items()
    if call.layout == "linear" and call.has_stream and call.direction in ("h2d", "d2h")
}
"""Of asynchronous copies that always have the host on one side: which of their parameters is its pointer."""


class Driver:
    """Subscribes to the driver's calls while it is started.

    Args:
        on_wait: called after each driver call that makes the host wait, in the thread that made it, with what was seen
            and the innermost Python frame of that thread, or None where it has none. What it raises is dropped.
        listeners: called likewise, before `on_wait`, with every call of `cupti.CALLS`; may change at any time.

    Attributes:
        failures: how many callbacks have failed.
        last_failure: the last of them.
    """

    def __init__(
        self, on_wait: Callable[[Seen, FrameType | None], None], listeners: Sequence[Callable[[Seen], None]] = ()
    ) -> None:
        self._on_wait = on_wait
        self._listeners = listeners
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
        starts, pinned, listeners, clock, get_frame = (
            self._starts,
            self._pinned,
            self._listeners,
            perf_counter_ns,
            sys._getframe,
        )
        words_at, half, site, at_params, at_correlation = (
            cupti.words_at,
            cupti.HALF,
            cupti.SITE,
            cupti.PARAMS,
            cupti.CORRELATION,
        )
        host_pointer, on_wait, read = _HOST_POINTER.get, self._on_wait, self._read

        def on_driver_call(_: int | None, domain: int, number: int, data: int) -> None:
            words = words_at(data)
            if not words[site] & half:
                pointer = host_pointer(number)
                if pointer is not None and not listeners and words_at(words[at_params])[pointer] in pinned:
                    # It doesn't wait, by `judge`: its end finds no start, and nobody is told.
                    return
                starts[words[at_correlation] & half] = clock()
                return
            end = clock()
            start = starts.pop(words[at_correlation] & half, None)
            if start is None:
                return
            try:
                try:
                    frame = get_frame(1)
                except ValueError:
                    frame = None
                seen = read(number, words, (end - start) * 1e-9)
                if listeners:
                    for listener in tuple(listeners):
                        listener(seen)
                if seen.waits:
                    on_wait(seen, frame)
            except BaseException as error:
                self.failures += 1
                self.last_failure = error

        return on_driver_call

    def _read(self, number: int, words: Any, seconds: float) -> Seen:
        call = cupti.CALLS[number]
        kind, direction = call.kind, call.direction
        if kind in _SYNCHRONIZING:
            handle = cupti.words_at(words[cupti.PARAMS])[0] if call.has_stream else None
            return Seen(kind, call.name, self._stream(words, handle, call.name), seconds, None, "", True)
        memory, size, stream = "", None, None
        if direction:
            copy = cupti.read_copy(call.layout, call.has_stream, words[cupti.PARAMS])
            if copy is None:
                return Seen(kind, call.name, None, seconds, None, "", False)
            size = copy.bytes
            stream = self._stream(words, copy.stream, call.name)
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
        elif kind == "host-free":
            self._pinned.clear()
        elif kind == "memset":
            memory = self._memory(cupti.words_at(words[cupti.PARAMS])[0])
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

    def _stream(self, words: Any, handle: int | None, name: str) -> int | None:
        """The number of a stream, as CUPTI counts them."""
        if handle is None:
            return None
        context = words[cupti.CONTEXT]
        known = self._streams.get((context, handle), -1)
        if known == -1:
            number = ctypes.c_uint32()
            library: Any = self._library
            failed = library.cupti.cuptiGetStreamIdEx(
                context, handle, name.endswith(("_ptsz", "_ptds")), ctypes.byref(number)
            )
            known = self._streams[context, handle] = None if failed else number.value
        return known
