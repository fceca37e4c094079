"""Runs the tool as its users do: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import hostsync

WAITS = "import torch\n\n\ndef f(x):\n    y = x.cuda()\n    return y.item()\n"
"""A source with one finding, on row 6."""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Hostsync = Callable[..., Ran]


def environment(**more: str) -> dict[str, str]:
    """The environment of a run: the package under test, no colours."""
    source = str(Path(hostsync.__file__).resolve().parents[1])
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": source, "PYTHONIOENCODING": "utf-8", **more}


def path_without_torch(folder: Path) -> str:
    """A PYTHONPATH that hides torch; makes a folder in `folder`."""
    site = folder / "without_torch"
    site.mkdir()
    hidden = "import sys\nclass No:\n    def find_spec(self, name, *a):\n"
    hidden += "        if name == 'torch':\n            raise ModuleNotFoundError('No torch', name='torch')\n"
    (site / "sitecustomize.py").write_text(f"{hidden}sys.meta_path.insert(0, No())\n", encoding="utf-8")
    return os.pathsep.join((str(site), environment()["PYTHONPATH"]))


@pytest.fixture
def hostsync_in(tmp_path: Path) -> Hostsync:
    """Runs `hostsync` with arguments, in the temporary folder."""

    def run(*args: str, stdin: bytes = b"", cwd: Path = tmp_path, **env: str) -> Ran:
        command = [sys.executable, "-m", "hostsync", *args]
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, env=environment(**env), timeout=120)
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err, err
        return Ran(done.returncode, out.replace("\r\n", "\n"), err.replace("\r\n", "\n"))

    return run
