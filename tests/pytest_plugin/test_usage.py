"""Options, markers, and what the plugin does where there is no GPU."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostsync.pytest_plugin.allowances import matches, parse
from hostsync.runtime.records import Place, Wait
from pytest_plugin.conftest import Run

pytest_plugins = ["pytester"]

LOADED = """\
import json, sys

def pytest_sessionfinish():
    with open("modules.json", "w") as file:
        json.dump(sorted(sys.modules), file)
"""


def loaded(pytester: pytest.Pytester) -> set[str]:
    return {name.partition(".")[0] for name in json.loads((pytester.path / "modules.json").read_text())}


@pytest.mark.parametrize("options", [[], ["--host-sync=off"]], ids=str)
def test_nothing_but_a_header_line_when_inactive(options: list[str], pytester: pytest.Pytester, plain: Run) -> None:
    pytester.makeconftest(LOADED)
    pytester.makepyfile("def test_it():\n    pass\n")
    done = plain(*options)
    done.assert_outcomes(passed=1)
    assert len([line for line in done.outlines if "host" in line and "rootdir" not in line]) == 1
    done.stdout.fnmatch_lines(["hostsync: *"])
    assert loaded(pytester).isdisjoint({"torch", "libcst", "numpy", "pathspec", "click"})


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_without_cuda_it_says_that_nothing_is_watched(
    pytester: pytest.Pytester, plain: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    pytester.makeconftest(LOADED)
    source = """
        import pytest

        def test_plain():
            pass

        @pytest.mark.no_host_sync
        def test_marked(host_sync, assert_num_host_syncs):
            with assert_num_host_syncs(3) as seen, host_sync.expect(2), host_sync.forbid(), host_sync.allow("why"):
                pass
            assert not seen.active and not host_sync.active
            assert host_sync.count == seen.count == 0 and host_sync.events == seen.waits == seen.sites() == ()
    """
    pytester.makepyfile(source)
    done = plain()
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["1 test not watched: * no wait can be seen*"])
    done = plain("--host-sync=error", "--host-sync-report=out.json")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["2 tests not watched: *"])
    report = json.loads((pytester.path / "out.json").read_text())
    assert sum(report["inactive"].values()) == 2 and report["tests_watched"] == 0
    required = plain("--host-sync-require-cuda")
    required.assert_outcomes(passed=1, failed=1)
    required.stdout.fnmatch_lines(["hostsync: --host-sync-require-cuda, but *"])
    plain("--host-sync=error", "--host-sync-require-cuda").assert_outcomes(failed=2)
    plain("--host-sync=off", "--host-sync-require-cuda").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\nhost_sync_require_cuda = true\n")
    plain().assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--host-sync=loud", "has to be one of off, marked, report, error, not 'loud'"),
        ("--host-sync-level=some", "has to be one of implicit, all"),
        ("--host-sync-scope=call,import", "one or more of call, setup, shared, teardown"),
        ("--host-sync-max=-1", "has to be a number, 0 or more"),
        ("--host-sync-warmup=few", "has to be a number, 0 or more"),
        ("--host-sync-allow=a.py::", "is no allowance; it has to be a file glob"),
        ("--host-sync-sources=nsys", "one or more of driver, trace, debug"),
        ("--host-sync-report=out.txt", "has to name a file that ends in .json or .sarif"),
        ("--host-sync-report=none/out.json", "has to be in a folder that exists"),
    ],
)
def test_values_that_are_not_known(option: str, says: str, pytester: pytest.Pytester, plain: Run) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    done = plain(option)
    assert done.ret == 4
    assert says in done.stderr.str().replace("\n", " ")
    name, _, _ = option[2:].replace("-", "_").partition("=")
    pytester.makeini(f"[pytest]\n{name} = {option.partition('=')[2]}\n")
    done = plain()
    assert done.ret == 4
    assert says in done.stderr.str().replace("\n", " ")
    assert "Traceback" not in done.stderr.str()


def test_a_baseline_that_is_not_there_is_warned_of_where_nothing_can_be_watched(
    pytester: pytest.Pytester, plain: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    pytester.makepyfile("def test_it():\n    pass\n")
    done = plain("--host-sync=error", "--host-sync-baseline=none.json")
    done.assert_outcomes(passed=1, warnings=1)
    done.stdout.fnmatch_lines(["*none.json: there is no such baseline; --host-sync-update writes it"])


def test_update_needs_a_baseline(pytester: pytest.Pytester, plain: Run) -> None:
    done = plain("--host-sync-update")
    assert done.ret == 4
    done.stderr.fnmatch_lines(["*--host-sync-update needs --host-sync-baseline FILE*"])


@pytest.mark.parametrize(
    ("marker", "says"),
    [
        (
            "host_sync(maximum=1)",
            "unexpected keyword argument 'maximum'; it is used as `host_sync(max=0, *, allow=(), ",
        ),
        ("host_sync(max=-1)", "`max` has to be a number, 0 or more, not -1"),
        ("host_sync('2')", "`max` has to be a number, 0 or more, not '2'"),
        ("host_sync(warmup=True)", "`warmup` has to be a number"),
        ("host_sync(allow='x.py')", "`allow` has to be a list of texts, not 'x.py'"),
        ("host_sync(allow=['x.py::'])", "`allow`: 'x.py::' is no allowance; it has to be a file glob"),
        ("host_sync(level='some')", "`level` has to be one of implicit, all"),
        ("no_host_sync(0)", "it is used as `no_host_sync`"),
        ("allow_host_sync", 'it needs a reason: allow_host_sync(reason="why'),
        ("allow_host_sync('')", "it needs a reason"),
        ("host_sync(max=1)\n@pytest.mark.no_host_sync", "host_sync and no_host_sync contradict each other"),
    ],
)
def test_markers_with_wrong_arguments(marker: str, says: str, pytester: pytest.Pytester, plain: Run) -> None:
    pytester.makepyfile(test_it=f"import pytest\n\n@pytest.mark.{marker}\ndef test_it():\n    pass\n")
    done = plain("--strict-markers")
    assert done.ret == 4
    done.stderr.fnmatch_lines(["*test_it.py::test_it: *"])
    assert says in done.stderr.str()
    assert "Traceback" not in done.stderr.str() and "INTERNALERROR" not in done.stdout.str()


def test_markers_and_fixtures_are_described(pytester: pytest.Pytester, plain: Run) -> None:
    markers = plain("--markers").stdout.str()
    for name in ("no_host_sync:", "host_sync(max=0, *, allow=(), warmup=0, level=None):", "allow_host_sync(reason):"):
        assert f"@pytest.mark.{name}" in markers
    fixtures = plain("--fixtures").stdout.str()
    for name in ("host_sync", "assert_max_host_syncs", "assert_num_host_syncs"):
        assert f"\n{name} -- " in fixtures


def test_the_entry_point_loads_the_plugin(pytester: pytest.Pytester) -> None:
    """Of an installed package; one that is only on the path has none."""
    from importlib.metadata import entry_points

    if not any(point.name == "hostsync" for point in entry_points(group="pytest11")):
        pytest.skip("the package was installed before it had the entry point, or is not installed")
    pytester.makepyfile("def test_it():\n    pass\n")
    done = pytester.runpytest_subprocess("--host-sync=off")
    done.stdout.fnmatch_lines(["hostsync: off"])
    done.assert_outcomes(passed=1)


def test_the_import_is_light(tmp_path: Path) -> None:
    program = "import json, sys, pytest, hostsync.pytest_plugin; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, env=os.environ, check=True
    )
    modules = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert modules.isdisjoint({"torch", "libcst", "numpy", "pathspec", "click"})


def wait_at(*places: Place, library: Place | None = None) -> Wait:
    return Wait("stream", "c", "", places[0], library, places[1:], 7, "t", "other", 0.0, None, "", "driver", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("train.py", True),
        ("src/train.py", True),
        ("./src/train.py", True),
        ("src/*.py::Trainer.*", True),
        ("*::step", True),
        ("*::Trainer.step", True),
        ("*::other", False),
        ("rain.py", False),
        ("/work/src/train.py::step", True),
        ("lib/logger.py::write", True),
        ("main.py::main", True),
        ("train.py::step:HS101", False),
        ("HS101", False),
    ],
)
def test_allowances_look_at_every_frame(text: str, expected: bool) -> None:
    at = Place("/work/src/train.py", 3, 1, 3, 5, "Trainer.step")
    caller = Place("/project/main.py", 9, 1, 9, 5, "main")
    library = Place("/usr/lib/python/site-packages/lib/logger.py", 1, 1, 1, 2, "write")
    assert matches(parse(text), wait_at(at, caller, library=library), None, Path("/work")) is expected


def test_allowances_name_rules() -> None:
    from hostsync.catalogue import load_only_rules

    rule = next(rule for rule in load_only_rules() if rule.code == "HS101")
    wait = wait_at(Place("/work/a.py", 1, 1, 1, 2, "f"))
    for text, expected in {
        "HS101": True,
        "HS1": True,
        "HS2": False,
        rule.name: True,
        "a.py::f:HS101": True,
        f"a.py::f:{rule.name}": True,
        "b.py::f:HS101": False,
        "a.py::f:HS102": False,
    }.items():
        assert matches(parse(text), wait, rule, Path("/work")) is expected, text
