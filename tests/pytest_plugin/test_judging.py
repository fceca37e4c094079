"""How tests are judged, with waits of a pretended source."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from sarif_schema import run_of

from pytest_plugin.conftest import Run

pytest_plugins = ["pytester"]

HAS_COLUMNS = sys.version_info >= (3, 11)
"""Without them a wait goes by its line, which is not looked up in the tables."""
ONE_WAIT = {"HS605" if HAS_COLUMNS else "stream": 1}

HEAD = """\
import pytest
import hostsync
from hostsync.pytest_plugin import UnexpectedHostSync
from pretended import in_thread, synchronize, wait, warn

"""


def make(pytester: pytest.Pytester, source: str, name: str = "test_it") -> Path:
    return pytester.makepyfile(**{name: HEAD + source})


def test_a_marked_test_fails_in_its_call_phase_with_all_there_is_to_say(
    pytester: pytest.Pytester, pretended: Run
) -> None:
    make(
        pytester,
        """
def step(x):
    total = x.item(wait())
    return total

@pytest.mark.no_host_sync
def test_waits():
    class X:
        def item(self, _):
            return 1
    step(X())

def test_unmarked():
    wait()
""",
    )
    done = pretended("-rA")
    done.assert_outcomes(failed=1, passed=1)
    column, what = (":20", "wait()") if HAS_COLUMNS else ("", "total = x.item(wait())")
    done.stdout.fnmatch_lines(
        [
            f"1 unexpected host wait: test_it.py:8{column} {what}*",
            "*- host waits -*",
            "1 unexpected host wait blocked 1.00 ms (seen by: driver)",
            "*blocked*count*where*what*",
            f"*1.00 ms*test_it.py:8{column}*",
            "*with hostsync.allow(*",
            "1 unexpected host wait, 1.00 ms in 1 watched test, of which 1 has too many (seen by: driver)",
            "FAILED test_it.py::test_waits - UnexpectedHostSync: 1 unexpected host wait: *",
        ]
    )
    if HAS_COLUMNS:
        done.stdout.fnmatch_lines(
            [
                "8 |     total = x.item(wait())",
                "*^^^^^^ the host waits for the GPU inside wait",
                "*called from: test_it.py:16:5",
            ]
        )


def test_the_mode_says_which_tests_are_watched(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, "def test_plain():\n    wait()\n\n@pytest.mark.no_host_sync\ndef test_marked():\n    wait()\n")
    pretended("--host-sync=off").assert_outcomes(passed=2)
    pretended().assert_outcomes(passed=1, failed=1)
    report = pretended("--host-sync=report")
    report.assert_outcomes(passed=2)
    report.stdout.fnmatch_lines(["2 unexpected host waits*in 2 watched tests, of which 2 have too many*"])
    pretended("--host-sync=error").assert_outcomes(failed=2)
    pytester.makeini("[pytest]\nhost_sync = error\n")
    pretended().assert_outcomes(failed=2)
    pretended("--host-sync=report").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("options", "failed"),
    [
        ([], 3),
        (["--host-sync-max=2"], 1),
        (["--host-sync-max=3"], 0),
        (["--host-sync-warmup=1"], 1),
        (["--host-sync-warmup=3"], 0),
        (["--host-sync-warmup=1", "--host-sync-max=2"], 0),
        (["--host-sync-allow=test_it.py::twice"], 2),
        (["--host-sync-allow=test_it.py"], 0),
        (["--host-sync-allow=*.py::*:HS999"], 3),
    ],
    ids=str,
)
def test_budgets_warm_up_and_allowances(
    options: list[str], failed: int, pytester: pytest.Pytester, pretended: Run
) -> None:
    make(
        pytester,
        """
def twice():
    wait()
    wait()

def test_one():
    wait()

def test_two():
    twice()

def test_three():
    for _ in range(3):
        wait()
""",
    )
    pretended("--host-sync=error", *options).assert_outcomes(failed=failed, passed=3 - failed)
    ini = "\n".join(option[2:].replace("-", "_").replace("=", " = ", 1) for option in options)
    ini = re.sub(r"^\w+", lambda name: name[0].replace("-", "_"), ini, flags=re.MULTILINE)
    pytester.makeini(f"[pytest]\nhost_sync = error\n{ini}\n")
    pretended().assert_outcomes(failed=failed, passed=3 - failed)


def test_the_nearest_marker_counts(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
pytestmark = pytest.mark.no_host_sync

def test_module_fails():
    wait()

@pytest.mark.host_sync(max=1)
class TestClass:
    def test_within(self):
        wait()

    @pytest.mark.host_sync
    def test_fails(self):
        wait()

    @pytest.mark.allow_host_sync(reason="reads the result")
    def test_allowed(self):
        wait(); wait()

    @pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.host_sync(max=3))])
    def test_of(self, n):
        for _ in range(n):
            wait()

@pytest.mark.host_sync(warmup=2, allow=["test_it.py::helper"])
def test_warm():
    helper()
    for _ in range(2):
        wait()

def helper():
    wait(); wait(); wait()
""",
    )
    done = pretended("-v")
    done.assert_outcomes(failed=3, passed=5)
    failed = sorted(line.split()[0].rpartition("::")[2] for line in done.outlines if " FAILED " in line)
    assert failed == ["test_fails", "test_module_fails", "test_of[2]"]


def test_explicit_waits_count_at_level_all(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
def test_plain():
    synchronize()

@pytest.mark.no_host_sync
def test_none_at_all():
    synchronize()

@pytest.mark.host_sync(level="all")
def test_all():
    synchronize()
""",
    )
    done = pretended("--host-sync=error")
    done.assert_outcomes(failed=2, passed=1)
    done.stdout.fnmatch_lines(["*besides 1 explicit*"])
    pretended("--host-sync=error", "--host-sync-level=all").assert_outcomes(failed=3)


def test_the_ways_to_allow(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
def test_comment():
    wait()  # hostsync: allow[HS101] once

def test_region():
    with hostsync.allow("once"):
        wait()

def test_fixture(host_sync):
    with host_sync.allow("once"):
        wait()
    assert host_sync.count == 0 and len(host_sync.events) == 1

@hostsync.allow("once")
def test_decorated():
    wait()
""",
    )
    done = pretended("--host-sync=error")
    done.assert_outcomes(passed=4)
    done.stdout.fnmatch_lines(["0 unexpected host waits in 4 watched tests*besides 4 allowed*"])


def test_the_fixtures(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
def test_assertions(host_sync, assert_max_host_syncs, assert_num_host_syncs):
    with assert_max_host_syncs(2) as seen:
        wait()
    assert seen.count == 1 and seen.active and len(seen.sites()) == 1
    with assert_num_host_syncs(1), host_sync.expect(1):
        wait()
    with assert_num_host_syncs(0):
        synchronize()
    with assert_num_host_syncs(1, level="all"):
        synchronize()
    with pytest.raises(UnexpectedHostSync, match="2 host waits instead of at most 1: one read"):
        with assert_max_host_syncs(1, info="one read"):
            wait(); wait()
    with pytest.raises(UnexpectedHostSync, match="0 host waits instead of 1"), host_sync.expect(1):
        pass
    with pytest.raises(KeyError), host_sync.expect(1):
        raise KeyError
    with pytest.raises(ValueError):
        assert_max_host_syncs(-1)
    assert host_sync.count == 0

def waits():
    wait()

def test_forbid(host_sync):
    with pytest.raises(hostsync.HostSyncError), host_sync.forbid():
        waits()
        raise AssertionError
    with pytest.raises(hostsync.HostSyncError), hostsync.forbid():
        wait()
    assert host_sync.count == 0 and host_sync.active and host_sync.sources == ("driver",)

def test_reset(host_sync):
    wait()
    assert host_sync.count == 1
    host_sync.reset()
    assert host_sync.count == 0

def test_after(host_sync, assert_num_host_syncs):
    with assert_num_host_syncs(1):
        wait()
    wait()
""",
    )
    done = pretended("--host-sync=error")
    done.assert_outcomes(passed=3, failed=1)
    done.stdout.fnmatch_lines(["FAILED test_it.py::test_after - UnexpectedHostSync: 1 unexpected host wait: *"])


def test_expected_failures_and_failures_of_the_test_itself(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
@pytest.mark.xfail(raises=UnexpectedHostSync, strict=True)
def test_xfail():
    wait()

@pytest.mark.xfail(raises=UnexpectedHostSync, strict=True)
def test_does_not_wait():
    pass

@pytest.mark.xfail(raises=KeyError)
def test_another_error():
    wait()

def test_skips():
    wait()
    pytest.skip("not here")

def test_fails_itself():
    wait()
    raise KeyError("own")
""",
    )
    done = pretended("--host-sync=error", "-rA")
    done.assert_outcomes(xfailed=1, failed=3, skipped=1)
    done.stdout.fnmatch_lines(["FAILED test_it.py::test_fails_itself - KeyError: 'own'"])


def test_pytests_own_tools_inside_of_a_test(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
import warnings

def test_raises():
    with pytest.raises(KeyError):
        wait()
        raise KeyError

def test_warns():
    with pytest.warns(UserWarning, match="mine"):
        warnings.warn("mine")
        wait()
""",
    )
    for options in ([], ["-p", "no:warnings"], ["-W", "error"]):
        pretended("--host-sync=error", *options).assert_outcomes(failed=2)
        pretended("--host-sync=report", *options).assert_outcomes(passed=2)


@pytest.mark.parametrize("options", [[], ["-p", "no:warnings"], ["-W", "error"], ["-W", "ignore"]], ids=str)
def test_the_warnings_hook_outlives_pytests_catch_warnings(
    options: list[str], pytester: pytest.Pytester, pretended: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRETENDED", "debug")
    monkeypatch.setenv("PRETENDED_LATE", "1")
    make(
        pytester,
        """
import warnings
import pretended

def test_cuda_is_initialized_here():
    pretended.late[-1].start()
    for _ in range(2):
        warn()

def test_again():
    for _ in range(2):
        warn()

def test_inside_of_warns():
    with pytest.warns(UserWarning, match="mine"):
        warnings.warn("mine")
        warn()

def test_after_reset():
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("error")
        warn()
    warn()
""",
    )
    done = pretended("--host-sync=error", "-v", *options)
    done.assert_outcomes(failed=4)
    done.stdout.fnmatch_lines(["7 unexpected host waits in 4 watched tests*(seen by: debug)"])
    assert "called a synchronizing" not in done.stdout.str() + done.stderr.str()


def test_fixtures_are_judged_as_the_scope_says(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
@pytest.fixture(scope="session")
def session():
    wait()

@pytest.fixture(scope="class")
def klass():
    wait()

@pytest.fixture
def own():
    wait()
    yield
    wait()

class TestAll:
    def test_it(self, session, klass, own):
        pass
""",
    )
    for scope, expected in {
        "call": {"passed": 1},
        "setup": {"failed": 1},
        "shared": {"failed": 1},
        "teardown": {"passed": 1, "errors": 1},
    }.items():
        pretended("--host-sync=error", f"--host-sync-scope={scope}").assert_outcomes(**expected)
    done = pretended("--host-sync=error", "--host-sync-scope=call,setup,shared,teardown")
    done.assert_outcomes(failed=1, errors=1)
    done.stdout.fnmatch_lines(["4 unexpected host waits*in 1 watched test*"])


def test_threads(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
import queue, threading

jobs, done = queue.Queue(), queue.Queue()

def serve():
    while True:
        jobs.get()
        wait()
        done.put(1)

threading.Thread(target=serve, daemon=True).start()

def test_starts_a_thread():
    in_thread(wait)

def test_thread_that_was_there():
    jobs.put(1)
    done.get()
""",
    )
    done = pretended("--host-sync=error", "-v")
    done.assert_outcomes(failed=1, passed=1)
    done.stdout.fnmatch_lines(["*test_starts_a_thread FAILED*", "*test_thread_that_was_there PASSED*"])
    done.stdout.fnmatch_lines(["1 wait outside of the tests, or in threads that were there before the test*"])


def test_unittest_classes(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
import unittest

@pytest.mark.no_host_sync
class TestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        wait()

    def test_fine(self):
        self.assertTrue(True)

    def test_waits(self):
        wait()

    def test_fails(self):
        wait()
        self.assertTrue(False)

    @pytest.mark.host_sync(max=1)
    def test_within(self):
        wait()

class TestAsync(unittest.IsolatedAsyncioTestCase):
    @pytest.mark.no_host_sync
    async def test_waits_too(self):
        wait()
""",
    )
    done = pretended("-v")
    done.assert_outcomes(failed=3, passed=2)
    done.stdout.fnmatch_lines(["*- AssertionError: False is not true"])


def test_asynchronous_tests(pytester: pytest.Pytester, pretended: Run) -> None:
    """As pytest-asyncio runs them: in a loop, and a context, that a fixture has made before the test."""
    make(
        pytester,
        """
import asyncio, contextvars

@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    loop.context = contextvars.copy_context()
    yield loop
    loop.close()

async def work():
    await asyncio.sleep(0)
    wait()

async def allowed():
    with hostsync.allow("meant"):
        await work()

@pytest.mark.host_sync(max=1)
def test_two_tasks(loop):
    async def main():
        await asyncio.gather(work(), work(), allowed())
    loop.run_until_complete(loop.create_task(main()))

def test_in_its_context(loop, assert_num_host_syncs):
    async def main():
        with assert_num_host_syncs(2):
            await asyncio.gather(work(), work(), allowed())
    loop.context.run(loop.run_until_complete, main())
""",
    )
    done = pretended("-v")
    done.assert_outcomes(failed=1, passed=1)
    done.stdout.fnmatch_lines(
        ["2 unexpected host waits, at most 1 may be: test_it.py:*", "2 unexpected*besides 1 allowed, 3 asserted*"]
    )


def test_unused_allowances_are_reported(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
@pytest.mark.allow_host_sync(reason="none")
def test_none():
    pass

@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.host_sync(allow=["test_it.py::helper", "HS999"])
def test_some(n):
    if n:
        helper()

def helper():
    wait()
""",
    )
    done = pretended("--host-sync=error", "--host-sync-allow=used.py", "--host-sync-allow=*::helper")
    done.assert_outcomes(passed=3)
    unused = [line for line in done.outlines if line.startswith("allowance that matched nothing: ")]
    assert [line.partition(": ")[2] for line in unused] == [
        "--host-sync-allow used.py",
        "test_it.py::test_none: allow_host_sync('none')",
        "test_it.py::test_some: HS999",
    ]


def test_reports_for_programs(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, "def test_waits():\n    wait()\n    wait()\n\ndef test_clean():\n    pass\n")
    done = pretended("--host-sync=error", "--host-sync-report=out.json", "--junitxml=out.xml")
    done.stdout.fnmatch_lines(["report written to *out.json"])
    report = json.loads((pytester.path / "out.json").read_text())
    assert (report["tests_watched"], report["waits"], report["sources"]) == (2, 2, ["driver"])
    assert [site["location"]["row"] for site in report["sites"]] == [7, 8]
    assert report["sites"][0]["tests"] == ["test_it.py::test_waits"]
    by_test = {test["nodeid"]: test for test in report["tests"] if test["phase"] == "call"}
    assert by_test["test_it.py::test_waits"]["outcome"] == "failed"
    assert by_test["test_it.py::test_clean"]["waits"] == 0
    cases = ET.parse(pytester.path / "out.xml").getroot().iter("testcase")
    properties = {case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")} for case in cases}
    assert properties["test_clean"] == {"host_sync_waits": "0"}
    assert properties["test_waits"]["host_sync_waits"] == "2"
    assert "test_it.py:7" in properties["test_waits"]["host_sync_sites"]


def test_a_report_as_sarif(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, "def test_waits():\n    helper()\n\ndef test_also():\n    helper()\n\ndef helper():\n    wait()\n")
    done = pretended("--host-sync=error", "--host-sync-report=out.sarif")
    done.stdout.fnmatch_lines(["report written to *out.sarif"])
    run = run_of((pytester.path / "out.sarif").read_text(encoding="utf-8"))
    (result,) = run["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "test_it.py", "uriBaseId": "%SRCROOT%"}
    assert physical["region"]["startLine"] == 13
    assert "in test_it.py::test_also, test_it.py::test_waits" in result["message"]["text"]
    assert "confirmed: 2 waits, 2.00 ms blocked" in result["message"]["text"]
    assert result["properties"]["verdict"]["waits"] == 2
    assert result["ruleId"] == run["tool"]["driver"]["rules"][0]["id"]
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert notes == ["2 tests watched."]
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == pytester.path.resolve().as_uri() + "/"


def test_a_baseline(pytester: pytest.Pytester, pretended: Run) -> None:
    path = make(
        pytester, "def helper():\n    wait()\n\ndef test_one():\n    helper()\n\ndef test_two():\n    helper()\n"
    )
    options = ("--host-sync=error", "--host-sync-baseline=known.json")
    missing = pretended(*options)
    assert missing.ret == 4
    missing.stderr.fnmatch_lines(["*no such baseline; --host-sync-update writes it*"])
    done = pretended(*options, "--host-sync-update")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["baseline *known.json: 1 place recorded"])
    assert json.loads((pytester.path / "known.json").read_text())["files"] == {"test_it.py": {"helper": ONE_WAIT}}
    pretended(*options).assert_outcomes(passed=2)
    path.write_text("# moved\n" + path.read_text().replace("def helper():\n", "def helper():\n    wait()\n", 1))
    pretended(*options).assert_outcomes(failed=2)
    path.write_text(path.read_text().replace("    wait()\n", "    pass\n"))
    done = pretended(*options)
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["baseline: 1 record of more than was found*"])


def test_an_assertion_that_fails_shows_its_own_line(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
def test_it(assert_num_host_syncs):
    with assert_num_host_syncs(1):
        wait()
        wait()
""",
    )
    done = pretended()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [">   *with assert_num_host_syncs(1):", "E * 2 host waits instead of 1", "E  *test_it.py:9*wait()*"]
    )
    done.stdout.fnmatch_lines(["test_it.py:8: UnexpectedHostSync"])
    assert "contextlib" not in done.stdout.str()


def test_a_task_that_outlives_an_assertion_is_judged_with_the_test(pytester: pytest.Pytester, pretended: Run) -> None:
    make(
        pytester,
        """
import contextvars

def test_it(assert_num_host_syncs):
    with assert_num_host_syncs(0):
        context = contextvars.copy_context()
    context.run(wait)
""",
    )
    done = pretended("--host-sync=error")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["1 unexpected host wait: test_it.py:12*"])


def test_a_test_that_is_repeated_begins_anew(pytester: pytest.Pytester, pretended: Run) -> None:
    pytester.makeconftest(
        """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for log in (False, True):
        item._initrequest()
        runtestprotocol(item, nextitem=nextitem, log=log)
    return True
"""
    )
    make(pytester, "tries = []\n\ndef test_it():\n    tries.append(1)\n    if len(tries) < 2:\n        wait()\n")
    done = pretended("--host-sync=error")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["0 unexpected host waits in 1 watched test*"])


def test_pytest_asyncio(pytester: pytest.Pytester, pretended: Run) -> None:
    pytest.importorskip("pytest_asyncio")
    make(
        pytester,
        """
import asyncio, pytest_asyncio

@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared():
    wait()

@pytest.mark.asyncio
async def test_waits():
    await asyncio.sleep(0)
    wait()

@pytest.mark.asyncio(loop_scope="module")
async def test_asserts(shared, assert_num_host_syncs):
    async def work():
        await asyncio.sleep(0)
        wait()
    with assert_num_host_syncs(2):
        await asyncio.gather(work(), work())
""",
    )
    done = pretended("-p", "pytest_asyncio.plugin", "--host-sync=error")
    done.assert_outcomes(passed=1, failed=1)


def test_first_uses_are_counted_apart(pytester: pytest.Pytester, pretended: Run) -> None:
    """By the file on the stack; which waits torch.compile really has is tested on a GPU."""
    package = pytester.mkpydir("triton")
    (package / "testing.py").write_text("def do_bench(call):\n    call()\n")
    pytester.makeconftest("import triton.testing\n")
    make(pytester, "import triton.testing\n\ndef test_it():\n    triton.testing.do_bench(wait)\n")
    done = pretended("--host-sync=error")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["0 unexpected host waits in 1 watched test*besides 1 of compilation and set-up*"])


def test_what_waited_inside_adds_up_over_tests(pytester: pytest.Pytester, pretended: Run) -> None:
    library = pytester.path / "site-packages" / "lib.py"
    library.parent.mkdir()
    library.write_text(
        "from pretended import wait\n\ndef move():\n    wait()\n\ndef read(n):\n    wait()\n    move()\n"
    )
    pytester.makeconftest("import sys\nsys.path.append('site-packages')\n")
    make(
        pytester,
        "import lib\n\ndef helper(n):\n    for _ in range(n):\n        lib.read(n)\n\n"
        "def test_one():\n    helper(1)\n\ndef test_two():\n    helper(2)\n",
    )
    pretended("--host-sync=report", "--host-sync-report=out.json")
    (site,) = json.loads((pytester.path / "out.json").read_text())["sites"]
    inside = {part["library"]["symbol"]: part["count"] for part in site["inside"]}
    assert (site["count"], inside) == (6, {"read": 3, "move": 3})


def test_memory_that_is_freed_for_the_first_time_is_the_set_up_of_a_library(
    pytester: pytest.Pytester, pretended: Run
) -> None:
    free = 'wait("free", call="cuMemFree_v2")'
    make(
        pytester,
        f"def linear():\n    {free}\n\ndef test_first():\n    linear()\n\ndef test_again():\n    linear()\n",
    )
    done = pretended("--host-sync=error", "-rA")
    done.stdout.fnmatch_lines(["PASSED test_it.py::test_first", "FAILED test_it.py::test_again*"])


def test_stacks_end_at_pytests_own_frames(pytester: pytest.Pytester, pretended: Run) -> None:
    """Else each wait would cost a walk through all of pytest's frames."""
    pytester.makepyfile(
        """
import unittest
from pathlib import Path
import pytest
from hostsync.runtime import places
from pretended import wait

def helper():
    wait()

@pytest.fixture
def made(host_sync):
    helper()
    return host_sync.events[-1]

def test_it(host_sync, made):
    helper()
    assert [caller.function.rpartition(".")[2] for caller in host_sync.events[-1].callers] == ["test_it"]
    assert [caller.function.rpartition(".")[2] for caller in made.callers] == ["made"]

class TestCase(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def fixture(self, host_sync):
        self.host_sync = host_sync

    def test_method(self):
        helper()
        assert [caller.function.rpartition(".")[2] for caller in self.host_sync.events[-1].callers][0] == "test_method"
        assert not any("_pytest" in Path(caller.filename).parts for caller in self.host_sync.events[-1].callers)
"""
    )
    pretended("--host-sync=report").assert_outcomes(passed=2)
