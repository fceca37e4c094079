"""`hostsync run` on a GPU: programs with marked rows, held to the marks and to torch.profiler's own trace.

CUPTI admits one subscriber, so the profiler sees a second, identical run. The two are compared call by call: which
call, in which order, made by which row of the program (programs/profiled.py tells the rows without hostsync). With
HOSTSYNC_RESULTS=FOLDER in the environment what was seen is written there.
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
from pathlib import Path
from typing import Any

import pytest
from signals import handled
from tests.gpu import digests
from tests.gpu.keeping import keep

import hostsync

pytestmark = pytest.mark.gpu

PROGRAMS = digests.PROGRAMS
TRAINER = digests.HERE.parents[1] / "docs" / "example" / "trainer" / "train.py"
CALLS = {
    "cuStreamSynchronize": "cudaStreamSynchronize",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuMemFree": "cudaFree",
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


Calls = list[tuple[str, str]]
"""Blocking calls in their order, in the words of programs/profiled.py, each with the row that made it."""


def calls_of(waits: list[dict[str, Any]]) -> tuple[Calls, Calls]:
    """What the main thread waited for, and what the others did."""
    main: Calls = []
    others: Calls = []
    for wait in waits:
        name = re.sub(r"_(v2|ptsz|ptds)+$", "", wait["call"])
        call = wait["kind"] if wait["kind"].startswith("copy") else CALLS[name]
        row = f"{Path(wait['filename'] or '-').name}:{(wait['location'] or {}).get('row')}"
        (main if wait["thread"] == "MainThread" else others).append((call, row))
    return main, others


def marks(path: Path) -> set[tuple[int, str]]:
    found = set()
    for row, line in enumerate(path.read_text().splitlines(), start=1):
        mark = MARK.search(line)
        if mark is not None:
            found |= {(row, code.strip()) for code in mark[1].split(",")}
    return found


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
    command = [sys.executable, "-m", "hostsync", "run", "--output-format", "jsonl", "-o", "report.jsonl", *program]
    done = run(*command, cwd=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    report, sites = lines[0], [line for line in lines if line["type"] == "site"]
    seen = calls_of([line for line in lines if line["type"] == "wait"])
    assert not report["events_are_sampled"]
    run(sys.executable, str(PROGRAMS / "profiled.py"), "profile.json", *program, cwd=tmp_path)
    profile = json.loads((tmp_path / "profile.json").read_text())
    profiled = tuple(
        [(call["call"], call["row"]) for call in profile if call["main"] is main] for main in (True, False)
    )
    calls = tuple([name for name, _ in one] for one in seen), tuple([name for name, _ in one] for one in profiled)
    pairs = [pair for ours, theirs in zip(seen, profiled, strict=True) for pair in zip(ours, theirs, strict=False)]
    # In a thread of a backward pass the tracer sees nothing; what a row does there is marked in the program.
    marked = {f"{Path(file).name}:{row}" for file in program if file.endswith(".py") for row, _ in marks(Path(file))}
    differing = Counter(
        f"{ours} here, {theirs} there"
        for ours, theirs in pairs
        if ours != theirs and not (ours in seen[1] and ours[1] in marked)
    )
    plain = run(sys.executable, *program, cwd=tmp_path)
    keep(
        f"run_{name}",
        {
            "programs": digests.of_files(*program),
            "calls_on_main_thread": [len(seen[0]), len(profiled[0])],
            "calls_on_other_threads": [len(seen[1]), len(profiled[1])],
            "same_calls_in_the_same_order": calls[0] == calls[1],
            "calls_by_name": dict(Counter(name for name, _ in profiled[0] + profiled[1])),
            "at_the_same_row": len(pairs) - sum(differing.values()),
            "at_another_row": dict(differing),
            "same_output": plain.stdout == done.stdout,
            "waits": report["waits"],
            "blocked_s": report["blocked_s"],
            "wall_s": report["wall_s"],
            "optimizer_steps": report["optimizer_steps"],
            "sources": report["sources"],
            "blind_spots": report["blind_spots"],
            "sites": [short(site) for site in sites],
        },
    )
    assert report["sources"] == ["driver"]
    assert plain.stdout == done.stdout, "the program's output is the same, bit for bit"
    assert calls[0] == calls[1], "the same calls in the same order, on the main thread and on the others"
    assert sum(differing.values()) <= 0.01 * len(pairs), differing


def test_every_marked_row_is_reported_with_its_rule_and_no_other(tmp_path: Path) -> None:
    path = PROGRAMS / "resnet_amp.py"
    report, _ = watched(tmp_path, str(path))
    own = [site for site in report["sites"] if site["filename"] == str(path) and site["kind"] != "free"]
    found = {(site["location"]["row"], site["code"]) for site in own}
    assert found == marks(path)
    backward = [site for site in own if site["symbol"] == "Masked.backward" and site["kind"] == "stream"]
    assert [(site["phase"], site["count"]) for site in backward] == [("backward", 20)]


def test_text_report_trace_and_exit_codes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hostsync", "run"]
    done = run(*command, "--fail-over", "0", "--trace", "t.json", str(TRAINER), "--steps", "30", cwd=tmp_path, code=1)
    keep("run_trainer_text", {"report": done.stderr.splitlines()})
    assert " host waits blocked " in done.stderr
    assert "loss.item()" in done.stderr
    slices = [event for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert len(slices) > 100
    free = [*command, "--skip-setup", "--fail-over", "2", str(TRAINER), "--steps", "30", "--without-waits"]
    quiet = run(*free, cwd=tmp_path, code=1)
    assert "Allowed: 1 wait" in quiet.stderr
    assert "once an epoch, after all steps are enqueued" in quiet.stderr
    keep("run_trainer_without_waits_text", {"report": quiet.stderr.splitlines()})


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


HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (HANGUP, -HANGUP)]
)
def test_signals(number: signal.Signals, code: int, tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    source = str(Path(hostsync.__file__).resolve().parents[1])
    with handled(HANGUP):
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
    keep("run_probe", {"of": digests.of_definition(Path(__file__), "PROBES"), "probes": found})


RANKS = """\
import os, sys, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

local = int(os.environ["LOCAL_RANK"])
many = torch.cuda.device_count() > 1
torch.cuda.set_device(local if many else 0)
dist.init_process_group("nccl" if many else "gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.Linear(64, 8).cuda()
model = DistributedDataParallel(model, device_ids=[local]) if many else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = model(torch.ones(16, 64, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(rank, step, loss.item(), file=sys.stderr)
for _ in range(5 * rank):
    loss.item()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("output_format", ["json", "text"])
def test_the_ranks_of_torchrun(output_format: str, tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text(RANKS)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    hostsync_run = ["-m", "hostsync", "run", "--output-format", output_format, "-o", "report.out"]
    run(*launcher, *hostsync_run, "ranks.py", cwd=tmp_path)
    merged = (tmp_path / "report.out").read_text()
    if output_format == "text":
        keep("run_ranks_text", {"of": digests.of_definition(Path(__file__), "RANKS"), "report": merged.splitlines()})
        assert "2 ranks: " in merged
        assert "ranks.py:21:5  loss.item()  0 on rank 0, 5 on rank 1" in merged
        return
    for rank in (0, 1):
        report = json.loads((tmp_path / f"report.rank{rank}.out").read_text())
        counts = {site["location"]["row"]: site["count"] for site in report["sites"] if site["code"] == "HS101"}
        assert (report["rank"], counts) == (rank, {19: 10, **({21: 5} if rank else {})})
    report = json.loads(merged)
    by_row = {site["location"]["row"]: site for site in report["sites"] if site["code"] == "HS101"}
    assert by_row[19]["counts_by_rank"] == {"0": 10, "1": 10}
    assert by_row[21]["counts_by_rank"] == {"0": 0, "1": 5}
    assert [by_row[row]["ranks_differ"] for row in (19, 21)] == [False, True]
    devices = [run["environment"]["device"] for run in report["ranks"]]
    import torch

    keep(
        "run_ranks",
        {
            "of": digests.of_definition(Path(__file__), "RANKS"),
            "gpus": min(torch.cuda.device_count(), 2),
            "devices": devices,
            "waits": report["waits"],
            "sites": [short(site) | {"counts_by_rank": site["counts_by_rank"]} for site in report["sites"]],
        },
    )
