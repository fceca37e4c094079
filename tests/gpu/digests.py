"""Digests of what was run on a GPU, kept beside its results, so that stale results are noticed. Needs no torch."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
WORKLOADS = HERE / "workloads"


def of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def of_files(*names: str) -> dict[str, str]:
    """Of each program: a file of programs/, or every module beside another one."""
    paths = [Path(name) for name in names if name.endswith(".py")]
    files = {file for path in paths for file in ([path] if path.parent == PROGRAMS else path.parent.glob("*.py"))}
    return {file.name: of_text(file.read_text(encoding="utf-8")) for file in sorted(files)}


def of_workload(package: str) -> str:
    """Of the workload of a package, with what all workloads share."""
    names = (f"{package}_uses.py", "uses.py")
    return of_text("".join((WORKLOADS / name).read_text(encoding="utf-8") for name in names))


def of_definition(path: Path, name: str) -> str:
    """Of the text of a function or a constant of a module."""
    source = path.read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        names = [getattr(node, "name", None)]
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if name in names:
            return of_text(ast.get_source_segment(source, node) or "")
    raise LookupError(f"{path.name} defines no {name}")
