"""What a GPU showed, kept in tests/gpu/results: of which torch, GPU and date, and of what is here today."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.gpu import corpus_loop, digests

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "tests" / "gpu" / "results"
EXAMPLE = REPOSITORY / "docs" / "example" / "trainer" / "train.py"
COMPARED = ("resnet_amp", "resnet50_amp", "gpt2", "faster_rcnn", "metrics", "trainer")
DEFINITIONS = {
    "runtime-sources": ("measure_runtime.py", "candidates"),
    "runtime-overhead": ("measure_runtime.py", "measure_overhead", "measure_allow"),
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
    file, *definitions = DEFINITIONS[name]
    assert result(name)["of"] == digests.of_definition(digests.HERE / file, *definitions), f"measure {name} again"


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


# --- packages ------------------------------------------------------------------------------------

CORPUS = RESULTS / "corpus.json"
RENEW = "run `python tests/gpu/corpus_loop.py --result tests/gpu/results/corpus.json` again"


def test_every_package_has_a_workload_and_every_workload_a_package() -> None:
    there = {path.stem.removesuffix("_uses") for path in digests.WORKLOADS.glob("*_uses.py")}
    assert there == set(corpus_loop.PACKAGES)


@pytest.mark.skipif(not CORPUS.exists(), reason="no GPU has judged the packages yet")
@pytest.mark.parametrize("package", corpus_loop.PACKAGES)
def test_packages_were_judged_by_the_workloads_of_today(package: str) -> None:
    found = result("corpus")
    judged = found["packages"][package]
    assert judged["workload"] == digests.of_workload(package), RENEW
    assert judged["counted"] and judged["version"]
    assert judged["uses"]["done"] >= 0.9 * (judged["uses"]["done"] + len(judged["uses"]["failed"]))
    assert not judged["uses"]["skipped"]


@pytest.mark.skipif(not CORPUS.exists(), reason="no GPU has judged the packages yet")
def test_figures_of_packages_add_up_and_are_of_the_score_of_today() -> None:
    found = result("corpus")
    assert found["scored_by"] == digests.of_definition(digests.HERE / "corpus_loop.py", "score"), RENEW
    total = corpus_loop.Score()
    for package in found["packages"].values():
        figures = {key: package["score"][key] for key in corpus_loop.Score._fields}
        assert corpus_loop.Score(**figures).to_dict() == package["score"]
        total = total.plus(corpus_loop.Score(**figures))
    assert found["all"] == total.to_dict()


POSSIBLE = "run `python tests/gpu/corpus_loop.py --possible --result tests/gpu/results/corpus_possible.json` again"


def test_what_is_possible_was_scored_by_the_workloads_and_the_score_of_today() -> None:
    found = result("corpus_possible")
    assert found["scored_by"] == digests.of_definition(digests.HERE / "corpus_loop.py", "score", "only_possible"), (
        POSSIBLE
    )
    for name, package in found["packages"].items():
        assert package["workload"] == digests.of_workload(name), POSSIBLE
    for sort in ("true", "false"):
        assert found[sort] == sum(package[sort] for package in found["packages"].values())


def finding(row: int, status: str, end: int | None = None, **more: Any) -> dict[str, Any]:
    where = {"filename": "a.py", "location": {"row": row}, "end_location": {"row": end or row}}
    return {**where, "confidence": "likely", "inside_calls": False, "verdict": {"status": status}, **more}


def missed(row: int, end: int | None = None, **more: Any) -> dict[str, Any]:
    where = {"filename": "a.py", "location": {"row": row}, "end_location": {"row": end or row}}
    return {**where, "kind": "stream", "library": None, "found_as": None, **more}


def test_rows_are_counted_once() -> None:
    twice = [finding(1, "confirmed", confidence="certain"), finding(1, "refuted"), finding(2, "refuted")]
    figures = corpus_loop.score(twice, [missed(5), missed(5), missed(6, found_as={"code": "HS101"})])
    assert (figures.true, figures.false, figures.certain_true, figures.certain_false) == (1, 1, 1, 0)
    assert (figures.sites, figures.found, figures.hidden) == (3, 1, 1)
    assert figures.to_dict()["precision"] == 0.5
    assert figures.to_dict()["recall"] == pytest.approx(1 / 3, abs=1e-4)


def test_what_is_possible_beside_something_surer_does_not_count() -> None:
    alone = finding(2, "refuted", confidence="possible")
    findings = [finding(1, "confirmed"), finding(1, "refuted", confidence="possible"), alone]
    assert corpus_loop.only_possible(findings) == [alone]
    assert corpus_loop.only_possible([finding(1, "confirmed", confidence="certain")]) == []


def test_a_wait_on_the_rows_of_a_finding_is_found() -> None:
    figures = corpus_loop.score([finding(3, "refuted", end=5), finding(8, "confirmed")], [missed(4), missed(8)])
    assert (figures.true, figures.false, figures.found, figures.sites) == (2, 0, 2, 2)


@pytest.mark.parametrize(
    "more",
    [
        {"library": "Module.to.<locals>.convert"},
        {"library": "Module._apply"},
        {"library": "Linear.forward"},
        {"library": "_SingleProcessDataLoaderIter._next_data"},
        {"kind": "copy-to-device"},
    ],
)
def test_set_up_and_staged_copies_are_neutral(more: dict[str, Any]) -> None:
    figures = corpus_loop.score([finding(4, "refuted"), finding(9, "not reached")], [missed(4, **more)])
    assert figures == corpus_loop.Score(not_reached=1, neutral=1)


def test_what_was_not_judged_is_counted_apart() -> None:
    figures = corpus_loop.score(
        [finding(1, "not seen"), finding(2, "not reached"), finding(3, "confirmed", inside_calls=True)], []
    )
    assert figures == corpus_loop.Score(true=1, not_reached=1, not_seen=1, inside_calls=1)
    assert figures.to_dict()["recall"] is None


def page(path: str) -> str:
    """A page on one line, as prose is wrapped anywhere."""
    return " ".join((REPOSITORY / path).read_text(encoding="utf-8").split())


def test_the_page_of_accuracy_has_the_scores_of_the_kept_result() -> None:
    accuracy = page("docs/accuracy.md")
    found = result("corpus")
    for name in [name for group in ("not tuned for", "others", "looked at last") for name in corpus_loop.GROUPS[group]]:
        package = found["packages"][name]
        score = package["score"]
        title = f"{corpus_loop.DISTRIBUTIONS.get(name, name)} {package['version']}"
        counts = f"{score['true']} | {score['false']} | {score['precision']:.2f}"
        row = f"| {title} | {counts} | {score['sites']} | {score['found']} | {score['recall']:.2f} |"
        assert row in accuracy, f"docs/accuracy.md does not have {row}"
    everything, possible = found["all"], result("corpus_possible")
    certain = (everything["certain_true"], everything["certain_false"])
    likely = (everything["true"] - certain[0], everything["false"] - certain[1])
    for name, (true, false) in (
        ("certain", certain),
        ("likely", likely),
        ("possible", (possible["true"], possible["false"])),
    ):
        row = f"| *{name}* | {true:,} | {false:,} | {true / (true + false):.2f} |"
        assert row in accuracy, f"docs/accuracy.md does not have {row}"
    assert f"{len(possible['packages'])} of the {len(found['packages'])} packages" in accuracy
    since = found["groups"]["looked at after a first sight"]
    own = found["packages"]["torch"]["score"]
    for said in (
        f"{since['true']} findings are true and {since['false']} false",
        f"of {since['sites']} lines that waited {since['found']} are found",
        f"{own['true']} of {own['true'] + own['false']} findings were true, and {own['found']} of {own['sites']} lines",
    ):
        assert said in accuracy, f"docs/accuracy.md does not say: {said}"


def test_the_summary_in_readme_is_of_the_page_of_accuracy() -> None:
    accuracy, readme = page("docs/accuracy.md"), page("README.md")
    found = result("corpus")
    unseen, transformers = found["groups"]["not tuned for"], found["packages"]["transformers"]["score"]
    five = re.search(r"\| all \| .* \| (0\.\d\d) \| \d+ \| \d+ \| (0\.\d\d) \| What", accuracy)
    lots = re.findall(r"^\| [^|]+ \| (0\.\d\d) \| (0\.\d\d) \| ", section_of_lots(), re.MULTILINE)
    precisions, recalls = zip(*((float(one), float(other)) for one, other in lots), strict=True)
    assert five is not None
    for said in (
        f"at hand while hostsync was written | {five[1]} | {five[2]} |",
        f"whose lines nobody has looked at | {unseen['precision']:.2f} | {unseen['recall']:.2f} |",
        f"| transformers | {transformers['precision']:.2f} | {transformers['recall']:.2f} |",
        f"repositories in {len(lots)} lots",
        f"median of the lots | {median(precisions):.2f} | {median(recalls):.2f} |",
        f"| {min(precisions):.2f} to {max(precisions):.2f} | {min(recalls):.2f} to {max(recalls):.2f} |",
    ):
        assert said in readme, f"README does not say: {said}"


def section_of_lots() -> str:
    """The section of docs/accuracy.md about code that was met for the first time."""
    text = (REPOSITORY / "docs" / "accuracy.md").read_text(encoding="utf-8")
    return text.partition("## At first sight")[2].partition("\n## ")[0]
