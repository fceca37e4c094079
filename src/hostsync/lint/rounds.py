"""Further studies of files, with what their callers hand in, until nothing new is handed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from hostsync.lint.callers.kept import WORTH_KEEPING, KeptEvidence, Telling, keep_lines, lines_of, told_of
from hostsync.lint.check import rules_by_code
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.linking import receive
from hostsync.lint.offers import SEPARATOR
from hostsync.lint.orders import Linked, may_be_kept
from hostsync.lint.remembered import round_name
from hostsync.lint.studying import Result, Task, study_file
from hostsync.project.cache import Plain, digest, encoded
from hostsync.project.pool import Job, Order
from hostsync.project.test_files import is_test
from hostsync.project.workers import HERE, Died

if TYPE_CHECKING:
    from hostsync.infer.linking.telling import Told
    from hostsync.lint.callers.evidence import Evidence
    from hostsync.lint.callers.heard import Heard

ROUNDS = 2
"""What a function is handed may decide what it hands to others. So deep do calls across files tell of each other where
that takes an object or a container; what is passed on unchanged gets everywhere in one round."""


class Rounds:
    """Works out what callers hand in after each round of studies.

    Args:
        first: the first round, once it is done.
    """

    def __init__(self, first: Linked) -> None:
        self.first = first
        self.handed: dict[int, tuple[str, ...]] = {}
        """By file, what callers handed in, for each of its further studies, as JSON."""
        self.keys: dict[int, str] = {}
        """By file, the digest of all that decides what its last study gave."""
        self._mentioned: dict[int, set[str]] = {}
        """By file, the classes and functions of what is handed in, as `key:name`."""
        self._round = 0
        self._groups: dict[str, list[int]] = {}
        for place in sorted(first.callers):
            self._groups.setdefault(first.project.units[place], []).append(place)
        self._marks: dict[str, str] = {}
        """By group, the digest of all that its files have told up to now."""
        self._evidence: dict[str, dict[str, Plain]] = {}
        """By group and file, what callers hand in."""
        results = first.results.items()
        self._tellings = {place: Telling(result.told, result.told_digest, 0) for place, result in results}
        self._callers: dict[str, Evidence] = {}
        """By group."""
        self._lines: dict[str, dict[str, str]] = {}
        """By group, the lines of `heard.Heard` of an earlier run, by the digest of what a file tells."""
        self._spoken: dict[str, dict[str, str]] = {}
        """The same of this run."""
        self.is_true = True
        """Files told what their digests say, so what follows from it may be kept."""

    def news(self) -> Handed | None:
        """The next round, of the files to which callers hand in something new; None if there is none."""
        from hostsync.lint.callers.evidence import mentioned

        if self._round == ROUNDS:
            return None
        self._round += 1
        first = self.first
        found: dict[int, tuple[Plain, str]] = {}
        for group, places in self._groups.items():
            for key, handed in self._news_in(group, places).items():
                place = first.project.places[key]
                text = json.dumps(handed, sort_keys=True)
                if self.handed.get(place, ("",))[-1] != text and (self._round < ROUNDS or place in first.asked):
                    found[place] = handed, text
        for place in sorted(found):
            handed, text = found[place]
            self.handed[place] = (*self.handed.get(place, ()), text)
            self._mentioned.setdefault(place, set()).update(mentioned(handed))
        return Handed(self, sorted(found)) if found else None

    def _news_in(self, group: str, places: Sequence[int]) -> dict[str, Plain]:
        """What callers newly hand in, inside one package or folder, by file."""
        project, caches = self.first.project, self.first.caches
        told = [place for place in places if place in self._tellings]
        about = [part for place in told for part in (project.entries[place].key, self._tellings[place].digest)]
        before = self._marks.get(group, "")
        mark = digest(self._version(told), *(encoded(part) for part in about))
        if before.endswith(mark):
            return {}
        self._marks[group] = mark = digest(encoded(before), encoded(mark)) + mark if before else mark
        name = round_name(self._name(told), self._round)
        kept = None if caches is None else caches.evidence.get(name, mark)
        known = self._evidence.setdefault(group, {})
        if not isinstance(kept, dict):
            handed = self._worked_out(group, told, name)
            kept = {key: value for key, value in handed.items() if known.get(key) != value}
            if caches is not None and self.is_true:
                caches.evidence.put(name, mark, kept)
        known.update(kept)
        return kept

    def _name(self, places: Sequence[int]) -> str:
        """Under which what is known of files is kept."""
        return min((self.first.project.entries[place].key for place in places), default="")

    def _version(self, places: Sequence[int]) -> bytes:
        """A digest of the tool, whose next version may make something else of what files tell."""
        return self.first.mark_of(self.first.project.entries[places[0]].file) if places else b""

    def _worked_out(self, group: str, places: Sequence[int], name: str) -> dict[str, Plain]:
        """What callers hand in by all that their files tell; for many files, an earlier run has found most of it."""
        from hostsync.lint.callers.evidence import Evidence

        entries = self.first.project.entries
        tests = {e.key for e in (entries[place] for place in places) if is_test(e.file.path.name, e.file.module)}
        tellings = {entries[place].key: telling for place in places if (telling := self._tellings[place]).digest}
        caches = self.first.caches
        if caches is None or len(places) < WORTH_KEEPING:
            evidence = self._callers.setdefault(group, Evidence(tests))
            return evidence.of(self._heard(tellings))

        if group not in self._lines:
            self._lines[group] = lines_of(caches, self._name(places), self._version(places))
        lines = self._lines[group]
        told = self._heard(tellings, lines)
        kept = KeptEvidence(caches, name, self._version(places))
        resumed = _resumed(kept.evidence(tests, lines), told)
        if resumed is None:
            evidence = self._callers.get(group) or Evidence(tests)
            resumed = evidence, evidence.of(told)
        self._callers[group], found = resumed
        spoken = told.lines({**self.first.arrived.lines, **self._spoken.get(group, {})})
        if self.is_true:
            kept.keep(self._callers[group], tellings)
            self._spoken.setdefault(group, {}).update(spoken)
        return found

    def _heard(self, tellings: Mapping[str, Telling], lines: Mapping[str, str] = MappingProxyType({})) -> Heard:
        """What files tell, by their keys. Later rounds change what they tell, but not what they told in this one."""
        from hostsync.lint.callers.heard import Heard

        places = self.first.project.places
        marks = {key: telling.digest for key, telling in tellings.items()}
        return Heard(marks, lambda key: self._told(places[key], tellings[key]), lines)

    def _told(self, place: int, telling: Telling) -> Told:
        """What a file tells of others."""
        from hostsync.lint.callers.heard import NOTHING, told_in

        first, caches = self.first, self.first.caches
        known = first.arrived.told.get(telling.digest)
        if known is not None:
            return known
        if telling.text is not None:
            found: Told | None = told_in(telling.text)
        else:
            found = None if caches is None else told_of(caches, first.project.entries[place].key, telling)
        if found is None:
            # The cache is damaged, or a part of it was deleted.
            receive(self.shared([place], HERE))
            handed = self.handed.get(place, ())[: telling.round]
            text = study_file(self.task(place)._replace(handed=handed)).told
            # A file that has changed since may tell something else, or nothing any more.
            self.is_true = self.is_true and text is not None and digest(b"", encoded(text)) == telling.digest
            found = NOTHING if text is None else told_in(text)
        first.arrived.told[telling.digest] = found
        return found

    def task(self, place: int) -> Task:
        """What a worker needs to know for the last study of a file that was asked for."""
        return self.first.task(place)._replace(handed=self.handed.get(place, ()))

    def shared(self, places: Sequence[int], worker: int) -> object:
        """What a worker needs to know of other files."""
        known = self.first.project.places
        files = {name.partition(SEPARATOR)[0] for place in places for name in self._mentioned.get(place, ())}
        more = sorted(known[key] for key in files & known.keys())
        return self.first.shared([self.first.job[place] for place in places], worker, more)

    def key(self, place: int) -> str:
        """The digest of all that decides what the last study of a file gives; the first study has one."""
        offers = [part for name in sorted(self._mentioned[place]) for part in (name, self.first.offered(name))]
        return digest(b"", *map(encoded, (self.first.keys[place], *self.handed[place], *offers)))

    def name(self, place: int) -> str:
        """Under which what came out is kept."""
        return round_name(self.first.project.entries[place].key, len(self.handed.get(place, ())))

    def take(self, places: Sequence[int], results: Sequence[Result | Died]) -> None:
        """Takes in what a round gave, and puts what is new into the cache."""
        first = self.first
        for place, result in zip(places, results, strict=True):
            if isinstance(result, Died):
                self._forget(place)
                continue
            self._tellings[place] = Telling(result.told, result.told_digest, len(self.handed[place]))
            if first.caches is None or not may_be_kept(result):
                self._forget(place)
            elif not result.is_kept and place in self.keys:
                name = self.name(place)
                rules = rules_by_code(first.project.entries[place].file.settings.extend_rules)
                first.caches.handed.put(name, self.keys[place], [to_plain(result.checked, rules), result.told_digest])
                if result.told is not None:
                    first.caches.told.put_text(name, result.told_digest, result.told)

    def keep(self) -> None:
        """Puts into the cache what spares the next run to look at what all files tell."""
        for group, lines in self._spoken.items():
            places = [place for place in self._groups[group] if place in self._tellings]
            assert self.first.caches is not None
            keep_lines(self.first.caches, self._name(places), self._version(places), lines)

    def _forget(self, place: int) -> None:
        self.keys.pop(place, None)
        self.first.keys.pop(place, None)


def _resumed(evidence: Evidence | None, told: Heard) -> tuple[Evidence, dict[str, Plain]] | None:
    """What an earlier run knew, brought up to date, and what callers hand in by it; None if too much of it is lost."""
    from hostsync.lint.callers.heard import LostError

    if evidence is None:
        return None
    try:
        return evidence, evidence.of(told)
    except LostError:
        return None


class Handed(Order[Result]):
    """Files are studied anew where their callers tell something new of their functions.

    Args:
        rounds: what callers hand in.
        places: the files.
    """

    def __init__(self, rounds: Rounds, places: Collection[int]) -> None:
        self._rounds = rounds
        self.places = list(places)

    def jobs(self) -> list[Job[Task]]:
        entries = self._rounds.first.project.entries
        return [Job(self._rounds.task(place), entries[place].file.size + 1) for place in self.places]

    def known(self, index: int) -> Result | None:
        rounds, first, place = self._rounds, self._rounds.first, self.places[index]
        if first.caches is None or place not in first.keys:
            return None
        key = rounds.keys[place] = rounds.key(place)
        match first.caches.handed.get(rounds.name(place), key):
            case [plain, str(told)]:
                checked: Checked | None = Checked()
                if place in first.asked:
                    rules = rules_by_code(first.project.entries[place].file.settings.extend_rules)
                    checked = from_plain(plain, rules)
                return None if checked is None else Result(checked, None, None, told, "", (), True)
        return None

    def meanwhile(self) -> None:
        self._rounds.first.keep()

    def home(self, index: int) -> int | None:
        return self._rounds.first.homes.get(self.places[index])

    def shared(self, indexes: Sequence[int], worker: int) -> object:
        return self._rounds.shared([self.places[index] for index in indexes], worker)

    def receive(self) -> Callable[[object], None]:
        return receive
