"""Checks many files: looks each up in the cache, and checks the others in worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hostsync.findings import Diagnostic, Location
from hostsync.lint.ahead import hand_out, parsed_by
from hostsync.lint.check import Plan, failed, shipped_indexes
from hostsync.lint.checked import Checked
from hostsync.lint.entries import Entry, entry_of
from hostsync.lint.gathering import Memory, Project, gather, survey
from hostsync.lint.kept import BUDGET, KeptStudies
from hostsync.lint.landmarks import Rows
from hostsync.lint.orders import Linked
from hostsync.lint.remembered import Caches, Others, State
from hostsync.lint.rounds import Rounds
from hostsync.lint.sources import all_lines
from hostsync.lint.studying import Process, Result, plan_of, prepare, study_file
from hostsync.project.cache import Cache, tree_fingerprint
from hostsync.project.collection import held, sparse_collection
from hostsync.project.discovery import SourceFile
from hostsync.project.index import files_of, head_of
from hostsync.project.pool import WORTHWHILE_BYTES, run
from hostsync.project.units import NOTHING_BESIDE, Units
from hostsync.project.workers import Died, Workers, core_count

_DECIDING_ROOMS = ("catalogue", "fix", "infer", "lint", "project", "syntax")
_ASKED_IN_CACHE = 20
"""Files that tell whether a cache knows the rest."""
_NOT_KEPT = frozenset(("internal-error", "read-error"))


class Progress(NamedTuple):
    done: int
    total: int


def check_files(
    files: Sequence[SourceFile],
    *,
    workers: int = 0,
    cache: Cache | None = None,
    cache_root: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    units: Units | None = None,
    given: Mapping[Path, bytes] | None = None,
    rows: Rows | None = None,
) -> list[Checked]:
    """Checks `files`.

    Args:
        files: what to check.
        workers: number of processes; 0 stands for one per core.
        cache: where earlier results are; the new ones are put there and saved.
        cache_root: the folder that names in the cache are relative to.
        progress: is told how far it is.
        units: finds the files that belong to the same packages, so that a file is judged with all that it is used
            with. None: `files` are all there is.
        given: what to take for the content of some files, in place of what is on disk.
        rows: is told the files that take part. None: nobody but this run asks for their rows.

    Returns:
        What each file gave, in the order of `files`.

    Raises:
        catalogue.errors.CatalogueError: a rule file is wrong.
        KeyboardInterrupt: after the workers have been ended.
    """
    with sparse_collection():
        # What was kept of an earlier run may rest on other imports and settings.
        Process.studies = KeptStudies(BUDGET)
        try:
            return _check(
                files,
                workers,
                cache,
                progress,
                units,
                given or {},
                rows or rows_of(cache_root, given or {}),
                cache_root,
            )
        finally:
            Process.studies = KeptStudies(0)


def _check(
    files: Sequence[SourceFile],
    workers: int,
    cache: Cache | None,
    progress: Callable[[Progress], None] | None,
    units: Units | None,
    given: Mapping[Path, bytes],
    rows: Rows,
    cache_root: Path | None,
) -> list[Checked]:
    """As `check_files`."""

    def name_of(file: SourceFile) -> str:
        return _cache_name(file, cache_root)

    caches = None if cache is None else Caches(cache)
    with _workers(workers, {plan_of(file) for file in files}, BUDGET) as pool:
        is_new = cache is None or cache.is_new()
        is_ahead = pool.count > 1 and is_new and sum(file.size for file in files) >= WORTHWHILE_BYTES
        if is_ahead:
            # This process has yet to read the files and to find out who imports whom.
            _parse_ahead(pool, files, given, name_of)
        entries, around = survey(files, units, name_of, given, None if caches is None else caches.stamps)
        rows.names.update(entry.key for entry in entries)
        marks: dict[Plan, bytes] = {}

        def mark_of(file: SourceFile) -> bytes:
            plan = plan_of(file)
            if plan not in marks:
                marks[plan] = fingerprint(plan) if cache is not None else b""
            return marks[plan]

        state = State(entries, mark_of, around) if caches is not None else None
        if caches is not None and state is not None:
            kept = _last_run(caches, state, files, units, name_of)
            if kept is not None:
                caches.stamps.save()
                rows.names.update(kept.names)
                return rows.located(kept.checked)
        if not is_ahead and pool.count > 1 and _is_anew(entries, caches):
            is_ahead = True
            _parse_ahead(pool, [entry.file for entry in entries], given, name_of)
        memory = None if caches is None else Memory(caches.outlines, caches.graphs, caches.stamps, mark_of)
        project = gather(entries, units, name_of, memory)
        rows.names.update(entry.key for entry in project.entries)
        known = 0

        def done(count: int) -> None:
            if progress is not None:
                progress(Progress(known + count, known + len(order.chosen)))

        callers = _callers(project, len(files)) if units is not None else range(len(files))
        order = Linked(project, range(len(files)), callers, mark_of, caches)
        if is_ahead:
            order.homes.update({project.places[key]: worker for key, worker in parsed_by(pool).items()})
        results = run(order.jobs(), study_file, workers=pool, done=done, order=order)
        final = dict(zip(order.chosen, results, strict=True))
        rounds = Rounds(order)
        while (again := rounds.news()) is not None:
            found = run(again.jobs(), study_file, workers=pool, order=again)
            rounds.take(again.places, found)
            final.update(zip(again.places, found, strict=True))
        pool.dismiss()
        order.keep()
        rounds.keep()
        if caches is not None and state is not None:
            counts = {place: len(handed) for place, handed in rounds.handed.items()}
            if rounds.is_true:
                beside = project.entries[len(entries) :]
                where = NOTHING_BESIDE if units is None else units.found()
                others = Others(where, state.digest_of(beside), tuple(entry.key for entry in beside))
                caches.remember(state, others, files, order.keys, rounds.keys, counts)
            caches.save()
        held(entries, project, caches, state, order, rounds, results, final, Process.studies)
        return rows.located(_checked(final[place]) for place in range(len(files)))


class _LastRun(NamedTuple):
    checked: list[Checked]
    names: tuple[str, ...]
    """The unique names of files of other packages that took part."""


def _last_run(
    caches: Caches,
    state: State,
    files: Sequence[SourceFile],
    units: Units | None,
    name_of: Callable[[SourceFile], str],
) -> _LastRun | None:
    """What an earlier run over the same files gave, if neither they nor what they were judged with changed."""
    others = caches.others(state)
    if others is None:
        return None
    beside = [] if units is None else units.again(others.found)
    if beside is None:
        return None
    entries = [entry_of(file, name_of(file), None, caches.stamps) for file in beside]
    if state.digest_of(entries) != others.digest:
        return None
    checked = caches.last_run(state, files)
    return None if checked is None else _LastRun(checked, others.keys)


def interfaces(
    files: Sequence[SourceFile],
    name_of: Callable[[SourceFile], str],
    *,
    workers: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Project, dict[str, str]]:
    """What all of `files` offer to others, whether anyone among them asks for it or not.

    Args:
        files, workers, progress: as for `check_files`.
        name_of: gives a file its unique name.

    Returns:
        The project that they make, and by unique name the interfaces, as JSON. A file without any has none.
    """
    project = gather(survey(files, None, name_of, {})[0], None, name_of, None, is_aided=False)
    everything = {entry.key: ("*",) for entry in project.entries}
    project = project._replace(graph=project.graph._replace(asked=everything))
    plans = {plan_of(file) for file in files}

    def done(count: int) -> None:
        if progress is not None:
            progress(Progress(count, len(files)))

    order = Linked(project, range(len(files)), (), lambda _: b"", None)
    # Nothing is studied a second time here.
    with _workers(workers, plans, 0) as pool:
        results = run(order.jobs(), study_file, workers=pool, done=done, order=order)
    found = {}
    for place, result in zip(order.chosen, results, strict=True):
        if not isinstance(result, Died) and result.interface is not None:
            found[project.entries[place].key] = result.interface
    return project, found


def _workers(count: int, plans: Collection[Plan], budget: int) -> Workers:
    count = count or core_count()
    return Workers(count, partial(prepare, tuple(plans), budget // count))


def _parse_ahead(
    pool: Workers, files: Sequence[SourceFile], given: Mapping[Path, bytes], name_of: Callable[[SourceFile], str]
) -> None:
    """Starts the workers, and lets them parse."""
    pool.start()
    hand_out(pool, [file for file in files if file.path not in given] if given else files, name_of)


def _is_anew(entries: Sequence[Entry], caches: Caches | None) -> bool:
    """Whether there is much to do, and no earlier run that has done most of it."""
    if sum(entry.file.size for entry in entries) < WORTHWHILE_BYTES:
        return False
    return caches is None or not any(caches.outlines.knows(entry) for entry in entries[:_ASKED_IN_CACHE])


def _callers(project: Project, count: int) -> list[int]:
    """The files of the same packages as the first `count`, these included: all whose calls count."""
    units = set(project.units[:count])
    return [place for place, unit in enumerate(project.units) if unit in units]


def _checked(result: Result | Died) -> Checked:
    if isinstance(result, Died):
        return failed("the process that checked this file died (out of memory, or out of stack)")
    return result.checked


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
    shipped = shipped_indexes()
    files += files_of(path for path in plan.indexes if path != shipped)
    heads = [head_of(path) for path in files_of([shipped])] if shipped in plan.indexes else []
    about = f"{__version__} {platform.python_implementation()} {platform.python_version()} {plan.torch_version}"
    return b"\n".join([about.encode(), *heads]) + tree_fingerprint(file for file in files if file.is_file())


def rows_of(root: Path | None, given: Mapping[Path, bytes]) -> Rows:
    """The rows of the files of a project, which are named as in its cache.

    Args:
        root: the folder that the names are relative to.
        given: what to take for the content of some files.
    """

    def lines_of(name: str) -> list[str]:
        from hostsync.syntax.text import SourceError

        path = Path(name) if root is None else root / name
        try:
            return all_lines(given[path] if path in given else path.read_bytes(), name)
        except (OSError, SourceError):
            return []

    return Rows(lines_of)


def _cache_name(file: SourceFile, root: Path | None) -> str:
    path = str(file.path)
    prefix = "" if root is None else str(root) + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if prefix and path.startswith(prefix) else path.replace(os.sep, "/")


def unreadable(entries: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Diagnostics for the folders (name, reason) that could not be looked at."""
    return tuple(Diagnostic("read-error", name, Location(1, 1), f"can't be read: {why}") for name, why in entries)
