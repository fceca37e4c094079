"""Further studies of files, with what their callers hand in, until nothing new is handed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hostsync.lint.check import rules_by_code
from hostsync.lint.checked import Checked, from_plain, to_plain
from hostsync.lint.linking import receive
from hostsync.lint.offers import SEPARATOR
from hostsync.lint.orders import Linked, may_be_kept
from hostsync.lint.remembered import round_name
from hostsync.lint.studying import Result, Task, study_file
from hostsync.project.cache import Plain, digest, encoded
from hostsync.project.pool import Job, Order
from hostsync.project.workers import HERE, Died

if TYPE_CHECKING:
    from hostsync.infer.linking.telling import Told
    from hostsync.lint.callers import Evidence

ROUNDS = 2
"""What a function is handed may decide what it hands to others. So deep do calls across files tell of each other where
that takes an object or a container; what is passed on unchanged gets everywhere in one round."""


class _Telling(NamedTuple):
    """What a file tells of others, by its last study."""

    text: str | None
    """As JSON; None if it is nothing, or in the cache."""
    digest: str
    """Empty if it is nothing."""
    round: int
    """Of the study; 0 is the first one."""


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
        self._tellings = {place: _Telling(result.told, result.told_digest, 0) for place, result in results}
        self._parsed: dict[int, tuple[str, Told | None]] = {}
        self._callers: dict[str, Evidence] = {}
        """By group."""

    def news(self) -> Handed | None:
        """The next round, of the files to which callers hand in something new; None if there is none."""
        from hostsync.lint.callers import mentioned

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
        mark = digest(b"", *(encoded(part) for part in about))
        if before.endswith(mark):
            return {}
        self._marks[group] = mark = digest(encoded(before), encoded(mark)) + mark if before else mark
        name = round_name(min((project.entries[place].key for place in told), default=""), self._round)
        kept = None if caches is None else caches.evidence.get(name, mark)
        known = self._evidence.setdefault(group, {})
        if not isinstance(kept, dict):
            handed = self._worked_out(group, told)
            kept = {key: value for key, value in handed.items() if known.get(key) != value}
            if caches is not None:
                caches.evidence.put(name, mark, kept)
        known.update(kept)
        return kept

    def _worked_out(self, group: str, places: Sequence[int]) -> dict[str, Plain]:
        from hostsync.lint.callers import Evidence, is_test

        entries = self.first.project.entries
        told = {entries[place].key: data for place in places if (data := self._told(place)) is not None}
        if group not in self._callers:
            files = ((entries[place].key, entries[place].file) for place in places)
            self._callers[group] = Evidence({key for key, file in files if is_test(file.path.name, file.module)})
        return self._callers[group].of(told)

    def _told(self, place: int) -> Told | None:
        """What a file tells of others."""
        from hostsync.infer.linking.telling import Told

        first, telling = self.first, self._tellings[place]
        if not telling.digest:
            return None
        known = self._parsed.get(place)
        if known is not None and known[0] == telling.digest:
            return known[1]
        text = telling.text
        if text is None and first.caches is not None:
            name = round_name(first.project.entries[place].key, telling.round)
            text = first.caches.told.get_text(name, telling.digest)
            if text is not None and digest(b"", encoded(text)) != telling.digest:
                text = None
        if text is None:
            # The cache is damaged, or a part of it was deleted.
            receive(self.shared([place], HERE))
            text = study_file(self.task(place)).told
        data = None if text is None else Told(*json.loads(text))
        self._parsed[place] = telling.digest, data
        return data

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
            self._tellings[place] = _Telling(result.told, result.told_digest, len(self.handed[place]))
            if first.caches is None or not may_be_kept(result):
                self._forget(place)
            elif not result.is_kept and place in self.keys:
                name = self.name(place)
                first.caches.handed.put(name, self.keys[place], [to_plain(result.checked), result.told_digest])
                if result.told is not None:
                    first.caches.told.put_text(name, result.told_digest, result.told)

    def _forget(self, place: int) -> None:
        self.keys.pop(place, None)
        self.first.keys.pop(place, None)


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

    def home(self, index: int) -> int | None:
        return self._rounds.first.homes.get(self.places[index])

    def shared(self, indexes: Sequence[int], worker: int) -> object:
        return self._rounds.shared([self.places[index] for index in indexes], worker)

    def receive(self) -> Callable[[object], None]:
        return receive
