"""What one file gave: its plain form, and rows inside notebook cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostsync.catalogue.model import Rule
from hostsync.facts import Allow, Span
from hostsync.findings import ChainStep, Diagnostic, Finding, Location
from hostsync.lint.checked import Cell, Checked, cells_of, from_plain, located, rule_url, to_plain

RULE = Rule("HS101", "item-read-back", "s", "m", "help", "0.1", False, "none", (), "", (), (), Path())
RULES = {"HS101": RULE}
FINDING = Finding(
    "HS101",
    "item-read-back",
    "m",
    "",
    Location(12, 3),
    Location(13, 4),
    "likely",
    "f",
    "loop",
    (ChainStep(2, "x = y"), ChainStep(11, "z")),
    "help",
    "<2.15",
    rule_url(RULE),
)
CHECKED = Checked(
    (FINDING, FINDING._replace(hot=None, versions=None, chain=(), help="of this operation")),
    (Allow(Span(1, 2, 3, 4), ("HS101", "x"), "why", False, 1, 9, True),),
    (Diagnostic("syntax-error", "", Location(3, 4), "bad"), Diagnostic("x", "", Location(3, 4, 2), "bad")),
    (Cell(1, 1), Cell(3, 10)),
)


@pytest.mark.parametrize("checked", [CHECKED, Checked(), Checked(allows=CHECKED.allows)])
def test_plain_form_round_trips_through_json(checked: Checked) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(checked, RULES))), RULES) == checked


@pytest.mark.parametrize("data", [None, 1, "x", [], [[], [], []], [[1], [], [], []], [[["HS999"]], [], [], []], {}])
def test_anything_else_is_refused(data: object) -> None:
    assert from_plain(data, RULES) is None


def test_every_part_is_checked() -> None:
    text = json.dumps(to_plain(CHECKED, RULES))
    refused = 0
    for old, new in [('"m"', "5"), ("12", '"12"'), ("[2, ", "[null, "), ('"<2.15"', "[]"), ('"HS101"', '"HS999"')]:
        assert old in text
        refused += from_plain(json.loads(text.replace(old, new)), RULES) is None
    assert refused == 5


def test_rows_of_notebooks_count_inside_cells() -> None:
    finding = located(FINDING, "n.ipynb", CHECKED.cells)
    assert (finding.location, finding.end_location) == (Location(3, 3, 3), Location(4, 4, 3))
    assert finding.chain == (ChainStep(2, "cell 1: x = y"), ChainStep(2, "z"))
    assert located(CHECKED.diagnostics[0], "n.ipynb", CHECKED.cells).location == Location(3, 4, 1)
    assert located(FINDING, "a.py", ()) == FINDING._replace(filename="a.py")


def test_cells_start_where_their_rows_do() -> None:
    assert cells_of([(1, 1), (1, 2), (3, 1), (4, 1)]) == (Cell(1, 1), Cell(3, 3), Cell(4, 4))
