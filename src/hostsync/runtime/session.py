"""One watched run: from the first use of CUDA to the report."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hostsync import __version__
from hostsync.runtime.aggregate import Aggregator, Event, Totals
from hostsync.runtime.capture import Capture
from hostsync.runtime.launch import Ended, Program
from hostsync.runtime.on_import import after_import
from hostsync.runtime.printed import Printed
from hostsync.runtime.records import SOURCES, Site, Wait
from hostsync.runtime.regions import watch
from hostsync.runtime.sources import NOTHING_ACTIVE


class Steps(NamedTuple):
    """Which part of the run counts, in steps of an optimizer: after `first` of them, until `last` are done."""

    first: int = 0
    last: int | None = None

    def counts(self, done: int) -> bool:
        return done >= self.first and (self.last is None or done < self.last)


class Allocations(NamedTuple):
    """What torch's allocator asked of the driver during the run, over all devices."""

    allocated: int
    """Calls of cudaMalloc."""
    freed: int
    """Calls of cudaFree; the host waits in each."""
    retries: int
    """Times that memory ran out and all cached blocks were given back before another try."""


class Seen(NamedTuple):
    """Everything that a report says."""

    program: Program
    ended: Ended
    seconds: float
    """Wall time of what counts."""
    sites: tuple[Site, ...]
    totals: Totals
    events: tuple[Event, ...]
    is_sampled: bool
    sources: tuple[str, ...]
    blind_spots: tuple[str, ...]
    """What the sources can't see, and what went wrong; one sentence each."""
    used_cuda: bool
    steps: int
    """Steps of optimizers that were made, in the part that counts."""
    allocations: Allocations | None
    """None where CUDA was not used, or torch can't tell."""
    rank: int | None
    child_seconds: float
    """Processor time of child processes that have ended."""
    environment: Mapping[str, str]


class Session:
    """Watches this process, all of its threads.

    Torch is not imported for it, and CUDA not initialized: the sources start when the program has done both.
    """

    def __init__(
        self,
        *,
        warmup: int = 0,
        steps: Steps | None = None,
        start_after: re.Pattern[str] | None = None,
        keep: Callable[[Wait], bool] = lambda wait: True,
    ) -> None:
        """
        Args:
            warmup: the first hits of each site that are not counted.
            steps: the part of the run that counts; everything if None.
            start_after: count from the first time on that the program prints a line in which this is found.
            keep: asked of each wait, where it happens; one that is not kept is not counted at all.
        """
        self._keep = keep
        self._waits = Aggregator(warmup=warmup)
        self._range = steps or Steps()
        self._printed = None if start_after is None else Printed(start_after, self._begin)
        self._begun = start_after is None
        self._steps = 0
        self._began = time.perf_counter()
        self._counted = 0.0
        self._since: float | None = None
        self._owner = os.getpid()
        self._watch = watch(all_threads=True, on_wait=self._add, kept=0)
        self._capture: Capture | None = None
        self._active = NOTHING_ACTIVE
        self._trouble = ""
        self._used_cuda = False
        self._allocations: Allocations | None = None
        self._stopped = False
        self._remove_hook: Callable[[], None] = lambda: None
        self._forget: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begins the clock, and to watch: now if torch is imported, or when the program has imported it."""
        self._began = time.perf_counter()
        self._count()
        if self._printed is not None:
            self._printed.start()
        self._forget = after_import("torch", self._arm)

    def _arm(self) -> None:
        if os.getpid() != self._owner:
            return
        try:
            from torch.optim.optimizer import register_optimizer_step_post_hook

            self._remove_hook = register_optimizer_step_post_hook(self._stepped).remove
            self._capture = self._watch.__enter__()
        except Exception as error:
            # In the middle of the program's import of torch, which goes on.
            self._trouble = f"The watch could not begin: {type(error).__name__}: {error}."

    def stop(self) -> None:
        """Ends watching. May be called again, and in a forked child, where it does nothing."""
        if self._stopped or os.getpid() != self._owner:
            return
        self._stopped = True
        self._since_to_now()
        self._since = None
        self._forget()
        if self._printed is not None:
            self._printed.stop()
        torch = sys.modules.get("torch")
        self._used_cuda = torch is not None and torch.cuda.is_initialized()
        self._remove_hook()
        capture, self._capture = self._capture, None
        if capture is None:
            return
        self._active = capture.active or NOTHING_ACTIVE
        try:
            self._watch.__exit__(None, None, None)
        except Exception as error:
            self._trouble = f"The watch did not end well: {type(error).__name__}: {error}."
        if self._used_cuda:
            self._allocations = _allocations()

    def seen(self, program: Program, file: str, ended: Ended, code_of: Callable[[Wait], str | None]) -> Seen:
        """What the run showed.

        Args:
            program: what was run.
            file: the file of its main module.
            ended: how it ended.
            code_of: names the rule of a wait.
        """
        rank = os.environ.get("RANK", "")
        first, last = self._range
        done = max(0, min(self._steps, self._steps if last is None else last) - first)
        return Seen(
            program=program,
            ended=ended,
            seconds=self._counted,
            sites=tuple(_within(site, file) for site in self._waits.sites(code_of)),
            totals=self._waits.totals(),
            events=self._waits.events(),
            is_sampled=self._waits.is_sampled,
            sources=self._active.names,
            blind_spots=tuple(self._blind_spots()),
            used_cuda=self._used_cuda,
            steps=done,
            allocations=self._allocations,
            rank=int(rank) if rank.isdigit() else None,
            child_seconds=_child_seconds(),
            environment=environment(),
        )

    def _blind_spots(self) -> Iterator[str]:
        if self._trouble:
            yield self._trouble
        if not self._begun:
            yield "No line that --start-after looks for was printed, so nothing was counted."
        for name, why in self._active.unavailable:
            yield f"Without {SOURCES.get(name, name)}: {why}."
        if self._active.blind:
            yield f"Not to be seen by these: {'; '.join(self._active.blind)}."

    def _add(self, wait: Wait) -> None:
        if os.getpid() == self._owner and self._keep(wait):
            self._waits.add(wait, time.perf_counter() - self._began)

    def _stepped(self, *_: object) -> None:
        # Steps before the part that counts begins are not numbered.
        if self._begun:
            self._steps += 1
            self._count()

    def _begin(self) -> None:
        self._begun = True
        self._count()

    def _count(self) -> None:
        """Lets waits count, or skips them, from now on."""
        counting = self._begun and self._range.counts(self._steps)
        self._since_to_now()
        if not counting:
            self._since = None
        self._waits.counting = counting

    def _since_to_now(self) -> None:
        """Adds the time that has gone by to what counts."""
        now = time.perf_counter()
        if self._since is not None:
            self._counted += now - self._since
        self._since = now


def _within(site: Site, file: str) -> Site:
    """The site without the callers that lie above the program: they are ours."""
    example = site.example
    frames = (example.place, *example.callers)
    for depth, frame in enumerate(frames):
        if frame is not None and frame.function == "<module>" and frame.filename == file:
            return site._replace(example=example._replace(callers=example.callers[:depth]))
    return site


def _child_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _allocations() -> Allocations | None:
    """The counters of torch's caching allocator, from the start of the process on."""
    import torch

    counts = [0, 0, 0]
    try:
        for device in range(torch.cuda.device_count()):
            stats = torch.cuda.memory_stats(device)
            for at, name in enumerate(("num_device_alloc", "num_device_free", "num_alloc_retries")):
                counts[at] += stats.get(name, 0)
    except Exception:
        # Another allocator, or a device that failed: the report is made without this.
        return None
    return Allocations(*counts)


def environment() -> dict[str, str]:
    """What a reader needs to compare two reports."""
    found = {"hostsync": __version__, "python": platform.python_version()}
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch"] = str(torch.__version__)
        found["cuda"] = str(torch.version.cuda)
        with contextlib.suppress(Exception):
            if torch.cuda.is_initialized():
                found["device"] = torch.cuda.get_device_name()
    return found
