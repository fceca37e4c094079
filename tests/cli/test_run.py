"""`hostsync run` from the outside, on a machine without a GPU.

What it does with waits is shown with a capture that is fed by the program itself. Nothing here says anything about what
a GPU does: tests/gpu does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from sarif_schema import run_of
from signals import handled

from .conftest import Hostsync, environment

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="needs torch")

FED = """\
import sys
import torch
from hostsync.cli import running
from hostsync.runtime import places, session
from hostsync.runtime.records import Wait
from hostsync.runtime.sources import Active


class FedCapture:
    active = Active(("driver",), (), ())
    current = None

    def __init__(self, all_threads, on_wait, kept):
        assert all_threads and not kept
        self.on_wait = on_wait

    def __enter__(self):
        FedCapture.current = self
        return self

    def __exit__(self, *error):
        FedCapture.current = None


def item(seconds=0.5, allowed=None):
    found = places.locate(sys._getframe(1))
    if FedCapture.current is not None:
        FedCapture.current.on_wait(
            Wait("stream", "cuStreamSynchronize", "", found.place, None, found.callers, 7, "MainThread", found.phase,
                 seconds, None, "", "driver", allowed))


if __name__ == "__main__":
    import fed
    session.watch = fed.FedCapture
    running.require_cuda = lambda: None
    torch.cuda.is_initialized = lambda: "fed" in sys.modules and "unused" not in sys.argv
    from hostsync.cli import main
    main()
"""

PROGRAM = """\
import sys
import fed

class Loss:
    item = staticmethod(fed.item)

def train(loss):
    for step in range(3):
        total = loss.item()

print("out", sys.argv)
train(Loss)
Loss.item(0.25, allowed="once \\x1b[31m")
end
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def fed(folder: Path, *args: str, end: str = "", program: str = PROGRAM, preface: str = "", **env: str) -> Ran:
    """Runs a program that feeds waits to its own capture."""
    (folder / "fed.py").write_text(preface + FED, encoding="utf-8")
    (folder / "train.py").write_text(program.replace("\nend\n", f"\n{end}\n"), encoding="utf-8")
    command = [sys.executable, str(folder / "fed.py"), "run", *args]
    variables = environment(**env)
    variables["PYTHONPATH"] += os.pathsep + str(folder)
    done = subprocess.run(command, cwd=folder, capture_output=True, env=variables, timeout=120)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


# --- without CUDA --------------------------------------------------------------------------------


def test_without_cuda_it_says_so_and_runs_nothing(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n", encoding="utf-8")
    done = hostsync_in("run", "program.py", CUDA_VISIBLE_DEVICES="")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("hostsync: ")
    assert "no wait can be seen" in done.err
    assert done.err.count("\n") == 1


def test_without_torch_it_says_so(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n", encoding="utf-8")
    site = tmp_path / "site"
    site.mkdir()
    hidden = "import sys\nclass No:\n    def find_spec(self, name, *a):\n"
    hidden += "        if name == 'torch':\n            raise ModuleNotFoundError('No torch', name='torch')\n"
    (site / "sitecustomize.py").write_text(f"{hidden}sys.meta_path.insert(0, No())\n", encoding="utf-8")
    path = os.pathsep.join((str(site), environment()["PYTHONPATH"]))
    done = hostsync_in("run", "program.py", PYTHONPATH=path)
    assert (done.code, done.out) == (2, "")
    assert "torch is not installed for" in done.err
    probed = hostsync_in("probe", "1", PYTHONPATH=path)
    assert (probed.code, probed.out) == (2, "")
    assert "torch is not installed for" in probed.err


def test_probe_without_cuda(hostsync_in: Hostsync) -> None:
    done = hostsync_in("probe", "x[mask]", "--setup", "x = 1", CUDA_VISIBLE_DEVICES="")
    assert (done.code, done.out) == (2, "")
    assert "no wait can be seen" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nosuch.py",), "no such script: `nosuch.py`"),
        ((), "Name a script, or a module with -m"),
        (("--steps", "5", "program.py"), "'5' is not FIRST:LAST"),
        (("--steps", "5:5", "program.py"), "holds no step"),
        (("--steps", "5:", "--skip-setup", "program.py"), "exclude each other"),
        (("--start-after", "step (", "program.py"), "'step (' is no regular expression"),
        (("--output-format", "json", "program.py"), "needs --output FILE"),
        (("--output", "nosuch/report.json", "program.py"), "no such folder: `nosuch`"),
        (("--warmup", "-1", "program.py"), "--warmup"),
        (("--nosuch", "program.py"), "--nosuch"),
        (("-m",), "-m"),
        (("-m", "nosuch.module"), "no module named `nosuch.module`"),
        (("torchrun", "--nproc-per-node", "2", "program.py"), "`torchrun OPTIONS -m hostsync run SCRIPT`"),
        (("/usr/bin/torchrun", "program.py"), "`torchrun OPTIONS -m hostsync run SCRIPT`"),
        (("-m", "torch.distributed.run", "program.py"), "`python -m torch.distributed.run OPTIONS -m hostsync run"),
        (("accelerate", "launch", "program.py"), "`accelerate launch OPTIONS -m hostsync run SCRIPT`"),
        (("-c", "print(1)"), "code on the command line can't be watched"),
        (("-",), "code from standard input can't be watched"),
        (("python", "-c", "print(1)"), "code on the command line can't be watched"),
        (("python", "nosuch.py"), "no such script: `nosuch.py`"),
        (("sh", "program.py"), "no such script: `sh`; the command is `/"),
    ],
)
def test_wrong_usage(hostsync_in: Hostsync, tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n", encoding="utf-8")
    done = hostsync_in("run", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("x[",), "the expression is no Python: '[' was never closed: `x[`"),
        (("x", "--setup", "a b"), "--setup is no Python: invalid syntax: `a b`"),
        (("x", "--delay-ms", "0"), "--delay-ms"),
        (("a\x00b",), "the expression is no Python"),
    ],
)
def test_wrong_probes(hostsync_in: Hostsync, args: tuple[str, ...], said: str) -> None:
    if any("\x00" in arg for arg in args):
        pytest.skip("no process takes such an argument")
    done = hostsync_in("probe", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


# --- with waits that the program feeds in --------------------------------------------------------


@needs_torch
def test_the_report_and_the_programs_own_output(tmp_path: Path) -> None:
    done = fed(tmp_path, "train.py", "--lr", "3", "-o", "x")
    assert done.code == 0
    assert done.out == "out ['train.py', '--lr', '3', '-o', 'x']\n"
    assert "3 host waits blocked 1.50 s of " in done.err
    assert "Seen by: driver callbacks (CUPTI)." in done.err
    (row,) = [line for line in done.err.splitlines() if "500 ms" in line and "train.py:9:17" in line and "%" in line]
    assert row.split()[:5] == ["1.50", "s", "3", "500", "ms"]
    assert "loss.item()" in row and "HS101" in row and row.endswith(" 7")
    assert "        total = loss.item()\n" in done.err
    assert "^^^^^^^^^^^ the host waits for the GPU to read this value back" in done.err
    assert "help: keep the value on the device" in done.err
    assert "Allowed: 1 wait, 250 ms" in done.err
    assert "once \\x1b[31m" in done.err and "\x1b" not in done.err


HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)


@needs_torch
@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("sys.exit(7)", 7, ""),
        ("sys.exit('bye')", 1, ""),
        ("1 / 0", 1, "The program ended with ZeroDivisionError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", 130, "The program ended with KeyboardInterrupt"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, "was terminated (SIGTERM)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGHUP)", -1, "was terminated (SIGHUP)"),
        ("sys.stdout.close()", 0, ""),
        ("sys.stderr.close()", 0, ""),
        ("sys.stdout = sys.stderr = None", 0, ""),
        ("import os; os.chdir('/')", 0, ""),
        ("import os, tempfile; os.chdir(tempfile.mkdtemp()); os.rmdir(os.getcwd())", 0, ""),
        ("import threading; threading.Thread(target=train, args=(Loss,)).start()", 0, "6 host waits"),
    ],
)
def test_every_end_has_a_report_and_its_own_code(tmp_path: Path, end: str, code: int, said: str) -> None:
    with handled(HANGUP):
        done = fed(tmp_path, "--output", "report.txt", "train.py", end=end)
    assert done.code == code
    report = (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert " host waits blocked " in report
    assert "loss.item()" in report
    assert said in report
    assert "blocked" not in done.err


@needs_torch
def test_a_program_that_fails_at_once_and_one_that_never_uses_cuda(tmp_path: Path) -> None:
    done = fed(tmp_path, "train.py", program="import nosuch_module\n")
    assert done.code == 1
    assert "ModuleNotFoundError" in done.err
    assert "The program ended with ModuleNotFoundError" in done.err
    unused = fed(tmp_path, "train.py", "unused", program="print(1)\n")
    assert (unused.code, unused.out) == (0, "1\n")
    assert "the program never used CUDA" in unused.err


@needs_torch
def test_fail_over(tmp_path: Path) -> None:
    assert fed(tmp_path, "--fail-over", "3", "train.py").code == 0
    assert fed(tmp_path, "--fail-over", "2", "train.py").code == 1
    assert fed(tmp_path, "--fail-over", "2", "train.py", end="sys.exit(9)").code == 9
    assert fed(tmp_path, "--fail-over", "0", "--warmup", "3", "train.py").code == 0


@needs_torch
def test_warmup_and_steps(tmp_path: Path) -> None:
    done = fed(tmp_path, "--warmup", "2", "train.py")
    assert "1 host wait blocked 500 ms" in done.err
    assert "Not counted: 3 waits of setup and warm-up, 1.25 s." in done.err
    steps = """\
import torch, fed
weight = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(6):
    weight.sum().backward()
    optimizer.step()
    fed.item(2.0**step)
"""
    # The wait after step n+1 comes when n+1 steps are done.
    for options, waits, seconds, per_step in (
        (["--skip-setup"], 6, 63.0, 5),
        (["--steps", "3:"], 4, 60.0, 3),
        (["--steps", "2:4"], 2, 6.0, 2),
        (["--steps", ":2"], 1, 1.0, 2),
        (["--steps", "9:"], 0, 0.0, 0),
    ):
        fed(tmp_path, *options, "--output-format=json", "--output=r.json", "train.py", program=steps)
        report = json.loads((tmp_path / "r.json").read_text())
        assert (report["waits"], report["blocked_s"], report["optimizer_steps"]) == (waits, seconds, per_step)
        assert report["skipped_waits"] == 6 - waits


def keys_of_page(heading: str) -> list[str]:
    """The keys in the table below a heading of docs/reference/output.md."""
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "output.md"
    text = re.split(r"^#", page.read_text(encoding="utf-8").partition(f"# {heading}\n")[2], maxsplit=1, flags=re.M)[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [key for cell in cells for key in re.findall(r"`([^`]+)`", cell)]


@needs_torch
def test_json(tmp_path: Path) -> None:
    done = fed(tmp_path, "--output-format", "json", "--output", "report.json", "train.py", "7")
    assert (done.code, done.err) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["program"] == ["train.py", "7"]
    assert (report["exit_code"], report["ended_by"], report["rank"]) == (0, None, None)
    assert (report["waits"], report["blocked_s"], report["allowed_waits"]) == (3, 1.5, 1)
    assert report["sources"] == ["driver"]
    assert keys_of_page("JSON of run") == list(report)
    site, allowed = report["sites"]
    assert keys_of_page("Keys of a site") == list(site)
    assert (site["code"], site["name"], site["expression"]) == ("HS101", "item-read-back", "loss.item()")
    assert site["filename"] == str(tmp_path / "train.py")
    assert (site["location"], site["end_location"]) == ({"row": 9, "column": 17}, {"row": 9, "column": 28})
    assert (site["symbol"], site["count"], site["mean_s"], site["streams"]) == ("train", 3, 0.5, [7])
    assert [caller["location"]["row"] for caller in site["callers"]] == [12]
    assert allowed["allowed"] == "once \x1b[31m"


@needs_torch
def test_jsonl_and_trace(tmp_path: Path) -> None:
    fed(tmp_path, "--output-format", "jsonl", "--output", "r.jsonl", "--trace", "t.json", "-m", "train", "--trace", "x")
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["run", "site", "site", *["wait"] * 4]
    assert lines[0]["program"] == ["-m", "train", "--trace", "x"]
    assert ["type", *keys_of_page("JSON of run")[:-1]] == list(lines[0])
    assert keys_of_page("Keys of a wait") == list(lines[3])
    trace = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    slices = [event for event in trace if event["ph"] == "X"]
    assert [event["name"] for event in slices[:3]] == ["loss.item()"] * 3
    assert slices[0]["dur"] == 500_000
    assert slices[0]["args"]["code"] == "HS101"
    names = {event["name"]: event["args"]["name"] for event in trace if event["ph"] == "M"}
    assert names == {"process_name": "train --trace x", "thread_name": "MainThread"}


@needs_torch
@pytest.mark.parametrize("words", [("python", "train.py"), (sys.executable, "-m", "train")])
def test_python_before_the_program(words: tuple[str, ...], tmp_path: Path) -> None:
    done = fed(tmp_path, "--output-format", "json", "--output", "report.json", *words, "7")
    assert (done.code, done.err) == (0, "")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["program"], report["waits"]) == ([*words[1:], "7"], 3)


@needs_torch
def test_pytest_is_run_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import fed\n\ndef test_it():\n    fed.item()\n", encoding="utf-8")
    done = fed(
        tmp_path, "--output-format", "json", "--output", "r.json", "pytest", "-q", "-p", "no:xdist", "test_it.py"
    )
    assert (done.code, "1 passed" in done.out) == (0, True), done.out + done.err
    report = json.loads((tmp_path / "r.json").read_text())
    assert (report["program"][:2], report["waits"]) == (["-m", "pytest"], 1)


@needs_torch
def test_stacks_end_at_the_program(tmp_path: Path) -> None:
    program = """\
import sys
from hostsync.runtime import places

def inner():
    return places.locate(sys._getframe())

print([caller.function for caller in inner().callers], places.locate(sys._getframe()).callers)
"""
    assert fed(tmp_path, "train.py", "unused", program=program).out == "['<module>'] ()\n"


@needs_torch
def test_a_sample_of_the_single_waits_is_called_one(tmp_path: Path) -> None:
    many = PROGRAM.replace("range(3)", "range(25)")
    small = "import hostsync.runtime.aggregate as a; a.Aggregator.__init__.__kwdefaults__['most_events'] = 10\n"
    done = fed(tmp_path, "--trace", "t.json", "train.py", program=many, preface=small)
    assert "  Single waits, as in --trace and jsonl, are a random sample: 10 of 26. The sites count all.\n" in done.err
    trace = json.loads((tmp_path / "t.json").read_text())
    assert trace["otherData"]["note"].endswith("a random sample: 10 of 26.")
    assert len([event for event in trace["traceEvents"] if event["ph"] == "X"]) == 10


@needs_torch
def test_child_processes_of_a_program_that_uses_no_gpu_are_spoken_of(tmp_path: Path) -> None:
    child = "import time\\nwhile time.process_time() < 1.2: pass"
    busy = f"import subprocess; subprocess.run([sys.executable, '-c', '{child}'])"
    done = fed(tmp_path, "train.py", "unused", end=busy, program="import fed, sys\nend\n")
    assert "the program never used CUDA" in done.err
    assert "  Its child processes, which ran for 1." in done.err
    assert "child processes" not in fed(tmp_path, "train.py", "unused", program="import fed, sys\nend\n").err


@needs_torch
def test_formats_of_check(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    folder = repository / "python"
    (folder / "elsewhere").mkdir(parents=True)
    (repository / ".git").mkdir()
    moved = "import os; os.chdir('elsewhere'); raise SystemExit(0)"
    for name in ("sarif", "github", "gitlab", "junit", "concise"):
        done = fed(folder, "--output-format", name, "--output", f"r.{name}", "train.py", end=moved)
        assert done.code == 0, done.err
    run = run_of((folder / "r.sarif").read_text())
    (result,) = run["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "python/train.py"
    assert physical["region"]["startLine"] == 9
    assert result["ruleId"] == "HS101" and "confirmed: 3 waits, 1.50 s blocked" in result["message"]["text"]
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert notes[0].startswith("3 host waits blocked 1.50 s")
    (issue,) = json.loads((folder / "r.gitlab").read_text())
    assert issue["fingerprint"] == result["partialFingerprints"]["hostsync/v1"]
    assert (
        (folder / "r.github").read_text().startswith("::warning title=HS101 item-read-back,file=python/train.py,line=9")
    )
    assert 'failures="1"' in (folder / "r.junit").read_text()
    assert "train.py:9:17: HS101 " in (folder / "r.concise").read_text()


@needs_torch
def test_a_rank_writes_a_file_of_its_own(tmp_path: Path) -> None:
    fed(tmp_path, "--output-format", "json", "--output", "report.json", "train.py", RANK="3", LOCAL_RANK="1")
    assert json.loads((tmp_path / "report.rank3.json").read_text())["rank"] == 3
    assert not (tmp_path / "report.json").exists()
    assert "rank 3: 3 host waits" in fed(tmp_path, "train.py", RANK="3").err


@needs_torch
@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "sarif"])
def test_the_last_rank_writes_the_report_over_all(output_format: str, tmp_path: Path) -> None:
    together = {"LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": str(tmp_path), "TMPDIR": str(tmp_path)}
    options = () if output_format == "text" else ("--output-format", output_format, "--output", "report.json")
    first = fed(tmp_path, *options, "train.py", RANK="0", **together)
    last = fed(tmp_path, *options, "train.py", RANK="1", **together, end="fed.item()")
    assert (first.code, last.code) == (0, 0)
    if output_format == "text":
        assert first.err.splitlines()[1:] == [line for line in first.err.splitlines() if line.startswith("rank 0: 3 ")]
        assert "2 ranks: 7 host waits blocked 3.50 s" in last.err
        assert "train.py:14:1  fed.item()  0 on rank 0, 1 on rank 1" in last.err
        return
    text = (tmp_path / "report.json").read_text()
    if output_format == "sarif":
        results = run_of(text)["results"]
        assert [(result["ruleId"], result["properties"]["verdict"]["waits"]) for result in results] == [
            ("HS101", 6),
            ("HS101", 1),
        ]
        return
    if output_format == "json":
        report = json.loads(text)
        sites = report["sites"]
        assert [run["waits"] for run in report["ranks"]] == [3, 4]
    else:
        lines = [json.loads(line) for line in text.splitlines()]
        assert [line["type"] for line in lines] == ["ranks", "run", "run", "site", "site", "site"]
        report, sites = lines[0], lines[3:]
    assert (report["hostsync_run"], report["world"], report["waits"], report["ranks_differ"]) == (1, 2, 7, True)
    by_row = {(one["location"]["row"], one["allowed"] is None): one["counts_by_rank"] for one in sites}
    assert by_row == {(9, True): {"0": 3, "1": 3}, (13, False): {"0": 1, "1": 1}, (14, True): {"0": 0, "1": 1}}


@needs_torch
def test_a_rank_that_fails_says_all(tmp_path: Path) -> None:
    together = {"LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = fed(tmp_path, "train.py", RANK="0", **together, end="raise ValueError")
    assert done.code == 1
    assert "loss.item()" in done.err
    assert "The program ended with ValueError" in done.err


@needs_torch
def test_start_after(tmp_path: Path) -> None:
    program = """\
import fed
fed.item()
print("epoch", end=" ")
fed.item()
print(1)
fed.item()
fed.item()
"""
    options = ("--output-format=json", "--output=r.json")
    for pattern, waits in (("^epoch 1$", 2), ("epoch", 3), ("^$|.", 3), ("epoch 2", 0)):
        done = fed(tmp_path, *options, "--start-after", pattern, "train.py", program=program)
        report = json.loads((tmp_path / "r.json").read_text())
        assert (done.out, report["waits"], report["skipped_waits"]) == ("epoch 1\n", waits, 4 - waits)
    assert report["blind_spots"] == ["No line that --start-after looks for was printed, so nothing was counted."]


LAZY = """\
import sys
from hostsync.cli import running
running.require_cuda = lambda: None
from hostsync.cli import main
main()
"""


@needs_torch
def test_torch_is_imported_by_the_program_not_before(tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text(LAZY)
    (tmp_path / "program.py").write_text(
        "import os, sys\nprint('torch' in sys.modules)\nos.environ['OMP_NUM_THREADS'] = '1'\n"
        "import torch\nprint(torch.get_num_threads(), torch.optim.SGD([torch.ones(1)], lr=1.0).step())\n"
    )
    command = [sys.executable, "lazy.py", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment(), timeout=120)
    assert done.stdout.decode().split() == ["False", "1", "None"]
    assert "the program never used CUDA" in done.stderr.decode()


@needs_torch
def test_a_report_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    end = "import os; os.rename('taken', 'report.txt')"
    done = fed(tmp_path, "--output", "report.txt", "train.py", end=end)
    assert done.code == 2
    assert "hostsync: can't write `" in done.err
    (tmp_path / "report.txt").rename(tmp_path / "taken")
    assert fed(tmp_path, "--output", "report.txt", "train.py", end=f"{end}\nsys.exit(4)").code == 4


@needs_torch
def test_top(tmp_path: Path) -> None:
    done = fed(tmp_path, "--top", "1", "train.py", end="fed.item(0.1)\nfed.item(0.2)")
    assert "and 2 more sites: 2 waits, 300 ms (--top 3 shows them)" in done.err


@needs_torch
def test_the_programs_standard_output_stays_strict(tmp_path: Path) -> None:
    program = "import sys\nprint(sys.stdout.errors)\n"
    assert fed(tmp_path, "train.py", "unused", program=program).out == "strict\n"
