"""In which order the files of a project are studied first, what each is told of others, and what is known already."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hostsync.lint.check import rules_by_code
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.gathering import Project
from hostsync.lint.linking import Told, receive
from hostsync.lint.offers import SEPARATOR, offered, resolved
from hostsync.lint.remembered import Caches
from hostsync.lint.studying import Result, Task, plan_of, study_file
from hostsync.project.cache import Plain, digest, encoded
from hostsync.project.discovery import SourceFile
from hostsync.project.pool import Job, Order
from hostsync.project.workers import HERE, Died

if TYPE_CHECKING:
    from hostsync.lint.callers.heard import Arrived

_NOT_KEPT = frozenset(("internal-error", "read-error"))


class Linked(Order[Result]):
    """Files are studied after those that they import, and are told what these offer."""

    def __init__(
        self,
        project: Project,
        asked: Iterable[int],
        callers: Iterable[int],
        mark_of: Callable[[SourceFile], bytes],
        caches: Caches | None,
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
        self.results: dict[int, Result] = {}
        self.keys: dict[int, str] = {}
        self.homes: dict[int, int] = {}
        """Of each file that a worker studied, which one."""
        self._offered: dict[str, str] = {}
        """By target, as `offered` gives it."""
        self._is_kept = False
        self._told: dict[int, set[str]] = {}
        """By worker, the interfaces that it has been told."""

    @cached_property
    def arrived(self) -> Arrived:
        from hostsync.lint.callers.heard import Arrived

        return Arrived()

    @cached_property
    def _needs(self) -> tuple[tuple[int, ...], ...]:
        """What each file needs first, as places among the entries of the project."""
        needs, places = self.project.graph.needs, self.project.places
        found = (needs.get(entry.key) for entry in self.project.entries)
        return tuple(() if need is None else tuple([places[key] for key in need.modules]) for need in found)

    def jobs(self) -> list[Job[Task]]:
        return [Job(self.task(place), self.project.entries[place].file.size + 1) for place in self.chosen]

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

    def task(self, place: int) -> Task:
        """What a worker needs to know of a file."""
        entry = self.project.entries[place]
        need = self.project.graph.needs.get(entry.key)
        return Task(
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

    def known(self, index: int) -> Result | None:
        if self.caches is None:
            return None
        place = self.chosen[index]
        key = self.keys[place] = self._key(place)
        data = self.caches.results.get(self.project.entries[place].key, key)
        match data:
            case [plain, str(known), [*names], str(told), dict(offers)]:
                checked: Checked | None = Checked()
                if place in self.asked:
                    rules = rules_by_code(self.project.entries[place].file.settings.extend_rules)
                    checked = from_plain(plain, rules)
                mentions = tuple(str(name) for name in names)
                if checked is not None:
                    named = {name: str(mark) for name, mark in offers.items()}
                    return Result(checked, None, None, told, known, mentions, True, named)
        return None

    def _key(self, place: int) -> str:
        """The digest of all that decides what comes out for a file."""
        entry = self.project.entries[place]
        need = self.project.graph.needs.get(entry.key)
        asked = self.project.graph.asked.get(entry.key, ())
        targets = () if need is None else need.targets
        known = [f"{written}={target}={self.offered(target)}" for written, target in targets]
        about = (entry.file.module, entry.content, *map("\n".join, (asked, known)))
        return digest(self.mark_of(entry.file), *map(encoded, about))

    def home(self, index: int) -> int | None:
        return self.homes.get(self.chosen[index])

    def finished(self, index: int, result: Result | Died, worker: int) -> None:
        place = self.chosen[index]
        if worker != HERE:
            self.homes[place] = worker
        if not isinstance(result, Died):
            if result.own_offers is not None:
                result = result._replace(offers=resolved(result.own_offers, self.offered), own_offers=None)
            self.results[place] = result
            if result.told is not None and place in self.callers:
                self.arrived.add(result.told_digest, result.told)

    def meanwhile(self) -> None:
        # The rules say what is reported at the end, and take a while to be read.
        for extended in {self.project.entries[place].file.settings.extend_rules for place in self.asked}:
            rules_by_code(extended)

    def offered(self, target: str) -> str:
        """A digest of all that is to be known through `key:name`; empty if that is nothing."""
        known = self._offered.get(target)
        if known is not None:
            return known
        key, _, name = target.partition(SEPARATOR)
        place = self.project.places.get(key)
        held = None if place is None else self.results.get(place)
        if held is None or held.offers is None:
            return ""
        # What a file offers is settled once it is studied.
        found = self._offered[target] = offered(held.offers, name)
        return found

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

    def _text(self, place: int, result: Result) -> str:
        if result.interface is None:
            assert self.caches is not None
            text = self.caches.interfaces.get_text(self.project.entries[place].key, result.digest)
            if text is None or digest(b"", encoded(text)) != result.digest:
                # The cache is damaged, or a part of it was deleted.
                receive(self.shared([self.job[place]], HERE))
                text = study_file(self.task(place)).interface
            result = self.results[place] = result._replace(interface=text)
        return result.interface or "null"

    def receive(self) -> Callable[[object], None]:
        return receive

    def keep(self) -> None:
        """Puts what is new into the caches, once all is finished. Safe to call twice."""
        if self.caches is None or self._is_kept:
            return
        self._is_kept = True
        for place, result in self.results.items():
            key = self.project.entries[place].key
            if result.is_kept or not may_be_kept(result) or place not in self.keys:
                if not result.is_kept:
                    self.keys.pop(place, None)
                continue
            about: list[Plain] = [result.digest, [*result.mentions], result.told_digest, {**(result.offers or {})}]
            rules = rules_by_code(self.project.entries[place].file.settings.extend_rules)
            plain: Plain = [to_plain(result.checked, rules), *about]
            self.caches.results.put(key, self.keys[place], plain)
            if result.interface is not None:
                self.caches.interfaces.put_text(key, result.digest, result.interface)
            if result.told is not None:
                self.caches.told.put_text(key, result.told_digest, result.told)


def may_be_kept(result: Result) -> bool:
    """Whether what came out holds for the content that the run knows, and would come out again."""
    return result.is_current and _NOT_KEPT.isdisjoint(diagnostic.kind for diagnostic in result.checked.diagnostics)
