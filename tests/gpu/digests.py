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


def of_definition(path: Path, *names: str) -> str:
    """Of the text of functions and constants of a module, in the order asked for."""
    source = path.read_text(encoding="utf-8")
    texts: dict[str, str] = {}
    for node in ast.parse(source).body:
        defined = [getattr(node, "name", None)]
        if isinstance(node, ast.Assign):
            defined = [target.id for target in node.targets if isinstance(target, ast.Name)]
        texts.update((name, ast.get_source_segment(source, node) or "") for name in defined if name in names)
    missing = [name for name in names if name not in texts]
    if missing:
        raise LookupError(f"{path.name} defines no {', '.join(missing)}")
    return of_text("".join(texts[name] for name in names))
