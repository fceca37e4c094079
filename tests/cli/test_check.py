"""`hostsync check` from the outside: exit codes, options, formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import WAITS, Hostsync


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/waits.py").write_text(WAITS)
    (tmp_path / "pkg/clean.py").write_text("import torch\n\nx = torch.zeros(3)\n")
    (tmp_path / "pyproject.toml").write_text("[tool.hostsync]\n")
    return tmp_path


def codes(out: str) -> list[str]:
    return [entry["code"] for entry in json.loads(out)]


def test_findings_give_1_and_clean_code_0(hostsync_in: Hostsync) -> None:
    found = hostsync_in("check", "pkg", "--select", "HS101")
    assert found.code == 1
    assert f"{Path('pkg', 'waits.py')}:6:12: HS101 item-read-back (" in found.out
    assert found.err == "Found 1 finding in 1 of 2 files.\n"
    clean = hostsync_in("check", "pkg/clean.py")
    assert (clean.code, clean.out, clean.err) == (0, "", "No findings in 1 file.\n")


def test_without_a_path_the_current_folder_is_scanned(hostsync_in: Hostsync) -> None:
    assert codes(hostsync_in("check", "--output-format", "json", "--select", "HS101").out) == ["HS101"]


def test_json_of_a_finding(hostsync_in: Hostsync) -> None:
    (entry,) = json.loads(hostsync_in("check", "--output-format=json", "--select=HS101").out)
    assert list(entry)[:12] == [
        "code",
        "name",
        "message",
        "filename",
        "location",
        "end_location",
        "confidence",
        "symbol",
        "hot",
        "chain",
        "fix",
        "url",
    ]
    assert entry["location"] == {"row": 6, "column": 12}
    assert entry["end_location"] == {"row": 6, "column": 20}
    assert (entry["symbol"], entry["hot"], entry["fix"]) == ("f", None, None)
    assert entry["url"].endswith("/HS101-item-read-back")


def test_quiet_exit_zero_and_statistics(hostsync_in: Hostsync) -> None:
    quiet = hostsync_in("check", "-q", "--exit-zero", "--output-format", "concise", "--select", "HS101")
    assert (quiet.code, quiet.err, quiet.out.count("\n")) == (0, "", 1)
    assert hostsync_in("check", "--statistics", "--select", "HS101").out == "1  HS101  item-read-back\n"


@pytest.mark.parametrize("name", ["sarif", "junit", "jsonl", "gitlab", "github"])
def test_statistics_in_a_format_that_has_none(hostsync_in: Hostsync, tmp_path: Path, name: str) -> None:
    ran = hostsync_in("check", "--statistics", "--output-format", name, "-o", "out.txt")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"hostsync: --statistics needs one of the formats full, concise, json, not `{name}`\n"
    assert not (tmp_path / "out.txt").exists()


def test_output_file(hostsync_in: Hostsync, tmp_path: Path) -> None:
    ran = hostsync_in("check", "--output-format=json", "-o", "out/result.json", "--select=HS101", FORCE_COLOR="1")
    assert (ran.code, ran.out) == (1, "")
    assert codes((tmp_path / "out/result.json").read_text(encoding="utf-8")) == ["HS101"]
    assert hostsync_in("check", "-o", "pyproject.toml/x").code == 2


def test_selection(hostsync_in: Hostsync) -> None:
    everything = codes(hostsync_in("check", "--output-format=json").out)
    assert "HS101" in everything
    for args in (["--ignore", "HS101"], ["--ignore=item-read-back"], ["--per-file-ignores", "pkg/*:HS101"]):
        assert codes(hostsync_in("check", "--output-format=json", *args).out) == [c for c in everything if c != "HS101"]
    assert codes(hostsync_in("check", "--output-format=json", "--hot-only").out) == []
    assert codes(hostsync_in("check", "--output-format=json", "--select=hs101").out) == ["HS101"]
    unknown = hostsync_in("check", "--select", "HS1O1")
    assert unknown.code == 2
    assert "unknown rule `HS1O1`; did you mean" in unknown.err


def test_what_is_said_of_the_run(hostsync_in: Hostsync) -> None:
    one = hostsync_in("check", "pkg/waits.py", "--verbose").err
    assert f"\n1 file, {len(WAITS)} bytes in " in one
    assert "\n2 files, " in hostsync_in("check", "--verbose").err


def test_configuration(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "pkg/hostsync.toml").write_text('ignore = ["ALL"]\n')
    assert hostsync_in("check").code == 0
    assert hostsync_in("check", "--isolated").code == 1
    assert hostsync_in("check", "--config", "pyproject.toml").code == 1
    (tmp_path / "pkg/hostsync.toml").write_text("ignor = []\n")
    broken = hostsync_in("check")
    assert broken.code == 2
    assert "hostsync.toml: unknown key `ignor`; did you mean `ignore`?" in broken.err
    (tmp_path / "pkg/hostsync.toml").write_text('select = ["HS9999"]\n')
    assert "hostsync.toml: unknown rule `HS9999`" in hostsync_in("check").err
    (tmp_path / "pkg/hostsync.toml").unlink()
    (tmp_path / "pyproject.toml").write_text("[tool.hostsync]\noutput-format = 'xml'\n")
    assert (
        "output-format: expected one of concise, full, github, gitlab, json, jsonl, junit, sarif"
        in hostsync_in("check").err
    )


def test_a_pattern_that_is_none_is_named_with_its_place(hostsync_in: Hostsync, tmp_path: Path) -> None:
    option = hostsync_in("check", "--extend-exclude", "[z-a]")
    assert (option.code, option.out) == (2, "")
    assert option.err.startswith("hostsync: --extend-exclude: `[z-a]` is no pattern")
    (tmp_path / "pyproject.toml").write_text("[tool.hostsync]\nextend-exclude = ['[z-a]']\n")
    configured = hostsync_in("check")
    assert (configured.code, configured.out) == (2, "")
    assert "pyproject.toml: exclude: `[z-a]` is no pattern" in configured.err


@pytest.mark.parametrize("release", ["1.13", "9.9"])
def test_a_release_of_which_nothing_is_known_is_said_to_be_one(hostsync_in: Hostsync, release: str) -> None:
    said = f"What waits is known of torch 2.4 to 2.15; what is said of {release} may be wrong.\n"
    assert said in hostsync_in("check", "--torch-version", release).err
    assert hostsync_in("check", "--torch-version", release, "--quiet").err == ""
    assert "may be wrong" not in hostsync_in("check", "--torch-version", "2.15").err


@pytest.mark.parametrize(
    "args",
    [
        ["check", "--no-such-option"],
        ["check", "--min-confidence", "sure"],
        ["check", "--output-format", "xml"],
        ["check", "--torch-version", "new"],
        ["check", "--per-file-ignores", "HS101"],
        ["check", "--quiet", "--verbose"],
        ["check", "--isolated", "--config", "pyproject.toml"],
        ["check", "--update-baseline"],
        ["check", "--baseline", "gone.json"],
        ["check", "--config", "gone.toml"],
        ["check", "--add-allow", " "],
        ["check", "--jobs", "-1"],
        ["check", "pkg", "-"],
        ["check", "--select", ""],
        ["check", "--select", ","],
        ["check", "--exclude", ""],
        ["check", "--per-file-ignores", ","],
        ["check", ""],
        ["check", "pkg", ""],
        ["check", "--stdin-filename", "a.py"],
        ["check", "pkg", "--stdin-filename", "a.py"],
        ["check", "--show-suppressed"],
        ["check", "--show-suppressed", "--output-format", "json"],
        ["nonsense"],
    ],
)
def test_wrong_usage_gives_2_and_a_sentence(hostsync_in: Hostsync, args: list[str]) -> None:
    ran = hostsync_in(*args)
    assert ran.code == 2
    assert ran.err.strip()
    assert ran.out == ""


def test_a_path_that_does_not_exist_ends_the_run_before_it_starts(hostsync_in: Hostsync) -> None:
    ran = hostsync_in("check", "pkg", "gone.py", "nowhere")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "hostsync: no such file or folder: `gone.py`, `nowhere`\n"


def test_standard_input(hostsync_in: Hostsync, tmp_path: Path) -> None:
    args = ("check", "-", "--output-format=concise", "--select=HS101")
    assert hostsync_in(*args, stdin=WAITS.encode()).out.startswith("<stdin>:6:12: HS101")
    named = hostsync_in(*args, "--stdin-filename", "pkg/new.py", stdin=WAITS.encode())
    assert named.out.startswith(f"{Path('pkg', 'new.py')}:6:12: HS101")
    full = hostsync_in("check", "-", "--select=HS101", stdin=WAITS.encode()).out
    assert "6 |     return y.item()\n" in full
    (tmp_path / "pkg/hostsync.toml").write_text('per-file-ignores = {"new.py" = ["HS101"]}\n')
    assert hostsync_in(*args, "--stdin-filename", "pkg/new.py", stdin=WAITS.encode()).code == 0
    (tmp_path / "pkg/hostsync.toml").write_text('extend-exclude = ["new.py"]\nforce-exclude = true\n')
    assert hostsync_in(*args, "--stdin-filename", "pkg/new.py", stdin=WAITS.encode()).code == 0


def test_standard_input_is_judged_with_its_package(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("")
    (tmp_path / "lib" / "a.py").write_text("import torch\ndef host():\n    return torch.ones(2)\n")
    source = "import torch\nfrom .a import host\ndef f(x: torch.Tensor):\n    return host().sum().item(), x.item()\n"
    ran = hostsync_in("check", "-", "--stdin-filename=lib/b.py", "--output-format=concise", stdin=source.encode())
    assert ran.out.startswith("lib/b.py:4:33: HS101")
    assert ran.out.count("HS101") == 1


def test_notebooks(hostsync_in: Hostsync, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# title"]},
        {"cell_type": "code", "source": ["import torch\n", "%matplotlib inline"]},
        {"cell_type": "code", "source": WAITS.splitlines(keepends=True)[2:]},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    ran = hostsync_in("check", "n.ipynb", "--select=HS101")
    assert "n.ipynb:cell 2:4:12: HS101" in ran.out
    assert "4 |     return y.item()\n" in ran.out
    (entry,) = json.loads(hostsync_in("check", "n.ipynb", "--select=HS101", "--output-format=json").out)
    assert entry["location"] == {"row": 4, "column": 12, "cell": 2}


def test_a_broken_cell_of_a_notebook_leaves_the_others(hostsync_in: Hostsync, tmp_path: Path) -> None:
    waits = "def f(x):\n    return x.cuda().item()\n"
    texts = ["import torch", "def f(:\n    pass\n", waits, "y = (1,\n", "%time f(\nx)"]
    cells = [{"cell_type": "code", "source": text} for text in texts]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    for _ in ("cold", "warm"):
        ran = hostsync_in("check", "n.ipynb", "--select=HS101", "--output-format=concise")
        assert [line.split(" (")[0].split(": ")[0] for line in ran.out.splitlines()] == [
            "n.ipynb:cell 2:1:7",
            "n.ipynb:cell 3:2:12",
            "n.ipynb:cell 4:1:5",
            "n.ipynb:cell 5:2:2",
        ]
        assert (ran.code, ran.out.count("syntax-error"), ran.out.count("HS101")) == (1, 3, 1)
        assert ran.err == "Found 1 finding in 1 of 1 file. 1 file could not be scanned in full.\n"
    full = hostsync_in("check", "n.ipynb", "--select=HS101").out
    assert "\n2 |     return x.cuda().item()\n" in full


@pytest.mark.parametrize(
    "stop",
    [
        "raise SystemExit('stop run-all')",
        "x = x + 1\nraise SystemExit\nx.tolist()",
        "if x.ndim:\n    raise SystemExit\nelif x.size:\n    raise ValueError\nelse:\n    raise KeyError",
        "with torch.no_grad():\n    raise SystemExit",
        "try:\n    raise ValueError\nexcept ValueError:\n    raise SystemExit",
        "try:\n    y = 1\nfinally:\n    raise SystemExit",
    ],
)
def test_a_cell_that_raises_does_not_end_those_below(hostsync_in: Hostsync, tmp_path: Path, stop: str) -> None:
    sources = ["import torch\nx = torch.ones(3, device='cuda')", stop, "y = x.sum()\ny.item()"]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    found = hostsync_in("check", "n.ipynb", "--min-confidence=certain", "--output-format=concise", "--quiet")
    assert [line.split(" the ")[0] for line in found.out.splitlines()] == ["n.ipynb:cell 3:2:1: HS101"]
    (tmp_path / "n.py").write_text("\n".join(sources))
    assert hostsync_in("check", "n.py", "--quiet").out == ""


def test_statements_that_notebooks_time(hostsync_in: Hostsync, tmp_path: Path) -> None:
    source = (
        "import torch\nx = torch.ones((), device='cuda')\n%time v = x.item()\n%timeit -n 10 x.item()\n%store x.item()"
    )
    cells = [{"cell_type": "code", "source": source}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    found = hostsync_in("check", "n.ipynb", "--output-format=json", "--select=HS101")
    places = [(entry["location"]["row"], entry["location"]["column"]) for entry in json.loads(found.out)]
    assert places == [(3, 11), (4, 15)]
    assert "| %time v = x.item()\n" in hostsync_in("check", "n.ipynb", "--select=HS101").out


def test_what_a_cell_shows(hostsync_in: Hostsync, tmp_path: Path) -> None:
    start = "import torch\nx = torch.ones(3, device='cuda')\ny = torch.ones(3)"
    shown = ["x.sum()", "x  # all", "(x +\n 1)", "%%time\nx", "%time x", "y, x", "display(x)", "'é'; x"]
    not_shown = ["x;", "x ; # none", "%%capture\nx", "%timeit x", "%%timeit\nx", "x\n%pylab", "x?", "x.shape", "y",
                 "display(y)", "z", "if x is y:\n    x", "(x +\n 1);", "x = x + 1"]  # fmt: skip
    cells = [{"cell_type": "code", "source": source} for source in [start, *shown, *not_shown]]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    found = json.loads(hostsync_in("check", "n.ipynb", "--output-format=json").out)
    assert {entry["code"] for entry in found} == {"HS105"}
    assert [entry["location"]["cell"] for entry in found] == list(range(2, 2 + len(shown)))
    (tmp_path / "n.py").write_text("\n".join([start, *shown[:3]]))
    assert hostsync_in("check", "n.py", "--quiet").out == ""


def test_allow_comments(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path = tmp_path / "pkg/waits.py"
    path.write_text(WAITS.replace("y.item()", "y.item()  # hostsync: allow[HS101] the loss is logged"))
    allowed = hostsync_in("check", "--select", "HS101,HS9")
    assert (allowed.code, allowed.err) == (0, "No findings in 2 files (1 allowed by comments).\n")
    path.write_text("import torch\n\nx = 1  # hostsync: allow[HS101]\n")
    assert codes(hostsync_in("check", "--output-format=json").out) == ["HS901", "HS902"]


@pytest.mark.parametrize(
    "comment",
    [
        "allow[HS102 copy is meant",
        "allow[] todo",
        "allow-file[HS101 why",
        "allow(HS101) only the item",
        "ignore[HS101]",
        "disable=HS101",
        "alow[HS101] why",
    ],
)
def test_malformed_allow_comments_allow_nothing(hostsync_in: Hostsync, tmp_path: Path, comment: str) -> None:
    path = tmp_path / "pkg/waits.py"
    path.write_text(WAITS.replace("y.item()", f"y.item()  # hostsync: {comment}"))
    for _ in range(2):
        told = hostsync_in("check", "--select", "HS101,HS9", "--output-format=json")
        assert (told.code, codes(told.out)) == (1, ["HS101", "HS901"])
    assert codes(hostsync_in("check", "--select", "HS101", "--output-format=json").out) == ["HS101"]
    assert hostsync_in("check", "--select", "HS101", "--add-allow", "measured").code == 0
    assert hostsync_in("check", "--select", "HS101").code == 0


def test_a_baseline_hides_what_it_knows_of(hostsync_in: Hostsync, tmp_path: Path) -> None:
    args = ("check", "--baseline", "base.json", "--select", "HS101")
    written = hostsync_in(*args, "--update-baseline")
    assert (written.code, written.out) == (0, "")
    assert "1 in the baseline" in written.err
    data = json.loads((tmp_path / "base.json").read_text())
    assert data == {"version": 1, "files": {"pkg/waits.py": {"f": {"HS101": 1}}}}
    path = tmp_path / "pkg/waits.py"
    path.write_text("# moved\n\n" + WAITS + "\n\ndef g(x):\n    return x.cuda().item()\n")
    assert hostsync_in(*args, "--output-format=concise").out.startswith(f"{Path('pkg', 'waits.py')}:12:12")
    path.write_text("import torch\n")
    stale = hostsync_in(*args)
    assert stale.code == 0
    assert "base.json: pkg/waits.py: f: HS101: records 1, found 0" in stale.err
    hostsync_in(*args, "--update-baseline")
    assert json.loads((tmp_path / "base.json").read_text()) == {"version": 1, "files": {}}


def test_baseline_entries_of_files_that_are_gone_are_stale(hostsync_in: Hostsync, tmp_path: Path) -> None:
    for name in ("gone.py", "kept.py"):
        (tmp_path / "pkg" / name).write_text(WAITS)
    args = ("check", "--baseline", "base.json", "--select", "HS101")
    hostsync_in(*args, "--update-baseline")
    (tmp_path / "pkg/gone.py").unlink()
    stale = "base.json: pkg/gone.py: f: HS101: records 1, found 0\n"
    for paths in ((), ("pkg",), ("pkg/kept.py", "../" + tmp_path.name + "/pkg")):
        ran = hostsync_in(*args, *paths)
        assert (ran.code, ran.out) == (0, "")
        assert ran.err.count("records") == 1 and stale in ran.err
    (tmp_path / "pk").mkdir()
    assert "records" not in hostsync_in(*args, "pkg/kept.py", "pk").err
    assert "records" not in hostsync_in("check", "--baseline", "base.json", "--select", "HS2").err
    hostsync_in(*args, "pkg/kept.py", "--update-baseline")
    assert "records" not in hostsync_in(*args).err
    for path in (tmp_path / "pkg").iterdir():
        path.unlink()
    assert hostsync_in(*args).err.count("records 1, found 0") == 2
    hostsync_in(*args, "--update-baseline")
    assert json.loads((tmp_path / "base.json").read_text()) == {"version": 1, "files": {}}


def test_an_update_of_a_baseline_keeps_what_it_can_not_see(hostsync_in: Hostsync, tmp_path: Path) -> None:
    path, base = tmp_path / "pkg/waits.py", tmp_path / "base.json"
    source = WAITS + "\n\ndef g(x: torch.Tensor):\n    for _ in range(3):\n        print(x.item())\n"
    path.write_text(source)
    args = ("check", "--baseline", "base.json", "--select", "HS101,HS9", "--update-baseline")
    hostsync_in(*args)
    known = json.loads(base.read_text())
    assert known["files"] == {"pkg/waits.py": {"f": {"HS101": 1}, "g": {"HS101": 1}}}
    for options in (("--min-confidence", "certain"), ("--hot-only",), ("--per-file-ignores", "pkg/*:HS101")):
        assert "records" not in hostsync_in(*args[:-1], *options).err
        hostsync_in(*args, *options)
        assert json.loads(base.read_text()) == known
    for broken in (b"def f(:\n", b"\xff\n"):
        path.write_bytes(source.encode() + broken)
        ran = hostsync_in(*args)
        assert ran.code == 1 and "records" not in ran.err
        assert json.loads(base.read_text()) == known
    path.write_text(source.replace("x.item()", "x.sum()"))
    hostsync_in(*args, "--hot-only")
    assert json.loads(base.read_text())["files"] == {"pkg/waits.py": {"f": {"HS101": 1}}}
    (tmp_path / "pyproject.toml").write_text("[tool.hostsync]\nhot-only = true\n")
    assert "f: HS101: records 1, found 0" in hostsync_in(*args[:-1]).err


def test_add_allow(hostsync_in: Hostsync, tmp_path: Path) -> None:
    pytest.importorskip("hostsync.fix.allow")
    path = tmp_path / "pkg/waits.py"
    path.write_bytes(b"\xef\xbb\xbf" + WAITS.replace("\n", "\r\n").encode())
    ran = hostsync_in("check", "--add-allow", "known since spring")
    assert ran.code == 0
    assert "Allowed what was found in 1 file." in ran.err
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == data.count(b"\n")
    assert b"# hostsync: allow[" in data
    after = hostsync_in("check")
    assert (after.code, after.out) == (0, "")


def test_add_allow_names_the_files_whose_encoding_has_no_such_character(hostsync_in: Hostsync, tmp_path: Path) -> None:
    for name, cookie in (("ascii.py", "ascii"), ("latin.py", "latin-1")):
        (tmp_path / "pkg" / name).write_bytes(f"# coding: {cookie}\n{WAITS}".encode())
    ran = hostsync_in("check", "pkg", "--add-allow", "gewählt → bekannt")
    assert (ran.code, ran.out) == (2, "")
    said = [line for line in ran.err.splitlines() if line.startswith("hostsync: ")]
    assert said == [
        f"hostsync: {Path('pkg', 'ascii.py')}: `ä` of the reason is not in ascii, the encoding of the file; "
        "give one without it",
        f"hostsync: {Path('pkg', 'latin.py')}: `→` of the reason is not in iso-8859-1, the encoding of the file; "
        "give one without it",
    ]
    assert "Allowed what was found in 1 file." in ran.err
    assert "gewählt → bekannt" in (tmp_path / "pkg/waits.py").read_text(encoding="utf-8")
    assert b"hostsync:" not in (tmp_path / "pkg/latin.py").read_bytes()
    latin = hostsync_in("check", "pkg/latin.py", "--add-allow", "gewählt")
    assert latin.code == 0
    assert "gewählt".encode("latin-1") in (tmp_path / "pkg/latin.py").read_bytes()


def test_add_allow_reports_what_it_can_not_allow(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "pkg/broken.py").write_text("import torch\ndef f(:\n")
    broken = hostsync_in("check", "pkg", "--add-allow", "known", "--output-format=concise")
    assert broken.code == 1
    assert broken.out.startswith(f"{Path('pkg', 'broken.py')}:2:7: syntax-error")
    assert "Allowed what was found in 1 file." in broken.err
    assert "1 file could not be scanned." in broken.err
    assert hostsync_in("check", "pkg", "--add-allow", "known", "--exit-zero").code == 0
    (tmp_path / "pkg/broken.py").unlink()
    cells = [{"cell_type": "code", "source": WAITS}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    notebook = hostsync_in("check", "n.ipynb", "--select=HS101", "--add-allow", "known", "--output-format=concise")
    assert notebook.code == 1
    assert notebook.out.startswith("n.ipynb:cell 1:6:12: HS101")
    assert "n.ipynb: a notebook; comments have to be added by hand" in notebook.err
    (tmp_path / "pkg/waits.py").write_text("import torch\n\nx = 1  # hostsync: allow[HS101]\n")
    comments = hostsync_in("check", "pkg", "--add-allow", "known")
    assert (comments.code, comments.out) == (1, "")
    assert "2 findings about allow comments themselves (HS901, HS902) can't be allowed so." in comments.err


def test_show_settings_and_files(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.hostsync]\nselect = ["HS1"]\n')
    shown = hostsync_in("check", "--show-settings", "pkg")
    assert 'select = ["HS1"]' in shown.out
    assert str(tmp_path / "pyproject.toml") in shown.out
    assert "HS101" in shown.out.splitlines()[-1]
    files = hostsync_in("check", "--show-files")
    assert files.out.split() == [str(Path("pkg", "clean.py")), str(Path("pkg", "waits.py"))]
    assert files.code == 0


def test_excludes_and_force_exclude(hostsync_in: Hostsync) -> None:
    assert hostsync_in("check", "--extend-exclude", "pkg").code == 0
    assert hostsync_in("check", "--extend-exclude", "pkg", "pkg/waits.py").code == 1
    assert hostsync_in("check", "--extend-exclude", "pkg", "--force-exclude", "pkg/waits.py").code == 0


def test_own_rules(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/XY100-x.md").write_text("no front matter")
    ran = hostsync_in("check", "--extend-rules", "rules")
    assert ran.code == 2
    assert "XY100-x.md:1:" in ran.err


def test_the_cache_is_used_and_can_be_left_alone(hostsync_in: Hostsync, tmp_path: Path) -> None:
    hostsync_in("check", "--no-cache")
    assert not (tmp_path / ".hostsync_cache").exists()
    cold = hostsync_in("check")
    assert (tmp_path / ".hostsync_cache/CACHEDIR.TAG").exists()
    assert hostsync_in("check") == cold
    hostsync_in("check", "--cache-dir", "elsewhere")
    assert (tmp_path / "elsewhere").is_dir()


def test_the_cache_and_the_format_are_those_of_the_current_folder(hostsync_in: Hostsync, tmp_path: Path) -> None:
    for name in ("inner/sub", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "inner/hostsync.toml").write_text('output-format = "json"\n')
    (tmp_path / "inner/waits.py").write_text(WAITS)
    assert hostsync_in("check", "../inner", cwd=tmp_path / "elsewhere").out.count("waits.py:6:12: HS101") == 1
    assert [path.parent.name for path in tmp_path.rglob(".hostsync_cache")] == ["elsewhere"]
    assert codes(hostsync_in("check", "..", "--select=HS101", cwd=tmp_path / "inner/sub").out) == ["HS101"]
    assert (tmp_path / "inner/.hostsync_cache").is_dir() and not (tmp_path / "inner/sub/.hostsync_cache").exists()


def test_version_and_help(hostsync_in: Hostsync) -> None:
    import hostsync

    assert hostsync_in("--version").out == f"hostsync {hostsync.__version__}\n"
    about = hostsync_in("--help").out
    assert "check" in about and "..." not in about.partition("Commands:")[2]
    assert "--update-baseline" in hostsync_in("check", "--help").out
