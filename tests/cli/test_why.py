"""`hostsync check --why FILE:ROW`: what the scan believes of a row, where it speaks and where it is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Hostsync

HELPER = """\
import torch

def on_host(count):
    return torch.arange(count)
"""
TRAIN = """\
import torch
from helper import on_host

def train(model, loader):
    model = model.cuda()
    for x, y in loader:
        loss = model(x.cuda()).sum()
        total = loss.item()
        first = on_host(4).max().item()
        other = unknown(x)
        print(x.shape[0])
    return total  # hostsync: allow[HS101] not here
"""


ALONE = """\
import torch
def f(x, rows, flag, other):
    if flag:
        x[rows] = 1
    elif other:
        y = x
    for row in rows:
        assert flag
        other += x
        if flag and not rows or x:
            continue
    return x
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


def test_where_it_speaks(hostsync_in: Hostsync, project: Path) -> None:
    done = hostsync_in("check", "--why", "train.py:8")
    assert (done.code, done.err) == (0, "")
    assert hostsync_in("check", "--why", "train.py:8", "--output-format", "full").out == done.out
    lines = done.out.splitlines()
    assert lines[:2] == ["train.py:8: total = loss.item()", "in train"]
    assert any(line.startswith("  loss: a tensor") for line in lines)
    assert "      line 7: loss = model(x.cuda()).sum()" in lines
    assert lines[-1].startswith("HS101 item-read-back (")
    assert lines[-1].endswith("): reported")


def test_where_it_is_silent(hostsync_in: Hostsync, project: Path) -> None:
    """A function of another file makes a tensor on the CPU, which is why nothing is reported."""
    lines = hostsync_in("check", "--why", "train.py:9").out.splitlines()
    assert any(line.startswith("  on_host(4).max(): ") and "on the CPU" in line for line in lines), lines
    assert lines[-1] == "Nothing on this row waits, as far as that goes."
    lines = hostsync_in("check", "--why", "train.py:10:5").out.splitlines()
    assert "  unknown(x): not known" in lines
    lines = hostsync_in("check", "--why", "train.py:4").out.splitlines()
    assert lines[1].startswith("  No expression on this row was followed")


def test_names_that_stand_alone(hostsync_in: Hostsync, tmp_path: Path) -> None:
    """What is only looked up is shown as what is calculated is: what is stored to, tested, walked over, returned."""
    (tmp_path / "alone.py").write_text(ALONE, encoding="utf-8")
    shown = {}
    for row in range(3, 3 + len(ALONE.splitlines()[2:])):
        lines = hostsync_in("check", "--why", f"alone.py:{row}").out.splitlines()
        shown[row] = {line.strip().partition(":")[0] for line in lines if line.startswith("  ")}
    assert {row: found & {"x", "flag", "rows", "other"} for row, found in shown.items()} == {
        3: {"flag"},
        4: {"x", "rows"},
        5: {"other"},
        6: {"x"},
        7: {"rows"},
        8: {"flag"},
        9: {"other", "x"},
        10: {"flag", "rows", "x"},
        11: set(),
        12: {"x"},
    }


def test_names_in_an_index(hostsync_in: Hostsync, tmp_path: Path) -> None:
    rows = {
        "x[:, t] = -1e9": ["x", "t", "-1e9"],
        "y = x[:, t]": ["x", "t", "x[:, t]"],
        "x[a:b, ..., t] = 0": ["x", "a", "b", "t"],
        "x[(t, a)] = 0": ["x", "t", "a"],
        "x[t + 1, :b] = y": ["x", "t", "t + 1", "b", "y"],
        "x[:, t] += 1": ["x", "t"],
        "x[t] -= y": ["x", "t", "y"],
        "del x[t]": ["x", "t"],
        "[t for a, b in x.T]": ["t", "x", "x.T", "[t for a, b in x.T]"],
    }
    head = "import torch\ndef f(x: torch.Tensor, y: torch.Tensor, t: int, a: int, b: int):\n"
    (tmp_path / "rows.py").write_text(head + "".join(f"    {row}\n" for row in rows), encoding="utf-8")
    for row, (text, expected) in enumerate(rows.items(), 3):
        lines = hostsync_in("check", "--why", f"rows.py:{row}").out.splitlines()
        told = [line[2:].rpartition(": ")[0] for line in lines if line.startswith("  ") and line[2] != " "]
        assert [line.partition(": ")[0] for line in told] == expected, (text, told)


def test_what_is_not_known_is_not_called_a_method(hostsync_in: Hostsync, tmp_path: Path) -> None:
    source = (
        "import torch\nclass A:\n    def f(self, x):\n        return self.rate, x.rate, x * 2, torch.zeros(3).item\n"
    )
    (tmp_path / "rates.py").write_text(source, encoding="utf-8")
    lines = hostsync_in("check", "--why", "rates.py:4").out.splitlines()
    assert "  self.rate: not known: `rate` of an instance of A" in lines
    assert "  x.rate: not known" in lines
    assert "  x * 2: not known: made of what is handed in as `x`" in lines
    assert any(line.startswith("  torch.zeros(3).item: the method item of a float tensor") for line in lines), lines


def test_a_generator_of_random_numbers_is_no_iterator(hostsync_in: Hostsync, tmp_path: Path) -> None:
    source = "import torch\n\n\ndef f(g: torch.Generator | None):\n    return torch.rand(3, generator=g).sum().item()\n"
    (tmp_path / "f.py").write_text(source, encoding="utf-8")
    assert "  g: an instance of torch.Generator" in hostsync_in("check", "--why", "f.py:5").out.splitlines()


def test_what_settings_hide_is_told(hostsync_in: Hostsync, project: Path) -> None:
    lines = hostsync_in("check", "--ignore", "HS101", "--why", "train.py:8").out.splitlines()
    assert lines[-1].startswith("HS101 item-read-back (")
    assert "not reported" in lines[-1]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("train.py",), "--why takes FILE:ROW, such as train.py:41, not `train.py`"),
        (("train.py:0",), "--why takes FILE:ROW"),
        (("nosuch.py:3",), "no such file: `nosuch.py`"),
        (("train.py:99",), "train.py has 12 lines"),
        (("train.py:13",), "train.py has 12 lines"),
        (("unended.py:3",), "unended.py has 2 lines"),
        (("short.py:2",), "short.py has 1 line\n"),
        (("empty.py:1",), "empty.py has 0 lines"),
        (("notes.ipynb:3",), "can't explain notebooks"),
        (("train.py:3", "helper.py"), "names the file itself"),
        (("train.py:3", "--output-format", "json"), "--why writes text of its own; --output-format can't be given"),
        (("train.py:3", "-o", "out.txt"), "--output-file can't be given with it"),
        (("train.py:3", "--add-allow", "known"), "--add-allow can't be given with it"),
    ],
)
def test_wrong_usage(hostsync_in: Hostsync, project: Path, args: tuple[str, ...], said: str) -> None:
    (project / "notes.ipynb").write_text("{}", encoding="utf-8")
    (project / "unended.py").write_text("import torch\nx = 1", encoding="utf-8")
    (project / "short.py").write_text("import torch\n", encoding="utf-8")
    (project / "empty.py").write_text("", encoding="utf-8")
    done = hostsync_in("check", "--why", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_line(hostsync_in: Hostsync, tmp_path: Path, end: str) -> None:
    (tmp_path / "a.py").write_text(f"import torch\nx = torch.ones(3){end}", encoding="utf-8", newline="")
    done = hostsync_in("check", "--why", "a.py:2")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("a.py:2: x = torch.ones(3)\n")


def test_a_file_that_can_not_be_parsed(hostsync_in: Hostsync, tmp_path: Path) -> None:
    """Nothing is said of a row then."""
    (tmp_path / "broken.py").write_text("import torch\ndef f(:\n", encoding="utf-8")
    for row in (1, 2):
        done = hostsync_in("check", "--why", f"broken.py:{row}")
        assert (done.code, done.err) == (1, "")
        (line,) = done.out.splitlines()
        assert line.startswith("broken.py:2:7: syntax-error: ")
    assert hostsync_in("check", "--why", "broken.py:1", "--exit-zero").code == 0
    (tmp_path / "nul.py").write_bytes(b"import torch\n\0")
    done = hostsync_in("check", "--why", "nul.py:1")
    assert (done.code, done.err) == (1, "")
    (line,) = done.out.splitlines()
    assert line.startswith("nul.py:2:1: decode-error: ")
