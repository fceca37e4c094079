"""Regions: `watch`, `forbid` and `allow`, as context managers and decorators.

A region covers the code that runs inside of it in the same thread and task, and the backward pass that this code
starts. Regions nest: a wait is judged from the innermost region outwards, and an `allow` covers it for every `watch`
and `forbid` around that `allow`. This module needs no torch; torch is imported when something starts to watch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import Token
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hostsync.runtime import chain
from hostsync.runtime.capture import Capture
from hostsync.runtime.chain import ALLOW, FORBID, WATCH, Region
from hostsync.runtime.decorating import Decorating
from hostsync.runtime.errors import HostSyncError, describe
from hostsync.runtime.records import Wait

if TYPE_CHECKING:
    from hostsync.runtime.sources import Session


class Allowance(Decorating):
    """What `allow` gives: a context manager and decorator that holds no state, so that it can be entered again.

    Attributes:
        reason: why the waits inside are meant.
    """

    __slots__ = ("reason",)

    reason: str

    def _again(self) -> Allowance:
        return allow(self.reason)

    def __enter__(self) -> Allowance:
        if chain.regions_open and not chain.is_compiling() and chain.open_count:
            chain.count(allows=1)
            chain.push(Region(ALLOW, self.reason, self, chain.innermost.get()))
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if chain.regions_open and not chain.is_compiling():
            _leave(self)


def allow(reason: str) -> Allowance:
    """Mark waits that are meant: the `watch` and `forbid` regions around it count them as allowed.

        with hostsync.allow("one read per epoch, for the log"):
            print(total.item())

    Also a decorator. Costs next to nothing while nothing watches, and needs no torch. Inside of code that torch.compile
    compiles it does nothing. It is known only to regions that were open when it was entered.

    Args:
        reason: why the wait is meant; shown in reports.

    Returns:
        What the `with` statement or the decorator takes. It can be kept and used again, also inside of itself.

    Raises:
        TypeError: the reason is not a string, as in `@allow` without brackets.
        ValueError: the reason is empty.
    """
    if reason.__class__ is not str or not reason:
        _check_reason(reason)
    # A new one each time, as torch.compile takes only a context manager that is made in the code it compiles; made
    # without an `__init__`, which would take a third of the time.
    made = Allowance()
    made.reason = reason
    return made


def _check_reason(reason: object) -> None:
    if not isinstance(reason, str):
        raise TypeError('hostsync.allow needs a reason, such as hostsync.allow("read once per epoch")')
    if not reason:
        raise ValueError("hostsync.allow needs a reason that says why the wait is meant")


def _leave(allowance: Allowance) -> None:
    """Undo what entering the allowance did, if it did anything: nothing may have watched then."""
    region = chain.innermost.get()
    while region is not None and region.owner is not allowance:
        region = region.outer
    if region is not None:
        chain.count(allows=-1)
        chain.innermost.set(region.outer)
        chain.note()


class _Watching(Decorating):
    """What `watch` and `forbid` share: they open the sources, and close them when the last region ends."""

    __slots__ = ("_entered", "_sources")

    def __init__(self, sources: Iterable[str] | str) -> None:
        self._sources = (sources,) if isinstance(sources, str) else tuple(sources)
        self._entered: list[tuple[Token[Region | None], Region, Session]] = []

    def _open(self, kind: int, owner: Any) -> Session:
        from hostsync.runtime import sources

        session = sources.open_session(self._sources)
        chain.count(watching=1)
        region = Region(kind, "", owner, chain.innermost.get())
        self._entered.append((chain.push(region), region, session))
        return session

    def _close(self) -> None:
        token, region, session = self._entered.pop()
        chain.pop(token, region)
        chain.count(watching=-1)
        session.close()


class watch(_Watching):  # noqa: N801 - used like a function
    """Records the waits of the code inside.

        with hostsync.watch() as seen:
            train_step()
        assert seen.count == 0, seen.sites()

    The sources start when CUDA does, which may be inside of the region. Where no GPU is used, because torch is missing,
    is built without CUDA or finds none, the code runs as ever and nothing is seen: `seen.sources` is empty, and
    `seen.blind_spots` says why.

    What a decorated function waits for is seen by `on_wait` alone, as nobody is handed the `Capture` of a call.

    Args:
        sources: `auto` takes the most complete source that works; or names out of `records.SOURCES`, of which each that
            is given has to work.
        all_threads: take in the waits of every thread, not just those of this thread and task and its backward passes.
        on_wait: called with each wait, in the thread that waited, inside of a driver callback: it must be quick, must
            not use the GPU, and what it raises is dropped.
        kept: how many single waits to keep. With 0 waits are only counted, and handed to `on_wait`: no sites either.

    Raises:
        SourceError: on entering, when CUDA is initialized and no source works; or for a source that was named and does
            not work, also for want of torch or of a torch with CUDA. The message says why. What fails when CUDA is
            initialized inside of the region raises nothing, and stands in `seen.blind_spots`.
    """

    __slots__ = ("_all_threads", "_captures", "_kept", "_on_wait")

    def __init__(
        self,
        sources: Iterable[str] | str = "auto",
        *,
        all_threads: bool = False,
        on_wait: Callable[[Wait], None] | None = None,
        kept: int = Capture.KEPT,
    ) -> None:
        super().__init__(sources)
        self._all_threads = all_threads
        self._on_wait = on_wait
        self._kept = kept
        self._captures: list[Capture] = []

    def _again(self) -> watch:
        return watch(self._sources, all_threads=self._all_threads, on_wait=self._on_wait, kept=self._kept)

    def __enter__(self) -> Capture:
        capture = Capture(self._on_wait, self._kept)
        session = self._open(WATCH, capture)
        capture._session = session
        if self._all_threads:
            chain.everywhere.append(capture)
        self._captures.append(capture)
        return capture

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        capture = self._captures.pop()
        try:
            self._close()
        finally:
            if self._all_threads:
                chain.everywhere.remove(capture)


class forbid(_Watching):  # noqa: N801 - used like a function
    """Raises `HostSyncError` where the code inside makes the host wait, unless an `allow` or a comment allows it.

    The wait itself takes place: CUDA's calls can't be broken off. What follows is guaranteed:

    - In the thread of the region, the error is raised out of the operation itself, where torch's sync debug mode sees
      the wait. Other waits (`torch.cuda.synchronize()`, copies that wait in spite of `non_blocking=True`) raise when
      the frame that ran the operation begins its next line or returns; if the operation is the last of a `with` or
      `try` block, when the frame returns, so that the block is left in order. In Python 3.10 they always do.
    - In a backward pass, which has its own threads, the rest of the pass runs, and the error is raised where the pass
      was started.
    - At the latest the error is raised at the end of the region, if nothing else is being raised: so it is for a wait
      in a finalizer, and for one that no Python frame led to.

    Several waits in one operation raise one error. Where no GPU is used, nothing is raised, as with `watch`, which can
    tell whether anything could be seen.

    Args:
        sources: as for `watch`; `auto` adds the debug mode, so that most waits raise out of the operation itself.

    Raises:
        HostSyncError: on a wait; `error.wait` holds it.
        SourceError: as `watch` does.
    """

    __slots__ = ("_pending",)

    def __init__(self, sources: Iterable[str] | str = "auto") -> None:
        super().__init__(("auto", "debug") if sources == "auto" else sources)
        self._pending: list[HostSyncError] = []

    def _again(self) -> forbid:
        return forbid(self._sources)

    def __enter__(self) -> forbid:
        self._open(FORBID, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        from hostsync.runtime.raising import disarm

        disarm()
        self._close()
        pending, self._pending = self._pending, []
        late = [one for one in pending if not one.raised]
        if late and kind is None:
            raise late[0]

    def violated(self, wait: Wait) -> HostSyncError:
        """Make the error of a wait, and keep it for the end of the region."""
        error = HostSyncError(describe(wait), wait)
        self._pending = [*[one for one in self._pending if not one.raised][:1], error]
        return error
