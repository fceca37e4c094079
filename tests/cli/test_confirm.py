"""`hostsync confirm` from the outside, on a machine without a GPU.

What it does with waits is shown with a capture that is fed by the program itself, as in test_run; and with reports of
runs. Nothing here says anything about what a GPU does: tests/gpu does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sarif_schema import run_of

from hostsync.catalogue import load_only_rules
from hostsync.cli.confirming import names_the_wait

from .conftest import Hostsync, environment
from .test_run import FED, Ran, needs_torch

HAS_COLUMNS = sys.version_info >= (3, 11)
needs_columns = pytest.mark.skipif(not HAS_COLUMNS, reason="needs the columns of Python 3.11")

WAITS = """\
import sys
import fed
from hostsync.runtime import places
from hostsync.runtime.records import Wait


def read(tensor, seconds=0.5, times=1, kind="stream", allowed=None):
    found = places.locate(sys._getframe(1))
    for _ in range(times if fed.FedCapture.current is not None else 0):
        fed.FedCapture.current.on_wait(
            Wait(kind, "cuStreamSynchronize", "aten::item", found.place, None, found.callers, 7, "MainThread",
                 found.phase, seconds, None, "", "driver", allowed or found.comment))
    return 1


def truth(tensor):
    found = places.locate(sys._getframe(1))
    fed.FedCapture.current.on_wait(
        Wait("stream", "cuStreamSynchronize", found.operation, found.place, None, found.callers, 7, "MainThread",
             found.phase, 0.25, None, "", "driver", None))
    return True
"""

MODEL = """\
import torch
if False:
    import numpy as np
def helper(x: torch.Tensor):
    return x.item()


def train(x: torch.Tensor, debug=False):
    total = 0
    for step in range(3):
        total += x.item()
        y = torch.ones(3)
        total += y.sum().item() if debug else 0
    z = x.cpu()
    if debug and x.item():
        return x.tolist()
    x.sum()
    return total, helper(x)


def unknown(value):
    value.read()
    value.read(allowed="told")
    value.read(kind="free")
    value.real.tolist(); array: np.ndarray
    return 1 if torch.ones(3, device=value.device) else 0
"""

PROGRAM = """\
import sys
import fed, torch
from waits import read, truth

torch.Tensor.__bool__ = truth
torch.Tensor.item = read
torch.Tensor.read = torch.Tensor.tolist = read
import model
print("out", sys.argv, torch.ones(3).read())
model.train(torch.ones(3))
# By name, so that the scan does not know that it is handed a tensor on the CPU.
vars(model)["unknown"](torch.ones(3))
end
"""


def fed(folder: Path, *args: str, end: str = "", model: str = MODEL, **env: str) -> Ran:
    """Runs a program that feeds waits to its own capture."""
    for name, text in (("fed.py", FED), ("waits.py", WAITS), ("model.py", model)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "main.py").write_text(PROGRAM.replace("\nend\n", f"\n{end}\n"), encoding="utf-8")
    command = [sys.executable, str(folder / "fed.py"), "confirm", *args]
    variables = environment(**env)
    variables["PYTHONPATH"] += os.pathsep + str(folder)
    done = subprocess.run(command, cwd=folder, capture_output=True, env=variables, timeout=120)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def confirmed(folder: Path, *args: str, **options: Any) -> dict[str, Any]:
    done = fed(folder, "--output-format", "json", "-o", "out.json", *args, **options)
    assert done.code == 0, done.err
    data: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return data


def verdicts(data: dict[str, Any]) -> dict[tuple[int, str], tuple[Any, ...]]:
    return {
        (f["location"]["row"], f["code"]): (f["verdict"]["status"], f["verdict"]["waited"], f["verdict"]["executions"])
        for f in data["findings"]
    }


# --- with waits that the program feeds in --------------------------------------------------------


@needs_torch
@needs_columns
def test_verdicts(tmp_path: Path) -> None:
    data = confirmed(tmp_path, "model.py", "--", "main.py", "7")
    assert verdicts(data) == {
        (5, "HS101"): ("confirmed", 1, 1),
        (11, "HS101"): ("confirmed", 3, 3),
        (14, "HS102"): ("refuted", 0, 1),
        (15, "HS101"): ("not seen", 0, 1),
        (16, "HS101"): ("not reached", 0, 0),
        (26, "HS201"): ("confirmed", 1, 1),
    }
    missed = [(m["expression"], m["code"], m["waits"], m["waited"], m["found_as"]) for m in data["missed"]]
    assert missed == [
        ("value.read()", "HS101", 1, 1, None),
        ("value.real.tolist()", "HS101", 1, 1, {"code": "HS101", "confidence": "possible"}),
    ]
    assert [(site["expression"], site["allowed"]) for site in data["allowed"]] == [
        ('value.read(allowed="told")', "told")
    ]
    assert (data["memory"], data["elsewhere"]) == (
        {"free": {"waits": 1, "blocked_s": 0.5}},
        {"waits": 1, "blocked_s": 0.5},
    )
    summary = data["summary"]
    assert (summary["precision"], summary["recall"]) == (0.75, 0.6)
    assert {key: value for key, value in summary.items() if key not in ("precision", "recall")} == {
        "confirmed": 3,
        "refuted": 1,
        "not_reached": 1,
        "not_seen": 1,
        "missed": 2,
        "hidden": 1,
        "found": 3,
        "causes": 0,
    }
    (run,) = data["runs"]
    assert (run["program"], run["exit_code"], run["counted"]) == (["main.py", "7"], 0, True)


@needs_torch
@pytest.mark.skipif(HAS_COLUMNS, reason="Python 3.10 tells rows only")
def test_verdicts_by_row(tmp_path: Path) -> None:
    data = confirmed(tmp_path, "model.py", "--", "main.py", "7")
    found = verdicts(data)
    assert found[11, "HS101"] == ("confirmed", 3, 3)
    assert found[14, "HS102"] == ("refuted", 0, 1)
    assert found[16, "HS101"] == ("not reached", 0, 0)


@needs_torch
@needs_columns
def test_the_report_and_the_programs_own_output(tmp_path: Path) -> None:
    done = fed(tmp_path, "model.py", "--", "main.py", "7", "-o", "x", "--", "y")
    assert (done.code, done.out) == (0, "out ['main.py', '7', '-o', 'x', '--', 'y'] 1\n")
    lines = done.err.splitlines()
    assert any(line.endswith(": 3 confirmed, 1 refuted, 1 not reached, 1 not seen; 2 waits missed") for line in lines)
    assert "  Precision 75 %: 3 of 4 executed findings waited." in lines
    assert "  Recall 60 %: 3 of 5 expressions that waited are found." in lines
    assert "  Not judged: 1 wait inside allocators, 500 ms (free 1)." in lines
    assert "  Left out: 1 wait in files that were not scanned, 500 ms." in lines
    rows = [line.split() for line in lines]
    assert [
        "1.50",
        "s",
        "3",
        "of",
        "3",
        "model.py:11:18",
        "x.item()",
        *"HS101 item-read-back likely, in loop".split(),
    ] in rows
    assert [*"1 model.py:14:9 x.cpu() HS102 copy-to-host likely, in step".split()] in rows
    assert [*"500 ms 1 model.py:24:5 value.real.tolist() HS101 stream found as HS101, possible".split()] not in rows
    assert any("found as HS101, possible" in line for line in lines)
    assert any(line.endswith("its line ran 1 time") for line in lines)


@needs_torch
@needs_columns
def test_verdict_files_hide_raise_and_survive_edits(tmp_path: Path, hostsync_in: Hostsync) -> None:
    done = fed(tmp_path, "model.py", "--verdicts", "verdicts.json", "--", "main.py")
    assert done.code == 0, done.err
    kept = json.loads((tmp_path / "verdicts.json").read_text())
    assert [(v["file"], v["symbol"], v["text"], v["status"], v["waits"]) for v in kept["verdicts"]] == [
        ("model.py", "helper", "x.item()", "confirmed", 1),
        ("model.py", "train", "x.item()", "confirmed", 3),
        ("model.py", "train", "x.cpu()", "refuted", 0),
        ("model.py", "unknown", "value.real.tolist()", "confirmed", 1),
        ("model.py", "unknown", "torch.ones(3,device=value.device)", "confirmed", 1),
    ]
    assert fed(tmp_path, "model.py", "--verdicts", "verdicts.json", "--merge", "--", "main.py").code == 0
    twice = json.loads((tmp_path / "verdicts.json").read_text())
    assert [(v["waits"], v["executions"]) for v in twice["verdicts"]] == [(2, 2), (6, 6), (0, 2), (2, 2), (2, 2)]
    # Elsewhere in the file, and in the layout of the expression.
    moved = "import math\n\n" + MODEL.replace("        total += x.item()\n", "        total += x.item( )\n").replace(
        "    return x.item()\n", "    return 1\n"
    )
    (tmp_path / "model.py").write_text(moved, encoding="utf-8")
    for _ in range(2):  # once more, out of the cache
        checked = hostsync_in("check", "model.py", "--verdicts", "verdicts.json", "--output-format", "json")
        found = {(f["location"]["row"], f["code"]): f for f in json.loads(checked.out)}
        assert {at: f["confidence"] for at, f in found.items()} == {
            (13, "HS101"): "certain",
            (17, "HS101"): "likely",
            (18, "HS101"): "likely",
            (27, "HS101"): "certain",
            (28, "HS201"): "certain",
        }
        assert (found[13, "HS101"]["verdict"]["waits"], found[17, "HS101"]["verdict"]) == (6, None)
        assert "1 verdict speaks of what is not found any more" in checked.err
    hidden = hostsync_in("check", "model.py", "--verdicts", "verdicts.json", "--min-confidence", "possible")
    assert "  = refuted" in hidden.out and ": 0 of 2 executions waited\n" in hidden.out
    plain = hostsync_in("check", "model.py", "--output-format", "json")
    assert {f["location"]["row"]: f["confidence"] for f in json.loads(plain.out)}[16] == "likely"


@needs_torch
@needs_columns
def test_warmup_leaves_first_executions_out(tmp_path: Path) -> None:
    data = confirmed(tmp_path, "model.py", "--warmup", "1", "--", "main.py")
    found = verdicts(data)
    assert found[11, "HS101"] == ("confirmed", 2, 2)
    assert found[5, "HS101"] == ("not reached", 0, 0)
    assert "Waits of the warm-up, not counted: 7." in data["runs"][0]["blind_spots"]


@needs_torch
@pytest.mark.parametrize(
    ("fail_on", "code"), [("missed", 1), ("refuted", 1), ("confirmed,missed", 1), ("confirmed", 1)]
)
def test_fail_on(tmp_path: Path, fail_on: str, code: int) -> None:
    assert fed(tmp_path, "--fail-on", fail_on, "--", "main.py").code == code
    clean = "def train(x):\n    return x\n\n\ndef unknown(x):\n    return x\n"
    assert fed(tmp_path, "model.py", "--fail-on", fail_on, "--", "main.py", model=clean).code == 0


@needs_torch
@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("sys.exit(7)", 7, "`main.py` ended with exit code 7"),
        ("1 / 0", 1, "`main.py` ended with exit code 1"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15, "`main.py` was terminated"),
        ("import os; os.chdir('/')", 0, ""),
        ("import os, tempfile; os.chdir(tempfile.mkdtemp()); os.rmdir(os.getcwd())", 0, ""),
        ("sys.stdout.close()", 0, ""),
        ("import os; os.fork() or os._exit(0)", 0, ""),
    ],
)
def test_every_end_has_a_report_and_its_own_code(tmp_path: Path, end: str, code: int, said: str) -> None:
    done = fed(
        tmp_path, "model.py", "-o", "out.txt", "--verdicts", "v.json", "--fail-on", "missed", "--", "main.py", end=end
    )
    assert done.code == (code or 1)
    report = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert "confirmed, " in report and said in report
    assert len(json.loads((tmp_path / "v.json").read_text())["verdicts"]) >= 3


@needs_torch
def test_a_program_that_changes_its_folder(tmp_path: Path) -> None:
    data = confirmed(tmp_path, ".", "--", "main.py", end="import os; os.chdir('/')")
    named = {entry["filename"] for entry in (*data["findings"], *data["missed"], *data["allowed"])}
    assert named <= {str(tmp_path / name) for name in ("model.py", "main.py", "fed.py", "waits.py")}
    assert str(tmp_path / "model.py") in named


@needs_torch
@needs_columns
def test_modules_pytest_and_python_as_programs(tmp_path: Path) -> None:
    assert confirmed(tmp_path, "model.py", "--", "-m", "main", "1")["runs"][0]["program"] == ["-m", "main", "1"]
    assert confirmed(tmp_path, "model.py", "--", "-mmain")["runs"][0]["program"] == ["-m", "main"]
    assert confirmed(tmp_path, "model.py", "--", "python", "main.py")["runs"][0]["program"] == ["main.py"]
    (tmp_path / "test_it.py").write_text(
        "import torch, fed\nfrom waits import read, truth\ntorch.Tensor.item = torch.Tensor.tolist = read\n"
        "torch.Tensor.read, torch.Tensor.__bool__ = read, truth\nimport model\n"
        "def test_it():\n    assert model.train(torch.ones(3))\n",
        encoding="utf-8",
    )
    data = confirmed(tmp_path, "model.py", "--", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert verdicts(data)[11, "HS101"] == ("confirmed", 3, 3)


@needs_torch
@needs_columns
def test_scanned_libraries_own_their_waits(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "model"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(MODEL, encoding="utf-8")
    fed(tmp_path, "--help")
    (tmp_path / "model.py").unlink()
    shadow = f"sys.path.insert(0, {str(package.parent)!r}); import model"
    (tmp_path / "lib.py").write_text(PROGRAM.replace("import model", shadow).replace("\nend\n", "\n"), encoding="utf-8")
    variables = environment()
    variables["PYTHONPATH"] += os.pathsep + str(tmp_path)
    command = [
        sys.executable,
        "fed.py",
        "confirm",
        str(package),
        "--output-format",
        "json",
        "-o",
        "o.json",
        "--",
        "lib.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "o.json").read_text())
    assert verdicts(data)[11, "HS101"] == ("confirmed", 3, 3)
    assert data["elsewhere"]["waits"] == 1


def test_rules_that_do_not_name_what_waits() -> None:
    others = {rule.code for rule in load_only_rules() if not names_the_wait(rule)}
    assert {"HS408", "HS901", "HS902"} <= others
    assert not others & {"HS101", "HS201", "HS302", "HS401", "HS501", "HS606"}


# --- from reports --------------------------------------------------------------------------------


def site(folder: Path, row: int, column: int, end: int, **more: Any) -> dict[str, Any]:
    """A site as `hostsync run --output-format json` writes it."""
    return {
        "code": "HS101",
        "filename": str(folder / "model.py"),
        "location": {"row": row, "column": column},
        "end_location": {"row": row, "column": end},
        "symbol": "train",
        "expression": "x.item()",
        "kind": "stream",
        "call": "cuStreamSynchronize",
        "operation": "aten::item",
        "count": 200,
        "blocked_s": 1.21,
        "longest_s": 0.01,
        "bytes": 0,
        "memory": None,
        "streams": [7],
        "phase": "other",
        "thread": "MainThread",
        "seen_by": "driver",
        "allowed": None,
        "library": None,
        "callers": [],
        **more,
    }


def run_report(folder: Path, *sites: dict[str, Any], name: str = "run.json") -> None:
    environment = {"torch": "2.11.0+cu130", "device": "NVIDIA H200"}
    data = {"program": ["main.py"], "exit_code": 0, "blind_spots": [], "environment": environment, "sites": list(sites)}
    (folder / name).write_text(json.dumps(data), encoding="utf-8")


def test_from_run_needs_neither_torch_nor_cuda(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    elsewhere = site(tmp_path, 1, 1, 5, filename=str(tmp_path / "other.py"))
    run_report(tmp_path, site(tmp_path, 11, 18, 26), elsewhere, site(tmp_path, 22, 5, 17, code=None))
    run_report(tmp_path, site(tmp_path, 11, 18, 26, count=100), name="more.json")
    arguments = ("confirm", "model.py", "--from-run", "run.json", "--from-run", "more.json")
    done = hostsync_in(*arguments, "--verdicts", "v.json")
    assert (done.code, done.err) == (0, "")
    assert "6 findings on NVIDIA H200: 1 confirmed, 0 refuted, 0 not reached, 5 not seen; 1 wait missed" in done.out
    assert "300 waits  model.py:11:18  x.item()" in done.out
    assert "Left out: 200 waits in files that were not scanned" in done.out
    checked = hostsync_in("check", "model.py", "--verdicts", "v.json")
    assert "  = confirmed on NVIDIA H200: 300 waits, 2.42 s blocked\n" in checked.out
    data = json.loads(hostsync_in(*arguments, "--output-format", "json").out)
    assert verdicts(data)[11, "HS101"] == ("confirmed", None, None)
    assert hostsync_in(*arguments, "--fail-on", "missed").code == 1


def test_formats_of_check_from_run(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    run_report(tmp_path, site(tmp_path, 11, 18, 26), site(tmp_path, 22, 5, 17, code=None))
    arguments = ("confirm", "model.py", "--from-run", "run.json", "--output-format")
    results = {
        result["locations"][0]["physicalLocation"]["region"]["startLine"]: result
        for result in run_of(hostsync_in(*arguments, "sarif").out)["results"]
    }
    assert results[11]["level"] == "warning" and "confirmed on NVIDIA H200: 200 waits" in results[11]["message"]["text"]
    assert results[22]["ruleId"] == "HS000" and "no finding covers it" in results[22]["message"]["text"]
    assert results[16]["level"] == "note" and results[16]["message"]["text"].count("not seen on NVIDIA H200") == 1
    checked = run_of(hostsync_in("check", "model.py", "--output-format", "sarif").out)["results"]
    prints = {result["partialFingerprints"]["hostsync/v1"] for result in results.values()}
    assert len(checked) == 6 and {result["partialFingerprints"]["hostsync/v1"] for result in checked} <= prints
    commands = hostsync_in(*arguments, "github").out.splitlines()
    assert sorted(line.partition(" ")[0] for line in commands) == ["::notice"] * 5 + ["::warning"] * 2
    junit = hostsync_in(*arguments, "junit").out
    assert '<testsuites name="hostsync" tests="7" failures="2" errors="0" skipped="5" time="0">' in junit


def test_from_run_imports_no_torch(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')\n", encoding="utf-8")
    run_report(tmp_path, site(tmp_path, 11, 18, 26))
    done = hostsync_in("confirm", "model.py", "--from-run", "run.json")
    assert (done.code, done.err) == (0, "")


# --- wrong input ---------------------------------------------------------------------------------


def test_without_cuda_it_says_so_and_runs_nothing(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n", encoding="utf-8")
    done = hostsync_in("confirm", ".", "--", "program.py", CUDA_VISIBLE_DEVICES="")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("hostsync: ") and done.err.count("\n") == 1
    assert "no wait can be seen" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "What is to be run?"),
        (("model.py",), "What is to be run?"),
        (("model.py", "--"), "What is to be run?"),
        (("model.py", "--from-run", "r.json", "--", "x.py"), "exclude each other"),
        (("model.py", "--", "nosuch.py"), "no such script: `nosuch.py`"),
        (("model.py", "--", "-m"), "-m needs the name of a module"),
        (("model.py", "--", "--foo"), "what is run is a script, `-m MODULE` or `pytest`, not `--foo`"),
        (("model.py", "--", "torchrun", "x.py"), "`torchrun OPTIONS -m hostsync confirm PATH -- SCRIPT`"),
        (("model.py", "--", "python", "-c", "1"), "code on the command line can't be watched"),
        (("model.py", "--", "-m", "nosuchmodule.sub"), "no module named `nosuchmodule.sub`"),
        (("nosuch.py", "--from-run", "run.json"), "no such file or folder: `nosuch.py`"),
        (("-", "--from-run", "run.json"), "`-` (standard input) can't be confirmed"),
        (("model.py", "--from-run", "r.json"), "there is no such report"),
        (("model.py", "--from-run", "."), "is a directory"),
        (("model.py", "--from-run", "model.py"), "not a report"),
        (("model.py", "--from-run", "list.json"), "it has no list of sites"),
        (("model.py", "--from-run", "broken.json"), "`filename` is missing"),
        (("model.py", "--from-run", "odd.json"), "not a report"),
        (("model.py", "--from-run", "run.json", "--warmup", "1"), "--warmup needs a program"),
        (("model.py", "--from-run", "run.json", "--merge"), "--merge needs --verdicts FILE"),
        (
            ("model.py", "--from-run", "run.json", "--verdicts", "list.json", "--merge"),
            "not a verdict file of version 1",
        ),
        (("model.py", "--from-run", "run.json", "--verdicts", "no/v.json"), "no such folder: `no`"),
        (("model.py", "--from-run", "run.json", "-o", "no/v.json"), "no such folder: `no`"),
        (("model.py", "--from-run", "run.json", "--fail-on", "all"), "is not made of missed, refuted, confirmed"),
        (("model.py", "--from-run", "run.json", "--select", "XX9"), "XX9"),
        (("model.py", "--from-run", "run.json", "--config", "c.toml", "--isolated"), "exclude each other"),
        (("model.py", "--output-format", "json", "--", "model.py"), "needs --output FILE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_input(hostsync_in: Hostsync, tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    run_report(tmp_path, name="run.json")
    run_report(tmp_path, {"count": 1}, name="broken.json")
    run_report(tmp_path, site(tmp_path, 1, 1, 2, count="many"), name="odd.json")
    done = hostsync_in("confirm", *args)
    assert done.code == 2
    assert said in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such verdict file"),
        ("{", "is no JSON"),
        ("[]", "not a verdict file of version 1"),
        ('{"hostsync_verdicts": 2}', "not a verdict file of version 1"),
        ('{"hostsync_verdicts": 1}', "damaged: `runs` is missing"),
        ('{"hostsync_verdicts": 1, "runs": [], "verdicts": [1]}', "damaged: "),
        ('{"hostsync_verdicts": 1, "runs": [], "verdicts": [{"symbol": 3}]}', "damaged: expected text, not 3"),
    ],
)
def test_wrong_verdict_files(hostsync_in: Hostsync, tmp_path: Path, text: str | None, said: str) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    if text is not None:
        (tmp_path / "v.json").write_text(text, encoding="utf-8")
    done = hostsync_in("check", "model.py", "--verdicts", "v.json")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_verdict_file_that_cannot_be_written(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    run_report(tmp_path, site(tmp_path, 11, 18, 26))
    (tmp_path / "taken.json").mkdir()
    (tmp_path / "taken.json" / "x").write_text("", encoding="utf-8")
    done = hostsync_in("confirm", "model.py", "--from-run", "run.json", "--verdicts", "taken.json")
    assert done.code == 2
    assert "taken.json" in done.err
