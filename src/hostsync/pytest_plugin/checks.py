"""What tests use: the `host_sync` fixture's object, and the assertions over a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from hostsync.pytest_plugin.errors import UnexpectedHostSync
from hostsync.pytest_plugin.settings import LEVELS

if TYPE_CHECKING:
    from hostsync.pytest_plugin.gate import Watched
    from hostsync.runtime.cause import Causes
    from hostsync.runtime.records import Site, Wait
    from hostsync.runtime.regions import Capture


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
        plain = () if self._capture is None else tuple(s for s in self._capture.sites() if s.allowed is None)
        if not plain:
            return ()
        causes = self._causes()
        return tuple(
            site._replace(code=causes.code_of(site.example))
            for site in plain
            if self._level == "all" or not causes.is_explicit(site.example)
        )

    @property
    def explicit(self) -> int:
        """The waits that were asked for, and don't count at this level."""
        if self._capture is None or self._level == "all":
            return 0
        causes = self._causes()
        return sum(s.count for s in self._capture.sites() if s.allowed is None and causes.is_explicit(s.example))


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
    return _check(watched, count, exactly, level, info)


@contextmanager
def _check(watched: Watched, count: int, exactly: bool, level: str, info: str | None) -> Iterator[Checked]:
    __tracebackhide__ = True
    if not watched.is_active:
        yield Checked(None, level, watched.causes)
        return
    from hostsync.runtime.regions import watch

    with watch(watched.wanted, on_wait=watched.check) as capture:
        checked = Checked(capture, level, watched.causes)
        yield checked
    seen = checked.count
    if seen > count or (exactly and seen != count):
        from hostsync.pytest_plugin.rendering import listing

        wanted = f"{count}" if exactly else f"at most {count}"
        explicit = f" (and {checked.explicit} explicit, which level 'implicit' leaves out)" if checked.explicit else ""
        because = f": {info}" if info else ""
        first = f"{seen} host wait{'' if seen == 1 else 's'}{explicit} instead of {wanted}{because}"
        raise UnexpectedHostSync("\n".join([first, *listing(checked.sites())]), seen)
