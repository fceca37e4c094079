"""What a GPU showed, kept in tests/gpu/results: of which torch, GPU and date, and of what is here today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gpu import digests

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "tests" / "gpu" / "results"
EXAMPLE = REPOSITORY / "docs" / "example" / "trainer" / "train.py"
COMPARED = ("resnet_amp", "resnet50_amp", "gpt2", "faster_rcnn", "metrics", "trainer")
DEFINITIONS = {
    "runtime-sources": ("measure_runtime.py", "candidates"),
    "runtime-overhead": ("measure_runtime.py", "measure_overhead"),
    "run_probe": ("test_run.py", "PROBES"),
    "run_ranks": ("test_run.py", "RANKS"),
    "run_ranks_text": ("test_run.py", "RANKS"),
}


def result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_result_says_where_it_is_from(path: Path) -> None:
    found = result(path.stem)
    assert all(found.get(key) for key in ("torch", "device", "python", "date")), path.name


@pytest.mark.parametrize("name", COMPARED)
def test_every_blocking_call_was_reported_and_none_invented(name: str) -> None:
    path = EXAMPLE if name == "trainer" else digests.PROGRAMS / f"{name}.py"
    found = result(f"run_{name}")
    stale = f"run `HOSTSYNC_RESULTS=tests/gpu/results pytest -o addopts= -m gpu tests/gpu/test_run.py -k {name}` again"
    assert found["programs"] == digests.of_files(str(path)), stale
    assert found["same_calls_in_the_same_order"] and found["same_output"]
    for ours, theirs in (found["calls_on_main_thread"], found["calls_on_other_threads"]):
        assert ours == theirs
    assert found["at_the_same_row"] >= 0.99 * (found["at_the_same_row"] + sum(found["at_another_row"].values()))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_rest_is_of_what_is_here(name: str) -> None:
    file, definition = DEFINITIONS[name]
    assert result(name)["of"] == digests.of_definition(digests.HERE / file, definition), f"measure {name} again"


def test_sources_agree_with_the_oracle() -> None:
    found = result("runtime-sources")
    assert len(found["candidates"]) > 60
    for key in (
        "against expectation",
        "driver disagrees with the oracle",
        "counted differently by all sources together",
    ):
        assert found[key] == []


def test_two_gpus_of_one_host() -> None:
    assert result("run_ranks")["gpus"] == 2
