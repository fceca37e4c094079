"""Measures torch's operations again and compares with the evidence. Run with `-m gpu` on a machine with CUDA.

Takes about three minutes; `HOSTSYNC_MEASURE_ONLY` limits it to items whose name matches a regular expression.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hostsync.calibrate.derive import compact, read_evidence
from hostsync.catalogue.location import rules_dir

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


def test_a_new_measurement_agrees_with_the_evidence(tmp_path: Path) -> None:
    release = ".".join(torch.__version__.split(".")[:2])
    files = [path for path in (rules_dir() / "evidence").glob("ops-*.json") if path.name.startswith(f"ops-{release}.")]
    if not files:
        pytest.skip(f"no evidence for torch {release}")
    only = os.environ.get("HOSTSYNC_MEASURE_ONLY", "")
    command = [sys.executable, "-m", "hostsync.calibrate.measure", "--out", str(tmp_path), "--only", only]
    subprocess.run(command, check=True, timeout=900)
    measured = json.loads((tmp_path / "ops.json").read_text(encoding="utf-8"))["ops"]
    assert measured
    known = read_evidence(files[0])[1]
    wrong = []
    for name, rows in measured.items():
        before = known.get(name)
        if before is None or re.match("~", name):
            continue
        for kinds, (calls, waited, _) in compact(rows).items():
            old = before.get(kinds) or before.get("*")
            new_wait, lost_wait = waited and old and not old[1], old and not waited and old[1] == old[0] <= calls
            if new_wait or lost_wait:
                wrong.append((name, kinds))
    assert wrong == []
