"""Checks many files: looks each up in the cache, and checks the others in worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hostsync.findings import Diagnostic, Location
from hostsync.lint.check import (
    NOTEBOOK_SUFFIX,
    Plan,
    check_source,
    failed,
    load_catalogue,
    rules_by_code,
    study_source,
)
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.linking import Project, Told, gather, library, receive
from hostsync.project.cache import Cache, Plain, digest, tree_fingerprint
from hostsync.project.discovery import SourceFile
from hostsync.project.pool import Died, Job, Order, run
from hostsync.project.units import Units

_DECIDING_ROOMS = ("catalogue", "fix", "infer", "lint", "project", "syntax")
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
    wanted: tuple[str, ...]
    """The names that others ask for."""


class _Result(NamedTuple):
    checked: Checked
    """Empty if it comes from the cache and nobody asks for it."""
    interface: str | None
    """As JSON; None if there is none, or it is in the cache."""
    digest: str
    """Of all that others can know through the interface; empty if there is none, or it is to be worked out."""
    mentions: tuple[str, ...]
    """The other modules that the interface speaks of."""
    is_kept: bool
    """It comes from the cache."""


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
    units: Units | None = None,
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

    Returns:
        What each file gave, in the order of `files`.

    Raises:
        catalogue.errors.CatalogueError: a rule file is wrong.
        KeyboardInterrupt: after the workers have been ended.
    """
    outlines = None if cache is None else cache.of_kind("outlines")
    project = gather(files, units, lambda file: _cache_name(file, cache_root), outlines)
    plans = {plan_of(entry.file) for entry in project.entries}
    marks = {plan: fingerprint(plan) if cache is not None else b"" for plan in plans}
    order = _Linked(project, range(len(files)), marks, cache)
    chosen = order.chosen

    def prepare() -> None:
        for plan in plans:
            _warm_up(plan)

    def done(count: int) -> None:
        if progress is not None:
            progress(Progress(count, len(chosen)))

    jobs = [Job(order.task(place), project.entries[place].file.size + 1) for place in chosen]
    results = run(jobs, _study_file, workers=workers, prepare=prepare, done=done, order=order)
    checked = [_checked(results[order.job[place]]) for place in range(len(files))]
    order.keep(results)
    for kept in (cache, outlines, order.interfaces):
        if kept is not None:
            kept.save()
    return checked


def _checked(result: _Result | Died) -> Checked:
    if isinstance(result, Died):
        return failed("the process that checked this file died (out of memory, or out of stack)")
    return result.checked


class _Linked(Order[_Result]):
    """Files are studied after those that they import, and are told what these offer."""

    def __init__(
        self, project: Project, asked: Iterable[int], marks: Mapping[Plan, bytes], cache: Cache | None
    ) -> None:
        self._project = project
        self._marks = marks
        self._cache = cache
        self.interfaces = None if cache is None else cache.of_kind("interfaces")
        self._run = os.urandom(8).hex()
        self._asked = frozenset(asked)
        self.chosen = self._needed(asked)
        """What is to be studied, as places among the entries of the project."""
        self.job = {place: index for index, place in enumerate(self.chosen)}
        self._results: dict[int, _Result] = {}
        self._keys: dict[int, str] = {}

    def _needed(self, asked: Iterable[int]) -> list[int]:
        """The files that are asked for, and all that they need."""
        chosen = dict.fromkeys(asked)
        waiting = list(chosen)
        while waiting:
            for other in self._before(waiting.pop()):
                if other not in chosen:
                    chosen[other] = None
                    waiting.append(other)
        return list(chosen)

    def _before(self, place: int) -> list[int]:
        need = self._project.graph.needs.get(self._project.entries[place].key)
        return [] if need is None else [self._project.places[key] for key in need.modules]

    def task(self, place: int) -> _Task:
        """What a worker needs to know of a file."""
        entry = self._project.entries[place]
        need = self._project.graph.needs.get(entry.key)
        return _Task(
            entry.file.path,
            entry.file.module,
            plan_of(entry.file),
            entry.key,
            entry.content,
            () if need is None else need.targets,
            self._project.graph.asked.get(entry.key, ()),
        )

    def after(self, index: int) -> Collection[int]:
        return [self.job[place] for place in self._before(self.chosen[index])]

    def known(self, index: int) -> _Result | None:
        if self._cache is None:
            return None
        place = self.chosen[index]
        key = self._keys[place] = self._key(place)
        data = self._cache.get(self._project.entries[place].key, key)
        match data:
            case [plain, str(known), [*names]]:
                checked: Checked | None = Checked()
                if place in self._asked:
                    rules = rules_by_code(self._project.entries[place].file.settings.extend_rules)
                    checked = from_plain(plain, rules)
                mentions = tuple(str(name) for name in names)
                return None if checked is None else _Result(checked, None, known, mentions, True)
        return None

    def _key(self, place: int) -> str:
        """The digest of all that decides what comes out for a file."""
        entry = self._project.entries[place]
        task = self.task(place)
        known = [self._results[other] for other in self._before(place) if other in self._results]
        about = [task.module, entry.file.path.suffix, entry.content, *task.wanted]
        about += [f"{written}={target}" for written, target in task.targets]
        about += [result.digest for result in known]
        return digest(self._marks[task.plan], *(part.encode("utf-8", errors="surrogateescape") for part in about))

    def finished(self, index: int, result: _Result | Died) -> None:
        place = self.chosen[index]
        if not isinstance(result, Died):
            self._results[place] = result._replace(digest=self._told(result)) if result.interface else result

    def _told(self, result: _Result) -> str:
        """The digest of an interface and of those that it speaks of."""
        parts = [result.interface or "", *(self._digest(name) for name in result.mentions)]
        return digest(b"", *(part.encode("utf-8", errors="surrogateescape") for part in parts))

    def _digest(self, key: str) -> str:
        place = self._project.places.get(key)
        held = None if place is None else self._results.get(place)
        return "" if held is None else held.digest

    def shared(self, indexes: Sequence[int]) -> object:
        texts: dict[str, str] = {}
        waiting = [other for index in indexes for other in self._before(self.chosen[index])]
        while waiting:
            place = waiting.pop()
            key = self._project.entries[place].key
            result = self._results.get(place)
            if key in texts or result is None or not result.digest:
                continue
            texts[key] = self._text(place, result)
            waiting += [self._project.places[name] for name in result.mentions if name in self._project.places]
        return Told(self._run, texts)

    def _text(self, place: int, result: _Result) -> str:
        if result.interface is None:
            assert self.interfaces is not None
            data = self.interfaces.get(self._project.entries[place].key, result.digest)
            kept = result._replace(interface=data if isinstance(data, str) else None)
            if self._told(kept) != result.digest:
                # The cache is damaged, or a part of it was deleted.
                receive(self.shared([self.job[place]]))
                kept = _study_file(self.task(place))
            result = self._results[place] = kept._replace(digest=result.digest)
        return result.interface or "null"

    def receive(self) -> Callable[[object], None]:
        return receive

    def keep(self, results: Sequence[_Result | Died]) -> None:
        """Puts what is new into the caches."""
        if self._cache is None or self.interfaces is None:
            return
        for place, result in self._results.items():
            key = self._project.entries[place].key
            if result.is_kept or not _is_kept(result.checked) or place not in self._keys:
                continue
            plain: Plain = [to_plain(result.checked), result.digest, list(result.mentions)]
            self._cache.put(key, self._keys[place], plain)
            if result.interface is not None:
                self.interfaces.put(key, result.digest, result.interface)


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


def _study_file(task: _Task) -> _Result:
    try:
        source = task.path.read_bytes()
    except OSError as error:
        message = f"can't be read: {error.strerror or error}"
        return _result(Checked(diagnostics=(Diagnostic("read-error", "", Location(1, 1), message),)), None)
    links = None
    wanted = None
    if task.targets or task.wanted:
        from hostsync.infer import Wanted
        from hostsync.infer.links import Links

        links = Links(dict(task.targets), library()) if task.targets else None
        wanted = Wanted(task.key, task.wanted) if task.wanted else None
    suffix = _suffix(task.path)
    studied = study_source(source, task.module, task.plan, suffix=suffix, links=links, wanted=wanted)
    return _result(studied.checked, studied.interface)


def _result(checked: Checked, interface: Plain) -> _Result:
    if not isinstance(interface, dict):
        return _Result(checked, None, "", (), False)
    import json

    mentions = interface["mentions"]
    assert isinstance(mentions, list)
    text = json.dumps(interface, separators=(",", ":"), sort_keys=True)
    return _Result(checked, text, "", tuple(str(name) for name in mentions), False)


def _suffix(path: Path) -> str:
    return NOTEBOOK_SUFFIX if path.suffix.lower() == NOTEBOOK_SUFFIX else ".py"


def unreadable(entries: Iterable[tuple[str, str]]) -> tuple[Diagnostic, ...]:
    """Diagnostics for the folders (name, reason) that could not be looked at."""
    return tuple(Diagnostic("read-error", name, Location(1, 1), f"can't be read: {why}") for name, why in entries)
