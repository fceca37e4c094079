"""The formats that machines read, each read by a parser that is not ours, or by the rules that its reader documents."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sarif_schema import problems, run_of

from hostsync.catalogue import load_only_rules
from hostsync.findings import ChainStep, Covered, Diagnostic, Finding, Location, Verdict
from hostsync.report import Report, render
from hostsync.report.entries import entries
from hostsync.report.escape import visible
from hostsync.report.root import path_from, report_root

RULES = {rule.code: rule for rule in load_only_rules()}
LINES = ["import torch", "", "for x in xs:", "    total += loss.item()"]
FINDING = Finding(
    "HS101",
    "item-read-back",
    "the host waits for the GPU to read this value back",
    "src/train.py",
    Location(4, 14),
    Location(4, 25),
    "certain",
    "<module>",
    "loop",
    (ChainStep(1, "model.cuda()"), ChainStep(3, "out = model(x)")),
    "keep the sum on the device",
    None,
    "https://example.org/rules/HS101-item-read-back",
)
BROKEN = Diagnostic("syntax-error", "src/a.py", Location(3, 1), "invalid syntax")
FAILED = Diagnostic("internal-error", "src/b.py", Location(1, 1), "ValueError: it failed")
CONFIRMED = Verdict("confirmed", 200, 200, 200, 1.21, "NVIDIA H200", "2.11.0", "2026-11-20")
REFUTED = CONFIRMED._replace(status="refuted", waits=0, waited=0, seconds=0.0)
NOT_REACHED = REFUTED._replace(status="not reached", executions=0)


def report(*findings: Finding, lines: list[str] = LINES, **more: Any) -> Report:
    made = Report(findings, more.pop("diagnostics", ()), lambda filename, cell: lines, rules=RULES)
    return made._replace(**more)


def text(name: str, shown: Report) -> str:
    return "".join(render(shown, name))


# --- github --------------------------------------------------------------------------------------


class Command(NamedTuple):
    """A workflow command as GitHub's runner reads it."""

    name: str
    properties: dict[str, str]
    message: str


def github_command(line: str) -> Command:
    """Reads a line as the runner does: `::name key=value,key=value::message`, then it takes the escapes back."""
    found = re.fullmatch(r"::([a-z]+) (.*?)::(.*)", line)
    assert found is not None, line
    pairs = [pair.partition("=") for pair in found[2].split(",")]
    return Command(found[1], {key: _unescaped(value) for key, _, value in pairs}, _unescaped(found[3]))


def _unescaped(value: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(code, character)
    return value


def github(shown: Report) -> list[Command]:
    rendered = text("github", shown)
    assert rendered == "" or rendered.endswith("\n")
    return [github_command(line) for line in rendered.split("\n")[:-1]]


def test_github() -> None:
    broken, found = github(report(FINDING, diagnostics=(BROKEN,)))
    assert broken == Command(
        "error",
        {"title": "syntax-error", "file": "src/a.py", "line": "3", "endLine": "3", "col": "1", "endColumn": "1"},
        "src/a.py:3:1: syntax-error: invalid syntax",
    )
    assert found == Command(
        "warning",
        {
            "title": "HS101 item-read-back",
            "file": "src/train.py",
            "line": "4",
            "endLine": "4",
            "col": "14",
            "endColumn": "25",
        },
        "src/train.py:4:14: HS101 item-read-back: "
        "the host waits for the GPU to read this value back (certain, in loop)\n"
        "help: keep the sum on the device",
    )


def test_github_takes_columns_in_one_line_only() -> None:
    (several,) = github(report(FINDING._replace(location=Location(3, 2))))
    assert several.properties == {
        "title": "HS101 item-read-back",
        "file": "src/train.py",
        "line": "3",
        "endLine": "4",
    }


def test_github_knows_how_sure_it_is() -> None:
    names = [
        github(report(FINDING._replace(**change)))[0].name
        for change in (
            {"confidence": "likely"},
            {"confidence": "possible"},
            {"verdict": CONFIRMED},
            {"verdict": REFUTED},
            {"verdict": NOT_REACHED},
        )
    ]
    assert names == ["warning", "notice", "warning", "notice", "notice"]


# --- gitlab --------------------------------------------------------------------------------------

SEVERITIES = {"info", "minor", "major", "critical", "blocker"}


def gitlab(shown: Report) -> list[dict[str, Any]]:
    """Reads a report as GitLab documents it: these keys, fingerprints that tell issues apart, relative paths."""
    issues: list[dict[str, Any]] = json.loads(text("gitlab", shown))
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in SEVERITIES
        assert issue["description"] and issue["check_name"]
        assert re.fullmatch(r"[0-9a-f]{64}", issue["fingerprint"])
        location = issue["location"]
        assert set(location) == {"path", "lines"}
        assert not location["path"].startswith("./")
        assert 1 <= location["lines"]["begin"] <= location["lines"]["end"]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    return issues


def test_gitlab() -> None:
    broken, found = gitlab(report(FINDING, diagnostics=(BROKEN,)))
    assert (broken["check_name"], broken["severity"]) == ("syntax-error", "major")
    assert found["description"] == (
        "HS101 item-read-back: the host waits for the GPU to read this value back (certain, in loop)"
    )
    assert found["location"] == {"path": "src/train.py", "lines": {"begin": 4, "end": 4}}
    assert gitlab(report()) == []
    severities = [
        gitlab(report(FINDING._replace(confidence=c)))[0]["severity"] for c in ("certain", "likely", "possible")
    ]
    assert severities == ["major", "minor", "info"]


def test_the_same_twice_has_two_fingerprints() -> None:
    again = FINDING._replace(location=Location(4, 27), end_location=Location(4, 38))
    lines = [*LINES[:3], "    total += loss.item() + loss.item()"]
    assert len(gitlab(report(FINDING, again, diagnostics=(BROKEN, BROKEN), lines=lines))) == 4


# --- junit ---------------------------------------------------------------------------------------


def junit(shown: Report) -> ElementTree.Element:
    """Reads a document with two parsers, and holds its counts to its cases."""
    rendered = text("junit", shown)
    assert rendered.isascii()
    root = ElementTree.fromstring(rendered)
    assert root.tag == "testsuites"
    for holder in (root, *root.iter("testsuite")):
        cases = list(holder.iter("testcase"))
        assert int(holder.get("tests", "")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(holder.get(attribute, "")) == len(list(holder.iter(tag)))
        names = [(case.get("classname"), case.get("name")) for case in cases]
        assert len(set(names)) == len(names)
    junitparser = pytest.importorskip("junitparser")
    read = junitparser.JUnitXml.fromstring(rendered.encode())
    assert read.tests == int(root.get("tests", ""))
    assert [case.name for suite in read for case in suite] == [case.get("name") for case in root.iter("testcase")]
    return root


def test_junit() -> None:
    root = junit(report(FINDING, diagnostics=(BROKEN,)))
    broken, found = root.findall("testsuite")
    assert (broken.get("name"), found.get("name")) == ("src/a.py", "src/train.py")
    error, failure = broken.find("testcase/error"), found.find("testcase/failure")
    assert error is not None and failure is not None
    assert (error.get("type"), error.get("message")) == ("syntax-error", "invalid syntax")
    assert failure.text == (
        "src/train.py:4:14: HS101 item-read-back\n"
        "the host waits for the GPU to read this value back (certain, in loop)\n"
        "help: keep the sum on the device"
    )


def test_junit_of_nothing_has_a_case_that_passed() -> None:
    (case,) = junit(report()).iter("testcase")
    assert (case.get("name"), len(case)) == ("no findings", 0)


def test_junit_of_verdicts() -> None:
    spots = [
        FINDING._replace(verdict=verdict, location=Location(row, 1), end_location=Location(row, 5))
        for row, verdict in enumerate((CONFIRMED, REFUTED, NOT_REACHED), start=1)
    ]
    outcomes = [[child.tag for child in case] for case in junit(report(*spots)).iter("testcase")]
    assert outcomes == [["failure"], [], ["skipped"]]


# --- sarif ---------------------------------------------------------------------------------------


def sarif(shown: Report) -> Any:
    return run_of(text("sarif", shown))


@pytest.mark.parametrize(
    "shown",
    [
        report(),
        report(FINDING),
        report(FINDING._replace(verdict=CONFIRMED, versions="<2.15"), diagnostics=(BROKEN, FAILED)),
        report(FINDING._replace(code="ACME101", name="acme-gather")),
        report(FINDING._replace(location=Location(4, 0), end_location=Location(4, 0), chain=())),
        report(FINDING._replace(filename="n.ipynb", location=Location(4, 14, 2), end_location=Location(4, 25, 2))),
        report(FINDING._replace(filename="/elsewhere/a b%.py"), root=Path("/checkout")),
        report(FINDING._replace(filename="<stdin>"), notes=("Nothing was watched.",)),
        report(covered=(Covered(FINDING, "comment", "it is meant"), Covered(FINDING, "baseline", ""))),
    ],
    ids=["empty", "plain", "confirmed", "own-rule", "no-column", "notebook", "elsewhere", "stdin", "covered"],
)
def test_sarif_is_valid(shown: Report) -> None:
    log = json.loads(text("sarif", shown))
    assert problems(log) == []
    assert log["version"] == "2.1.0"


def test_the_schema_rejects_what_is_no_sarif() -> None:
    log = json.loads(text("sarif", report(FINDING)))
    log["runs"][0]["results"][0]["level"] = "severe"
    (problem,) = problems(log)
    assert "severe" in problem


def test_sarif_result() -> None:
    run = sarif(report(FINDING._replace(verdict=CONFIRMED)))
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("HS101", 0, "warning")
    assert result["message"]["text"] == (
        "the host waits for the GPU to read this value back (certain, in loop); confirmed on NVIDIA H200: "
        "200 of 200 executions waited, 1.21 s blocked. Help: keep the sum on the device."
    )
    (location,) = result["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "src/train.py", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 4, "startColumn": 14, "endLine": 4, "endColumn": 25},
        },
        "logicalLocations": [{"fullyQualifiedName": "<module>", "kind": "module"}],
    }
    assert [
        (step["physicalLocation"]["region"]["startLine"], step["message"]["text"])
        for step in result["relatedLocations"]
    ] == [(1, "model.cuda()"), (3, "out = model(x)")]
    assert result["properties"]["verdict"]["status"] == "confirmed"
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == Path.cwd().as_uri() + "/"


def test_sarif_rules_hold_their_pages() -> None:
    run = sarif(report(FINDING, FINDING._replace(code="HS201", name="branch-on-tensor")))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["HS101", "HS201"]
    for rule in rules:
        shipped = RULES[rule["id"]]
        assert rule["name"] == shipped.name
        assert rule["shortDescription"]["text"] == shipped.summary
        assert "## What to do" in rule["help"]["markdown"]
        assert ".md)" not in rule["help"]["markdown"]
        assert "```python" in rule["help"]["markdown"]
    assert [result["ruleIndex"] for result in run["results"]] == [0, 1]


def test_sarif_tells_what_could_not_be_scanned() -> None:
    run = sarif(report(diagnostics=(BROKEN,), notes=("One source was blind.",)))
    (invocation,) = run["invocations"]
    broken, note = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"]
    assert (broken["descriptor"]["id"], broken["level"], note["level"]) == ("syntax-error", "error", "note")
    assert broken["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert run["results"] == []
    assert not sarif(report(diagnostics=(FAILED,)))["invocations"][0]["executionSuccessful"]


def test_sarif_takes_no_code_for_a_link_or_an_argument() -> None:
    steps = (ChainStep(1, "fns[0](x)[mask]"), ChainStep(2, "'{0} {}'.format(x)"))
    (result,) = sarif(report(FINDING._replace(chain=steps)))["results"]
    assert [step["message"]["text"] for step in result["relatedLocations"]] == [
        "fns\\[0](x)[mask]",
        "'{{0}} {}'.format(x)",
    ]


def test_sarif_suppressions() -> None:
    other = FINDING._replace(location=Location(3, 1), end_location=Location(3, 4))
    run = sarif(report(FINDING, covered=(Covered(other, "comment", "meant"), Covered(other, "baseline", ""))))
    assert [result.get("suppressions") for result in run["results"]] == [
        None,
        [{"kind": "inSource", "status": "accepted", "justification": "meant"}],
        [{"kind": "external", "status": "accepted"}],
    ]


# --- fingerprints --------------------------------------------------------------------------------

SOURCE = ["def f(x):", "    a = x.item()", "    b = x.item()", "    return a + b"]


def found_in(lines: list[str], wanted: str = "x.item()", symbol: str = "f") -> list[Finding]:
    """A finding for each place of `wanted`."""
    return [
        FINDING._replace(
            symbol=symbol, location=Location(row, at + 1), end_location=Location(row, at + 1 + len(wanted)), chain=()
        )
        for row, line in enumerate(lines, start=1)
        for at in [line.find(wanted)]
        if at >= 0
    ]


def fingerprints(lines: list[str], findings: list[Finding], **more: Any) -> list[str]:
    shown = report(*findings, lines=lines, **more)
    prints = [result["partialFingerprints"]["hostsync/v1"] for result in sarif(shown)["results"]]
    assert prints == [issue["fingerprint"] for issue in gitlab(shown)]
    return prints


@lru_cache(maxsize=1)
def before() -> list[str]:
    return fingerprints(SOURCE, found_in(SOURCE))


@given(st.lists(st.text(alphabet="ab #\t", max_size=8), max_size=5), st.integers(0, 4))
def test_fingerprints_stay_when_lines_move(inserted: list[str], at: int) -> None:
    moved = [*SOURCE[:at], *inserted, *SOURCE[at:]]
    assert fingerprints(moved, found_in(moved)) == before()


def test_fingerprints_stay_with_another_layout() -> None:
    indented = ["if True:", *(f"    {line}" for line in SOURCE)]
    assert fingerprints(indented, found_in(indented)) == before()
    spaced = [line.replace("x.item()", "x . item( )") for line in SOURCE]
    assert fingerprints(spaced, found_in(spaced, "x . item( )")) == before()


def test_fingerprints_change_with_the_expression_the_function_and_the_rule() -> None:
    changed = [line.replace("x.item()", "y.item()") for line in SOURCE]
    others = [
        fingerprints(changed, found_in(changed, "y.item()")),
        fingerprints(SOURCE, found_in(SOURCE, symbol="g")),
        fingerprints(SOURCE, [one._replace(code="HS102") for one in found_in(SOURCE)]),
        fingerprints(SOURCE, [one._replace(filename="src/other.py") for one in found_in(SOURCE)]),
    ]
    assert not set(before()) & {one for prints in others for one in prints}


def test_fingerprints_count_what_is_not_shown() -> None:
    first, second = found_in(SOURCE)
    assert fingerprints(SOURCE, [second], every=lambda filename: (first, second)) == before()[1:]
    assert (
        fingerprints(SOURCE, [second._replace(verdict=CONFIRMED)], every=lambda name: (first, second)) == before()[1:]
    )


def test_fingerprints_in_cells_of_a_notebook() -> None:
    cells = {1: ["x.item()"], 2: ["", "x.item()"]}
    findings = [
        FINDING._replace(filename="n.ipynb", location=Location(row, 1, cell), end_location=Location(row, 9, cell))
        for cell, row in ((1, 1), (2, 2))
    ]
    shown = Report(tuple(findings), (), lambda filename, cell: cells[cell or 0])
    prints = [result["partialFingerprints"]["hostsync/v1"] for result in sarif(shown)["results"]]
    assert len(set(prints)) == 2
    for result in sarif(shown)["results"]:
        assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "endLine": 1}
    assert "cell 2, row 2, column 1: " in gitlab(shown)[1]["description"]


# --- escapes -------------------------------------------------------------------------------------

EVIL = st.text(
    alphabet=st.one_of(
        st.sampled_from("%:,\r\n<>&\"'\0\x1b\x9b]\u202e\u2028\ufffe\udcff\ud800\\|"),
        st.characters(exclude_categories=()),
    ),
    max_size=12,
)
TRAPS = st.one_of(
    EVIL, st.sampled_from(["::error::x", "%0A::set-output", "]]>", "<!--", "&lt;", "a\r\n::stop-commands::"])
)


@st.composite
def evil_reports(draw: st.DrawFn) -> Report:
    # No file can have a name with a NUL byte, or with a surrogate that stands for no byte.
    name = draw(TRAPS).replace("\0", "").encode("utf-8", "replace").decode() + ".py"
    finding = FINDING._replace(
        filename=name,
        message=draw(TRAPS),
        help=draw(TRAPS),
        symbol=draw(TRAPS),
        chain=(ChainStep(1, draw(TRAPS)),),
        verdict=draw(st.sampled_from([None, CONFIRMED, REFUTED, NOT_REACHED])),
    )
    broken = BROKEN._replace(filename=name, message=draw(TRAPS))
    covered = Covered(finding._replace(location=Location(1, 1)), "comment", draw(TRAPS))
    return report(finding, diagnostics=(broken,), covered=(covered,), notes=(draw(TRAPS),), root=Path("/checkout"))


@given(evil_reports())
def test_nothing_that_is_quoted_breaks_a_format(shown: Report) -> None:
    for name in ("github", "gitlab", "junit", "sarif", "jsonl"):
        rendered = text(name, shown)
        rendered.encode("utf-8")
        assert not set(rendered) & set("\0\x1b\r\x9b\u202e\u2028\udcff\ud800")
    first, second = github(shown)
    for command, entry in zip((first, second), entries(shown), strict=True):
        told = f"{entry.place}: {entry.title}: {entry.message}"
        assert command.message == (f"{told}\nhelp: {entry.help}" if entry.help else told)
        assert (command.properties["file"], command.properties["title"]) == (visible(entry.path), entry.title)
    assert {first.name, second.name} <= {"error", "warning", "notice"}
    assert set(first.properties) <= {"title", "file", "line", "endLine", "col", "endColumn"}
    assert first.properties["line"] in ("3", "4")
    assert len(gitlab(shown)) == 2
    said = {element.get("message") for element in junit(shown).iter() if element.tag in ("failure", "error", "skipped")}
    assert said <= {entry.message for entry in entries(shown)}
    assert len(list(junit(shown).iter("testcase"))) == 2
    result, suppressed = sarif(shown)["results"]
    assert "suppressions" in suppressed
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert re.fullmatch(r"[A-Za-z0-9._~/:%-]*", artifact["uri"])
    assert unquote(artifact["uri"], errors="surrogateescape").endswith(".py")
    assert len(text("jsonl", shown).splitlines()) == 2


# --- paths ---------------------------------------------------------------------------------------


def test_paths_are_those_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "repository" / "python" / "src"
    inner.mkdir(parents=True)
    checkout = tmp_path.resolve() / "repository"
    assert report_root({}, inner) == inner.resolve()
    assert report_root({"GITHUB_WORKSPACE": str(checkout)}, inner) == checkout
    assert report_root({"CI_PROJECT_DIR": str(checkout)}, inner) == checkout
    assert report_root({"CI_PROJECT_DIR": str(tmp_path / "other")}, inner) == inner.resolve()
    (checkout / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert report_root({}, inner) == checkout
    monkeypatch.chdir(inner)
    assert path_from(checkout, "a.py") == "python/src/a.py"
    assert path_from(checkout, str(checkout / "b.py")) == "b.py"
    assert path_from(checkout, "../../../c.py") == (tmp_path / "c.py").as_posix()
    assert path_from(checkout, "<stdin>") == "<stdin>"
    (tmp_path / "link").symlink_to(checkout)
    assert path_from(checkout, str(tmp_path / "link" / "d.py")) == "d.py"
