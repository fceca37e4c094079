"""Imports point one way between the rooms of the package, and nothing heavy is imported where it is not needed."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import hostsync

PACKAGE = Path(hostsync.__file__).resolve().parent
ROOT = Path(__file__).resolve().parents[1]

ROOMS: dict[str, frozenset[str]] = {
    "facts": frozenset(),
    "findings": frozenset(),
    "catalogue": frozenset(),
    "syntax": frozenset({"facts"}),
    "infer": frozenset({"facts", "findings", "catalogue"}),
    "project": frozenset({"facts"}),
    "fix": frozenset({"facts", "findings", "syntax"}),
    "report": frozenset({"findings"}),
    "lint": frozenset({"facts", "findings", "catalogue", "syntax", "infer", "project"}),
    "cli": frozenset(
        {
            "facts",
            "findings",
            "catalogue",
            "syntax",
            "infer",
            "project",
            "fix",
            "report",
            "lint",
            "runtime",
            "confirm",
            "calibrate",
        }
    ),
    "runtime": frozenset({"findings", "catalogue", "report", "syntax"}),
    "confirm": frozenset({"findings", "catalogue", "report", "runtime"}),
    "pytest_plugin": frozenset({"catalogue", "lint", "project", "report", "runtime"}),
    "calibrate": frozenset({"catalogue", "runtime"}),
    "__main__": frozenset({"cli"}),
    "__init__": frozenset({"runtime"}),
}
"""What each room may import of the others; every room may import itself and the version."""

OUTSIDE: dict[str, frozenset[str]] = {
    "torch": frozenset({"calibrate", "runtime"}),
    "numpy": frozenset({"calibrate"}),
    "libcst": frozenset({"syntax", "fix"}),
    "click": frozenset({"cli"}),
    "pathspec": frozenset({"project"}),
    "pytest": frozenset({"pytest_plugin"}),
    "tomli": frozenset({"calibrate", "catalogue", "project"}),
}
"""The packages that are no part of Python, and the rooms that may import them."""


class Import(NamedTuple):
    room: str
    file: str
    row: int
    module: str


@cache
def imports() -> tuple[Import, ...]:
    """Every import of the package, those inside functions and by `import_module` included."""
    return tuple(_imports())


def _imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        room = relative.parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in modules_of(node):
                yield Import(room, relative.as_posix(), getattr(node, "lineno", 0), module)


def modules_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        assert node.module is not None
        if node.module == "hostsync":
            return [f"hostsync.{alias.name}" for alias in node.names]
        return [node.module]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("import_module", "__import__"):
            return [str(node.args[0].value)]
    return []


def test_every_room_is_listed() -> None:
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
    }
    assert rooms <= set(ROOMS)


def test_the_rooms_can_be_put_in_an_order() -> None:
    left = dict(ROOMS)
    while left:
        ready = [room for room, needs in left.items() if not needs & set(left)]
        assert ready, f"a circle among {sorted(left)}"
        for room in ready:
            del left[room]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    wrong = []
    for found in imports():
        parts = found.module.split(".")
        if found.room != room or parts[0] != "hostsync":
            continue
        target = parts[1] if len(parts) > 1 else "__init__"
        if target not in ROOMS[room] | {room, "__version__"}:
            wrong.append(f"{found.file}:{found.row} imports {found.module}")
    assert not wrong


def test_packages_from_outside_are_imported_where_they_may_be() -> None:
    wrong = []
    for found in imports():
        package = found.module.partition(".")[0]
        if package in {"hostsync", "tomllib"} or package in sys.stdlib_module_names:
            continue
        if found.room not in OUTSIDE.get(package, frozenset()):
            wrong.append(f"{found.file}:{found.row} imports {found.module}")
    assert not wrong


MOST_ROWS = 560
TABLES = {"calibrate/samples.py"}
"""Files that are one long table."""


def test_modules_are_small() -> None:
    long = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MOST_ROWS
    }
    assert long == TABLES


def test_the_map_of_inference_names_what_is_there() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = guide.partition("## Transfer functions")[2].partition("\n## ")[0]
    named = {name for name in re.findall(r"`([a-z_/]+(?:/|\.py))`", section) if not name.startswith("docs/")}
    assert named
    assert not [name for name in named if not (PACKAGE / "infer" / name).exists()]
    rooms = {f"{path.parent.name}/" for path in (PACKAGE / "infer").glob("*/__init__.py")}
    assert rooms <= named


# --- what a process has imported -----------------------------------------------------------------

PROGRAM = """\
import json, sys
{body}
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
RUN = """\
from hostsync.cli import main
try:
    main({arguments!r})
except SystemExit as end:
    assert end.code == {code}, end.code
"""
WAITS = "import torch\n\n\ndef f(x):\n    y = x.cuda()\n    return y.item()\n"


def modules_loaded(body: str, cwd: Path) -> set[str]:
    """The modules that a process has imported after `body`."""
    command = [sys.executable, "-c", PROGRAM.format(body=body)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_import_hostsync_imports_nothing_but_a_little_of_python(tmp_path: Path) -> None:
    loaded = modules_loaded("import hostsync", tmp_path)
    assert {name for name in loaded if name.startswith("hostsync")} == {"hostsync"}
    packages = {name.partition(".")[0] for name in loaded - modules_loaded("", tmp_path)}
    assert packages <= {"hostsync", *sys.stdlib_module_names}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["rules"], 0),
        (["explain", "HS302"], 0),
        (["check", "plain.py", "--jobs", "1"], 1),
        (["check", "plain.py", "--jobs", "1", "--output-format", "json", "--no-cache"], 1),
        (["check", "plain.ipynb", "--jobs", "1"], 1),
    ],
    ids=str,
)
def test_commands_import_neither_torch_nor_libcst(arguments: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(WAITS, encoding="utf-8")
    cell = {"cell_type": "code", "source": WAITS, "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "plain.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    found = modules_loaded(RUN.format(arguments=arguments, code=code), tmp_path)
    assert found.isdisjoint({"torch", "libcst", "numpy"})
