"""Programs run by `launch` behave as under `python`: each is run both ways, and compared from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from signals import handled

import hostsync

LAUNCH = """\
import sys
from hostsync.runtime.launch import LaunchError, Program, execute, find, on_termination
module = sys.argv[1] == "-m"
name, *args = sys.argv[2:] if module else sys.argv[1:]
try:
    main = find(Program(name, tuple(args), module))
except LaunchError as error:
    sys.exit(f"launch: {error}")
with on_termination(lambda name: print(f"[terminated by {name}]", file=sys.stderr, flush=True)):
    ended = execute(main, tuple(args))
print(f"[{ended.code} {ended.how}]", file=sys.stderr)
raise SystemExit(ended.code)
"""
SOURCE = str(Path(hostsync.__file__).resolve().parents[1])


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "launch.py").write_text(LAUNCH, encoding="utf-8")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def command(folder: Path, launched: bool) -> list[str]:
    return [sys.executable, *([str(folder.parent / "tools" / "launch.py")] if launched else [])]


def ran(folder: Path, *args: str, launched: bool = True) -> Ran:
    env = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [*command(folder, launched), *args], cwd=folder, env=env, capture_output=True, text=True, timeout=60
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def both(folder: Path, *args: str) -> tuple[Ran, Ran]:
    """What python does, and what launch does; its own line of standard error is taken out."""
    plain, mine = ran(folder, *args, launched=False), ran(folder, *args)
    lines = [line for line in mine.err.splitlines(keepends=True) if not line.startswith("[")]
    return plain, Ran(mine.code, mine.out, "".join(lines))


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


TELL = """\
import os, sys
main = sys.modules["__main__"]
print(__name__, __file__, __package__, __doc__, main.__dict__ is globals(), sys.argv, sys.path[0])
print(__spec__ and (__spec__.name, __spec__.origin))
print(sorted(name for name in globals() if name.startswith("__")))
"""


@pytest.mark.parametrize("args", [(), ("--lr", "3", "--", "-m", "x y")])
def test_a_script_sees_what_python_shows_it(folder: Path, args: tuple[str, ...]) -> None:
    write(folder, "sub/helper.py", "value = 1\n")
    name = write(folder, "sub/tell.py", TELL + "import helper\n")
    plain, mine = both(folder, name, *args)
    assert plain.code == 0
    assert mine == plain


def test_a_module_sees_what_python_shows_it(folder: Path) -> None:
    write(folder, "pack/__init__.py", "")
    write(folder, "pack/tell.py", TELL + "from . import __name__ as above\nprint(above)\n")
    write(folder, "pack/__main__.py", TELL)
    for name in ("pack.tell", "pack"):
        plain, mine = both(folder, "-m", name, "--epochs", "2")
        assert plain.code == 0
        assert mine == plain


def test_folders_and_archives_with_a_main_run(folder: Path) -> None:
    write(folder, "app/__main__.py", "import other, sys\nprint(other.x, sys.argv, __name__, sys.path[0])\n")
    write(folder, "app/other.py", "x = 3\n")
    with zipfile.ZipFile(folder / "app.pyz", "w") as archive:
        for name in ("__main__.py", "other.py"):
            archive.write(folder / "app" / name, name)
    for name in ("app", "app.pyz"):
        plain, mine = both(folder, name, "1")
        assert plain.code == 0
        assert mine == plain


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("sys.exit()", 0),
        ("sys.exit(0)", 0),
        ("sys.exit(7)", 7),
        ("sys.exit(True)", 1),
        ("sys.exit('a message')", 1),
        ("raise SystemExit", 0),
        ("raise SystemExit(3)", 3),
        ("def f():\n    1 / 0\nf()", 1),
        ("import no_such_module_at_all", 1),
        ("sys.excepthook = lambda *a: print('hook', a[0].__name__)\nraise KeyError(1)", 1),
        ("raise ValueError('a') from KeyError('b')", 1),
        ("x = (", 1),
        ("import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()", 0),
        ("import atexit\natexit.register(print, 'at exit')", 0),
    ],
)
def test_the_end_is_the_same(folder: Path, end: str, code: int) -> None:
    name = write(folder, "end.py", f"import sys\nprint('begun')\n{end}\n")
    plain, mine = both(folder, name)
    assert plain.code == code
    assert mine.code == plain.code
    assert mine.out == plain.out
    assert mine.err == plain.err


def test_interrupt(folder: Path) -> None:
    name = write(
        folder, "interrupt.py", "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n"
    )
    mine = ran(folder, name)
    assert mine.code == 130
    assert mine.err.splitlines()[-1] == "[130 KeyboardInterrupt]"
    assert "KeyboardInterrupt\n" in mine.err


def terminated(folder: Path, text: str, number: int = signal.SIGTERM) -> Ran:
    name = write(folder, "wait.py", text)
    env = {**os.environ, "PYTHONPATH": SOURCE}
    process = subprocess.Popen(
        [*command(folder, True), name],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return Ran(process.returncode, out, err)


SLEEP = "print('ready', flush=True)\nfor _ in range(200): time.sleep(0.1)\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM of this kind")
def test_sigterm_still_ends_it_after_a_last_word(folder: Path) -> None:
    mine = terminated(
        folder, f"import time\ntry:\n    {SLEEP.replace(chr(10), chr(10) + '    ')}\nfinally: print('no')\n"
    )
    assert mine == Ran(-signal.SIGTERM, "", "[terminated by SIGTERM]\n")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
def test_a_lost_terminal_ends_it_likewise_unless_that_is_ignored(folder: Path) -> None:
    with handled(signal.SIGHUP):
        mine = terminated(folder, f"import time\n{SLEEP}", signal.SIGHUP)
    assert mine == Ran(-signal.SIGHUP, "", "[terminated by SIGHUP]\n")
    name = write(folder, "ignored.py", "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)\n")
    with handled(signal.SIGHUP, signal.SIG_IGN):
        done = ran(folder, name)
    assert (done.code, done.out) == (0, "True\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM of this kind")
def test_the_programs_own_handler_goes_first(folder: Path) -> None:
    handler = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *a: sys.exit(5))\n"
    mine = terminated(folder, handler + SLEEP)
    assert mine == Ran(5, "", "[5 ]\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_terminated_child_says_nothing(folder: Path) -> None:
    text = """\
import multiprocessing, time
context = multiprocessing.get_context("fork")
child = context.Process(target=time.sleep, args=(60,))
child.start()
time.sleep(0.3)
child.terminate()
child.join()
print(child.exitcode)
"""
    mine = ran(folder, write(folder, "parent.py", text))
    assert (mine.code, mine.out, mine.err) == (0, f"{-signal.SIGTERM}\n", "[0 ]\n")


def test_processes_started_by_spawn_find_the_program(folder: Path) -> None:
    text = """\
import multiprocessing
def double(x):
    return 2 * x
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, [1, 2]))
"""
    plain, mine = both(folder, write(folder, "spawns.py", text))
    assert plain.out == "[2, 4]\n"
    assert mine == plain


def test_the_source_is_found_after_the_program_changed_its_folder(folder: Path) -> None:
    name = write(folder, "moves.py", "import os\nos.chdir('/')\n1 / 0\n")
    plain, mine = both(folder, name)
    assert "1 / 0" in mine.err
    assert mine == plain


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nosuch.py",), "no such script: `nosuch.py`"),
        (("-m", "nosuch"), "no module named `nosuch`"),
        (("-m", "empty"), "`empty` is a package without a module `__main__`"),
        (("-m", "empty.nosuch"), "no module named `empty.nosuch`"),
        (("-m", "broken.part"), "can't find the module `broken.part`: ZeroDivisionError"),
        (("-m", "math"), "`math` has no Python code to run"),
        (("-m", "sys"), "`sys` has no Python code to run"),
        (("empty",), "`empty` has no `__main__.py`"),
    ],
)
def test_what_cannot_be_started(folder: Path, args: tuple[str, ...], said: str) -> None:
    write(folder, "empty/__init__.py", "")
    write(folder, "broken/__init__.py", "1 / 0\n")
    mine = ran(folder, *args)
    assert mine.code == 1
    assert mine.err.startswith(f"launch: {said}")
    assert "Traceback" not in mine.err


def test_time_is_not_lost(folder: Path) -> None:
    began = time.monotonic()
    assert ran(folder, write(folder, "empty.py", "")).code == 0
    assert time.monotonic() - began < 20
