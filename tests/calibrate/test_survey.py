"""Measuring in child processes: all items, resuming, breaks. Dry runs on the CPU give no verdicts, and claim none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hostsync.calibrate.children import ChildError
from hostsync.calibrate.journal import JournalError, read_measurement
from hostsync.calibrate.survey import CATALOGUE, COMMAND, MOST_PROCESSES, inventory, processes, survey

CHILD = """\
import os, sys
from pathlib import Path
from hostsync.calibrate.children import serve

log = Path(sys.argv[1])

def handle(item, skip, write):
    if item == "?":
        about = {"torch": sys.argv[2], "device": "recorded", "python": "3.12", "free_memory": 8 << 30}
        write({"about": about, "items": ["op a", "op b", "module c"]})
        return
    with log.open("a") as stream:
        stream.write(item + "\\n")
    for number in range(4):
        if number < skip:
            continue
        if item == "op b" and number == 2:
            os._exit(3)
        write({"op": item, "kinds": f"f{number}", "waited": number == 0, "warned": False})

serve(handle)
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    return [sys.executable, str(tmp_path / "child.py"), str(tmp_path / "log"), "2.11.0"]


def asked(tmp_path: Path) -> list[str]:
    return sorted((tmp_path / "log").read_text(encoding="utf-8").split("\n")[:-1])


def test_everything_is_measured_and_a_break_costs_one_call(tmp_path: Path, command: list[str]) -> None:
    told: list[tuple[int, int]] = []
    found = survey(
        tmp_path / "j.jsonl", jobs=2, command=command, progress=lambda done, total: told.append((done, total))
    )
    rows = {f"f{number}": (1, int(number == 0), 0) for number in range(4)}
    assert found.ops["op a"] == found.ops["module c"] == rows
    assert found.ops["op b"] == {kinds: row for kinds, row in rows.items() if kinds != "f2"}
    assert found.errors == {"op b (process 1)": "ended with exit code 3"}
    assert found.about["torch"] == "2.11.0" and "free_memory" not in found.about
    assert found.seconds is not None
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_it_goes_on_where_it_was(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "j.jsonl"
    survey(path, only="op a", jobs=1, command=command)
    assert asked(tmp_path) == ["op a"]
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[:-1]) + '\n{"item": "module c", "rec', encoding="utf-8")
    found = survey(path, resume=True, jobs=1, command=command)
    assert asked(tmp_path) == ["module c", "op a", "op b", "op b"]
    assert found.items == {"op a", "op b", "module c"}
    assert found.ops["op a"]["f0"] == (1, 1, 0)
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def test_without_resume_it_begins_anew(tmp_path: Path, command: list[str]) -> None:
    for _ in range(2):
        found = survey(tmp_path / "j.jsonl", only="module", jobs=1, command=command)
    assert found.ops == {"module c": {f"f{number}": (1, int(number == 0), 0) for number in range(4)}}


def test_what_does_not_work(tmp_path: Path, command: list[str]) -> None:
    with pytest.raises(JournalError, match="nothing that can be measured matches `zzz`"):
        survey(tmp_path / "j.jsonl", only="zzz", command=command)
    survey(tmp_path / "j.jsonl", only="op a", jobs=1, command=command)
    with pytest.raises(JournalError, match=r"torch 2\.11\.0, and this is 2\.12\.0"):
        survey(tmp_path / "j.jsonl", resume=True, command=[*command[:-1], "2.12.0"])
    with pytest.raises(ChildError, match="can't start"):
        survey(tmp_path / "j.jsonl", command=[sys.executable, "-c", "import no_such_module"])


def test_the_number_of_processes_fits_the_memory() -> None:
    assert processes(3 << 30) == 1
    assert processes(0) >= 1
    assert processes(1 << 50) <= MOST_PROCESSES


# --- the real child, on the CPU ------------------------------------------------------------------


def test_a_dry_run_samples_without_verdicts(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    command = [*COMMAND, "--dry-run"]
    there = inventory(command)
    assert there.about["device"] == "none (dry run)" and there.about["torch"] == torch.__version__
    assert CATALOGUE not in there.items
    assert len(set(there.items)) == len(there.items) > 1000
    assert there.items[-1] == "distributed"
    found = survey(tmp_path / "j.jsonl", only=r"^op (nonzero\.|linalg\.matrix_norm\.)$", jobs=1, command=command)
    assert found.ops == {} and found.errors == {}
    entries = [json.loads(line) for line in (tmp_path / "j.jsonl").read_text(encoding="utf-8").splitlines()]
    records = [record for entry in entries for record in entry.get("records", ())]
    names = {record["op"] for record in records}
    assert {"torch.nonzero", "Tensor.nonzero", "torch.linalg.matrix_norm"} <= names
    kinds = {record["kinds"] for record in records}
    assert any("'nuc'" in text for text in kinds) and any("n-" in text for text in kinds)
    assert {text[4] for text in kinds} >= set("fibc")


def test_a_dry_run_goes_on_behind_a_call(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from hostsync.calibrate.delayed_oracle import Oracle
    from hostsync.calibrate.recorder import Recorder
    from hostsync.calibrate.work_items import items

    work = dict(items())["op nonzero."]
    whole: list[object] = []
    rest: list[object] = []
    work(Recorder(Oracle(dry=True), "cpu", whole.append))
    work(Recorder(Oracle(dry=True), "cpu", rest.append, skip=5))
    assert len(whole) > 6
    assert rest == whole[5:]


def test_a_measurement_that_is_not_one(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="can't be read"):
        read_measurement(tmp_path / "nowhere.jsonl")


# --- an interruption -----------------------------------------------------------------------------

INTERRUPTED = """\
import sys, time
from pathlib import Path
from hostsync.calibrate.survey import survey

try:
    survey(Path(sys.argv[1]), jobs=1, command=[sys.executable, *sys.argv[2:]])
except KeyboardInterrupt:
    print("interrupted")
"""


def _is_at_the_second(tmp_path: Path) -> bool:
    """Whether a child works at the second item, and what it gave for the first was taken down."""
    log, journal = tmp_path / "log", tmp_path / "j.jsonl"
    return log.exists() and len(asked(tmp_path)) == 2 and journal.exists() and "op a" in journal.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")
def test_ctrl_c_ends_the_children_and_keeps_what_is_done(tmp_path: Path, command: list[str]) -> None:
    slow = CHILD.replace("    for number", "    if item == 'op b':\n        time.sleep(60)\n    for number")
    slow = slow.replace("import os, sys", "import os, sys, time").replace("item + ", "f'{item} {os.getpid()}' + ")
    (tmp_path / "child.py").write_text(slow, encoding="utf-8")
    (tmp_path / "program.py").write_text(INTERRUPTED, encoding="utf-8")
    arguments = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "j.jsonl"), *command[1:]]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not _is_at_the_second(tmp_path):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
    found = read_measurement(tmp_path / "j.jsonl")
    assert (found.items, found.seconds) == ({"op a"}, None)
    child = int(asked(tmp_path)[1].rpartition(" ")[2])
    while time.monotonic() < deadline:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child is still there")
