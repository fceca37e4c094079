"""Checks many files: looks each up in the cache, and checks the others in worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hostsync.findings import Diagnostic, Location
from hostsync.lint.check import NOTEBOOK_SUFFIX, Plan, check_source, failed, load_catalogue, rules_by_code
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.project.cache import Cache, Plain, digest, tree_fingerprint
from hostsync.project.discovery import SourceFile
from hostsync.project.pool import Died, Job, run

_DECIDING_ROOMS = ("catalogue", "fix", "infer", "lint", "syntax")
_NOT_KEPT = frozenset(("internal-error", "read-error"))


class Progress(NamedTuple):
    done: int
    total: int


class _Task(NamedTuple):
    """One file for a worker."""

    path: Path
    module: str
    plan: Plan
    fingerprint: bytes
    """Empty when nothing is kept."""


class _Result(NamedTuple):
    key: str
    checked: Checked


def plan_of(file: SourceFile) -> Plan:
    """What decides the outcome of checking `file`."""
    return Plan(file.settings.extend_rules, file.settings.torch_version, file.settings.ops)


def check_files(
    files: Sequence[SourceFile],
    *,
    workers: int = 0,
    cache: Cache | None = None,
    cache_root: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[Checked]:
    """Checks `files`.

    Args:
        files: what to check.
        workers: number of processes; 0 stands for one per core.
        cache: where earlier results are; the new ones are put there and saved.
        cache_root: the folder that names in the cache are relative to.
        progress: is told how far it is.

    Returns:
        What each file gave, in the order of `files`.

    Raises:
        catalogue.errors.CatalogueError: a rule file is wrong.
        KeyboardInterrupt: after the workers have been ended.
    """
    fingerprints = {plan: fingerprint(plan) if cache is not None else b"" for plan in {plan_of(f) for f in files}}
    found: dict[int, Checked] = {}
    if cache is not None:
        for index, file in enumerate(files):
            kept = _look_up(file, cache, cache_root, fingerprints[plan_of(file)])
            if kept is not None:
                found[index] = kept
    rest = [index for index in range(len(files)) if index not in found]
    jobs = []
    for index in rest:
        file, plan = files[index], plan_of(files[index])
        jobs.append(Job(_Task(file.path, file.module, plan, fingerprints[plan]), file.size + 1))
    plans = set(fingerprints)
    kept_count = len(found)

    def prepare() -> None:
        for plan in plans:
            _warm_up(plan)

    def done(count: int) -> None:
        if progress is not None:
            progress(Progress(kept_count + count, len(files)))

    for index, result in zip(rest, run(jobs, _check_file, workers=workers, prepare=prepare, done=done), strict=True):
        if isinstance(result, Died):
            found[index] = failed("the process that checked this file died (out of memory, or out of stack)")
            continue
        found[index] = result.checked
        if cache is not None and _is_kept(result.checked):
            cache.put(_cache_name(files[index], cache_root), result.key, to_plain(result.checked))
    if cache is not None:
        cache.save()
    return [found[index] for index in range(len(files))]


def fingerprint(plan: Plan) -> bytes:
    """A digest of all that decides an outcome besides the source: the tool's code, its knowledge and the plan."""
    import platform

    from hostsync import __version__
    from hostsync.catalogue.location import rules_dir

    package = Path(__file__).resolve().parents[1]
    files = [package / "facts.py", package / "findings.py"]
    for room in _DECIDING_ROOMS:
        files += sorted((package / room).rglob("*.py"))
    for folder, pattern in [(rules_dir(), "*.md"), (rules_dir() / "ops", "*.toml")]:
        files += sorted(folder.glob(pattern))
    for folder in plan.extend_rules:
        files += sorted(folder.glob("*.md"))
    for path in plan.ops:
        files += sorted(path.glob("*.toml")) if path.is_dir() else [path]
    about = f"{__version__} {platform.python_implementation()} {platform.python_version()} {plan.torch_version}"
    return about.encode() + tree_fingerprint(file for file in files if file.is_file())


def _look_up(file: SourceFile, cache: Cache, root: Path | None, mark: bytes) -> Checked | None:
    try:
        source = file.path.read_bytes()
    except OSError:
        return None
    data: Plain = cache.get(_cache_name(file, root), _key(mark, file.module, file.path.suffix, source))
    if data is None:
        return None
    return from_plain(data, rules_by_code(file.settings.extend_rules))


def _key(mark: bytes, module: str, suffix: str, source: bytes) -> str:
    return digest(mark, module.encode("utf-8", errors="surrogateescape"), suffix.encode(), source)


def _cache_name(file: SourceFile, root: Path | None) -> str:
    path = str(file.path)
    prefix = "" if root is None else str(root) + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if prefix and path.startswith(prefix) else path.replace(os.sep, "/")


def _is_kept(checked: Checked) -> bool:
    return _NOT_KEPT.isdisjoint(diagnostic.kind for diagnostic in checked.diagnostics)


def _warm_up(plan: Plan) -> None:
    """Imports and loads what a check needs."""
    check_source(b"import torch\ntorch.zeros(1).item()\n", "", plan)
    load_catalogue(plan.extend_rules, plan.ops)


def _check_file(task: _Task) -> _Result:
    try:
        source = task.path.read_bytes()
    except OSError as error:
        message = f"can't be read: {error.strerror or error}"
        return _Result("", Checked(diagnostics=(Diagnostic("read-error", "", Location(1, 1), message),)))
    key = _key(task.fingerprint, task.module, task.path.suffix, source) if task.fingerprint else ""
    return _Result(key, check_source(source, task.module, task.plan, suffix=_suffix(task.path)))


def _suffix(path: Path) -> str:
    return NOTEBOOK_SUFFIX if path.suffix.lower() == NOTEBOOK_SUFFIX else ".py"


def unreadable(entries: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Diagnostics for the folders (name, reason) that could not be looked at."""
    return tuple(Diagnostic("read-error", name, Location(1, 1), f"can't be read: {why}") for name, why in entries)
