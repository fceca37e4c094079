"""Holds every rule file to what CONTRIBUTING.md asks of one: its page, its blocks, the scan of them, the GPU's word."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from hostsync.catalogue import Rule, load_only_rules
from hostsync.catalogue.blocks import read_marks
from hostsync.catalogue.check import check_rule, expected_rows
from hostsync.catalogue.evidence import load_evidence
from hostsync.infer.settling import OF_MATRICES

RULES = {rule.code: rule for rule in load_only_rules()}


class Scanned(NamedTuple):
    """What the scan said of one block: code by row, of findings that are certain or likely."""

    found: frozenset[tuple[int, str]]


def blocks_of(rule: Rule) -> list[tuple[str, str]]:
    """The blocks of the page: a name for each (`bad 0`, `good 1` …) and its source."""
    named = [(f"bad {index}", source) for index, source in enumerate(rule.bad)]
    return named + [(f"good {index}", source) for index, source in enumerate(rule.good)]


def scan(rules: Iterable[Rule], folder: Path, *options: str) -> dict[str, dict[str, Scanned]]:
    """Scans the blocks of `rules`, written to `folder`, with the command that users run. By code and name of block."""
    files = {}
    for rule in rules:
        for name, source in blocks_of(rule):
            path = folder / f"{rule.code}_{name.replace(' ', '_')}.py"
            path.write_text(source, encoding="utf-8")
            files[path.name] = (rule.code, name)
    command = [sys.executable, "-m", "hostsync", "check", str(folder), "--output-format", "json"]
    command += ["--select", "ALL", "--min-confidence", "likely", "--isolated", "--no-cache", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    result: dict[str, dict[str, Scanned]] = {}
    rows: dict[str, set[tuple[int, str]]] = {}
    for finding in json.loads(done.stdout):
        rows.setdefault(Path(finding["filename"]).name, set()).add((finding["location"]["row"], finding["code"]))
    for file, (code, name) in files.items():
        result.setdefault(code, {})[name] = Scanned(frozenset(rows.get(file, ())))
    return result


def check_scan(rule: Rule, scanned: dict[str, Scanned]) -> list[str]:
    """Where the scan and the marks of the page disagree, one sentence each."""
    problems = []
    for name, source in blocks_of(rule):
        lines = source.splitlines()
        set_up = read_marks(source).set_up
        found = {(row, code) for row, code in scanned[name].found if row not in set_up}
        if name.startswith("bad"):
            expected = set(expected_rows(rule, source).items())
            wrong = {(row, code) for row, code in found - expected if code == rule.code}
            missed = expected - found
        else:
            wrong, missed = found, set()
        problems += [f"{name}, row {row}: missed {code} on `{lines[row - 1].strip()}`" for row, code in sorted(missed)]
        problems += [f"{name}, row {row}: false {code} on `{lines[row - 1].strip()}`" for row, code in sorted(wrong)]
    return problems


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Scanned]]:
    return scan(RULES.values(), tmp_path_factory.mktemp("blocks"))


@pytest.mark.parametrize("code", RULES)
def test_the_page_is_as_a_page_has_to_be(code: str) -> None:
    assert check_rule(RULES[code]) == []
    assert code.startswith("HS")


@pytest.mark.xdist_group("scan")
@pytest.mark.parametrize("code", RULES)
def test_bad_is_reported_and_good_is_silent(code: str, scanned: dict[str, dict[str, Scanned]]) -> None:
    assert check_scan(RULES[code], scanned[code]) == []


@pytest.mark.parametrize("code", RULES)
def test_a_gpu_confirmed_the_blocks(code: str) -> None:
    rule = RULES[code]
    if not rule.events:
        pytest.skip("has no events, so nothing waits")
    assert load_evidence().problems(rule) == [], f"run `hostsync verify-rules {code} --update`"


def test_evidence_is_of_rules_that_exist() -> None:
    assert set(load_evidence().rules) <= set(RULES)


def test_linear_algebra_in_set_up_code_is_that_of_its_rule() -> None:
    ops = {op.rpartition(".")[2] for match in RULES["HS601"].events for op in match.ops if "linalg" not in op}
    assert ops - {"norm", "nuclear_norm"} == OF_MATRICES


# --- a rule for a made-up operation is one file --------------------------------------------------

MADE_UP = """+++
code = "ACME101"
name = "acme-gather"
summary = "A call of `acme.gather_all`"
message = "the host waits for the GPU until {op} has gathered everything"
help = "call `acme.gather_later`"
since = "0.1.0"
hot = "always"
fix = "none"

[[events]]
kind = "call"
ops = ["acme.gather_all"]

[ops]
"acme.gather_all" = { params = "input, wait=True", returns = "tensor", device = "args", waits = [{ when = "always" }] }
"acme.gather_later" = { params = "input", returns = "tensor", device = "args" }
+++

## Why it waits

It gathers all.

## What to do

Gather later.

## Bad

```python
import acme
import torch

x = torch.rand(8, device="cuda")
y = acme.gather_all(x)  # waits
```

## Good

```python
import acme
import torch

x = torch.rand(8, device="cuda")
y = acme.gather_later(x)
z = acme.gather_all(torch.rand(8))
```
"""


def test_a_rule_for_a_made_up_operation_is_one_file(tmp_path: Path) -> None:
    rules, blocks = tmp_path / "rules", tmp_path / "blocks"
    rules.mkdir()
    blocks.mkdir()
    (rules / "ACME101-acme-gather.md").write_text(MADE_UP, encoding="utf-8")
    rule = next(rule for rule in load_only_rules([rules]) if rule.code == "ACME101")
    assert check_rule(rule) == []
    found = scan([rule], blocks, "--extend-rules", str(rules))
    assert check_scan(rule, found["ACME101"]) == []
    assert (5, "ACME101") in found["ACME101"]["bad 0"].found


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("## What to do\n\nGather later.\n\n", "", "the sections are"),
        ("## Why it waits", "## Why", "the sections are"),
        ("acme.gather_all(x)  # waits", "acme.gather_all(x)", "no line that is marked"),
        ("y = acme.gather_all(x)", "y = = x", "Bad block 0: row 5"),
        ("y = acme.gather_later(x)", "y = acme.gather_later(x)  # waits", "a Good block"),
        ("A call of `acme.gather_all`", "x" * 101, "101 characters"),
        ("call `acme.gather_later`", "call it later.", "full stop"),
        ("It gathers all.", "See [this](HS000-nothing.md).", "does not exist"),
        ("## Good\n\n```python", "## Good\n\n```text", "Good has no python block"),
    ],
)
def test_a_page_with_a_mistake_is_told_so(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in MADE_UP
    (tmp_path / "ACME101-acme-gather.md").write_text(MADE_UP.replace(old, new, 1), encoding="utf-8")
    rule = next(rule for rule in load_only_rules([tmp_path]) if rule.code == "ACME101")
    assert any(problem in found for found in check_rule(rule)), check_rule(rule)
