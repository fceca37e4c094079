"""Checks many files: looks each up in the cache, and checks the others in worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from hostsync.findings import Diagnostic, Location
from hostsync.lint.check import (
    NOTEBOOK_SUFFIX,
    Plan,
    Studied,
    check_source,
    failed,
    indexes_of,
    load_catalogue,
    rules_by_code,
    study_source,
)
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.gathering import Entry, Memory, Project, content_digest, gather, survey
from hostsync.lint.kept import BUDGET, KeptStudies
from hostsync.lint.linking import Told, library, receive, unmeasured
from hostsync.project.cache import Cache, Plain, digest, encoded, tree_fingerprint
from hostsync.project.collection import sparse_collection
from hostsync.project.discovery import SourceFile
from hostsync.project.index import files_of, load_indexes
from hostsync.project.pool import WORTHWHILE_BYTES, Job, Order, run
from hostsync.project.units import Units
from hostsync.project.workers import HERE, Died, Workers, core_count

_DECIDING_ROOMS = ("catalogue", "fix", "infer", "lint", "project", "syntax")
_ASKED_IN_CACHE = 20
"""Files that tell whether a cache knows the rest."""
_NOT_KEPT = frozenset(("internal-error", "read-error"))


class Progress(NamedTuple):
    done: int
    total: int


class _Task(NamedTuple):
    """One file for a worker."""

    path: Path
    module: str
    plan: Plan
    key: str
    """The unique name of the file."""
    content: str
    """The digest of what it held when the run began."""
    targets: tuple[tuple[str, str], ...]
    wanted: tuple[str, ...] | None
    """The names that others ask for; None if nothing of it is to be known any more."""
    handed: str = ""
    """What callers hand in, as JSON; empty for nothing."""
    given: bytes | None = None
    """What to take for the content of the file."""
    is_aided: bool = True
    """It may ask indexes."""


class _Result(NamedTuple):
    checked: Checked
    """Empty if it comes from the cache and nobody asks for it."""
    interface: str | None
    """As JSON; None if there is none, or it is in the cache."""
    told: str | None
    """What it tells of others by the way it calls them, as JSON; as `interface`."""
    told_digest: str
    digest: str
    """Of all that others can know through the interface; empty if there is none, or it is to be worked out."""
    mentions: tuple[str, ...]
    """The other modules that the interface speaks of."""
    is_kept: bool
    """It comes from the cache."""


def plan_of(file: SourceFile) -> Plan:
    """What decides the outcome of checking `file`."""
    settings = file.settings
    return Plan(settings.extend_rules, settings.torch_version, settings.ops, indexes_of(settings.index))


def check_files(
    files: Sequence[SourceFile],
    *,
    workers: int = 0,
    cache: Cache | None = None,
    cache_root: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    units: Units | None = None,
    given: Mapping[Path, bytes] | None = None,
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

    Returns:
        What each file gave, in the order of `files`.

    Raises:
        catalogue.errors.CatalogueError: a rule file is wrong.
        KeyboardInterrupt: after the workers have been ended.
    """
    with sparse_collection():
        # What was kept of an earlier run may rest on other imports and settings.
        _Process.studies = KeptStudies(BUDGET)
        try:
            return _check(files, workers, cache, cache_root, progress, units, given or {})
        finally:
            _Process.studies = KeptStudies(0)


def _check(
    files: Sequence[SourceFile],
    workers: int,
    cache: Cache | None,
    cache_root: Path | None,
    progress: Callable[[Progress], None] | None,
    units: Units | None,
    given: Mapping[Path, bytes],
) -> list[Checked]:
    """As `check_files`."""

    def name_of(file: SourceFile) -> str:
        return _cache_name(file, cache_root)

    caches = None if cache is None else _Caches(cache)
    with _workers(workers, {plan_of(file) for file in files}, BUDGET) as pool:
        if pool.count > 1 and (cache is None or cache.is_new()) and sum(f.size for f in files) >= WORTHWHILE_BYTES:
            # While this process reads the files and finds out who imports whom, they get ready.
            pool.start()
        entries, around = survey(files, units, name_of, given)
        marks: dict[Plan, bytes] = {}

        def mark_of(file: SourceFile) -> bytes:
            plan = plan_of(file)
            if plan not in marks:
                marks[plan] = fingerprint(plan) if cache is not None else b""
            return marks[plan]

        state = _State(entries, mark_of, around) if caches is not None else None
        if caches is not None and state is not None:
            kept = caches.last_run(state, files)
            if kept is not None:
                return kept
        if pool.count > 1 and _is_anew(entries, caches):
            pool.start()
        memory = None if caches is None else Memory(caches.outlines, caches.graphs, mark_of)
        project = gather(entries, units, name_of, memory)
        known = 0

        def done(count: int) -> None:
            if progress is not None:
                progress(Progress(known + count, known + len(order.chosen)))

        callers = _callers(project, len(files)) if units is not None else range(len(files))
        order = _Linked(project, range(len(files)), callers, mark_of, caches)
        results = run(order.jobs(), _study_file, workers=pool, done=done, order=order)
        handed = order.handed()
        final = [results[order.job[place]] for place in range(len(files))]
        if handed:
            known = len(order.chosen)
            again = _Handed(order, handed)
            second = run(again.jobs(), _study_file, workers=pool, order=again)
            for place, result in zip(again.places, second, strict=True):
                final[place] = result
            again.keep(second)
        order.keep(results)
        if caches is not None and state is not None:
            finals = {place: again.keys[place] for place in again.keys} if handed else {}
            caches.remember(state, len(project.entries), files, order.keys, finals)
            caches.save()
        return [_checked(result) for result in final]


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

    order = _Linked(project, range(len(files)), (), lambda _: b"", None)
    # Nothing is studied a second time here.
    with _workers(workers, plans, 0) as pool:
        results = run(order.jobs(), _study_file, workers=pool, done=done, order=order)
    found = {}
    for place, result in zip(order.chosen, results, strict=True):
        if not isinstance(result, Died) and result.interface is not None:
            found[project.entries[place].key] = result.interface
    return project, found


def _workers(count: int, plans: Collection[Plan], budget: int) -> Workers:
    count = count or core_count()
    return Workers(count, partial(_prepare, tuple(plans), budget // count))


def _is_anew(entries: Sequence[Entry], caches: _Caches | None) -> bool:
    """Whether there is much to do, and no earlier run that has done most of it."""
    if sum(entry.file.size for entry in entries) < WORTHWHILE_BYTES:
        return False
    return caches is None or not any(caches.outlines.get(e.key, e.content) for e in entries[:_ASKED_IN_CACHE])


def _callers(project: Project, count: int) -> list[int]:
    """The files of the same packages as the first `count`, these included: all whose calls count."""
    units = set(project.units[:count])
    return [place for place, unit in enumerate(project.units) if unit in units]


class _State:
    """What a run over the same files would have to find unchanged to give the same."""

    def __init__(self, entries: Sequence[Entry], mark_of: Callable[[SourceFile], bytes], around: str) -> None:
        self.keys = tuple(entry.key for entry in entries)
        ordered = sorted(entries, key=lambda entry: entry.key)
        self.family = digest(b"", *(encoded(entry.key) for entry in ordered))
        parts = [encoded(part) for entry in ordered for part in (entry.key, entry.file.module, entry.content)]
        marks = [mark_of(entry.file) for entry in ordered]
        self.digest = digest(encoded(around), *parts, *marks)
        """Of the content of all files, and of all else that decides."""


class _Caches:
    """What is kept between runs."""

    def __init__(self, cache: Cache) -> None:
        self.results = cache
        """Of a file with what it imports."""
        self.handed = cache.of_kind("handed")
        """Of a file with what its callers hand in as well."""
        self.outlines = cache.of_kind("outlines")
        self.graphs = cache.of_kind("graphs", 1)
        """Of all files that are known, by a digest of their outlines."""
        self.interfaces = cache.of_kind("interfaces")
        self.told = cache.of_kind("told")
        self.evidence = cache.of_kind("evidence", 1)
        """What callers hand in, by a digest of all that they tell."""
        self.runs = cache.of_kind("runs", 1)
        """Under which keys the files of a run are kept, by a digest of all that decides."""

    def save(self) -> None:
        first = (self.outlines, self.graphs, self.interfaces, self.told, self.evidence)
        for kept in (*first, self.handed, self.results, self.runs):
            kept.save()

    def last_run(self, state: _State, files: Sequence[SourceFile]) -> list[Checked] | None:
        """What an earlier run over the same files gave, if nothing has changed since."""
        kept = self.runs.get(state.family, state.digest)
        if not isinstance(kept, dict):
            return None
        found = []
        for file, name in zip(files, state.keys, strict=False):
            match kept.get(name):
                case [bool(is_handed), str(key)]:
                    data = (self.handed if is_handed else self.results).get(name, key)
                case _:
                    return None
            plain = data if is_handed else data[0] if isinstance(data, list) and data else None
            checked = None if data is None else from_plain(plain, rules_by_code(file.settings.extend_rules))
            if checked is None:
                return None
            found.append(checked)
        return found

    def remember(
        self,
        state: _State,
        count: int,
        files: Sequence[SourceFile],
        keys: Mapping[int, str],
        handed: Mapping[int, str],
    ) -> None:
        """Notes under which keys the results of a run are kept."""
        if count != len(state.keys):
            # Files of other packages took part, whose content the digest leaves out.
            return
        kept = self.runs.get(state.family, state.digest)
        entries: dict[str, Plain] = dict(kept) if isinstance(kept, dict) else {}
        for place in range(len(files)):
            key = handed.get(place, keys.get(place))
            if key is not None:
                entries[state.keys[place]] = [place in handed, key]
        self.runs.put(state.family, state.digest, entries)


def _checked(result: _Result | Died) -> Checked:
    if isinstance(result, Died):
        return failed("the process that checked this file died (out of memory, or out of stack)")
    return result.checked


class _Linked(Order[_Result]):
    """Files are studied after those that they import, and are told what these offer."""

    def __init__(
        self,
        project: Project,
        asked: Iterable[int],
        callers: Iterable[int],
        mark_of: Callable[[SourceFile], bytes],
        caches: _Caches | None,
    ) -> None:
        self.project = project
        self.mark_of = mark_of
        self.caches = caches
        self._run = os.urandom(8).hex()
        self.asked = frozenset(asked)
        self.callers = frozenset(callers)
        self.chosen = self._needed([*sorted(self.asked), *sorted(self.callers)])
        """What is to be studied, as places among the entries of the project."""
        self.job = {place: index for index, place in enumerate(self.chosen)}
        self.results: dict[int, _Result] = {}
        self.keys: dict[int, str] = {}
        self.homes: dict[int, int] = {}
        """Of each file that a worker studied, which one."""
        self._told: dict[int, set[str]] = {}
        """By worker, the interfaces that it has been told."""

    @cached_property
    def _needs(self) -> tuple[tuple[int, ...], ...]:
        """What each file needs first, as places among the entries of the project."""
        needs, places = self.project.graph.needs, self.project.places
        found = (needs.get(entry.key) for entry in self.project.entries)
        return tuple(() if need is None else tuple([places[key] for key in need.modules]) for need in found)

    def jobs(self) -> list[Job[_Task]]:
        return [Job(self.task(place), self.project.entries[place].file.size + 1) for place in self.chosen]

    def handed(self) -> dict[int, Plain]:
        """What callers hand to the functions of the files that are asked for, by file."""
        groups: dict[str, list[int]] = {}
        for place in sorted(self.callers):
            groups.setdefault(self.project.units[place], []).append(place)
        found: dict[int, Plain] = {}
        for places in groups.values():
            found.update(self._handed_in(places))
        return {place: handed for place, handed in found.items() if place in self.asked}

    def _handed_in(self, places: Sequence[int]) -> dict[int, Plain]:
        """What callers hand in, inside one package or folder."""
        keys = {place: self.project.entries[place].key for place in places if place in self.results}
        about = [part for place in sorted(keys) for part in (keys[place], self.results[place].told_digest)]
        mark = digest(b"", *(encoded(part) for part in about))
        name = min(keys.values(), default="")
        kept = None if self.caches is None else self.caches.evidence.get(name, mark)
        if not isinstance(kept, dict):
            kept = self._evidence(keys)
            if self.caches is not None:
                self.caches.evidence.put(name, mark, kept)
        return {self.project.places[key]: handed for key, handed in kept.items()}

    def _evidence(self, keys: Mapping[int, str]) -> dict[str, Plain]:
        import json

        from hostsync.lint.callers import evidence, is_test

        told: dict[str, Plain] = {}
        for place, key in keys.items():
            result = self.results[place]
            text = result.told
            if result.is_kept and result.told_digest and self.caches is not None:
                data = self.caches.told.get(key, result.told_digest)
                text = data if isinstance(data, str) and digest(b"", encoded(data)) == result.told_digest else None
                if text is None:
                    # The cache is damaged, or a part of it was deleted.
                    receive(self.shared([self.job[place]], HERE))
                    text = _study_file(self.task(place)).told
            if text:
                told[key] = json.loads(text)
        files = ((key, self.project.entries[place].file) for place, key in keys.items())
        tests = frozenset(key for key, file in files if is_test(file.path.name, file.module))
        return evidence(told, told, tests)

    def _needed(self, asked: Iterable[int]) -> list[int]:
        """The files that are asked for, and all that they need."""
        chosen = dict.fromkeys(asked)
        waiting = list(chosen)
        while waiting:
            for other in self._needs[waiting.pop()]:
                if other not in chosen:
                    chosen[other] = None
                    waiting.append(other)
        return list(chosen)

    def task(self, place: int) -> _Task:
        """What a worker needs to know of a file."""
        entry = self.project.entries[place]
        need = self.project.graph.needs.get(entry.key)
        return _Task(
            entry.file.path,
            entry.file.module,
            plan_of(entry.file),
            entry.key,
            entry.content,
            () if need is None else need.targets,
            self.project.graph.asked.get(entry.key, ()),
            given=entry.given,
            is_aided=self.project.is_aided,
        )

    def after(self, index: int) -> Collection[int]:
        return [self.job[place] for place in self._needs[self.chosen[index]]]

    def known(self, index: int) -> _Result | None:
        if self.caches is None:
            return None
        place = self.chosen[index]
        key = self.keys[place] = self._key(place)
        data = self.caches.results.get(self.project.entries[place].key, key)
        match data:
            case [plain, str(known), [*names], str(told)]:
                checked: Checked | None = Checked()
                if place in self.asked:
                    rules = rules_by_code(self.project.entries[place].file.settings.extend_rules)
                    checked = from_plain(plain, rules)
                mentions = tuple(str(name) for name in names)
                return None if checked is None else _Result(checked, None, None, told, known, mentions, True)
        return None

    def _key(self, place: int) -> str:
        """The digest of all that decides what comes out for a file."""
        entry = self.project.entries[place]
        need = self.project.graph.needs.get(entry.key)
        known = [self.results[other].digest for other in self._needs[place] if other in self.results]
        asked = self.project.graph.asked.get(entry.key, ())
        targets = () if need is None else map("=".join, need.targets)
        about = (entry.file.module, entry.content, *map("\n".join, (asked, targets, known)))
        return digest(self.mark_of(entry.file), *map(encoded, about))

    def finished(self, index: int, result: _Result | Died, worker: int) -> None:
        place = self.chosen[index]
        if worker != HERE:
            self.homes[place] = worker
        if not isinstance(result, Died):
            self.results[place] = result._replace(digest=self._digest_of(result)) if result.interface else result

    def _digest_of(self, result: _Result) -> str:
        """The digest of an interface and of those that it speaks of."""
        parts = [result.interface or "", *(self._digest(name) for name in result.mentions)]
        return digest(b"", *(encoded(part) for part in parts))

    def _digest(self, key: str) -> str:
        place = self.project.places.get(key)
        held = None if place is None else self.results.get(place)
        return "" if held is None else held.digest

    def shared(self, indexes: Sequence[int], worker: int, more: Iterable[int] = ()) -> object:
        told = self._told.setdefault(worker, set())
        seen: set[str] = set()
        texts: dict[str, str] = {}
        waiting = [*more, *(other for index in indexes for other in self._needs[self.chosen[index]])]
        while waiting:
            place = waiting.pop()
            key = self.project.entries[place].key
            result = self.results.get(place)
            if key in seen or result is None or not result.digest:
                continue
            seen.add(key)
            if key not in told:
                told.add(key)
                texts[key] = self._text(place, result)
            waiting += [self.project.places[name] for name in result.mentions if name in self.project.places]
        return Told(self._run, texts)

    def _text(self, place: int, result: _Result) -> str:
        if result.interface is None:
            assert self.caches is not None
            data = self.caches.interfaces.get(self.project.entries[place].key, result.digest)
            kept = result._replace(interface=data if isinstance(data, str) else None)
            if self._digest_of(kept) != result.digest:
                # The cache is damaged, or a part of it was deleted.
                receive(self.shared([self.job[place]], HERE))
                kept = _study_file(self.task(place))
            result = self.results[place] = kept._replace(digest=result.digest)
        return result.interface or "null"

    def receive(self) -> Callable[[object], None]:
        return receive

    def keep(self, results: Sequence[_Result | Died]) -> None:
        """Puts what is new into the caches."""
        if self.caches is None:
            return
        for place, result in self.results.items():
            key = self.project.entries[place].key
            if result.is_kept or not _is_kept(result.checked) or place not in self.keys:
                if not result.is_kept:
                    self.keys.pop(place, None)
                continue
            plain: Plain = [to_plain(result.checked), result.digest, [*result.mentions], result.told_digest]
            self.caches.results.put(key, self.keys[place], plain)
            if result.interface is not None:
                self.caches.interfaces.put(key, result.digest, result.interface)
            if result.told is not None:
                self.caches.told.put(key, result.told_digest, result.told)


class _Handed(Order[_Result]):
    """Files are studied anew where their callers tell something of their functions."""

    def __init__(self, first: _Linked, handed: Mapping[int, Plain]) -> None:
        import json

        from hostsync.lint.callers import mentioned

        self._first = first
        self.places = sorted(handed)
        keys = {place: mentioned(handed[place]) for place in self.places}
        self._mentioned = {
            place: [first.project.places[key] for key in sorted(keys[place]) if key in first.project.places]
            for place in self.places
        }
        """The files that have the classes of what is handed in."""
        self._texts = {place: json.dumps(handed[place], sort_keys=True) for place in self.places}
        self.keys: dict[int, str] = {}

    def jobs(self) -> list[Job[_Task]]:
        entries = self._first.project.entries
        return [
            Job(self._first.task(place)._replace(handed=self._texts[place]), entries[place].file.size + 1)
            for place in self.places
        ]

    def known(self, index: int) -> _Result | None:
        place = self.places[index]
        caches = self._first.caches
        if caches is None or place not in self._first.keys:
            return None
        results = [self._first.results.get(other) for other in self._mentioned[place]]
        about = (self._first.keys[place], self._texts[place], *(one.digest for one in results if one is not None))
        key = self.keys[place] = digest(b"", *map(encoded, about))
        entry = self._first.project.entries[place]
        checked = from_plain(caches.handed.get(entry.key, key), rules_by_code(entry.file.settings.extend_rules))
        return None if checked is None else _Result(checked, None, None, "", "", (), True)

    def home(self, index: int) -> int | None:
        return self._first.homes.get(self.places[index])

    def shared(self, indexes: Sequence[int], worker: int) -> object:
        places = [self.places[index] for index in indexes]
        more = [other for place in places for other in self._mentioned[place]]
        return self._first.shared([self._first.job[place] for place in places], worker, more)

    def receive(self) -> Callable[[object], None]:
        return receive

    def keep(self, results: Sequence[_Result | Died]) -> None:
        """Puts what is new into the cache."""
        caches = self._first.caches
        for place, result in zip(self.places, results, strict=True):
            if caches is None or isinstance(result, Died) or not _is_kept(result.checked):
                self.keys.pop(place, None)
                self._first.keys.pop(place, None)
            elif not result.is_kept and place in self.keys:
                caches.handed.put(self._first.project.entries[place].key, self.keys[place], to_plain(result.checked))


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
    files += files_of(plan.indexes)
    about = f"{__version__} {platform.python_implementation()} {platform.python_version()} {plan.torch_version}"
    return about.encode() + tree_fingerprint(file for file in files if file.is_file())


def _cache_name(file: SourceFile, root: Path | None) -> str:
    path = str(file.path)
    prefix = "" if root is None else str(root) + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if prefix and path.startswith(prefix) else path.replace(os.sep, "/")


def _is_kept(checked: Checked) -> bool:
    return _NOT_KEPT.isdisjoint(diagnostic.kind for diagnostic in checked.diagnostics)


class _Process:
    """What this process keeps between the files that it studies."""

    studies = KeptStudies(0)


def _prepare(plans: Sequence[Plan], budget: int) -> None:
    """Imports and loads what a check needs, in a worker."""
    _Process.studies = KeptStudies(budget)
    for plan in plans:
        check_source(b"import torch\ntorch.zeros(1).item()\n", "", plan)
        load_catalogue(plan.extend_rules, plan.ops)
        load_indexes(plan.indexes)


def _study_file(task: _Task) -> _Result:
    import json

    try:
        source = task.path.read_bytes() if task.given is None else task.given
    except OSError as error:
        message = f"can't be read: {error.strerror or error}"
        return _result(Studied(Checked(diagnostics=(Diagnostic("read-error", "", Location(1, 1), message),))))
    from hostsync.infer import Wanted
    from hostsync.infer.links import Links

    indexes = load_indexes(task.plan.indexes)
    is_aided = indexes is not None and task.is_aided and task.module.partition(".")[0] != "torch"
    named = indexes.resolve if indexes is not None and is_aided else None
    links = Links(unmeasured(task.targets, task.module, task.plan), library(), named)
    wanted = None if task.wanted is None else Wanted(task.key, task.wanted)
    handed = json.loads(task.handed) if task.handed else None
    content = content_digest(source)
    followed = _Process.studies.take(task.key, content) if task.handed else None
    suffix = _suffix(task.path)
    studied = study_source(
        source, task.module, task.plan, suffix=suffix, links=links, wanted=wanted, handed=handed, followed=followed
    )
    if studied.followed is not None and wanted is not None and _may_be_told(studied.told, wanted.names):
        _Process.studies.put(task.key, content, studied.followed, len(source))
    return _result(studied)


def _may_be_told(told: Plain, names: Collection[str]) -> bool:
    """Whether callers in other files are likely to tell something of the functions of a file."""
    match told:
        case [_, _, dict(functions), _, _, list(loaded), _, _]:
            return bool(loaded) or any("*" in names or str(symbol).partition(".")[0] in names for symbol in functions)
    return False


def _result(studied: Studied) -> _Result:
    import json

    interface, told = studied.interface, studied.told
    about = None if told is None or not any(told) else json.dumps(told, separators=(",", ":"), sort_keys=True)
    mark = "" if about is None else digest(b"", encoded(about))
    if not isinstance(interface, dict):
        return _Result(studied.checked, None, about, mark, "", (), False)
    mentions = interface["mentions"]
    assert isinstance(mentions, list)
    text = json.dumps(interface, separators=(",", ":"), sort_keys=True)
    return _Result(studied.checked, text, about, mark, "", tuple(str(name) for name in mentions), False)


def _suffix(path: Path) -> str:
    return NOTEBOOK_SUFFIX if path.suffix.lower() == NOTEBOOK_SUFFIX else ".py"


def unreadable(entries: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Diagnostics for the folders (name, reason) that could not be looked at."""
    return tuple(Diagnostic("read-error", name, Location(1, 1), f"can't be read: {why}") for name, why in entries)
