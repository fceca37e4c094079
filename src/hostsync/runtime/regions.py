"""Regions: `watch`, `forbid` and `allow`, as context managers and decorators.

A region covers the code that runs inside of it in the same thread and task, and the backward pass that this code
starts. Regions nest: a wait is judged from the innermost region outwards, and an `allow` covers it for every `watch`
and `forbid` around that `allow`. This module needs no torch; torch is imported when something starts to watch.
"""

from __future__ import annotations

import functools
import inspect
import random
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hostsync.runtime.errors import HostSyncError, describe
from hostsync.runtime.records import SOURCES, Site, Wait

if TYPE_CHECKING:
    from hostsync.runtime.sources import Active, Session

F = TypeVar("F", bound=Callable[..., Any])

WATCH, FORBID, ALLOW = range(3)


class Region(NamedTuple):
    """A link in the chain of open regions, the innermost first. Never changed, so that tasks can share it."""

    kind: int
    reason: str
    owner: Any
    """The `Capture` of a watch, the `forbid` or the `Allowance` itself."""
    outer: Region | None


chain: ContextVar[Region | None] = ContextVar("hostsync_regions", default=None)
chains: dict[int, Region | None] = {}
"""The chain that each thread entered or left last, by thread identifier: for waits in another thread on its behalf."""
everywhere: list[Capture] = []
"""Captures of all threads."""
on_violation: list[Callable[[Wait], None]] = []
"""Called with each wait that a `forbid` raises for, in the thread that waited, before the captures of `everywhere`."""
open_count = 0
"""Open `watch` and `forbid` regions in the process. While it is 0, `allow` does nothing on entering."""
_allow_count = 0
"""Allowances in the process that were entered while something watched."""
regions_open = False
"""Whether one of the two is not 0. One truth value, as torch.compile guards its code by each value that it reads."""
_count_lock = threading.Lock()


def _never() -> bool:
    return False


is_compiling: Callable[[], bool] = _never
"""`torch.compiler.is_compiling` once something has watched: a region leaves no trace in compiled code."""


class _Decorating:
    """Makes a context manager a decorator of functions, generators and their asynchronous kinds."""

    __slots__ = ()

    def _again(self) -> Any:
        """A context manager like this one, not entered."""
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        again = self._again
        if inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            async def async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
                running = function(*args, **kwargs)
                step: Awaitable[Any] = running.__anext__()
                while True:
                    try:
                        with again():
                            value = await step
                    except StopAsyncIteration:
                        return
                    try:
                        sent = yield value
                    except GeneratorExit:
                        await running.aclose()
                        raise
                    except BaseException as error:
                        step = running.athrow(error)
                    else:
                        step = running.asend(sent)

            return async_generator  # type: ignore[return-value]
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def coroutine(*args: Any, **kwargs: Any) -> Any:
                with again():
                    return await function(*args, **kwargs)

            return coroutine  # type: ignore[return-value]
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
                # The region is open while the generator runs, not while its consumer does.
                running = function(*args, **kwargs)
                step: Callable[[], Any] = functools.partial(next, running)
                while True:
                    try:
                        with again():
                            value = step()
                    except StopIteration as stop:
                        return stop.value
                    try:
                        sent = yield value
                    except GeneratorExit:
                        running.close()
                        raise
                    except BaseException as error:
                        step = functools.partial(running.throw, error)
                    else:
                        step = functools.partial(running.send, sent)

            return generator  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with again():
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]


def _count(*, watching: int = 0, allows: int = 0) -> None:
    global open_count, _allow_count, regions_open
    with _count_lock:
        open_count += watching
        _allow_count += allows
        regions_open = bool(open_count or _allow_count)


def _push(region: Region) -> Token[Region | None]:
    token = chain.set(region)
    chains[threading.get_ident()] = region
    return token


def _pop(token: Token[Region | None], region: Region | None) -> None:
    try:
        chain.reset(token)
    except ValueError:
        # Left in another context than entered, as an asynchronous generator may be.
        chain.set(region.outer if region is not None else None)
    _note_chain()


def _note_chain() -> None:
    now = chain.get()
    if now is None:
        chains.pop(threading.get_ident(), None)
    else:
        chains[threading.get_ident()] = now


class Allowance(_Decorating):
    """What `allow` gives: a context manager and decorator that holds no state, so that it can be entered again.

    Attributes:
        reason: why the waits inside are meant.
    """

    __slots__ = ("reason",)

    reason: str

    def _again(self) -> Allowance:
        return allow(self.reason)

    def __enter__(self) -> Allowance:
        if regions_open and not is_compiling() and open_count:
            _count(allows=1)
            _push(Region(ALLOW, self.reason, self, chain.get()))
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if regions_open and not is_compiling():
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
    region = chain.get()
    while region is not None and region.owner is not allowance:
        region = region.outer
    if region is not None:
        _count(allows=-1)
        chain.set(region.outer)
        _note_chain()


class Capture:
    """What a `watch` saw. Its memory stays bounded: sites are counted, and of the waits a sample is kept.

    Attributes:
        count: waits seen that were not allowed.
        allowed: waits seen that were allowed.
        seconds: time blocked in the waits that were not allowed, in seconds; 0.0 where no source can tell.
    """

    KEPT = 10_000
    """Waits kept: the first ones, then a random sample of all."""
    SITES = 20_000
    """Sites told apart; waits at further ones are added up by their kind."""

    def __init__(self, on_wait: Callable[[Wait], None] | None = None, kept: int = KEPT) -> None:
        self.count = 0
        self.allowed = 0
        self.seconds = 0.0
        self._session: Session | None = None
        self._on_wait = on_wait
        self._kept = kept
        self._waits: list[Wait] = []
        self._sites: dict[tuple[Any, ...], list[Any]] = {}
        self._random = random.Random(0)
        # A callback can interrupt `add` in its own thread (a wait in a finalizer), so the lock must let it in again.
        self._lock = threading.RLock()

    @property
    def active(self) -> Active:
        """The sources that are active (or were when the region ended), what they can't see, and why others are not."""
        from hostsync.runtime.sources import NOTHING_ACTIVE

        return NOTHING_ACTIVE if self._session is None else self._session.active

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the active sources, out of `records.SOURCES`."""
        return self.active.names

    @property
    def blind_spots(self) -> tuple[str, ...]:
        """What none of the active sources can see, and why better ones are not active; a phrase each."""
        active = self.active
        return (*active.blind, *(f"{SOURCES[name]}: {why}" for name, why in active.unavailable))

    @property
    def waits(self) -> tuple[Wait, ...]:
        """The waits in the order in which they were seen, allowed ones too; a sample once they are more than `KEPT`."""
        with self._lock:
            return tuple(self._waits)

    def add(self, wait: Wait) -> None:
        """Take in one wait."""
        with self._lock:
            if wait.allowed is None:
                self.count += 1
                self.seconds += wait.seconds
            else:
                self.allowed += 1
            if self._kept:
                self._keep(wait)
        if self._on_wait is not None:
            self._on_wait(wait)

    def _keep(self, wait: Wait) -> None:
        if len(self._waits) < self._kept:
            self._waits.append(wait)
        else:
            at = int(self._random.random() * (self.count + self.allowed))
            if at < self._kept:
                del self._waits[at]
                self._waits.append(wait)
        key = (wait.place, wait.kind, wait.operation, wait.memory, wait.phase, wait.allowed)
        site = self._sites.get(key)
        if site is None:
            if len(self._sites) >= self.SITES:
                key = (None, wait.kind, "", "", "other", wait.allowed)
            site = self._sites.setdefault(key, [0, 0.0, 0.0, 0, set(), wait])
        site[0] += 1
        site[1] += wait.seconds
        if wait.seconds > site[2]:
            site[2] = wait.seconds
        site[3] += wait.bytes or 0
        if wait.stream is not None and len(site[4]) < 64:
            site[4].add(wait.stream)

    def sites(self) -> tuple[Site, ...]:
        """The waits added up by expression and kind, the longest blocked first, then the most frequent."""
        with self._lock:
            rows = [(key, list(site)) for key, site in self._sites.items()]
        sites = [
            Site(
                place,
                kind,
                operation,
                count,
                seconds,
                longest,
                size,
                memory,
                tuple(sorted(streams)),
                phase,
                None,
                allowed,
                example,
            )
            for (place, kind, operation, memory, phase, allowed), (
                count,
                seconds,
                longest,
                size,
                streams,
                example,
            ) in rows
        ]
        return tuple(sorted(sites, key=lambda site: (-site.seconds, -site.count)))


class _Watching(_Decorating):
    """What `watch` and `forbid` share: they open the sources, and close them when the last region ends."""

    __slots__ = ("_entered", "_sources")

    def __init__(self, sources: Iterable[str] | str) -> None:
        self._sources = (sources,) if isinstance(sources, str) else tuple(sources)
        self._entered: list[tuple[Token[Region | None], Region, Session]] = []

    def _open(self, kind: int, owner: Any) -> Session:
        from hostsync.runtime import sources

        session = sources.open_session(self._sources)
        _count(watching=1)
        region = Region(kind, "", owner, chain.get())
        self._entered.append((_push(region), region, session))
        return session

    def _close(self) -> None:
        token, region, session = self._entered.pop()
        _pop(token, region)
        _count(watching=-1)
        session.close()


class watch(_Watching):  # noqa: N801 - used like a function
    """Records the waits of the code inside.

        with hostsync.watch() as seen:
            train_step()
        assert seen.count == 0, seen.sites()

    Args:
        sources: `auto` takes the most complete source that works; or names out of `records.SOURCES`, of which each that
            is given has to work.
        all_threads: take in the waits of every thread, not just those of this thread and task and its backward passes.
        on_wait: called with each wait, in the thread that waited, inside of a driver callback: it must be quick, must
            not use the GPU, and what it raises is dropped.
        kept: how many single waits to keep. With 0 waits are only counted, and handed to `on_wait`: no sites either.

    Raises:
        SourceError: on entering, when no source works, or one that was named does not; the message says why.
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
            everywhere.append(capture)
        self._captures.append(capture)
        return capture

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        capture = self._captures.pop()
        try:
            self._close()
        finally:
            if self._all_threads:
                everywhere.remove(capture)


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

    Several waits in one operation raise one error.

    Args:
        sources: as for `watch`; `auto` adds the debug mode, so that most waits raise out of the operation itself.

    Raises:
        HostSyncError: on a wait; `error.wait` holds it.
        SourceError: on entering, when no source works, or one that was named does not.
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


def deliver(wait: Wait, innermost: Region | None, by_comment: str | None) -> HostSyncError | None:
    """Hand a wait to the regions around it.

    Args:
        wait: not yet marked as allowed.
        innermost: the chain of regions of the code that waited.
        by_comment: the reason of an allow comment on its statement.

    Returns:
        The error to raise, if it is forbidden.
    """
    allowed = by_comment
    error = None
    served: list[Capture] = []
    region = innermost
    while region is not None:
        if region.kind == ALLOW:
            allowed = allowed or region.reason
        elif region.kind == WATCH:
            served.append(region.owner)
            region.owner.add(wait if allowed is None else wait._replace(allowed=allowed))
        elif allowed is None and error is None:
            error = region.owner.violated(wait)
            for listener in tuple(on_violation):
                listener(wait)
        region = region.outer
    for capture in tuple(everywhere):
        if not served or not any(capture is one for one in served):
            capture.add(wait if allowed is None else wait._replace(allowed=allowed))
    return error
