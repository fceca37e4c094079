"""Whatever the source, the whole check ends, and the tool itself does not fail. Runs with `-m long`.

    HOSTSYNC_LONG_FOLDER=FOLDER pytest -m long tests/test_long.py

also scans everything in a folder, such as a site-packages, and

    HOSTSYNC_LONG_PACKAGE=FOLDER pytest -m long tests/test_long.py

compares the ways to scan one real package with each other. On two cores it takes a minute for timm, and so long for
diffusers that pytest needs `-o faulthandler_timeout=0`; 16 cores take minutes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostsync.catalogue import load_only_rules
from hostsync.findings import CONFIDENCES
from hostsync.lint.check import Plan, check_source
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.scan import check_files
from hostsync.project.cache import Cache
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.settings import Overrides
from hostsync.project.units import Units

TESTS = Path(__file__).resolve().parent
LONG = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
RULES = {rule.code: rule for rule in load_only_rules()}
PIECES = (
    *"()[]{}:;,.@=*\\'\"#\n\t\0",
    *("\n    ", "é", " if ", " else ", "lambda: ", "await ", "yield ", "del ", "global x\n", "async ", "not "),
    *(
        "x",
        "self",
        "torch",
        "None",
        "[mask]",
        ".item()",
        ".cuda()",
        ".to(x)",
        ".shape",
        ".device",
        "[...]",
        "[:]",
        "*x",
    ),
    *("def f(x):\n    return f(f)\n", "class A(A):\n    x = A()\n", "x = [x, x]\n", "while x: x = x, x\n"),
    *("for x in x: ", "with x as x: ", "import torch as x\n", "x: 'torch.Tensor' = x\n", "**x", "x := x", "f'{x}'"),
    "# hostsync: allow[HS1] x",
)


@lru_cache
def seeds() -> tuple[str, ...]:
    """Sources that touch much of the inference: the blocks of the rules, the annotated cases, the example."""
    texts = [source for rule in RULES.values() for source in (*rule.bad, *rule.good)]
    for folder in (TESTS / "cases", TESTS.parent / "docs" / "example"):
        texts += [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))]
    return tuple(texts)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A seed with lines and pieces deleted, doubled, moved, joined with another seed, and pieces put in."""
    text = draw(st.sampled_from(seeds()))
    if draw(st.booleans()):
        text += "\n" + draw(st.sampled_from(seeds()))
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(text)))
        to = min(at + draw(st.integers(0, 30)), len(text))
        kind = draw(st.sampled_from(["delete", "insert", "double", "lines", "rename"]))
        if kind == "delete":
            text = text[:at] + text[to:]
        elif kind == "double":
            text = text[:to] + text[at:to] + text[to:]
        elif kind == "insert":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        elif kind == "rename":
            words = sorted({word for word in text.split() if word.isidentifier()})
            if words:
                text = text.replace(draw(st.sampled_from(words)), draw(st.sampled_from([*words, "x"])))
        else:
            lines = text.splitlines(keepends=True)
            if lines:
                taken = lines.pop(draw(st.integers(0, len(lines) - 1)))
                lines.insert(draw(st.integers(0, len(lines))), taken)
                text = "".join(lines)
    return text[:6000]


def examine(checked: Checked, text: str) -> None:
    """What holds of the outcome for any source."""
    failures = [diagnostic for diagnostic in checked.diagnostics if diagnostic.kind == "internal-error"]
    assert not failures, failures
    rows = text.count("\n") + text.count("\r") + 1
    for finding in checked.findings:
        assert finding.code in RULES
        assert finding.confidence in CONFIDENCES
        assert 1 <= finding.location.row <= finding.end_location.row <= rows
        assert finding.location < finding.end_location
        assert finding.message.isprintable()
    assert from_plain(to_plain(checked, RULES), RULES) == checked


@given(mutated())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutated_sources(text: str) -> None:
    examine(check_source(text.encode("utf-8", "surrogatepass"), "m", Plan()), text)


@pytest.mark.long
@given(mutated())
@LONG
def test_mutated_sources_at_length(text: str) -> None:
    examine(check_source(text.encode("utf-8", "surrogatepass"), "m", Plan()), text)


@pytest.mark.long
@pytest.mark.skipif("HOSTSYNC_LONG_FOLDER" not in os.environ, reason="HOSTSYNC_LONG_FOLDER names no folder")
def test_a_folder_of_your_own() -> None:
    settings_of = Resolver(Overrides(exclude=(), respect_gitignore=False), isolated=True).settings
    found = discover([Path(os.environ["HOSTSYNC_LONG_FOLDER"])], settings_of)
    assert found.files
    failed = []
    for file, checked in zip(found.files, check_files(found.files), strict=True):
        failed += [f"{file.filename}: {d.message}" for d in checked.diagnostics if d.kind == "internal-error"]
    assert not failed


def of_package(path: Path, *, workers: int, cache: Path | None) -> dict[Path, Checked]:
    """What each file below `path`, or that file, gives when it is judged with its package."""
    settings_of = Resolver(Overrides(exclude=(), respect_gitignore=False), isolated=True).settings
    found = discover([path], settings_of)
    assert found.files
    units = Units(found.settings_for, found.given)
    checked = check_files(found.files, workers=workers, cache=None if cache is None else Cache(cache), units=units)
    return {file.path: one for file, one in zip(found.files, checked, strict=True)}


@pytest.mark.long
@pytest.mark.skipif("HOSTSYNC_LONG_PACKAGE" not in os.environ, reason="HOSTSYNC_LONG_PACKAGE names no folder")
def test_every_way_to_scan_a_package_gives_the_same(tmp_path: Path) -> None:
    package = Path(os.environ["HOSTSYNC_LONG_PACKAGE"])
    whole = of_package(package, workers=1, cache=None)
    assert sum(len(checked.findings) for checked in whole.values()) > 20
    assert of_package(package, workers=2, cache=None) == whole
    assert of_package(package, workers=2, cache=tmp_path / "whole") == whole
    # Warm: first by the note of the last run, then, as that tells of other files, by what is kept of each.
    assert of_package(package, workers=2, cache=tmp_path / "whole") == whole
    for note in (tmp_path / "whole").glob("runs-*"):
        note.unlink()
    assert of_package(package, workers=1, cache=tmp_path / "whole") == whole
    # File by file: the first run of a process fills a cache of its own, the others find there what they need.
    processes = os.cpu_count() or 1
    shares = [list(whole)[first::processes] for first in range(processes)]
    with ProcessPoolExecutor(processes) as pool:
        alone = pool.map(file_by_file, shares, [tmp_path / f"single{number}" for number in range(processes)])
        assert {path: checked for share in alone for path, checked in share.items()} == whole


def file_by_file(paths: Iterable[Path], cache: Path) -> dict[Path, Checked]:
    """What files give in runs of their own, one after another."""
    return {path: of_package(path, workers=1, cache=cache)[path] for path in paths}
