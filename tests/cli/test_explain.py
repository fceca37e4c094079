"""`hostsync explain` and `hostsync rules`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hostsync.catalogue import load_only_rules
from hostsync.cli.entry import run

CODES = [rule.code for rule in load_only_rules()]


@pytest.mark.parametrize("wanted", ["HS101", "hs101", "item-read-back", "Item-Read-Back"])
def test_explain_prints_the_page(wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", wanted]) == 0
    out = capsys.readouterr().out
    assert out.startswith("HS101 item-read-back\n\n")
    assert "## Why it waits" in out and "total += loss.item()  # waits" in out
    assert "reported: everywhere\n" in out
    assert re.search(
        r"^measured: 2 of 2 Bad blocks wait( \([\w, ]+\))?, "
        r"2 of 2 Good blocks do not \(NVIDIA H200, torch 2\.\d+\.\d, 20",
        out,
        re.M,
    )
    assert "\x1b" not in out


def test_explain_says_where_a_rule_for_hot_code_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "device-synchronize"]) == 0
    assert "reported: only in hot code" in capsys.readouterr().out


def test_explain_colours_when_it_is_asked_to(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(["explain", "HS101"]) == 0
    assert "\x1b[1mitem-read-back\x1b[0m" in capsys.readouterr().out


@pytest.mark.parametrize("code", CODES)
def test_explain_as_json(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code, "--output-format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["code"] == code
    assert data["bad"] and data["good"] and data["page"].startswith("## Why it ")
    assert data["url"].endswith(f"{code}-{data['name']}")
    assert (data["evidence"] is None) == code.startswith("HS9")


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [("HS1010", "HS101"), ("item-readback", "item-read-back"), ("zzz", "`hostsync rules` lists them")],
)
def test_an_unknown_rule_gets_close_matches(wanted: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", wanted]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"no rule has the code or name `{wanted}`" in captured.err and hint in captured.err


@pytest.mark.parametrize("wanted", ["HS1", "hs1"])
def test_explain_wants_one_code(wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", wanted]) == 2
    listed = ", ".join(code for code in CODES if code.startswith("HS1"))
    said = f"hostsync: `{wanted}` is only the beginning of a code; one of these is wanted: {listed}\n"
    assert capsys.readouterr().err == said


def test_rules_prints_an_aligned_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["code", *CODES]
    column = lines[0].index("summary")
    assert all(line[column - 1] == " " and line[column] != " " for line in lines)


def test_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--output-format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [rule["code"] for rule in data] == CODES
    assert set(data[0]) == {"code", "name", "summary", "message", "help", "since", "hot", "fix"}


RULE = """+++
code = "ACME101"
name = "acme-call"
summary = "Calls \\u001b[31macme"
message = "the host waits"
help = "don't"
since = "0.1.0"
hot = "always"
fix = "none"
+++

## Why it is reported

\x1b]0;hostile\x07
"""


def test_rules_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "ACME101-acme-call.md").write_text(RULE, encoding="utf-8")
    (tmp_path / "hostsync.toml").write_text('extend-rules = ["lint"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["rules"]) == 0
    assert "ACME101" in capsys.readouterr().out
    assert run(["explain", "acme-call"]) == 0
    out = capsys.readouterr().out
    assert "measured" not in out
    assert "\x1b" not in out and "\x07" not in out


def test_a_broken_configuration_or_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hostsync.toml").write_text("colour = 1\n", encoding="utf-8")
    assert run(["rules"]) == 2
    assert "colour" in capsys.readouterr().err
    (tmp_path / "hostsync.toml").write_text('extend-rules = ["."]\n', encoding="utf-8")
    (tmp_path / "ACME101-acme-call.md").write_text(RULE.replace('fix = "none"', 'fixes = "none"'), encoding="utf-8")
    assert run(["explain", "ACME101"]) == 2
    assert "ACME101-acme-call.md:9: unknown key `fixes`" in capsys.readouterr().err
