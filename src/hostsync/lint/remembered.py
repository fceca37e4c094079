"""What is kept between runs over the files of a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hostsync.lint.check import rules_by_code
from hostsync.lint.checked import Checked, from_plain
from hostsync.lint.entries import Entry
from hostsync.lint.sketches import Outlines
from hostsync.lint.stamps import Stamps
from hostsync.project.cache import Cache, Plain, digest, encoded
from hostsync.project.discovery import SourceFile
from hostsync.project.units import Found


class State:
    """What a run over the same files would have to find unchanged to give the same."""

    def __init__(self, entries: Sequence[Entry], mark_of: Callable[[SourceFile], bytes], around: str) -> None:
        self.keys = tuple(entry.key for entry in entries)
        self.mark_of = mark_of
        self.family = digest(b"", *(encoded(entry.key) for entry in sorted(entries, key=_key_of)))
        self.digest = self.digest_of(entries, around)
        """Of the content of all files, and of all else that decides."""

    def digest_of(self, entries: Iterable[Entry], around: str = "") -> str:
        """A digest of what files hold, and of all else that decides what comes out for them."""
        ordered = sorted(entries, key=_key_of)
        parts = [encoded(part) for entry in ordered for part in (entry.key, entry.file.module, entry.content)]
        return digest(encoded(around), *parts, *(self.mark_of(entry.file) for entry in ordered))


def _key_of(entry: Entry) -> str:
    return entry.key


class Others(NamedTuple):
    """The files of other packages that took part in a run."""

    found: Found
    digest: str
    """As `State.digest_of` gives it."""
    keys: tuple[str, ...]
    """Their unique names."""


class Caches:
    """What is kept between runs."""

    def __init__(self, cache: Cache) -> None:
        self.results = cache
        """Of a file with what it imports."""
        self.handed = cache.of_kind("handed")
        """Of a file with what its callers hand in as well."""
        self.outlines = Outlines(cache.of_kind("sketches"), cache.of_kind("outlines"))
        self.graphs = cache.of_kind("graphs", most=2)
        """Of all files that are known, by a digest of their outlines. Each set of files has one, which may be large."""
        self.interfaces = cache.of_kind("interfaces")
        self.told = cache.of_kind("told")
        self.evidence = cache.of_kind("evidence", 1)
        """What callers hand in, by a digest of all that they tell."""
        self.callers = cache.of_kind("callers")
        """What that was made of; see `callers.kept`."""
        self.stamps = Stamps(cache.of_kind("stamps", 1))
        """What files hold, by what the file system says of them."""
        self.runs = cache.of_kind("runs", most=2)
        """Under which keys the files of a run are kept, by a digest of all that decides."""

    def save(self) -> None:
        self.outlines.save()
        self.stamps.save()
        first = (self.graphs, self.interfaces, self.told, self.evidence, self.callers)
        for kept in (*first, self.handed, self.results, self.runs):
            kept.save()

    def others(self, state: State) -> Others | None:
        """The files of other packages that took part in an earlier run over the same files; None if there was none."""
        match self.runs.get(state.family, state.digest):
            case [[dict() as packages, dict() as roots, dict() as listings, str() as mark, list() as keys], dict()]:
                found = Found(
                    tuple((folder, bool(is_package)) for folder, is_package in packages.items()),
                    tuple((folder, str(kept)) for folder, kept in roots.items()),
                    tuple((folder, str(kept)) for folder, kept in listings.items()),
                )
                return Others(found, mark, tuple(map(str, keys)))
        return None

    def last_run(self, state: State, files: Sequence[SourceFile]) -> list[Checked] | None:
        """What an earlier run over the same files gave, if nothing has changed since, which `others` needs as well."""
        match self.runs.get(state.family, state.digest):
            case [_, dict() as kept]:
                pass
            case _:
                return None
        found = []
        for file, name in zip(files, state.keys, strict=False):
            match kept.get(name):
                case [int(count), str(key)]:
                    data = (self.handed if count else self.results).get(round_name(name, count), key)
                case _:
                    return None
            plain = data[0] if isinstance(data, list) and data else None
            checked = None if data is None else from_plain(plain, rules_by_code(file.settings.extend_rules))
            if checked is None:
                return None
            found.append(checked)
        return found

    def remember(
        self,
        state: State,
        others: Others,
        files: Sequence[SourceFile],
        keys: Mapping[int, str],
        again: Mapping[int, str],
        rounds: Mapping[int, int],
    ) -> None:
        """Notes under which keys the results of a run are kept.

        Args:
            state, files: the run.
            others: the files of other packages that took part.
            keys: by file, of the first study.
            again: by file, of the last one, where there was another.
            rounds: by file, how many others.
        """
        found = others.found
        about: list[Plain] = [dict(found.packages), dict(found.roots), dict(found.listings), others.digest]
        about.append(list(others.keys))
        entries: dict[str, Plain] = {}
        match self.runs.get(state.family, state.digest):
            case [before, dict() as kept] if before == about:
                entries.update(kept)
        for place in range(len(files)):
            count = rounds.get(place, 0)
            key = (again if count else keys).get(place)
            if key is not None:
                entries[state.keys[place]] = [count, key]
        self.runs.put(state.family, state.digest, [about, entries])


def round_name(name: str, count: int) -> str:
    """Under which name what a further study of a file gave is kept: of how many, `count` says."""
    return f"{name}#{count}" if count else name
