"""One watched run: from the first use of CUDA to the report."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hostsync import __version__
from hostsync.runtime.aggregate import Aggregator, Event, Totals
from hostsync.runtime.launch import Ended, Program
from hostsync.runtime.records import SOURCES, Site, Wait
from hostsync.runtime.regions import Capture, watch
from hostsync.runtime.sources import NOTHING_ACTIVE


class NothingToWatchError(Exception):
    """This Python can't show a wait for a GPU; the message says why and what to do."""


class Steps(NamedTuple):
    """Which part of the run counts, in steps of an optimizer: after `first` of them, until `last` are done."""

    first: int = 0
    last: int | None = None

    def counts(self, done: int) -> bool:
        return done >= self.first and (self.last is None or done < self.last)


class Seen(NamedTuple):
    """Everything that a report says."""

    program: Program
    ended: Ended | None
    """None when the run was cut off by a signal."""
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
    rank: int | None
    environment: Mapping[str, str]


def require_cuda() -> None:
    """Raises NothingToWatchError unless torch is here and sees a CUDA device. Does not initialise CUDA."""
    advice = "`hostsync check` needs neither torch nor a GPU"
    try:
        import torch
    except ImportError as error:
        if error.name == "torch":
            reason = f"torch is not installed for {sys.executable}, so no wait can be seen; {advice}"
            raise NothingToWatchError(reason) from None
        raise NothingToWatchError(f"torch can't be imported, so no wait can be seen: {error}") from error
    if torch.version.cuda is None:
        raise NothingToWatchError(
            f"this is torch {torch.__version__}, which is built without CUDA, so no wait can be seen: run it where "
            f"torch has CUDA; {advice}"
        )
    # Counts by NVML where it can: programs that fork before they use CUDA go on working.
    if torch.cuda.device_count() == 0:
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
        why = f"torch {torch.__version__} finds no CUDA device here"
        if hidden is not None and hidden.strip() in ("", "-1"):
            why = f"CUDA_VISIBLE_DEVICES={hidden} hides every CUDA device"
        raise NothingToWatchError(f"{why}, so no wait can be seen; {advice}")


class Session:
    """Watches this process, all of its threads. CUDA is not initialised for it: the sources start when it is used."""

    def __init__(self, *, warmup: int = 0, steps: Steps | None = None) -> None:
        """
        Args:
            warmup: the first hits of each site that are not counted.
            steps: the part of the run that counts; everything if None.
        """
        self._waits = Aggregator(warmup=warmup)
        self._range = steps or Steps()
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
        self._remove_hook: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begins the clock, and to watch."""
        from torch.optim.optimizer import register_optimizer_step_post_hook

        self._remove_hook = register_optimizer_step_post_hook(self._stepped).remove
        self._began = time.perf_counter()
        self._count(self._range.counts(0))
        self._capture = self._watch.__enter__()

    def stop(self) -> None:
        """Ends watching. May be called again, and in a forked child, where it does nothing."""
        capture, self._capture = self._capture, None
        if capture is None or os.getpid() != self._owner:
            return
        self._count(False)
        self._remove_hook()
        torch = sys.modules.get("torch")
        self._used_cuda = torch is not None and torch.cuda.is_initialized()
        self._active = capture.active or NOTHING_ACTIVE
        try:
            self._watch.__exit__(None, None, None)
        except Exception as error:
            self._trouble = f"The watch did not end well: {type(error).__name__}: {error}."

    def seen(self, program: Program, file: str, ended: Ended | None, code_of: Callable[[Wait], str | None]) -> Seen:
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
            rank=int(rank) if rank.isdigit() else None,
            environment=environment(),
        )

    def _blind_spots(self) -> Iterator[str]:
        if self._trouble:
            yield self._trouble
        for name, why in self._active.unavailable:
            yield f"Without {SOURCES.get(name, name)}: {why}."
        if self._active.blind:
            yield f"Not to be seen by these: {'; '.join(self._active.blind)}."

    def _add(self, wait: Wait) -> None:
        if os.getpid() == self._owner:
            self._waits.add(wait, time.perf_counter() - self._began)

    def _stepped(self, *_: object) -> None:
        self._steps += 1
        self._count(self._range.counts(self._steps))

    def _count(self, counting: bool) -> None:
        """Lets waits count, or skips them, from now on."""
        now = time.perf_counter()
        if self._since is not None:
            self._counted += now - self._since
        self._since = now if counting else None
        self._waits.counting = counting


def _within(site: Site, file: str) -> Site:
    """The site without the callers that lie above the program: they are ours."""
    example = site.example
    frames = (example.place, *example.callers)
    for depth, frame in enumerate(frames):
        if frame is not None and frame.function == "<module>" and frame.filename == file:
            return site._replace(example=example._replace(callers=example.callers[:depth]))
    return site


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
