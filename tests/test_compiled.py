"""What compiled wheels have of mypyc: written for it, and, with `-m long`, no different from the sources.

    pytest -n0 -o faulthandler_timeout=0 -m long tests/test_compiled.py

builds such a wheel (minutes; needs a C compiler and a registry) and compares what it finds with what
the sources find, on the annotated cases and on HOSTSYNC_LONG_PACKAGE if that names a folder.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
BUILTINS = {"dict", "list", "set", "frozenset", "tuple", "str", "int", "float"}


def compiled_modules() -> list[Path]:
    """The modules that the hook in pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    named = [ROOT / path.lstrip("/") for path in hook["include"]]
    assert all(path.exists() for path in named), named
    modules = {module for path in named for module in ([path] if path.is_file() else path.rglob("*.py"))}
    return sorted(modules - {ROOT / path.lstrip("/") for path in hook["exclude"]})


def nested_functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, ast.FunctionDef]]:
    """The functions with a name inside of others, each after that which it stands in."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef):
            for inner in ast.walk(outer):
                if isinstance(inner, ast.FunctionDef) and inner is not outer:
                    yield outer, inner


def test_modules_are_named_that_exist() -> None:
    assert len(compiled_modules()) > 20


@pytest.mark.parametrize("path", compiled_modules(), ids=lambda path: path.stem)
def test_nothing_in_a_compiled_module_acts_otherwise_or_leaks_when_compiled(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for outer, inner in nested_functions(tree):
        # Compiled, such a function and what it sees hold each other for good, as workers collect no circles. One that
        # is made while its module is imported and handed on is made once.
        made = {node.value.id for node in ast.walk(outer) if is_returned_name(node)}
        assert inner.name in made, f"{path.name}:{inner.lineno}: {inner.name} is defined inside {outer.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            # Compiled code calls the methods of a builtin type itself, not those that override them.
            bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
            assert not bases & BUILTINS, f"{path.name}:{node.lineno}: {node.name} is derived from a builtin type"


@pytest.mark.parametrize("path", compiled_modules(), ids=lambda path: path.stem)
def test_constants_of_a_compiled_module_are_looked_up_without_a_dictionary(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = [
        (target.id, node)
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and not target.id.startswith("__")
    ]
    for name, node in assigned:
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        is_type = "TypeAlias" in annotation or "TypeVar(" in ast.unparse(node)
        assert is_type or annotation.startswith("Final"), f"{path.name}:{node.lineno}: {name}"


def is_returned_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) and isinstance(node.value, ast.Name)


def findings(python: Path, folder: Path, path: Path) -> list[object]:
    """What `hostsync check` of an interpreter finds in a folder; `folder` is where it is run."""
    command = [python, "-m", "hostsync", "check", path, "--isolated", "--no-cache", "--output-format", "json"]
    options = ["--min-confidence", "possible", "--exit-zero"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with a compiled wheel."""
    folder = tmp_path_factory.mktemp("compiled")
    # Of a copy: hatch-mypyc moves pyproject.toml away while it builds.
    source = folder / "source"
    for name in ("src", "rules"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", folder, source]
    subprocess.run(build, env={**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "1"}, check=True)
    (wheel,) = folder.glob("hostsync-*.whl")
    assert not wheel.name.endswith("none-any.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True)
    where = "import hostsync.infer.frame as m; print(m.__file__)"
    module = subprocess.run([python, "-c", where], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert not module.strip().endswith(".py")
    return python


@pytest.mark.long
def test_a_compiled_wheel_finds_the_same(compiled: Path, tmp_path: Path) -> None:
    packages = [CASES, ROOT / "docs" / "example"]
    if "HOSTSYNC_LONG_PACKAGE" in os.environ:
        packages.append(Path(os.environ["HOSTSYNC_LONG_PACKAGE"]))
    for package in packages:
        plain = findings(Path(sys.executable), tmp_path, package)
        assert len(plain) > 10
        assert findings(compiled, tmp_path, package) == plain
