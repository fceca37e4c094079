"""Regions, without a GPU: waits come from a pretended source."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
import timeit
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import hostsync
from hostsync.runtime import chain, raising, sources
from hostsync.runtime.driver import Seen
from hostsync.runtime.merge import Merger


class Nothing:
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def forget(self) -> None: ...


@pytest.fixture(autouse=True)
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def open_session(wanted: tuple[str, ...]) -> sources.Session:
        sources._next += 1
        session = sources.Session(sources._next, ("driver",))
        session.start()
        return session

    monkeypatch.setattr(sources, "open_session", open_session)
    monkeypatch.setattr(sources, "_MAKE", {"driver": Nothing})
    yield
    assert chain.open_count == 0 and chain.innermost.get() is None
    assert not chain.everywhere and not sources._running
    assert threading.get_ident() not in chain.by_thread


def wait(kind: str = "stream", seconds: float = 0.5) -> None:
    sources._on_driver(Seen(kind, "cuStreamSynchronize", 7, seconds, None, "", True), sys._getframe(1))


def test_a_wait_is_seen_with_its_place() -> None:
    with hostsync.watch() as seen:
        wait()
        wait()
    wait()
    assert seen.count == 2 and seen.seconds == 1.0 and seen.sources == ("driver",)
    first, second = seen.waits
    assert first.place is not None and first.place.filename == __file__
    assert first.place.function == "test_a_wait_is_seen_with_its_place"
    assert second.place is not None and second.place.row == first.place.row + 1
    if sys.version_info >= (3, 11):
        assert (first.place.column, first.place.end_column) == (9, 15)
    (site, _) = seen.sites()
    assert (site.count, site.seconds, site.longest, site.streams) == (1, 0.5, 0.5, (7,))


def test_regions_nest() -> None:
    with hostsync.watch() as outer:
        with hostsync.allow("outer reason"), hostsync.watch() as inner:
            wait()
            with hostsync.allow("inner reason"):
                wait()
        wait()
    assert [one.allowed for one in outer.waits] == ["outer reason", "inner reason", None]
    assert [one.allowed for one in inner.waits] == [None, "inner reason"]
    assert (outer.count, outer.allowed) == (1, 2)


def test_an_allowance_can_be_used_again() -> None:
    meant = hostsync.allow("meant")
    with meant, hostsync.watch() as seen, meant:
        with meant:
            wait()
        wait()
        with hostsync.watch():
            pass
    assert [one.allowed for one in seen.waits] == ["meant", "meant"]
    with hostsync.watch() as seen, meant:
        pass
    assert not chain.regions_open
    with hostsync.watch() as seen:
        wait()
    assert seen.count == 1


def test_an_allowance_outlives_what_watched() -> None:
    """Entered while another thread watched, left when nothing does: the thread's chain is empty again."""
    entered, over = threading.Event(), threading.Event()

    def watching() -> None:
        with hostsync.watch():
            entered.set()
            over.wait(10)

    thread = threading.Thread(target=watching)
    thread.start()
    assert entered.wait(10)
    with hostsync.allow("meant"):
        over.set()
        thread.join()
        assert chain.innermost.get() is not None
    assert chain.innermost.get() is None and not chain.regions_open


def test_a_comment_allows() -> None:
    with hostsync.forbid(), hostsync.watch() as seen:
        wait()  # hostsync: allow[HS101] once per epoch
        wait()  # hostsync: allow[item-read-back]
    assert [one.allowed for one in seen.waits] == ["once per epoch", "allowed for item-read-back"]


def test_forbid_raises_before_the_next_line() -> None:
    after = []
    with pytest.raises(hostsync.HostSyncError, match="cuStreamSynchronize") as raised, hostsync.forbid():
        with hostsync.allow("meant"):
            wait()
        waiting()
        after.append(1)
    assert not after
    error = raised.value
    assert error.wait is not None and error.wait.place is not None and error.wait.place.function == "waiting"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.wait) == (type(error), str(error), error.wait)


def waiting() -> None:
    wait()


def test_forbid_lets_blocks_clean_up() -> None:
    done = []

    class Block:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None:
            done.append("exit")

    def work() -> None:
        with Block():
            wait()
        try:
            pass
        finally:
            done.append("finally")

    def finish() -> None:
        try:
            wait()
        finally:
            done.append("finally")

    for call, expected in ((work, ["exit", "finally"]), (finish, ["finally"])):
        with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
            call()
        assert done == expected
        done.clear()
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
        wait()
    with pytest.raises(hostsync.HostSyncError):
        for _ in range(2):
            with Block(), hostsync.forbid():
                wait()
    assert done == ["exit"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 raises when the frame returns")
def test_forbid_raises_at_the_next_line() -> None:
    after = []
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
        for _ in range(3):
            wait()
            after.append(1)
    assert not after
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
        try:
            wait()
            after.append(1)
        finally:
            assert not after


def test_a_caught_error_is_not_raised_again() -> None:
    with hostsync.forbid():
        with pytest.raises(hostsync.HostSyncError):
            waiting()
        with pytest.raises(hostsync.HostSyncError):
            waiting()


def test_a_wait_without_a_frame_raises_at_the_end() -> None:
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
        sources._on_driver(Seen("stream", "cuStreamSynchronize", 7, 0.1, None, "", True), None)
    with pytest.raises(KeyError), hostsync.forbid():
        sources._on_driver(Seen("stream", "cuStreamSynchronize", 7, 0.1, None, "", True), None)
        raise KeyError


def test_a_trace_function_comes_back() -> None:
    def tracer(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
            waiting()
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert raising.armed_error() is None


def test_exceptions_leave_nothing_behind() -> None:
    for region in (hostsync.watch(), hostsync.forbid(), hostsync.allow("why")):
        with pytest.raises(ZeroDivisionError), region:
            raise ZeroDivisionError


def test_threads_are_apart() -> None:
    with hostsync.watch() as mine, hostsync.watch(all_threads=True) as everyone:
        thread = threading.Thread(target=waiting, name="other")
        thread.start()
        thread.join()
    assert mine.count == 0
    assert [one.thread for one in everyone.waits] == ["other"]


def test_tasks_are_apart() -> None:
    async def watched() -> int:
        with hostsync.watch() as seen:
            await asyncio.sleep(0.01)
            wait()
            await asyncio.sleep(0.02)
        return seen.count

    async def unwatched() -> None:
        await asyncio.sleep(0.02)
        wait()

    async def both() -> int:
        return (await asyncio.gather(watched(), unwatched()))[0]

    assert asyncio.run(both()) == 1


def test_decorators() -> None:
    @hostsync.allow("a function")
    def function(depth: int) -> int:
        wait()
        return depth if depth == 0 else function(depth - 1)

    @hostsync.allow("a generator")
    def generator() -> Iterator[int]:
        wait()
        received = yield 1
        assert received == "sent"
        wait()

    @hostsync.allow("a coroutine")
    async def coroutine() -> None:
        await asyncio.sleep(0)
        wait()

    @hostsync.allow("an asynchronous generator")
    async def stream() -> AsyncIterator[int]:
        wait()
        yield 1

    async def consume() -> None:
        await coroutine()
        async for _ in stream():
            wait()

    with hostsync.watch() as seen:
        assert function(1) == 0
        steps = generator()
        next(steps)
        wait()
        with pytest.raises(StopIteration):
            steps.send("sent")  # type: ignore[attr-defined]
        asyncio.run(consume())
    a, g, c, s = "a function", "a generator", "a coroutine", "an asynchronous generator"
    assert [one.allowed for one in seen.waits] == [a, a, g, None, g, c, s, None]
    assert function.__name__ == "function"


def test_memory_is_bounded() -> None:
    with hostsync.watch(kept=10) as seen:
        for _ in range(1000):
            wait()
    assert seen.count == 1000 and len(seen.waits) == 10 and len(seen.sites()) == 1


def test_a_watch_that_keeps_nothing_counts_and_hands_on() -> None:
    heard = []
    with hostsync.watch(kept=0, on_wait=heard.append) as seen:
        for _ in range(3):
            wait()
    assert seen.count == len(heard) == 3
    assert seen.waits == () and seen.sites() == ()


def test_a_copy_and_its_stream_are_one_wait() -> None:
    def copy() -> None:
        frame = sys._getframe(1)
        sources._on_driver(Seen("copy-to-host", "cuMemcpyDtoHAsync_v2", 7, 0.5, 64, "pageable", True), frame)
        sources._on_driver(Seen("stream", "cuStreamSynchronize", 7, 0.1, None, "", True), frame)

    with hostsync.watch() as seen:
        copy()
        copy()
        wait()
    assert [one.kind for one in seen.waits] == ["copy-to-host", "copy-to-host", "stream"]


def test_a_reason_is_needed() -> None:
    with pytest.raises(TypeError, match="reason"):
        hostsync.allow(lambda: None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="reason"):
        hostsync.allow("")


def test_allow_needs_no_torch_and_little_time() -> None:
    code = (
        "import sys, hostsync\n"
        "assert 'hostsync.runtime' not in sys.modules\n"
        "with hostsync.allow('x'): pass\n"
        "assert not {'torch', 'libcst', 'ctypes'} & set(sys.modules), set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

    def allowing() -> None:
        with hostsync.allow("measured"):
            pass

    # The figure that counts is measured on a quiet machine, see tests/gpu; here only an accident would show.
    assert min(timeit.repeat(allowing, number=10_000, repeat=5)) / 10_000 < 5e-6


def test_the_public_names() -> None:
    assert set(hostsync.__all__) <= set(dir(hostsync))
    with pytest.raises(AttributeError, match="nothing_such"):
        hostsync.nothing_such  # noqa: B018


@pytest.mark.parametrize("active", [("driver", "debug"), ("driver", "trace", "debug"), ("trace", "debug"), ("debug",)])
def test_sources_together_report_once(active: tuple[str, ...]) -> None:
    merger = Merger(frozenset(active))
    reported: list[str] = []

    def sees(source: str, kind: str, spot: tuple[int, int]) -> None:
        if source in active:
            merger.saw(source, kind, spot, lambda: reported.append(source))

    for turn in range(3):
        item, device = (1, turn % 2), (2, 0)
        sees("trace", "stream", item)
        sees("driver", "stream", item)
        sees("debug", "stream", item)
        sees("trace", "device", device)
        sees("driver", "device", device)
    merger.flush()
    expected = 3 if active == ("debug",) else 6
    assert reported == [active[0]] * expected


def test_what_the_driver_missed_is_still_reported() -> None:
    merger = Merger(frozenset(("driver", "trace")))
    reported: list[str] = []
    for name in ("first", "second"):
        merger.saw("trace", "stream", (1, 1), lambda name=name: reported.append(name))  # type: ignore[misc]
    merger.flush()
    assert reported == ["first", "second"]


def test_memory_freed_for_the_first_time_is_a_set_up_in_each_thread() -> None:
    freed = sources._Freed()
    assert [freed.is_first(name) for name in ("aten::linear", "aten::linear", "AddmmBackward0")] == [True, False, True]
    assert not freed.is_first("_cuda_emptyCache") and not freed.is_first("aten::empty_cache")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(freed.is_first, "aten::linear").result()
