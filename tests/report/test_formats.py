"""The formats, on findings made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostsync.findings import ChainStep, Diagnostic, Finding, Location, Verdict
from hostsync.report import Report, Totals, format_names, render, summary
from hostsync.report.statistics import render_statistics
from hostsync.report.style import Style, wants_colour

LINES = ["import torch", "", "for x in xs:", "    total += loss.item()"]
FINDING = Finding(
    "HS101",
    "item-read-back",
    "the host waits for the GPU to read this value back",
    "train.py",
    Location(4, 14),
    Location(4, 25),
    "certain",
    "<module>",
    "loop",
    (ChainStep(1, "model.cuda()"), ChainStep(3, "out = model(x)")),
    "keep the sum on the device",
    "<2.15",
    "https://example.org/rules/HS101-item-read-back",
)
BROKEN = Diagnostic("syntax-error", "a.py", Location(3, 1), "invalid syntax")


def report(*findings: Finding, diagnostics: tuple[Diagnostic, ...] = (), colour: bool = False) -> Report:
    return Report(findings, diagnostics, lambda filename, cell: LINES, Style(colour))


def text(name: str, shown: Report) -> str:
    return "".join(render(shown, name))


def test_formats_are_found() -> None:
    assert {"full", "concise", "json"} <= set(format_names())


def test_full() -> None:
    assert text("full", report(FINDING, diagnostics=(BROKEN,))) == (
        "a.py:3:1: syntax-error: invalid syntax\n"
        "\n"
        "train.py:4:14: HS101 item-read-back (certain, in loop)\n"
        "  |\n"
        "4 |     total += loss.item()\n"
        "  |              ^^^^^^^^^^^ the host waits for the GPU to read this value back\n"
        "  |\n"
        "  = why: model.cuda() (line 1) -> out = model(x) (line 3)\n"
        "  = torch: waits in <2.15 only\n"
        "  = help: keep the sum on the device\n"
        "\n"
    )


def test_full_without_the_source() -> None:
    shown = report(FINDING)._replace(lines=lambda filename, cell: [])
    assert "  | the host waits for the GPU to read this value back\n" in text("full", shown)


def test_concise() -> None:
    assert text("concise", report(FINDING, diagnostics=(BROKEN,))) == (
        "a.py:3:1: syntax-error: invalid syntax\n"
        "train.py:4:14: HS101 the host waits for the GPU to read this value back (certain)\n"
    )


def test_cells_of_notebooks_are_named() -> None:
    inside = FINDING._replace(filename="n.ipynb", location=Location(4, 14, 2), end_location=Location(4, 25, 2))
    assert text("concise", report(inside)).startswith("n.ipynb:cell 2:4:14: HS101")
    assert json.loads(text("json", report(inside)))[0]["location"] == {"row": 4, "column": 14, "cell": 2}


def test_json_has_the_keys_of_the_contract() -> None:
    assert json.loads(text("json", report(FINDING))) == [
        {
            "code": "HS101",
            "name": "item-read-back",
            "message": "the host waits for the GPU to read this value back",
            "filename": str(Path("train.py").absolute()),
            "location": {"row": 4, "column": 14},
            "end_location": {"row": 4, "column": 25},
            "confidence": "certain",
            "symbol": "<module>",
            "hot": "loop",
            "chain": [{"row": 1, "text": "model.cuda()"}, {"row": 3, "text": "out = model(x)"}],
            "fix": None,
            "url": "https://example.org/rules/HS101-item-read-back",
            "help": "keep the sum on the device",
            "versions": "<2.15",
            "verdict": None,
        }
    ]


CONFIRMED = Verdict("confirmed", 200, 200, 200, 1.21, "NVIDIA H200", "2.11.0", "2026-11-20")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (CONFIRMED, "confirmed on NVIDIA H200: 200 of 200 executions waited, 1.21 s blocked"),
        (CONFIRMED._replace(waits=3040), "200 of 200 executions waited (3,040 waits), 1.21 s blocked"),
        (CONFIRMED._replace(waited=None, executions=None), "confirmed on NVIDIA H200: 200 waits, 1.21 s blocked"),
        (
            CONFIRMED._replace(waits=1, waited=1, executions=1, seconds=0.0, device=""),
            "confirmed: 1 of 1 execution waited",
        ),
        (
            CONFIRMED._replace(status="refuted", waits=0, waited=0, executions=1200, seconds=0.0),
            "refuted on NVIDIA H200: 0 of 1,200 executions waited",
        ),
        (CONFIRMED._replace(device="a\x1b[31m"), "confirmed on a\\x1b[31m: "),
    ],
)
def test_full_says_what_runs_showed(verdict: Verdict, said: str) -> None:
    assert said in text("full", report(FINDING._replace(verdict=verdict)))


def test_json_has_the_verdict() -> None:
    (entry,) = json.loads(text("json", report(FINDING._replace(verdict=CONFIRMED))))
    assert entry["verdict"] == {
        "status": "confirmed",
        "waits": 200,
        "waited": 200,
        "executions": 200,
        "blocked_s": 1.21,
        "device": "NVIDIA H200",
        "torch": "2.11.0",
        "date": "2026-11-20",
    }


def test_json_of_several_and_of_none() -> None:
    entries = json.loads(text("json", report(FINDING, FINDING, diagnostics=(BROKEN,))))
    assert [entry["code"] for entry in entries] == [None, "HS101", "HS101"]
    assert entries[0]["name"] == "syntax-error"
    assert json.loads(text("json", report())) == []


@pytest.mark.parametrize("name", ["full", "concise", "json"])
def test_what_is_quoted_can_not_steer_a_terminal(name: str) -> None:
    evil = "\x1b]0;pwned\x07\u202egnp.py\r\n\udcff\u200b\x9b"
    finding = FINDING._replace(
        filename=evil, message=evil, help=evil, chain=(ChainStep(1, evil),), end_location=Location(4, 60)
    )
    shown = Report((finding,), (BROKEN._replace(filename=evil, message=evil),), lambda f, c: [evil] * 4, Style())
    rendered = text(name, shown)
    assert not set(rendered) & set("\x1b\x07\u202e\r\u200b\x9b\udcff")
    rendered.encode("utf-8")


def test_statistics() -> None:
    other = FINDING._replace(code="HS201", name="branch-on-tensor")
    shown = report(FINDING, other, FINDING, diagnostics=(BROKEN,))
    assert "".join(render_statistics(shown, "full")) == (
        "2  HS101  item-read-back\n1  HS201  branch-on-tensor\n1  syntax-error\n"
    )
    assert json.loads("".join(render_statistics(shown, "json")))[0] == {
        "code": "HS101",
        "name": "item-read-back",
        "count": 2,
    }


@pytest.mark.parametrize(
    ("shown", "totals", "line"),
    [
        (report(), Totals(1, 0, 0), "No findings in 1 file."),
        (report(FINDING), Totals(2300, 0, 0), "Found 1 finding in 1 of 2,300 files."),
        (
            report(FINDING, FINDING),
            Totals(5, 3, 4),
            "Found 2 findings in 1 of 5 files (3 allowed by comments, 4 in the baseline).",
        ),
        (report(diagnostics=(BROKEN, BROKEN)), Totals(5, 0, 0), "No findings in 5 files. 1 file could not be scanned."),
    ],
)
def test_summary(shown: Report, totals: Totals, line: str) -> None:
    assert summary(shown, totals) == line


def test_colour_is_for_terminals() -> None:
    assert wants_colour({}, True)
    assert not wants_colour({}, False)
    assert not wants_colour({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True)
    assert not wants_colour({"TERM": "dumb"}, True)
    assert wants_colour({"FORCE_COLOR": "1"}, False)
    assert not wants_colour({"FORCE_COLOR": "0"}, False)
    assert "\x1b[" in text("full", report(FINDING, colour=True))
    assert "\x1b[" not in text("full", report(FINDING))
