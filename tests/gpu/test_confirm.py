"""`hostsync confirm` on a GPU: planted waits of every family, the example, and torchvision's own lines.

With HOSTSYNC_RESULTS=FOLDER in the environment what was seen is written there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.gpu import keeping

import hostsync

from .planted import EVERY_FAMILY, planted, planted_missed

pytestmark = pytest.mark.gpu

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
ROOT = HERE.parents[1]
TRAINER = ROOT / "docs" / "example" / "trainer"
BACKWARD = ("train.py", "loss.backward()")
"""Waits in the example that are no finding: the backward pass of a mask index looks for the true elements once more."""
SET_UP = ("train.py", "Tagger(check=not args.without_waits).to(device)")
"""Copied once, so the scan finds it as possible only."""


def hostsync_in(folder: Path, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    source = str(Path(hostsync.__file__).resolve().parents[1])
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "hostsync", *args]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=540)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def confirm(folder: Path, *args: str) -> dict[str, Any]:
    hostsync_in(folder, "confirm", "--no-cache", "--output-format", "json", "-o", "confirmed.json", *args)
    data: dict[str, Any] = json.loads((folder / "confirmed.json").read_text())
    return data


def where(entry: dict[str, Any]) -> str:
    return f"{Path(entry['filename']).name}:{entry['location']['row']}"


def keep(name: str, data: dict[str, Any], **more: Any) -> None:
    findings = [
        {
            "where": where(entry),
            "code": entry["code"],
            "confidence": entry["confidence"],
            **{key: entry["verdict"][key] for key in ("status", "waits", "waited", "executions")},
            "inside_calls": entry["inside_calls"],
        }
        for entry in data["findings"]
    ]
    missed = [
        {"where": where(entry), **{key: entry[key] for key in ("code", "expression", "kind", "waits", "found_as")}}
        for entry in data["missed"]
    ]
    what = {
        "summary": data["summary"],
        "missed": missed,
        "findings": findings,
        "memory": data["memory"],
        "elsewhere": data["elsewhere"],
        "blind_spots": data["runs"][0]["blind_spots"],
        **more,
    }
    keeping.keep(f"confirm_{name}", what)


def verdicts(data: dict[str, Any]) -> dict[tuple[int, str], str]:
    return {(entry["location"]["row"], entry["code"]): entry["verdict"]["status"] for entry in data["findings"]}


def test_planted_waits_of_every_family(tmp_path: Path) -> None:
    data = confirm(tmp_path, str(EVERY_FAMILY), "--verdicts", "verdicts.json", "--", str(EVERY_FAMILY))
    text = hostsync_in(tmp_path, "confirm", str(EVERY_FAMILY), "--", str(EVERY_FAMILY)).stderr
    keep("every_family", data, text=text.splitlines())
    assert verdicts(data) == planted()
    assert {entry["location"]["row"] for entry in data["missed"] if entry["found_as"] is None} == planted_missed()
    for entry in data["findings"]:
        verdict = entry["verdict"]
        assert verdict["executions"] >= verdict["waited"]
        if verdict["status"] == "confirmed" and entry["code"] != "HS202":
            assert verdict["waited"] == verdict["executions"], entry
    checked = json.loads(
        hostsync_in(
            tmp_path, "check", str(EVERY_FAMILY), "--verdicts", "verdicts.json", "--output-format", "json", code=1
        ).stdout
    )
    confirmed = {at for at, status in planted().items() if status == "confirmed"}
    reported = {(entry["location"]["row"], entry["code"]): entry for entry in checked}
    assert confirmed <= set(reported)
    assert not [at for at, status in planted().items() if status == "refuted" and at in reported]
    assert {reported[at]["confidence"] for at in confirmed} == {"certain"}


def test_the_example(tmp_path: Path) -> None:
    data = confirm(tmp_path, str(TRAINER), "--", str(TRAINER / "train.py"), "--steps", "60")
    text = hostsync_in(tmp_path, "confirm", str(TRAINER), "--", str(TRAINER / "train.py"), "--steps", "60").stderr
    keep("example", data, text=text.splitlines())
    assert {entry["verdict"]["status"] for entry in data["findings"]} == {"confirmed"}
    missed = {(Path(entry["filename"]).name, entry["expression"]) for entry in data["missed"]}
    assert missed <= {BACKWARD, SET_UP}


def test_the_example_without_waits(tmp_path: Path) -> None:
    program = [str(TRAINER / "train.py"), "--steps", "60", "--without-waits"]
    data = confirm(tmp_path, str(TRAINER), "--", *program)
    keep("example_without_waits", data)
    found = {(Path(e["filename"]).name, e["location"]["row"]): e["verdict"]["status"] for e in data["findings"]}
    # The first training loop does not run; the check for NaN is behind `self.check and`.
    assert {status for (file, row), status in found.items() if file == "train.py" and row < 36} == {"not reached"}
    assert found["model.py", 25] == "not seen"


def test_scripted_functions_wait_where_they_are_called(tmp_path: Path) -> None:
    program = PROGRAMS / "made_functions.py"
    found = verdicts(confirm(tmp_path, str(program), "--", str(program)))
    row = {line.strip(): at for at, line in enumerate(program.read_text().splitlines(), 1)}
    assert found[row["y = halved(torch.rand(8, device=device))"], "HS606"] == "confirmed"
    assert found[row["if bool(torch.any(x > 1)):"], "HS103"] == "not reached"


def test_what_is_in_a_lambda_that_is_only_made_is_not_executed(tmp_path: Path) -> None:
    program = PROGRAMS / "made_functions.py"
    data = confirm(tmp_path, str(program), "--", str(program))
    seen = {
        (entry["location"]["row"], entry["verdict"]["status"]) for entry in data["findings"] if entry["code"] == "HS101"
    }
    assert [status for _, status in sorted(seen)] == ["confirmed", "not reached"]


def test_torchvision_in_training(tmp_path: Path) -> None:
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        pytest.skip("needs torchvision")
    package = str(Path(spec.origin).parent)
    data = confirm(tmp_path, package, "--", str(PROGRAMS / "faster_rcnn.py"))
    report = ["--output-format", "json", "-o", "run.json", str(PROGRAMS / "faster_rcnn.py")]
    hostsync_in(tmp_path, "run", *report)
    joined = hostsync_in(tmp_path, "confirm", package, "--from-run", "run.json", "--output-format", "json").stdout
    keep("torchvision", data, from_run=json.loads(joined)["summary"])
    summary = data["summary"]
    assert summary["confirmed"] + summary["refuted"] > 0
    assert data["runs"][0]["counted"]
    assert not [entry for entry in data["missed"] if not Path(entry["filename"]).is_relative_to(package)]
