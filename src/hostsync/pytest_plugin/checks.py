"""What tests use: the `host_sync` fixture's object, and the assertions over a block."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from hostsync.pytest_plugin.errors import UnexpectedHostSync
from hostsync.pytest_plugin.settings import LEVELS

if TYPE_CHECKING:
    from hostsync.pytest_plugin.gate import Watched
    from hostsync.runtime.capture import Capture
    from hostsync.runtime.cause import Causes
    from hostsync.runtime.records import Site, Wait
    from hostsync.runtime.regions import watch


class Checked:
    """The waits inside of an assertion. Empty where nothing can be watched."""

    def __init__(self, capture: Capture | None, level: str, causes: Callable[[], Causes]) -> None:
        self._capture = capture
        self._level = level
        self._causes = causes

    @property
    def active(self) -> bool:
        """Whether waits can be seen."""
        return self._capture is not None

    @property
    def waits(self) -> tuple[Wait, ...]:
        """The waits, allowed and explicit ones too; a sample of very many."""
        return () if self._capture is None else self._capture.waits

    @property
    def count(self) -> int:
        """The waits that count: those that are not allowed and that the level takes in."""
        return sum(site.count for site in self.sites())

    @property
    def seconds(self) -> float:
        """Time blocked in them."""
        return sum(site.seconds for site in self.sites())

    def sites(self) -> tuple[Site, ...]:
        """The waits that count, by place, the longest blocked first."""
        if self._capture is None or not self._capture.count:
            return ()
        causes = self._causes()
        return tuple(
            site
            for site in self._capture.sites(causes.code_of)
            if site.allowed is None and (self._level == "all" or not causes.is_explicit(site.example))
        )

    @property
    def explicit(self) -> int:
        """The waits that were asked for, and don't count at this level."""
        if self._capture is None or self._level == "all":
            return 0
        causes = self._causes()
        return sum(
            s.count for s in self._capture.sites(causes.code_of) if s.allowed is None and causes.is_explicit(s.example)
        )


class HostSync:
    """What the `host_sync` fixture gives: the waits of the running test."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    @property
    def active(self) -> bool:
        """Whether waits can be seen here. Without CUDA nothing is seen, and no assertion fails."""
        return self._watched.is_active

    @property
    def sources(self) -> tuple[str, ...]:
        """How waits are seen; empty until CUDA is first used."""
        return self._watched.sources

    @property
    def events(self) -> tuple[Wait, ...]:
        """The waits of this phase of the test so far, allowed ones too; the first thousand."""
        return self._watched.record.waits

    @property
    def count(self) -> int:
        """The unexpected waits so far: what the test will be judged by."""
        return self._watched.judge_so_far().waits

    def reset(self) -> None:
        """Forget what was seen so far: what follows is judged. For a warm-up inside of a test."""
        self._watched.record.clear()

    def forbid(self) -> AbstractContextManager[Any]:
        """`hostsync.forbid()`: raises `hostsync.HostSyncError` at the line that waits."""
        if not self.active:
            return nullcontext()
        from hostsync.runtime.regions import forbid

        wanted = self._watched.wanted
        return forbid("auto" if wanted == ("auto",) else wanted)

    def allow(self, reason: str) -> AbstractContextManager[Any]:
        """`hostsync.allow(reason)`."""
        from hostsync.runtime.regions import allow

        return allow(reason)

    def expect(
        self, count: int, *, level: str | None = None, info: str | None = None
    ) -> AbstractContextManager[Checked]:
        """As `assert_num_host_syncs(count)`."""
        return check(self._watched, count, True, level, info)


def check(
    watched: Watched, count: int, exactly: bool, level: str | None, info: str | None
) -> AbstractContextManager[Checked]:
    """An assertion over the waits of a block, of this thread and task and its backward passes.

    Its waits are not judged again with the test.

    Args:
        watched: the running test.
        count: how many waits there may be.
        exactly: whether there have to be as many.
        level: implicit or all; that of the test if None.
        info: is added to the message.

    Raises:
        ValueError: `count` is no number of waits, or there is no such level.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"the number of host waits has to be 0 or more, not {count!r}")
    level = watched.policy.level if level is None else level
    if level not in LEVELS:
        raise ValueError(f"level has to be one of {', '.join(LEVELS)}, not {level!r}")
    return _Check(watched, count, exactly, level, info)


class _Check(AbstractContextManager[Checked]):
    def __init__(self, watched: Watched, count: int, exactly: bool, level: str, info: str | None) -> None:
        self._watched = watched
        self._limit = count
        self._exactly = exactly
        self._level = level
        self._info = info
        self._is_open = False
        self._watch: watch | None = None
        self._checked = Checked(None, level, watched.causes)

    def __enter__(self) -> Checked:
        watched = self._watched
        if watched.is_active:
            from hostsync.runtime.regions import watch

            self._watch = watch(watched.wanted, on_wait=self._on_wait)
            self._checked = Checked(self._watch.__enter__(), self._level, watched.causes)
            self._is_open = True
        return self._checked

    def _on_wait(self, wait: Wait) -> None:
        # A task that outlives the block still carries its region.
        if self._is_open:
            self._watched.check(wait)

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        __tracebackhide__ = True
        if self._watch is None:
            return
        self._is_open = False
        self._watch.__exit__(None, None, None)
        seen = self._checked.count
        if kind is None and (seen > self._limit or (self._exactly and seen != self._limit)):
            raise UnexpectedHostSync(self._message(seen), seen)

    def _message(self, seen: int) -> str:
        from hostsync.pytest_plugin.rendering import listing

        wanted = f"{self._limit}" if self._exactly else f"at most {self._limit}"
        left_out = self._checked.explicit
        explicit = f" (and {left_out} explicit, which level 'implicit' leaves out)" if left_out else ""
        because = f": {self._info}" if self._info else ""
        first = f"{seen} host wait{'' if seen == 1 else 's'}{explicit} instead of {wanted}{because}"
        return "\n".join([first, *listing(self._checked.sites())])
