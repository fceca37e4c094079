"""The driver callbacks of CUPTI, bound with ctypes to the library that torch has loaded.

Names, numbers and layouts are those of `cupti_driver_cbid.h`, `cupti_callbacks.h` and `generated_cuda_meta.h` of CUPTI
12.4 and 13.0, which agree; numbers of driver calls never change between releases.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.runtime.errors import SourceError

DRIVER_API = 1
"""CUPTI_CB_DOMAIN_DRIVER_API."""
ENTER = 0
"""CUPTI_API_ENTER."""
MULTIPLE_SUBSCRIBERS = 39
"""CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED."""

# The fields of CUpti_CallbackData, as words of 8 bytes; SITE and CORRELATION are 32 bits wide.
SITE, PARAMS, CONTEXT, CORRELATION = 0, 2, 5, 8

Callback: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)


class Call(NamedTuple):
    """A driver call to listen to."""

    name: str
    kind: str
    """As in `records.Wait`."""
    layout: str
    """How its parameters lie: stream, none, linear (destination, source, bytes), 2d, 3d, or fill (destination, value,
    elements)."""
    direction: str = ""
    """Of a copy: h2d, d2h, or any where the pointers tell."""
    has_stream: bool = False


CALLS: dict[int, Call] = {
    17: Call("cuCtxSynchronize", "device", "none"),
    800: Call("cuCtxSynchronize_v2", "device", "none"),
    121: Call("cuEventSynchronize", "event", "none"),
    126: Call("cuStreamSynchronize", "stream", "stream", has_stream=True),
    440: Call("cuStreamSynchronize_ptsz", "stream", "stream", has_stream=True),
    245: Call("cuMemFree_v2", "free", "none"),
    38: Call("cuMemFreeHost", "host-free", "none"),
    302: Call("cuMemHostUnregister", "host-free", "none"),
    249: Call("cuMemsetD8_v2", "memset", "fill"),
    250: Call("cuMemsetD16_v2", "memset", "fill"),
    251: Call("cuMemsetD32_v2", "memset", "fill"),
    276: Call("cuMemcpyHtoD_v2", "copy-to-device", "linear", "h2d"),
    397: Call("cuMemcpyHtoD_v2_ptds", "copy-to-device", "linear", "h2d"),
    278: Call("cuMemcpyDtoH_v2", "copy-to-host", "linear", "d2h"),
    398: Call("cuMemcpyDtoH_v2_ptds", "copy-to-host", "linear", "d2h"),
    305: Call("cuMemcpy", "copy-to-host", "linear", "any"),
    408: Call("cuMemcpy_ptds", "copy-to-host", "linear", "any"),
    287: Call("cuMemcpy2D_v2", "copy-to-host", "2d", "any"),
    405: Call("cuMemcpy2D_v2_ptds", "copy-to-host", "2d", "any"),
    288: Call("cuMemcpy2DUnaligned_v2", "copy-to-host", "2d", "any"),
    406: Call("cuMemcpy2DUnaligned_v2_ptds", "copy-to-host", "2d", "any"),
    290: Call("cuMemcpy3D_v2", "copy-to-host", "3d", "any"),
    407: Call("cuMemcpy3D_v2_ptds", "copy-to-host", "3d", "any"),
    277: Call("cuMemcpyHtoDAsync_v2", "copy-to-device", "linear", "h2d", True),
    421: Call("cuMemcpyHtoDAsync_v2_ptsz", "copy-to-device", "linear", "h2d", True),
    279: Call("cuMemcpyDtoHAsync_v2", "copy-to-host", "linear", "d2h", True),
    422: Call("cuMemcpyDtoHAsync_v2_ptsz", "copy-to-host", "linear", "d2h", True),
    306: Call("cuMemcpyAsync", "copy-to-host", "linear", "any", True),
    418: Call("cuMemcpyAsync_ptsz", "copy-to-host", "linear", "any", True),
    289: Call("cuMemcpy2DAsync_v2", "copy-to-host", "2d", "any", True),
    424: Call("cuMemcpy2DAsync_v2_ptsz", "copy-to-host", "2d", "any", True),
    291: Call("cuMemcpy3DAsync_v2", "copy-to-host", "3d", "any", True),
    425: Call("cuMemcpy3DAsync_v2_ptsz", "copy-to-host", "3d", "any", True),
}
"""By callback number (`CUPTI_DRIVER_TRACE_CBID_…`). Copies to and from arrays and between devices are left out, and so
are calls that do not wait by the oracle (`tests/gpu/results/runtime-sources.json`): allocations on the device, new
pinned memory, launches of kernels and graphs, asynchronous fills."""


class Copy(NamedTuple):
    """The parameters of a copy."""

    source: int
    destination: int
    bytes: int
    stream: int | None


_Words: Any = ctypes.c_uint64 * 32
_words: dict[int, Any] = {}
HALF = 0xFFFF_FFFF
"""Mask for the word of a 32-bit field, the other half of which is padding that holds anything."""


def words_at(address: int) -> Any:
    """A view of memory as 64-bit words; what it shows is valid as long as the memory there is.

    CUPTI's structures and the parameters of calls lie on the stack of the thread that calls, most often at the same few
    addresses, so views are kept: to make one costs several times as much as to read a word.
    """
    known = _words.get(address)
    if known is None:
        if len(_words) >= 4096:
            _words.clear()
        known = _words[address] = _Words.from_address(address)
    return known


_HOST, _DEVICE, _ARRAY = 1, 2, 3


def read_copy(layout: str, has_stream: bool, params: int) -> Copy | None:
    """Read the parameters of a copy; None for a copy of arrays.

    Args:
        params: the address of the parameters, valid during the callback only.
    """
    words = words_at(params)
    if layout == "linear":
        return Copy(words[1], words[0], words[2], words[3] if has_stream else None)
    stream = words[1] if has_stream else None
    if not words[0]:
        return None
    # CUDA_MEMCPY2D and CUDA_MEMCPY3D: type, host and device pointer of each side, then the extents.
    described = words_at(words[0])
    sides = []
    for side in (2, 9) if layout == "2d" else (4, 15):
        memory = described[side] & HALF
        if memory == _ARRAY:
            return None
        sides.append(described[side + (1 if memory == _HOST else 2)])
    extents = (14, 15) if layout == "2d" else (22, 23, 24)
    return Copy(sides[0], sides[1], math.prod(described[extent] for extent in extents), stream)


# --- the libraries -------------------------------------------------------------------------------


def _candidates() -> Iterator[str]:
    """Paths and names under which the library may be found, the one in this process first."""
    maps = Path("/proc/self/maps")
    if maps.exists():
        for line in maps.read_text(encoding="utf-8", errors="replace").splitlines():
            path = line.partition("/")[2]
            if "libcupti" in path:
                yield "/" + path
    torch = sys.modules.get("torch")
    version = getattr(getattr(torch, "version", None), "cuda", None) or ""
    major = version.partition(".")[0]
    patterns = ("cupti64_*.dll",) if os.name == "nt" else (f"libcupti.so.{major}*", "libcupti.so*")
    folders = []
    if torch is not None and torch.__file__:
        root = Path(torch.__file__).parent
        folders = [
            root / "lib",
            root.parent / "nvidia" / "cuda_cupti" / "lib",
            root.parent / "nvidia" / f"cu{major}" / "lib",
        ]
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    if home:
        folders += [Path(home) / "extras" / "CUPTI" / "lib64", Path(home) / "lib64"]
    for folder in folders:
        for pattern in patterns:
            yield from sorted(str(path) for path in folder.glob(pattern))
    if os.name != "nt":
        yield f"libcupti.so.{major}"


class Library:
    """CUPTI and the driver library, with the types of the functions that are used.

    Raises:
        SourceError: one of them isn't there.
    """

    def __init__(self) -> None:
        if ctypes.sizeof(ctypes.c_void_p) != 8:
            raise SourceError("driver callbacks need a 64-bit Python")
        self.cuda: Any = self._open(
            "the CUDA driver library", iter(("nvcuda.dll",) if os.name == "nt" else ("libcuda.so.1",))
        )
        self.cupti: Any = self._open(
            "CUPTI's library (libcupti), which comes with torch's CUDA packages", _candidates()
        )
        pointer, integer = ctypes.c_void_p, ctypes.c_uint32
        for function, types in (
            (self.cupti.cuptiSubscribe, (ctypes.POINTER(pointer), Callback, pointer)),
            (self.cupti.cuptiUnsubscribe, (pointer,)),
            (self.cupti.cuptiEnableCallback, (integer, pointer, integer, integer)),
            (self.cupti.cuptiGetStreamIdEx, (pointer, pointer, ctypes.c_uint8, ctypes.POINTER(integer))),
            (self.cupti.cuptiGetResultString, (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))),
            (self.cuda.cuPointerGetAttribute, (pointer, ctypes.c_int, ctypes.c_uint64)),
        ):
            function.argtypes = list(types)
            function.restype = ctypes.c_int

    @staticmethod
    def _open(what: str, names: Iterator[str]) -> Any:
        for name in names:
            try:
                # PyDLL-like behaviour isn't wanted: the calls here may block on the driver's locks.
                return ctypes.CDLL(name)
            except OSError:
                continue
        raise SourceError(f"{what} can't be found or loaded")

    def words(self, code: int) -> str:
        """CUPTI's name of a result."""
        text = ctypes.c_char_p()
        if self.cupti.cuptiGetResultString(code, ctypes.byref(text)) == 0 and text.value:
            return text.value.decode()
        return f"CUPTI error {code}"


class Subscription:
    """The process's subscription to driver calls, from construction to `end`.

    Args:
        library: the loaded libraries.
        callback: called in the thread that makes a driver call, before and after it, with the driver's domain, the
            number of the call and the address of its `CUpti_CallbackData`.

    Raises:
        SourceError: another subscriber is there (torch.profiler, nsys, ncu), or CUPTI refuses.
    """

    def __init__(self, library: Library, callback: Callable[[int | None, int, int, int], None]) -> None:
        self._library = library
        self._callback = Callback(callback)
        self._handle = ctypes.c_void_p()
        result = library.cupti.cuptiSubscribe(ctypes.byref(self._handle), self._callback, None)
        if result == MULTIPLE_SUBSCRIBERS:
            raise SourceError(
                "another tool listens to the driver, and CUPTI admits only one: nsys, ncu, or torch.profiler, which "
                "doesn't let go until the process ends"
            )
        if result:
            raise SourceError(f"CUPTI can't be subscribed to: {library.words(result)}")
        failed = [
            call.name
            for number, call in CALLS.items()
            if library.cupti.cuptiEnableCallback(1, self._handle, DRIVER_API, number)
        ]
        self.unknown = tuple(failed)
        """Calls that this CUPTI doesn't know."""
        if "cuStreamSynchronize" in failed:
            self.end()
            raise SourceError("CUPTI refuses to report driver calls")

    def end(self) -> None:
        """Unsubscribe. No callback runs once this has returned."""
        if self._handle:
            self._library.cupti.cuptiUnsubscribe(self._handle)
            self._handle = ctypes.c_void_p()
