"""A pretended source of waits, for test runs without a GPU: waits are made by calling `wait`.

Everything behind the source is real: the regions, the places, the sites, the judgement. It says nothing about CUDA.
Loaded into test runs with `-p pretended`.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import warnings

from hostsync.runtime import prerequisites, sources
from hostsync.runtime.debug_mode import MESSAGE, WarningsHook
from hostsync.runtime.driver import Seen


class Nothing:
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def forget(self) -> None: ...


class Warnings(Nothing):
    """The warnings hook of torch's debug mode, without the mode."""

    def __init__(self) -> None:
        self._hook = WarningsHook(sources._on_debug)

    def start(self) -> None:
        self._hook.install()

    def stop(self) -> None:
        self._hook.remove()

    def keep_up(self) -> None:
        self._hook.keep_up()


def open_session(wanted: tuple[str, ...]) -> sources.Session:
    sources._next += 1
    session = sources.Session(sources._next, (os.environ.get("PRETENDED", "driver"),))
    if not os.environ.get("PRETENDED_LATE"):
        session.start()
    late.append(session)
    return session


late: list[sources.Session] = []
sources.open_session = open_session
sources._MAKE = {"driver": Nothing, "debug": Warnings}
prerequisites.require_cuda = lambda: None


def wait(kind: str = "stream", seconds: float = 0.001, call: str = "cuStreamSynchronize") -> None:
    """The host waits in the frame that calls this."""
    sources._on_driver(Seen(kind, call, 7, seconds, None, "", True), sys._getframe(1))


def synchronize() -> None:
    """As `wait`, by a name that asks for it."""
    sources._on_driver(Seen("device", "cuCtxSynchronize", None, 0.001, None, "", True), sys._getframe(1))


warn = functools.partial(warnings.warn, MESSAGE, UserWarning)
"""Warns as torch's debug mode does, in the frame that calls this."""


def in_thread(call: object) -> None:
    thread = threading.Thread(target=call)  # type: ignore[arg-type]
    thread.start()
    thread.join()
