"""With xdist: the workers' results come together in the controller."""

from __future__ import annotations

import json

import pytest
from sarif_schema import run_of

from pytest_plugin.conftest import Run
from pytest_plugin.test_judging import ONE_WAIT, make

pytest.importorskip("xdist")
pytest_plugins = ["pytester"]

SOURCE = """
@pytest.mark.parametrize("n", range(8))
def test_waits(n):
    for _ in range(n):
        wait()

@pytest.mark.host_sync(allow=["nothing.py"])
def test_allowance():
    pass
"""


def test_results_come_together(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, SOURCE)
    options = ("--host-sync=error", "--host-sync-max=5", "--host-sync-allow=unused.py", "--host-sync-report=out.json")
    alone = pretended(*options)
    one = json.loads((pytester.path / "out.json").read_text())
    spread = pretended("-p", "xdist.plugin", "-n", "2", *options, "--junitxml=out.xml")
    two = json.loads((pytester.path / "out.json").read_text())
    for done in (alone, spread):
        done.assert_outcomes(failed=2, passed=7)
        done.stdout.fnmatch_lines(
            [
                "28 unexpected host waits, 28.0 ms in 9 watched tests, of which 2 have too many (seen by: driver)",
                "*28*28.0 ms*test_it.py:10*",
                "allowance that matched nothing: --host-sync-allow unused.py",
                "allowance that matched nothing: test_it.py::test_allowance: nothing.py",
            ]
        )
    assert one == two
    logs = []
    for more in ((), ("-p", "xdist.plugin", "-n", "2")):
        pretended(*more, "--host-sync=report", "--host-sync-report=out.sarif")
        logs.append(run_of((pytester.path / "out.sarif").read_text(encoding="utf-8")))
    assert logs[0] == logs[1] and logs[0]["results"][0]["properties"]["verdict"]["waits"] == 28
    assert 'name="host_sync_waits" value="7"' in (pytester.path / "out.xml").read_text()
    assert sum("- host waits -" in line for line in spread.outlines) == 2


def test_the_baseline_is_written_once(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, SOURCE)
    options = ("-p", "xdist.plugin", "-n", "2", "--host-sync=error", "--host-sync-baseline=known.json")
    pretended(*options, "--host-sync-update").assert_outcomes(passed=9)
    known = json.loads((pytester.path / "known.json").read_text())
    assert known["files"] == {"test_it.py": {"test_waits": ONE_WAIT}}
    pretended(*options).assert_outcomes(passed=9)


def test_wrong_markers_are_told(pytester: pytest.Pytester, pretended: Run) -> None:
    make(pytester, "@pytest.mark.host_sync(maximum=1)\ndef test_it():\n    pass\n")
    done = pretended("-p", "xdist.plugin", "-n", "2")
    assert done.ret not in (0, 5)
    done.stdout.fnmatch_lines(["hostsync: test_it.py::test_it: *unexpected keyword argument 'maximum'*"])
    assert "INTERNALERROR" not in done.stdout.str()


def test_without_cuda_each_worker_says_why_once(
    pytester: pytest.Pytester, plain: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    pytester.makepyfile("import pytest\n\n@pytest.mark.parametrize('n', range(6))\ndef test_it(n):\n    pass\n")
    done = plain("-p", "xdist.plugin", "-n", "2", "--host-sync=report")
    done.assert_outcomes(passed=6)
    done.stdout.fnmatch_lines(["6 tests not watched: *"])
    assert sum("not watched" in line for line in done.outlines) == 1
    plain("-p", "xdist.plugin", "-n", "2", "--host-sync=report", "--host-sync-require-cuda").assert_outcomes(failed=6)
