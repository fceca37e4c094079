"""The operation files against what was measured on GPUs, and against torch's list of names. Needs neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostsync.calibrate.compare import compare, load_exceptions
from hostsync.calibrate.derive import compact, derive, read_evidence
from hostsync.calibrate.journal import read_measurement
from hostsync.calibrate.stated import stated
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import load_ops, parse_op

FILES = sorted((rules_dir() / "evidence").glob("ops-*.json"))
OPS = load_ops()
STATED = stated()


def evidence() -> list[tuple[str, dict[str, tuple[int, int, int]]]]:
    return [(name, rows) for path in FILES for name, rows in read_evidence(path)[1].items()]


def test_there_is_evidence() -> None:
    assert FILES
    for path in FILES:
        about, ops = read_evidence(path)
        assert {"torch", "device", "date"} <= set(about)
        assert len(ops) > 1500


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_sample_does_what_the_files_say_or_is_an_exception(path: Path) -> None:
    measured = read_measurement(path)
    found = compare(OPS, measured.ops, measured.about["torch"], load_exceptions())
    assert [(one.op, one.kinds, one.seen) for one in found.disagreements] == []
    assert found.operations > 2000 and found.samples > 15_000
    assert sum(one.samples for one, _ in found.excepted) < found.samples * 0.015


def test_without_exceptions_some_samples_disagree() -> None:
    measured = read_measurement(FILES[0])
    found = compare(OPS, measured.ops, measured.about["torch"])
    assert {"Tensor.equal", "torch.isin"} <= {one.op for one in found.disagreements}


def test_what_is_stated_as_measured_was_measured() -> None:
    measured = {name for name, _ in evidence()}
    unmeasured = sorted(
        name for name, row in STATED.items() if row.source.startswith("gpu") and row.waits and name not in measured
    )
    assert unmeasured == []


def test_derived_conditions_are_those_in_the_files() -> None:
    wrong = []
    for name, rows in evidence():
        if name not in OPS or name.startswith("torch.distributions.") or len(FILES) > 1:
            continue
        op = OPS[name]
        conditions = derive(op, rows, STATED.get(name)).conditions
        again = parse_op(name, {"params": _params(op), "waits": [_written(item) for item in conditions] or "never"})
        if again.waits != op.waits:
            wrong.append(name)
    assert wrong == []


def _written(condition: str | tuple[str, str]) -> object:
    return condition if isinstance(condition, str) else {"when": condition[0], "torch": condition[1]}


def _params(op: Op) -> str:
    parts: list[str] = []
    for param in op.params:
        prefix = {"args": "*", "kwargs": "**"}.get(param.kind, "")
        if param.kind == "keyword" and "*" not in parts and not any(part.startswith("*") for part in parts):
            parts.append("*")
        parts.append(prefix + param.name + (f"={param.default}" if param.default is not None else ""))
    return ", ".join(parts)


def test_subscripts_were_measured_too() -> None:
    rows = {name: rows for name, rows in evidence() if name.startswith("subscript")}
    for name in ("mask-load", "mask-store tensor", "list-index", "numpy-index", "cpu-index", "scalar-tensor"):
        assert all(row[1] for row in rows[f"subscript {name}"].values())
    for name in ("mask-store number", "slice-store", "device-index", "plain"):
        assert not any(row[1] for row in rows[f"subscript {name}"].values())


def test_rows_are_compact() -> None:
    assert compact({"f2, n `a`": (1, 1, 0), "f3, n": (2, 1, 0), "f0": (1, 0, 0), "`x + y`": (1, 1, 0)}) == {
        "f, n": (3, 2, 0),
        "f0": (1, 0, 0),
        "`x + y`": (1, 1, 0),
    }


def test_rows_keep_numbers_of_dimensions_that_tell_what_waits() -> None:
    rows = {"f2, n `a`": (1, 0, 0), "f2, n": (2, 0, 0), "f3, n": (2, 2, 0), "f4, n": (1, 1, 0)}
    kept = compact(rows)
    assert kept == {"f2, n": (3, 0, 0), "f3, n": (2, 2, 0), "f4, n": (1, 1, 0)}
    assert compact(kept) == kept


def test_evidence_is_small() -> None:
    for path in FILES:
        assert path.stat().st_size < 800_000
        json.loads(path.read_text(encoding="utf-8"))
