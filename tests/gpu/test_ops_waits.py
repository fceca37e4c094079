"""Measures torch's operations again: against what is shipped, and one process against many. Run with `-m gpu`.

`HOSTSYNC_MEASURE_ONLY` limits the first to items whose name matches a regular expression; all take minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostsync.calibrate.journal import read_measurement

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

MIXED = r"^op (nonzero|linalg\.(inv|inv_ex|matrix_norm)|repeat_interleave|cumsum|index_add|where|sort|matmul)\."


def calibrate(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hostsync", "calibrate", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def test_a_new_measurement_agrees_with_what_is_shipped() -> None:
    done = calibrate("--compare", "--only", os.environ.get("HOSTSYNC_MEASURE_ONLY", ""))
    assert done.returncode == 0, done.stdout + done.stderr


def test_processes_that_share_the_gpu_see_what_one_alone_sees(tmp_path: Path) -> None:
    verdicts = []
    for jobs in ("1", "12"):
        done = calibrate("--output", str(tmp_path / jobs), "--only", MIXED, "--jobs", jobs)
        assert done.returncode == 0, done.stderr
        ops = read_measurement(tmp_path / jobs / "measured.jsonl").ops
        verdicts.append({(op, kinds): row[:2] for op, rows in ops.items() for kinds, row in rows.items()})
    assert verdicts[0] == verdicts[1]
    assert any(waited for _, waited in verdicts[0].values())
    assert not all(waited for _, waited in verdicts[0].values())


def test_an_interrupted_measurement_goes_on(tmp_path: Path) -> None:
    output = tmp_path / "own"
    assert calibrate("--output", str(output), "--only", r"^op nonzero\.").returncode == 0
    journal = output / "measured.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    refused = calibrate("--output", str(output), "--only", r"^op (nonzero|sort)\.")
    assert refused.returncode == 2 and "--resume" in refused.stderr
    assert calibrate("--output", str(output), "--only", r"^op (nonzero|sort)\.", "--resume").returncode == 0
    found = read_measurement(journal)
    assert {"torch.nonzero", "torch.sort"} <= set(found.ops)
    assert journal.read_text(encoding="utf-8").startswith("\n".join(lines[:-1]))
