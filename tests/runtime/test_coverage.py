"""Line counts, and the executions of expressions that follow from them."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hostsync.runtime.coverage import Coverage
from hostsync.runtime.executions import NEVER, Executed, Executions, Span

HAS_COLUMNS = sys.version_info >= (3, 11)
needs_columns = pytest.mark.skipif(not HAS_COLUMNS, reason="needs the columns of Python 3.11")

SOURCE = """\
def foo(*a): return a
class X:
    def item(self): return 1
x = X()
def f(k, flag):
    t = 0
    for i in list(range(k)):
        t += foo(
            i,
            x.item(),
        )[0]
        if flag and x.item():
            t -= 1
        z = [x.item() for q in (1, 2, 3)]
        w = x.item() if flag else 0
    while x.item() > 3 or t < 0:
        t += 1
    try:
        e = "é", x.item()
    finally:
        x.item()
    return (x
        .item())
def never():
    x.item()
later = lambda: x.item()
def with_defaults(read=lambda: x.item(), other=lambda: [lambda: x.item()]): return read
"""


def span(text: str, row: int, end_row: int | None = None) -> Span:
    lines = SOURCE.splitlines()
    first, _, last = text.partition("…")
    column = lines[row - 1].index(first) + 1
    end = end_row or row
    end_column = lines[end - 1].index(last or first) + 1 + len(last or first)
    return Span(row, column, end, end_column)


def counted(source: str, path: Path, call: Callable[[dict[str, Any]], object]) -> tuple[Coverage, Executions]:
    path.write_text(source, encoding="utf-8")
    coverage = Coverage(lambda name: name == str(path))
    names: dict[str, Any] = {}
    code = compile(source, str(path), "exec")
    assert coverage.start(), coverage.trouble
    try:
        exec(code, names)
        call(names)
    finally:
        coverage.stop()
    return coverage, Executions(coverage.codes().get(str(path), ()), source.splitlines())


@pytest.fixture(autouse=True)
def untraced() -> Any:
    before = sys.gettrace()
    sys.settrace(None)
    yield
    assert sys.gettrace() is None, "the trace function is given back"
    sys.settrace(before)


@needs_columns
@pytest.mark.parametrize(
    ("at", "executed"),
    [
        (span("list(range(k))", 7), Executed(2, True)),
        (span("foo(…)", 8, 11), Executed(7, True)),
        (span("x.item()", 10), Executed(7, True)),
        (span("x.item()", 12), Executed(7, False)),
        (span("x.item()", 15), Executed(7, False)),
        (span("x.item()", 16), Executed(3, True)),
        (span("t < 0", 16), Executed(3, False)),
        (span("x.item()", 19), Executed(2, True)),
        (span("x.item()", 21), Executed(2, True)),
        (span("(x….item())", 22, 23), Executed(2, True)),
        (span("x.item()", 25), NEVER),
        (span("x.item()", 26), NEVER),
        (span("x.item()", 27), Executed(2, True)),
        (Span(27, 65, 27, 73), NEVER),
    ],
    ids=str,
)
def test_executions_of_an_expression(at: Span, executed: Executed, tmp_path: Path) -> None:
    def call(names: dict[str, Any]) -> None:
        names["f"](5, False)
        names["f"](2, True)
        names["with_defaults"]()()
        names["with_defaults"]()()

    _, found = counted(SOURCE, tmp_path / "m.py", call)
    assert found.of(at) == executed


@pytest.mark.parametrize(("row", "times"), [(6, 2), (8, 7), (13, 2), (17, 1), (25, 0)])
def test_without_columns_the_row_counts(row: int, times: int, tmp_path: Path) -> None:
    def call(names: dict[str, Any]) -> None:
        names["f"](5, False)
        names["f"](2, True)

    coverage, found = counted(SOURCE, tmp_path / "m.py", call)
    assert found.of(Span(row, 0, row, 0)).times == times
    assert (coverage.entered(str(tmp_path / "m.py"), row) >= times) and coverage.entered("other.py", row) == 0


def test_threads_generators_and_nested_functions(tmp_path: Path) -> None:
    source = """\
def outer(n):
    def inner():
        yield from range(n)
    return sum(map(lambda v: (
        v), inner()))
"""

    def call(names: dict[str, Any]) -> None:
        threads = [threading.Thread(target=names["outer"], args=(10,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    _, found = counted(source, tmp_path / "m.py", call)
    assert found.of(Span(5, 0, 5, 0)).times == 30
    assert found.of(Span(3, 0, 3, 0)).times == 3


def test_other_files_are_not_counted_and_nothing_goes_on_after_the_end(tmp_path: Path) -> None:
    names: dict[str, Any] = {}

    def call(given: dict[str, Any]) -> None:
        names.update(given)
        given["f"](1, True)

    coverage, _ = counted(SOURCE, tmp_path / "m.py", call)
    before = coverage.entered(str(tmp_path / "m.py"), 6)
    names["f"](1, True)
    assert coverage.entered(str(tmp_path / "m.py"), 6) == before == 1
    assert set(coverage.codes()) == {str(tmp_path / "m.py")}
    coverage.stop()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there several tools can watch")
def test_another_tracer_stays(tmp_path: Path) -> None:
    def theirs(*_: object) -> None:
        return None

    coverage = Coverage(lambda name: True)
    sys.settrace(theirs)
    try:
        assert not coverage.start()
        assert "Another tool traces this program" in coverage.trouble
        coverage.stop()
        assert sys.gettrace() is theirs
    finally:
        sys.settrace(None)
    assert coverage.start()
    sys.settrace(theirs)
    coverage.stop()
    try:
        assert sys.gettrace() is theirs
        assert "Another tool began to trace" in coverage.trouble
        assert threading.gettrace() is None
    finally:
        sys.settrace(None)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with 3.12")
def test_monitoring_beside_other_tools(tmp_path: Path) -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    taken = [number for number in range(6) if monitoring.get_tool(number) is None]
    for number in taken:
        monitoring.use_tool_id(number, f"other {number}")
    coverage = Coverage(lambda name: True)
    try:
        assert not coverage.start()
        assert "All tools of sys.monitoring are taken" in coverage.trouble
        monitoring.free_tool_id(taken[-1])
        assert coverage.start()
        assert monitoring.get_tool(taken[-1]) == "hostsync"
        coverage.stop()
        assert monitoring.get_tool(taken[-1]) is None
        assert [monitoring.get_tool(number) for number in taken[:-1]] == [f"other {n}" for n in taken[:-1]]
    finally:
        for number in taken[:-1]:
            monitoring.free_tool_id(number)


FORBIDDEN = """\
import sys
from hostsync.runtime.coverage import Coverage
from hostsync.runtime.errors import HostSyncError
from hostsync.runtime.raising import disarm, raise_soon

coverage = Coverage(lambda name: name == __file__)
def waits():
    a = 1
    raise_soon(sys._getframe(), HostSyncError.__new__(HostSyncError))
    b = 2
    c = 3
def goes_on():
    d = 4
coverage.start()
try:
    waits()
except HostSyncError:
    disarm()
else:
    raise SystemExit("not raised")
goes_on()
coverage.stop()
rows = [coverage.entered(__file__, row) for row in (8, 11, 13)]
assert rows == [1, 0, 1], rows
assert sys.gettrace() is None
"""


def test_forbid_raises_while_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(FORBIDDEN, encoding="utf-8")
    done = subprocess.run([sys.executable, str(tmp_path / "m.py")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_file_that_changed_meanwhile_is_no_error(tmp_path: Path) -> None:
    coverage, _ = counted(SOURCE, tmp_path / "m.py", lambda names: names["f"](1, True))
    codes = coverage.codes()[str(tmp_path / "m.py")]
    for lines in ([], ["x"], SOURCE.splitlines()[:12]):
        assert Executions(codes, lines).of(Span(6, 0, 6, 0)).times == 1
