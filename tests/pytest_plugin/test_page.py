"""docs/pytest.md says what there is."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from hostsync.pytest_plugin import settings
from hostsync.pytest_plugin.markers import _READERS, FIXTURES
from pytest_plugin.conftest import Run

pytest_plugins = ["pytester"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytest.md"
TEXT = PAGE.read_text(encoding="utf-8")


def rows(heading: str) -> list[str]:
    """The names that begin the first cells of the table below a heading."""
    return re.findall(r"^\| `(-{0,2}[a-z_-]+)", section(heading), re.MULTILINE)


def section(heading: str) -> str:
    """The text below a heading."""
    part = re.split(r"^## ", TEXT, flags=re.MULTILINE)
    return next(text for text in part if text.startswith(heading + "\n"))


def test_every_option_is_there() -> None:
    options = [option.name for option in settings._OPTIONS]
    options += [name for name, _ in settings._FLAGS] + ["--host-sync-allow"]
    assert sorted(rows("Options")) == sorted(options)


def test_every_marker_and_fixture_is_there() -> None:
    assert sorted(rows("Markers")) == sorted(_READERS)
    assert sorted(rows("Fixtures")) == sorted(FIXTURES)


@pytest.mark.parametrize("block", re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
def test_examples_are_python(block: str) -> None:
    ast.parse(block)


def test_the_example_of_an_ini_file_can_be_used(pytester: pytest.Pytester, plain: Run) -> None:
    (block,) = re.findall(r"^```ini\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (pytester.path / "pytest.ini").write_text(block)
    pytester.makepyfile("def test_it(pytestconfig):\n    assert pytestconfig.getini('host_sync_allow')[1:2]\n")
    done = plain()
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(["hostsync: every test is watched (level implicit, scope call,setup)"])


def test_the_example_of_an_expected_failure_passes_without_cuda(pytester: pytest.Pytester, plain: Run) -> None:
    torch = ("__version__ = '2.13'", "class version: cuda = None", "class cuda: is_available = staticmethod(bool)")
    pytester.makepyfile(torch="\n".join(torch))
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (block,) = (text for text in blocks if "xfail" in text)
    fixture = "import pytest\n\n@pytest.fixture\ndef sampler():\n    return Sampler()\n"
    pytester.makeconftest(f"{fixture}\nclass Sampler:\n    def draw(self):\n        pass\n")
    pytester.makepyfile(block)
    plain("-rA").assert_outcomes(passed=1)


def test_the_keys_of_the_report(pytester: pytest.Pytester, pretended: Run) -> None:
    pytester.makepyfile("import pretended\n\ndef test_it():\n    pretended.wait()\n")
    pretended("--host-sync=report", "--host-sync-report=out.json")
    report = json.loads((pytester.path / "out.json").read_text())
    cells = re.findall(r"^\| (`[^|]+`) \|", section("The report for programs"), re.MULTILINE)
    assert [name for cell in cells for name in re.findall(r"`(\w+)`", cell)] == list(report)
    (test,) = (test for test in report["tests"] if test["phase"] == "call")
    for name in ("nodeid", "phase", "outcome", "waits", "max", "over", "enforced", "sites"):
        assert name in test and f"`{name}`" in TEXT
    assert report["sites"][0]["tests"] == ["test_the_keys_of_the_report.py::test_it"]
