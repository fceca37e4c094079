"""The program with planted waits, whose verdicts test_confirm.py looks at on a GPU: what the scan says of it."""

from __future__ import annotations

from hostsync.lint.check import Plan, check_source

from .planted import EVERY_FAMILY, planted, planted_missed


def test_the_scan_reports_the_marked_rows_and_no_other() -> None:
    checked = check_source(EVERY_FAMILY.read_bytes(), "every_family", Plan())
    found = {(f.location.row, f.code) for f in checked.findings if f.confidence != "possible"}
    assert found == set(planted())
    assert planted_missed() and not planted_missed() & {row for row, _ in planted()}


def test_every_family_is_there() -> None:
    assert {code[:3] for _, code in planted()} == {"HS1", "HS2", "HS3", "HS4", "HS5", "HS6"}
    assert set(planted().values()) == {"confirmed", "refuted", "not reached"}
