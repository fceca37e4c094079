"""`hostsync check` in the formats for CI, from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from sarif_schema import run_of

from .conftest import WAITS, Hostsync

ALLOWED = WAITS.replace("y.item()", "y.item()  # hostsync: allow[HS101] read once")


def prints(hostsync_in: Hostsync, *args: str) -> dict[int, str]:
    """The fingerprint at each row."""
    run = run_of(hostsync_in("check", "--output-format", "sarif", "--select", "HS101", *args).out)
    return {
        result["locations"][0]["physicalLocation"]["region"]["startLine"]: result["partialFingerprints"]["hostsync/v1"]
        for result in run["results"]
    }


def test_every_format_of_one_scan(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "waits.py").write_text(WAITS, encoding="utf-8")
    (folder / "broken.py").write_text("import torch\nx = (\n", encoding="utf-8")
    written = {}
    for name in ("sarif", "github", "gitlab", "junit", "json", "jsonl"):
        done = hostsync_in("check", "--output-format", name, "-o", f"r.{name}", "--select", "HS101", cwd=folder)
        assert done.code == 1 and done.out == ""
        written[name] = (folder / f"r.{name}").read_text(encoding="utf-8")
    run = run_of(written["sarif"])
    (result,) = run["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "python/waits.py", "uriBaseId": "%SRCROOT%"}
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == tmp_path.resolve().as_uri() + "/"
    (broken,) = run["invocations"][0]["toolExecutionNotifications"]
    assert broken["descriptor"]["id"] == "syntax-error"
    assert "::warning title=HS101 item-read-back,file=python/waits.py,line=6,endLine=6,col=12," in written["github"]
    assert written["github"].startswith("::error title=syntax-error,file=python/broken.py,")
    issues = json.loads(written["gitlab"])
    assert [issue["location"]["path"] for issue in issues] == ["python/broken.py", "python/waits.py"]
    assert issues[1]["fingerprint"] == result["partialFingerprints"]["hostsync/v1"]
    root = ElementTree.fromstring(written["junit"])
    assert (root.get("failures"), root.get("errors")) == ("1", "1")
    assert [json.loads(line) for line in written["jsonl"].splitlines()] == json.loads(written["json"])


def test_paths_on_github_and_gitlab(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "waits.py").write_text(WAITS, encoding="utf-8")
    for variable in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        done = hostsync_in(
            "check", "waits.py", "--output-format", "gitlab", cwd=tmp_path / "python", **{variable: str(tmp_path)}
        )
        assert json.loads(done.out)[0]["location"]["path"] == "python/waits.py"


def test_fingerprints_are_those_of_expressions(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path = tmp_path / "waits.py"
    path.write_text(WAITS, encoding="utf-8")
    before = prints(hostsync_in)
    path.write_text("# a comment\n\n" + WAITS.replace("    y =", "    z = 1\n    y ="), encoding="utf-8")
    assert list(prints(hostsync_in).items()) == [(9, before[6])]
    path.write_text(WAITS.replace("y.item()", "y.sum().item()"), encoding="utf-8")
    changed = prints(hostsync_in)
    assert list(changed) == [6] and changed[6] != before[6]


def test_fingerprints_do_not_depend_on_what_is_allowed(hostsync_in: Hostsync, tmp_path: Path) -> None:
    twice = WAITS.replace("    return y.item()", "    a = y.item()\n    return y.item()")
    (tmp_path / "waits.py").write_text(twice, encoding="utf-8")
    before = prints(hostsync_in)
    assert list(before) == [6, 7] and before[6] != before[7]
    first_allowed = twice.replace("a = y.item()", "a = y.item()  # hostsync: allow[HS101] once")
    (tmp_path / "waits.py").write_text(first_allowed, encoding="utf-8")
    assert prints(hostsync_in) == {7: before[7]}
    assert prints(hostsync_in, "--show-suppressed") == before


def suppressions(hostsync_in: Hostsync, *args: str) -> list[Any]:
    done = hostsync_in("check", "--output-format", "sarif", "--select", "HS101", *args)
    assert done.code == 0, done.err
    return [result["suppressions"] for result in run_of(done.out)["results"]]


def test_suppressed(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path = tmp_path / "waits.py"
    path.write_text(ALLOWED, encoding="utf-8")
    assert suppressions(hostsync_in) == []
    reason = {"kind": "inSource", "status": "accepted", "justification": "read once"}
    assert suppressions(hostsync_in, "--show-suppressed") == [[reason]]
    path.write_text(WAITS, encoding="utf-8")
    known = ("--baseline", "known.json")
    assert hostsync_in("check", *known, "--update-baseline").code == 0
    assert suppressions(hostsync_in, *known) == []
    assert suppressions(hostsync_in, *known, "--show-suppressed") == [[{"kind": "external", "status": "accepted"}]]


@pytest.mark.parametrize("name", ["github", "gitlab", "junit", "sarif", "jsonl"])
def test_nothing_found(name: str, hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import torch\n", encoding="utf-8")
    done = hostsync_in("check", "--output-format", name)
    assert done.code == 0
    if name == "sarif":
        assert run_of(done.out)["results"] == []
    elif name == "gitlab":
        assert json.loads(done.out) == []
    elif name == "junit":
        assert ElementTree.fromstring(done.out).get("failures") == "0"
    else:
        assert done.out == ""


def test_standard_input(hostsync_in: Hostsync) -> None:
    args = ("check", "-", "--output-format", "sarif", "--select", "HS101")
    (result,) = run_of(hostsync_in(*args, stdin=WAITS.encode()).out)["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "%3Cstdin%3E"
    (named,) = run_of(hostsync_in(*args, "--stdin-filename", "a b.py", stdin=WAITS.encode()).out)["results"]
    assert named["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"
