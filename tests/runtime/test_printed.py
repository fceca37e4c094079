"""A line that a program prints."""

from __future__ import annotations

import io
import logging
import re
import sys
from collections.abc import Callable

import pytest

from hostsync.runtime.printed import Printed

Streams = tuple[io.TextIOWrapper, io.TextIOWrapper]


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Streams]:
    """Puts streams of its own in the place of pytest's, for the rest of the test."""

    def patch() -> Streams:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        return out, err

    return patch


def bytes_of(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def test_it_is_called_once_at_the_first_match(patched: Callable[[], Streams]) -> None:
    streams = patched()
    calls: list[str] = []
    printed = Printed(re.compile(r"^step \d+$"), lambda: calls.append(bytes_of(streams[0])))
    printed.start()
    print("warm-up, step 1")
    assert calls == []
    print("step ", end="")
    assert calls == []
    print(7)
    print("step 8")
    assert calls == ["warm-up, step 1\nstep 7"]
    assert bytes_of(streams[0]) == "warm-up, step 1\nstep 7\nstep 8\n"
    assert "write" not in vars(streams[0])


@pytest.mark.parametrize("how", ["stderr", "logging", "carriage return"])
def test_where_it_looks(how: str, patched: Callable[[], Streams]) -> None:
    patched()
    calls: list[str] = []
    Printed(re.compile("ready"), lambda: calls.append(how)).start()
    if how == "stderr":
        print("ready", file=sys.stderr)
    elif how == "logging":
        logger = logging.Logger("of this test")
        logger.addHandler(logging.StreamHandler())
        logger.warning("all is ready")
    else:
        sys.stderr.write("10%\r100% ready\r")
    assert calls == [how]


def test_stopping(patched: Callable[[], Streams]) -> None:
    streams = patched()
    calls: list[str] = []
    printed = Printed(re.compile("ready"), lambda: calls.append("called"))
    printed.start()
    held = sys.stdout.write
    printed.stop()
    printed.stop()
    assert "write" not in vars(streams[0])
    held("ready\n")
    print("ready")
    assert calls == []


def test_a_program_that_writes_its_own_way(patched: Callable[[], Streams]) -> None:
    streams = patched()
    calls: list[str] = []
    printed = Printed(re.compile("ready"), lambda: calls.append("called"))
    printed.start()
    inner = sys.stdout.write
    own = lambda text: inner(text.upper())  # noqa: E731
    sys.stdout.write = own  # type: ignore[method-assign, assignment]
    printed.stop()
    assert vars(streams[0])["write"] is own
    print("ready")
    assert (calls, bytes_of(streams[0])) == ([], "READY\n")
