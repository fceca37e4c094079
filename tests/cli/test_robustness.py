"""What can be wrong with files, folders, workers and terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import WAITS, Hostsync, environment


def kinds(out: str) -> dict[str, str]:
    return {Path(entry["filename"]).name: entry["name"] for entry in json.loads(out)}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_files_are_told_and_the_rest_is_scanned(hostsync_in: Hostsync, tmp_path: Path, jobs: str) -> None:
    files = {
        "empty.py": b"",
        "syntax.py": b"import torch\ndef f(:\n",
        "indent.py": b"import torch\n\tif x:\n  y\n",
        "nul.py": b"import torch\n\0",
        "latin.py": b"import torch\n# caf\xe9\n",
        "cookie.py": b"# coding: no-such-thing\nimport torch\n",
        "declared.py": b"# coding: latin-1\nimport torch\n# caf\xe9\n",
        "binary.py": b"\x7fELF torch " + bytes(range(256)) * 20,
        "utf16.py": "import torch\n".encode("utf-16"),
        "deep.py": b"import torch\nx = " + b"(" * 1000 + b")" * 1000 + b"\n",
        "deeper.py": b"import torch\nx = " + b"-" * 50_000 + b"1\n",
        "chain.py": b"import torch\nx = y" + b".a" * 20_000 + b"\n",
        "sum.py": b"import torch\nx = 1" + b" + torch" * 20_000 + b"\n",
        "json.ipynb": b'{"torch"',
        "list.ipynb": b'["torch"]',
        "cut.ipynb": b'{"cells": [',
        "nothing.ipynb": b"",
        "plain.ipynb": b'{"cells": [{"cell_type": "code", "source": "x = 1"}]}',
        "mac.py": WAITS.replace("\n", "\r").encode(),
        "generated.py": b"import torch\n" + b"x = torch.zeros(3)\n" * 50_000,
        "waits.py": WAITS.encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    ran = hostsync_in("check", "--output-format=json", "--jobs", jobs, "--select=HS101")
    found = kinds(ran.out)
    assert "internal-error" not in found.values(), ran.out
    assert ran.code == 1
    assert found["waits.py"] == found["mac.py"] == "item-read-back"
    for name in ("syntax.py", "indent.py"):
        assert found[name] == "syntax-error"
    for name in ("nul.py", "latin.py", "cookie.py", "binary.py"):
        assert found[name] == "decode-error"
    for name in ("json.ipynb", "list.ipynb", "cut.ipynb", "nothing.ipynb"):
        assert found[name] == "notebook-error"
    assert not {"empty.py", "declared.py", "generated.py", "plain.ipynb"} & set(found)
    assert "could not be scanned" in ran.err


def test_names_with_odd_characters(hostsync_in: Hostsync, tmp_path: Path) -> None:
    try:
        (tmp_path / "a\x1b[31mb.py").write_text(WAITS)
        (tmp_path / os.fsdecode(b"c\xff.py")).write_text(WAITS)
    except OSError:
        pytest.skip("this file system takes no such names")
    for _ in ("cold", "warm"):
        ran = hostsync_in("check", "--output-format=concise", "--select=HS101")
        assert [line.split(":")[0] for line in ran.out.splitlines()] == ["a\\x1b[31mb.py", "c\\xff.py"]


def test_symlink_loops(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/waits.py").write_text(WAITS)
    try:
        (tmp_path / "a/b").symlink_to(tmp_path / "a", target_is_directory=True)
        (tmp_path / "a/loop.py").symlink_to(tmp_path / "a/loop.py")
    except OSError:
        pytest.skip("no symbolic links here")
    assert len(json.loads(hostsync_in("check", "--output-format=json", "--select=HS101").out)) == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs files that can't be read")
def test_unreadable_files_and_folders(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "locked.py").write_text(WAITS)
    (tmp_path / "dir").mkdir()
    (tmp_path / "locked.py").chmod(0)
    (tmp_path / "dir").chmod(0)
    try:
        found = kinds(hostsync_in("check", "--output-format=json", "--select=HS101").out)
    finally:
        (tmp_path / "dir").chmod(0o755)
    assert found == {"waits.py": "item-read-back", "locked.py": "read-error", "dir": "read-error"}


def lock(path: Path) -> None:
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("whoever runs this may read everything")


def test_unreadable_paths_that_are_given(hostsync_in: Hostsync, tmp_path: Path) -> None:
    """Each is reported, and the others are scanned."""
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "secret.py").write_text(WAITS)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inside.py").write_text(WAITS)
    lock(tmp_path / "secret.py")
    lock(tmp_path / "folder")
    args = ("waits.py", "secret.py", "folder", "folder/inside.py")
    try:
        ran = hostsync_in("check", *args, "--output-format=json", "--select=HS101")
        settings = hostsync_in("check", "folder/inside.py", "--show-settings")
        missing = hostsync_in("check", "folder/inside.py", "gone.py")
    finally:
        (tmp_path / "folder").chmod(0o755)
    assert kinds(ran.out) == {
        "waits.py": "item-read-back",
        "secret.py": "read-error",
        "folder": "read-error",
        "inside.py": "read-error",
    }
    assert (ran.code, settings.code) == (1, 0)
    assert (missing.code, missing.err) == (2, "hostsync: no such file or folder: `gone.py`\n")


@pytest.mark.skipif(sys.platform == "win32", reason="makes a named pipe")
def test_a_pipe_that_nobody_writes_to(hostsync_in: Hostsync, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "waits.py").write_text(WAITS)
    ran = hostsync_in("check", "pipe.py", "waits.py", "--output-format=json", "--select=HS101")
    assert (ran.code, kinds(ran.out)) == (1, {"pipe.py": "read-error", "waits.py": "item-read-back"})
    assert "neither a file nor a folder" in ran.out


def in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    shell = ["sh", "-c", f"'{sys.executable}' -m hostsync {command}"]
    return subprocess.run(shell, cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)


def many(folder: Path, count: int = 60) -> None:
    for number in range(count):
        (folder / f"m{number:03d}.py").write_text("import torch\n" + "# padding\n" * (number * 40) + WAITS)


def test_the_number_of_jobs_and_the_cache_change_nothing(hostsync_in: Hostsync, tmp_path: Path) -> None:
    many(tmp_path)
    runs = [
        hostsync_in("check", "--no-cache", "--jobs=1"),
        hostsync_in("check", "--no-cache", "--jobs=2"),
        hostsync_in("check", "--jobs=2"),
        hostsync_in("check", "--jobs=1"),
    ]
    assert runs[0].code == 1
    assert runs[1:] == runs[:1] * 3


def test_a_damaged_cache_changes_nothing(hostsync_in: Hostsync, tmp_path: Path) -> None:
    many(tmp_path, 20)
    cold = hostsync_in("check")
    shards = list((tmp_path / ".hostsync_cache").glob("*.shard"))
    assert shards
    for number, shard in enumerate(shards):
        data = shard.read_bytes()
        spoilt = data.replace(b"HS101", b"HS999").replace(b".py", b".px")
        shard.write_bytes([data[: len(data) // 2], b"\0" * 100, spoilt][number % 3])
    assert hostsync_in("check") == cold
    assert hostsync_in("check") == cold


def test_a_change_of_a_file_is_seen(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WAITS)
    assert hostsync_in("check").code == 1
    stat = (tmp_path / "a.py").stat()
    (tmp_path / "a.py").write_text(WAITS.replace(".item()", ".shape "))
    os.utime(tmp_path / "a.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert hostsync_in("check", "--select=HS101").code == 0


def test_a_changed_import_is_seen(hostsync_in: Hostsync, tmp_path: Path) -> None:
    """What is kept of the imports of all files holds for none of them alone."""
    helper = "import torch\ndef pick(x: torch.Tensor):\n    return {}\n"
    (tmp_path / "device.py").write_text(helper.format("x.sum()"))
    (tmp_path / "host.py").write_text(helper.format("x.shape[0]"))
    use = "import torch\nfrom {} import pick\ndef f():\n    return int(pick(torch.ones(3, device='cuda')))\n"
    (tmp_path / "between.py").write_text("from device import pick\n")
    for source, via, waits in [
        ("device", "device", 1),
        ("host", "device", 0),
        ("between", "device", 1),
        ("between", "host", 0),
        ("between", "device", 1),
    ]:
        (tmp_path / "a.py").write_text(use.format(source))
        (tmp_path / "between.py").write_text(f"from {via} import pick\n")
        cached = hostsync_in("check", "a.py", "--output-format=concise", "--select=HS103")
        assert len(cached.out.splitlines()) == waits
        assert hostsync_in("check", "a.py", "--output-format=concise", "--select=HS103", "--no-cache") == cached


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    many(tmp_path)
    command = [sys.executable, "-m", "hostsync", "check", "--quiet"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)


@pytest.mark.parametrize("command", ["rules", "check", "explain HS101", "check --why m000.py:6"])
def test_a_reader_that_is_gone_is_no_error(tmp_path: Path, command: str) -> None:
    many(tmp_path, 2)
    read, write = os.pipe()
    os.close(read)
    run = [sys.executable, "-m", "hostsync", *command.split()]
    done = subprocess.run(run, cwd=tmp_path, env=environment(), stdout=write, stderr=subprocess.PIPE, timeout=120)
    os.close(write)
    assert done.returncode == (1 if command == "check" else 0)
    assert b"defect" not in done.stderr and b"Exception" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="redirects as a POSIX shell does")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check a.py >&-", "hostsync: the output can't be written: standard output is closed"),
        ("rules >&-", "hostsync: the output can't be written: standard output is closed"),
        ("check - <&-", "hostsync: standard input is closed"),
        ("check a.py > /dev/full", "hostsync: the output can't be written: No space left on device"),
        ("check --why a.py:6 > /dev/full", "hostsync: the output can't be written: No space left on device"),
        ("rules > /dev/full", "hostsync: the output can't be written: No space left on device"),
        ("explain HS101 > /dev/full", "hostsync: the output can't be written: No space left on device"),
    ],
)
def test_streams_that_can_not_be_used(tmp_path: Path, command: str, said: str) -> None:
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "a.py").write_text(WAITS)
    done = in_shell(command, tmp_path)
    assert (done.returncode, done.stderr) == (2, f"{said}\n")


@pytest.mark.skipif(sys.platform == "win32", reason="redirects as a POSIX shell does")
def test_a_closed_output_that_nobody_writes_to(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WAITS)
    done = in_shell("check a.py -q -o found.txt --select=HS101 >&-", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "HS101" in (tmp_path / "found.txt").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_cleanly(tmp_path: Path, jobs: str) -> None:
    body = "\n".join(f"def f{n}(x):\n    for i in x:\n        y = x.cuda() + i\n    return y" for n in range(400))
    for number in range(400):
        (tmp_path / f"m{number}.py").write_text(f"import torch\n{body}\n")
    command = [sys.executable, "-m", "hostsync", "check", "--jobs", jobs, "--no-cache"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        time.sleep(1.5)
        assert process.poll() is None, "the scan was over before it could be interrupted"
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.decode().strip() == "hostsync: interrupted"
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_wrong_encoding_of_the_output_is_no_error(hostsync_in: Hostsync, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WAITS.replace("y.item()", "y.item()  # ж日"), encoding="utf-8")
    ran = hostsync_in("check", "--select=HS101", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.code == 1
    assert "\\u0436\\u65e5" in ran.out


def test_a_profiler_sees_the_end_of_the_process(tmp_path: Path) -> None:
    """Without one the process ends at once, and frees nothing first."""
    (tmp_path / "waits.py").write_text(WAITS, encoding="utf-8")
    told = "import atexit; atexit.register(print, 'end seen')"
    (tmp_path / "sitecustomize.py").write_text(told, encoding="utf-8")
    env = environment()
    env["PYTHONPATH"] = os.pathsep.join((str(tmp_path), env["PYTHONPATH"]))
    arguments = ["hostsync", "check", "waits.py", "--isolated", "--no-cache"]
    outputs = []
    for options in (["-m"], ["-m", "cProfile", "-m"]):
        command = [sys.executable, *options, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env, timeout=120)
        assert "waits.py:6:12: HS101" in done.stdout, done
        outputs.append(done.stdout)
    plain, profiled = outputs
    assert "end seen" not in plain
    assert "function calls" in profiled and "end seen" in profiled
