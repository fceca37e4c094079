"""The operation files against what was measured on GPUs, and against torch's list of names. Needs neither."""

from __future__ import annotations

import json
import re

import pytest

from hostsync.calibrate.derive import Sample, compact, derive, matches, read_evidence, samples_of
from hostsync.calibrate.stated import stated
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Op, Wait
from hostsync.catalogue.ops import load_ops, parse_op

FILES = sorted((rules_dir() / "evidence").glob("ops-*.json"))
OPS = load_ops()
STATED = stated()

ALSO_SILENT = (
    # operation, and why some calls that the files say wait did not
    ("Tensor.equal torch.equal", "shapes differ"),
    ("torch.isin", "few test elements are compared directly"),
    ("Tensor.mode torch.mode", "short slices"),
    ("torch.linalg.lu torch.linalg.lu_factor_ex torch.lu Tensor.lu", "depends on the size"),
    ("Tensor.cholesky_inverse torch.cholesky_inverse Tensor.cholesky_solve torch.cholesky_solve", "only batches wait"),
    ("torch.linalg.matrix_norm", "only 2, -2 and nuc wait"),
    ("torch.optim.ASGD.step", "capturable=True does not"),
    ("torch.as_tensor", "without a device it makes a CPU tensor"),
)
MISSED = (
    # operation, and why some calls that waited are not foretold
    ("Tensor.norm torch.norm torch.linalg.norm", "a matrix norm of order 2 or nuc"),
    ("Tensor.matrix_power torch.matrix_power torch.linalg.matrix_power", "a negative power"),
    ("Tensor.histc torch.histc", "min equals max"),
    ("torch.nn.functional.one_hot", "num_classes=-1 given"),
    ("torch.nn.functional.affine_grid", "a size of 1"),
    ("torch.nn.BatchNorm1d.forward torch.nn.BatchNorm2d.forward torch.nn.BatchNorm3d.forward", "momentum=None"),
    ("torch.nn.utils.rnn.pad_packed_sequence", "was packed with enforce_sorted=False"),
    ("Tensor.to Tensor.cuda Tensor.copy_ Tensor.type Tensor.type_as", "copies are known by the devices of both sides"),
    ("torch.nn.Module.to torch.nn.Module.cuda torch.nn.Module.cpu torch.nn.Module.load_state_dict", "copies"),
    ("torch.nn.LSTM.forward", "the first call with dropout"),
    ("torch.sparse.mm", "sparse by sparse"),
)


def listed(rows: tuple[tuple[str, str], ...]) -> set[str]:
    return {name for names, _ in rows for name in names.split()}


def evidence() -> list[tuple[str, dict[str, tuple[int, int, int]]]]:
    return [(name, rows) for path in FILES for name, rows in read_evidence(path)[1].items()]


def in_release(wait: Wait, release: str) -> bool:
    """Tell whether a wait is one of the release that was measured; `<` and `>=` are what the files have."""
    numbers = tuple(int(part) for part in release.split(".")[:2])
    match = re.fullmatch(r"(<|>=)(\d+)\.(\d+)", wait.torch)
    if not match:
        return True
    bound = (int(match[2]), int(match[3]))
    return numbers < bound if match[1] == "<" else numbers >= bound


def foretold(op: Op, sample: Sample) -> bool:
    texts = [
        " and ".join(f"{test.param} {test.predicate}" for test in wait.tests) or "always"
        for wait in op.waits
        if in_release(wait, "2.11")
    ]
    return any(matches(text, sample.arguments) for text in texts)


def has_scalar_tensor(sample: Sample) -> bool:
    return any(kind in ("f0", "i0", "b0") or "[i0" in kind or ",i0" in kind for kind in sample.arguments.values())


def test_there_is_evidence() -> None:
    assert FILES
    for path in FILES:
        about, ops = read_evidence(path)
        assert {"torch", "device", "date"} <= set(about)
        assert len(ops) > 1500


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_call_that_waited_is_missing_from_the_files(path: object) -> None:
    wrong = []
    for name, rows in evidence():
        if name not in OPS or name in listed(MISSED) or name.startswith("torch.distributions."):
            continue
        for sample in samples_of(OPS[name], rows):
            if sample.waited and not foretold(OPS[name], sample) and not has_scalar_tensor(sample):
                wrong.append((name, dict(sample.arguments)))
    assert wrong == []


def test_an_operation_that_waited_waits_in_the_files() -> None:
    silent = [
        name
        for name, rows in evidence()
        if name in OPS
        and not OPS[name].waits
        and name not in listed(MISSED)
        and any(row[1] for row in rows.values())
        and not all(has_scalar_tensor(sample) for sample in samples_of(OPS[name], rows) if sample.waited)
    ]
    assert silent == []


def test_an_operation_that_never_waited_has_no_waits_in_that_release() -> None:
    wrong = []
    for name, rows in evidence():
        if name not in OPS or any(row[1] for row in rows.values()):
            continue
        if any(not wait.tests and not wait.torch for wait in OPS[name].waits):
            wrong.append(name)
    assert wrong == []


def test_few_calls_are_called_waiting_that_did_not_wait() -> None:
    wrong = []
    for name, rows in evidence():
        if name not in OPS or name in listed(ALSO_SILENT) or name.startswith(("torch.distributions.", "torch.signal.")):
            continue
        for sample in samples_of(OPS[name], rows):
            if not sample.waited and foretold(OPS[name], sample):
                wrong.append((name, dict(sample.arguments)))
    assert wrong == []


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
    parts = []
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
    assert compact({"f2, n `a`": (1, 1, 0), "f3, n": (2, 0, 0), "f0": (1, 0, 0)}) == {
        "f, n": (3, 1, 0),
        "f0": (1, 0, 0),
    }


def test_evidence_is_small() -> None:
    for path in FILES:
        assert path.stat().st_size < 400_000
        json.loads(path.read_text(encoding="utf-8"))
