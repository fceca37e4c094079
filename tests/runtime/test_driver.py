"""Driver callbacks, fed with memory laid out as CUPTI lays it out."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from hostsync.runtime import cupti
from hostsync.runtime.driver import STAGED_BYTES, Driver, Seen, judge

PINNED, DEVICE, PAGEABLE = 0x1000, 0x2000, 0x3000
ASYNC_TO_HOST, ASYNC_TO_DEVICE, ANY_ASYNC, STREAM, TWO_D = 279, 277, 306, 126, 289


NOTHING = Seen("", "", None, 0.0, None, "", False)


class Calls:
    """Makes driver calls as CUPTI reports them."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.waits: list[Seen] = []
        self.frames: list[FrameType | None] = []
        self.listeners: list[Callable[[Seen], None]] = [self.seen.append]
        self.driver = Driver(self._take, self.listeners)
        self.driver._library = SimpleNamespace(  # type: ignore[assignment]
            cuda=SimpleNamespace(cuPointerGetAttribute=self._attribute),
            cupti=SimpleNamespace(cuptiGetStreamIdEx=self._stream),
        )
        self.call_back = self.driver._callback()
        self.correlation = 0
        self.kinds = {PINNED: 1, DEVICE: 2}

    def _take(self, seen: Seen, frame: FrameType | None) -> None:
        self.waits.append(seen)
        self.frames.append(frame)

    def _attribute(self, out: int, attribute: int, pointer: int) -> int:
        ctypes.c_uint32.from_address(out).value = self.kinds.get(pointer, 0)
        return 0 if pointer in self.kinds else 1

    def _stream(self, context: int, handle: int, per_thread: bool, out: Any) -> int:
        out._obj.value = handle + 7
        return 0

    def make(self, number: int, *params: int) -> Seen:
        packed = ctypes.create_string_buffer(struct.pack(f"={len(params)}Q", *params))
        self.correlation += 1
        for site in (0, 1):
            data = ctypes.create_string_buffer(
                struct.pack("=I4xQQQQQI4xQI4x", site, 0, ctypes.addressof(packed), 0, 0, 99, 1, 0, self.correlation)
            )
            self.call_back(None, cupti.DRIVER_API, number, ctypes.addressof(data))
        assert self.driver.failures == 0, self.driver.last_failure
        assert not self.driver._starts
        return self.seen[-1] if self.seen else NOTHING


def test_a_stream() -> None:
    calls = Calls()
    seen = calls.make(STREAM, 3)
    assert (seen.kind, seen.call, seen.stream, seen.waits) == ("stream", "cuStreamSynchronize", 10, True)
    assert seen.seconds > 0
    assert calls.waits == [seen]


@pytest.mark.parametrize(
    ("number", "params", "expected"),
    [
        (ASYNC_TO_HOST, (PAGEABLE, DEVICE, 64, 0), ("copy-to-host", "pageable", 64, True)),
        (ASYNC_TO_HOST, (PINNED, DEVICE, 64, 0), ("copy-to-host", "pinned", 64, False)),
        (ASYNC_TO_DEVICE, (DEVICE, PAGEABLE, 64, 0), ("copy-to-device", "pageable", 64, False)),
        (ASYNC_TO_DEVICE, (DEVICE, PAGEABLE, 1 << 24, 0), ("copy-to-device", "pageable", 1 << 24, True)),
        (ASYNC_TO_DEVICE, (DEVICE, PINNED, 1 << 24, 0), ("copy-to-device", "pinned", 1 << 24, False)),
        (ANY_ASYNC, (PAGEABLE, DEVICE, 64, 0), ("copy-to-host", "pageable", 64, True)),
        (ANY_ASYNC, (DEVICE, PINNED, 64, 0), ("copy-to-device", "pinned", 64, False)),
        (ANY_ASYNC, (DEVICE, DEVICE, 64, 0), ("other", "", 64, False)),
        (ANY_ASYNC, (PAGEABLE, PINNED, 64, 0), ("other", "", 64, False)),
    ],
)
def test_copies(number: int, params: tuple[int, ...], expected: tuple[object, ...]) -> None:
    calls = Calls()
    seen = calls.make(number, *params)
    assert (seen.kind, seen.memory, seen.bytes, seen.waits) == expected
    assert seen.stream == 7
    assert calls.waits == ([seen] if seen.waits else [])


@pytest.mark.parametrize(
    ("number", "pointers"), [(ASYNC_TO_HOST, (PINNED, DEVICE)), (ASYNC_TO_DEVICE, (DEVICE, PINNED))]
)
def test_asynchronous_copies_of_memory_known_to_be_pinned_are_passed_over(
    number: int, pointers: tuple[int, int]
) -> None:
    calls = Calls()
    heard = [calls.make(number, *pointers, 1 << 24, 0) for _ in range(2)]
    assert calls.driver._pinned == {PINNED}
    del calls.listeners[:]
    calls.driver._read = None  # type: ignore[assignment,method-assign]
    calls.make(number, *pointers, 1 << 24, 0)
    assert len(calls.seen) == len(heard) and not calls.waits


def test_pinned_memory_that_was_given_back_may_be_pageable_the_next_time() -> None:
    calls = Calls()
    del calls.listeners[:]
    calls.make(ASYNC_TO_HOST, PINNED, DEVICE, 64, 0)
    calls.make(ASYNC_TO_HOST, PINNED, DEVICE, 64, 0)
    calls.make(38, PINNED)
    calls.kinds.pop(PINNED)
    calls.make(ASYNC_TO_HOST, PINNED, DEVICE, 64, 0)
    assert [wait.memory for wait in calls.waits] == ["pageable"]


def test_a_copy_of_two_dimensions() -> None:
    # CUDA_MEMCPY2D from the device (type 2) to the host (type 1), 16 bytes by 4 rows.
    described = struct.pack("=QQI4xQQQQQQI4xQQQQQQ", 0, 0, 2, 0, DEVICE, 0, 16, 0, 0, 1, PAGEABLE, 0, 0, 16, 16, 4)
    assert len(described) == 128
    memory = ctypes.create_string_buffer(described)
    seen = Calls().make(TWO_D, ctypes.addressof(memory), 5)
    assert (seen.kind, seen.memory, seen.bytes, seen.stream, seen.waits) == ("copy-to-host", "pageable", 64, 12, True)


def test_the_frame_is_that_of_the_caller() -> None:
    calls = Calls()
    calls.make(STREAM, 0)
    frame = calls.frames[0]
    assert frame is not None and frame.f_code.co_name == "make"


def test_a_failure_is_kept_and_not_raised() -> None:
    calls = Calls()

    def broken(seen: Seen, frame: FrameType | None) -> None:
        raise KeyError("broken")

    calls.driver = Driver(broken)
    calls.driver._library = Calls().driver._library
    calls.call_back = calls.driver._callback()
    with pytest.raises(AssertionError, match="broken"):
        calls.make(STREAM, 0)


def test_synchronous_copies_wait_and_copies_on_the_device_do_not() -> None:
    assert judge(cupti.CALLS[276], "h2d", "pageable", 1)
    assert judge(cupti.CALLS[276], "h2d", "pinned", 1)
    assert not judge(cupti.CALLS[305], "", "", 1)
    assert not judge(cupti.CALLS[ASYNC_TO_DEVICE], "h2d", "pageable", STAGED_BYTES)
    assert judge(cupti.CALLS[ASYNC_TO_DEVICE], "h2d", "pageable", STAGED_BYTES + 1)


def test_fills_and_pinned_memory_given_back() -> None:
    calls = Calls()
    filled = calls.make(249, PINNED, 0, 64)
    assert (filled.kind, filled.memory, filled.waits) == ("memset", "pinned", True)
    assert not calls.make(249, DEVICE, 0, 64).waits
    assert PINNED in calls.driver._pinned
    assert not calls.make(38, PINNED).waits
    assert not calls.driver._pinned
    assert calls.make(245, DEVICE).waits


@pytest.mark.skipif(sys.platform != "linux", reason="reads the loaded libraries of Linux")
def test_without_the_driver_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from hostsync.runtime.errors import SourceError

    def missing(name: str) -> Any:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(SourceError, match="CUDA driver library"):
        Driver(lambda seen, frame: None).start()
