"""`hostsync run` on a GPU: programs with marked rows, held to the marks and to torch.profiler's own trace.

CUPTI admits one subscriber, so the profiler sees a second, identical run. With HOSTSYNC_RESULTS=FOLDER in the
environment what was seen is written there.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import hostsync

pytestmark = pytest.mark.gpu

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
TRAINER = HERE.parents[1] / "docs" / "example" / "trainer" / "train.py"
CALLS = {
    "cuStreamSynchronize": "cudaStreamSynchronize",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuMemFree": "cudaFree",
    "cuMemHostAlloc": "cudaHostAlloc",
}
MARK = re.compile(r"# waits: ([A-Z0-9, ]+)$")


def run(*args: str, cwd: Path, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(hostsync.__file__).resolve().parents[1])
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]), **env}
    done = subprocess.run(args, cwd=cwd, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def watched(folder: Path, *program: str, code: int = 0) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    command = [sys.executable, "-m", "hostsync", "run", "--output-format", "json", "-o", "report.json", *program]
    done = run(*command, cwd=folder, code=code)
    return json.loads((folder / "report.json").read_text()), done


def blocking_calls(report: dict[str, Any]) -> Counter[str]:
    """How often each call blocked, in the words of programs/profiled.py."""
    counts: Counter[str] = Counter()
    for site in report["sites"]:
        name = re.sub(r"_(v2|ptsz|ptds)+$", "", site["call"])
        if site["kind"] in ("copy-to-host", "copy-to-device"):
            counts[site["kind"]] += site["count"]
        elif name in CALLS:
            counts[CALLS[name]] += site["count"]
    return counts


def marks(path: Path) -> set[tuple[int, str]]:
    found = set()
    for row, line in enumerate(path.read_text().splitlines(), start=1):
        mark = MARK.search(line)
        if mark is not None:
            found |= {(row, code.strip()) for code in mark[1].split(",")}
    return found


def keep(name: str, what: dict[str, Any]) -> None:
    folder = os.environ.get("HOSTSYNC_RESULTS")
    if not folder:
        return
    import torch

    head = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "python": sys.version.split()[0],
    }
    (Path(folder) / f"run_{name}.json").write_text(json.dumps({**head, **what}, indent=1) + "\n")


def short(site: dict[str, Any]) -> dict[str, Any]:
    keys = ("code", "expression", "kind", "call", "operation", "count", "memory", "streams", "phase", "bytes")
    where = f"{Path(site['filename'] or '-').name}:{(site['location'] or {}).get('row')}"
    return {"where": where, **{key: site[key] for key in keys}, "blocked_ms": round(site["blocked_s"] * 1e3, 3)}


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("resnet_amp", [str(PROGRAMS / "resnet_amp.py"), "x"]),
        ("trainer", [str(TRAINER), "--steps", "60"]),
        *((name, [str(PROGRAMS / f"{name}.py")]) for name in ("resnet50_amp", "gpt2", "faster_rcnn", "metrics")),
    ],
)
def test_every_blocking_call_is_reported_and_none_is_invented(name: str, program: list[str], tmp_path: Path) -> None:
    report, done = watched(tmp_path, *program)
    run(sys.executable, str(PROGRAMS / "profiled.py"), "profile.json", *program, cwd=tmp_path)
    profiled = Counter(json.loads((tmp_path / "profile.json").read_text()))
    # A blocking copy is two calls, the copy and cudaStreamSynchronize, and one wait: the second has nothing left to do.
    profiled["cudaStreamSynchronize"] -= profiled["copy-to-host"] + profiled["copy-to-device"]
    seen = blocking_calls(report)
    compared = {call: (seen[call], profiled[call]) for call in sorted({*seen, *profiled})}
    plain = run(sys.executable, *program, cwd=tmp_path)
    keep(
        name,
        {
            "hostsync_and_profiler": compared,
            "profiler": profiled,
            "same_output": plain.stdout == done.stdout,
            "waits": report["waits"],
            "blocked_s": report["blocked_s"],
            "wall_s": report["wall_s"],
            "optimizer_steps": report["optimizer_steps"],
            "sources": report["sources"],
            "blind_spots": report["blind_spots"],
            "sites": [short(site) for site in report["sites"]],
        },
    )
    assert report["sources"] == ["driver"]
    assert plain.stdout == done.stdout, "the program's output is the same, bit for bit"
    assert all(ours == theirs for ours, theirs in compared.values()), compared


def test_every_marked_row_is_reported_with_its_rule_and_no_other(tmp_path: Path) -> None:
    path = PROGRAMS / "resnet_amp.py"
    report, _ = watched(tmp_path, str(path))
    own = [
        site for site in report["sites"] if site["filename"] == str(path) and site["kind"] not in ("free", "allocation")
    ]
    found = {(site["location"]["row"], site["code"]) for site in own if site["kind"] != "host-allocation"}
    assert found == marks(path)
    backward = [site for site in own if site["symbol"] == "Masked.backward" and site["kind"] == "stream"]
    assert [(site["phase"], site["count"]) for site in backward] == [("backward", 20)]


def test_text_report_trace_and_exit_codes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hostsync", "run"]
    done = run(*command, "--fail-over", "0", "--trace", "t.json", str(TRAINER), "--steps", "30", cwd=tmp_path, code=1)
    keep("trainer_text", {"report": done.stderr.splitlines()})
    assert " host waits blocked " in done.stderr
    assert "loss.item()" in done.stderr
    slices = [event for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert len(slices) > 100
    free = [*command, "--skip-setup", "--fail-over", "2", str(TRAINER), "--steps", "30", "--without-waits"]
    quiet = run(*free, cwd=tmp_path, code=1)
    assert "Allowed: 1 wait" in quiet.stderr
    assert "once an epoch, after all steps are enqueued" in quiet.stderr
    keep("trainer_without_waits_text", {"report": quiet.stderr.splitlines()})


def test_a_program_that_never_uses_cuda(tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text("import torch\nprint(torch.cuda.is_initialized())\n")
    report, done = watched(tmp_path, "idle.py")
    assert done.stdout == "False\n"
    assert (report["used_cuda"], report["waits"]) == (False, 0)


LOOP = """\
import sys, time, torch
x = torch.ones(1000, device="cuda")
print("ready", flush=True)
while True:
    x.sum().item()
    time.sleep(0.01)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals(number: signal.Signals, code: int, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    source = str(Path(hostsync.__file__).resolve().parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "hostsync", "run", "-o", "report.txt", "loop.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == code
    assert "x.sum().item()" in (tmp_path / "report.txt").read_text()


PROBES = [
    ("x[mask]", 1, "HS302"),
    ("x + 1", 0, None),
    ("x.sum().item()", 1, "HS101"),
    ("x.cpu()", 1, "HS102"),
    ("torch.cuda.synchronize()", 1, "HS501"),
    ("x[mask] = 0.0", 0, None),
    ("torch.linalg.inv(m)", 1, "HS601"),
    ("x[[0, 2]]", 1, "HS405"),
]


def test_probe(tmp_path: Path) -> None:
    setup = "x = torch.rand(8, device='cuda'); mask = x > 0.5; m = torch.eye(4, device='cuda')"
    found = []
    for expression, code, rule in PROBES:
        command = [sys.executable, "-m", "hostsync", "probe", expression, "--setup", setup, "--output-format", "json"]
        answer = json.loads(run(*command, cwd=tmp_path, code=code).stdout)
        found.append({key: answer[key] for key in ("expression", "waits", "scope", "through", "code")})
        assert (answer["waits"], answer["code"]) == (bool(code), rule)
    keep("probe", {"probes": found})


RANKS = """\
import os, torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.ones(1000, device="cuda")
for _ in range(10 + 5 * rank):
    x.sum().item()
dist.destroy_process_group()
"""


def test_every_rank_of_torchrun_writes_its_report(tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text(RANKS)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    run(*launcher, "-m", "hostsync", "run", "--output-format", "json", "-o", "report.json", "ranks.py", cwd=tmp_path)
    for rank in (0, 1):
        report = json.loads((tmp_path / f"report.rank{rank}.json").read_text())
        counts = [site["count"] for site in report["sites"] if site["code"] == "HS101"]
        assert (report["rank"], counts) == (rank, [10 + 5 * rank])
