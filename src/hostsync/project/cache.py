"""Keeps the result of each file by the content that it came from.

Results are plain JSON in a few shards, each with an index, so that of thousands of files only those are parsed that are
asked for. A shard that is damaged, of another version or not writable only costs time: every answer is checked against
a digest of the source and of the tool.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

FOLDER = ".hostsync_cache"
SHARDS = 16
FORMAT = 3
KEEP_DAYS = 30
RENEW_DAYS = 7
"""The day of last use is written anew once it is this old, so that most warm runs write nothing."""

Plain: TypeAlias = bool | int | float | str | list["Plain"] | dict[str, "Plain"] | None
"""What JSON can hold."""


def encoded(text: str) -> bytes:
    """A text, such as a file name that is no text, for `digest`."""
    return text.encode("utf-8", errors="surrogateescape")


def digest(fingerprint: bytes, *parts: bytes) -> str:
    """What a result is known by: a digest of the tool's fingerprint, the source and what else decides it."""
    state = hashlib.blake2b(fingerprint, digest_size=20)
    # One call: there may be thousands of short parts.
    state.update(b"".join([piece for part in parts for piece in (len(part).to_bytes(8, "little"), part)]))
    return state.hexdigest()


def tree_fingerprint(files: Iterable[Path]) -> bytes:
    """A digest of the names and contents of `files`, in the order given. Raises OSError."""
    state = hashlib.blake2b(digest_size=20)
    for path in files:
        data = path.read_bytes()
        state.update(encoded(f"{path.name}\0{len(data)}\0"))
        state.update(data)
    return state.digest()


class _Entry(NamedTuple):
    """What is kept for one file."""

    key: str
    day: int
    """When it was last used, as a number since 1970."""
    text: bytes


class _Shard:
    """What one file of the cache holds. An entry is taken out of it when it is asked for."""

    def __init__(self, data: bytes = b"", stamp: tuple[int, ...] | None = None) -> None:
        """
        Args:
            data: of the file: its index, one line of JSON, and behind it the texts. Anything else holds no entries.
            stamp: which content of the file that is.
        """
        self.stamp = stamp
        self._data = data
        self._start = data.find(b"\n") + 1
        self._index = _index(data[: self._start], len(data) - self._start)

    def get(self, name: str) -> _Entry | None:
        match self._index.get(name):
            case [str(key), int(day), int(at), int(size)] if at >= 0 <= size:
                at += self._start
                return _Entry(key, day, self._data[at : at + size])
        return None

    def entries(self) -> Iterator[tuple[str, _Entry]]:
        """All of them, by name, in the order in which they were put."""
        for name in self._index:
            entry = self.get(name)
            if entry is not None:
                yield name, entry


def _index(line: bytes, size: int) -> dict[str, Plain]:
    """By name, the key of an entry, its day, and where its text begins and how long it is; none if it is damaged.

    Args:
        line: the index in its plain form.
        size: of all that is behind it.
    """
    import json

    try:
        match json.loads(line):
            case {"format": int(version), "size": int(total), "files": dict(files)} if version == FORMAT:
                return files if total == size else {}
    except (ValueError, RecursionError):
        pass
    return {}


class Cache:
    """Results by file name and digest. Nothing is written before `save`."""

    def __init__(
        self,
        folder: Path,
        *,
        kind: str = "results",
        shards: int = SHARDS,
        most: int | None = None,
        today: int | None = None,
    ) -> None:
        """
        Args:
            folder: where the shards are; made by `save`.
            kind: what is kept, as the names of the shards begin.
            shards: how many there are.
            most: how many results a shard keeps, those that were put last; None for all that are fresh.
            today: the day, as a number since 1970.
        """
        self._folder = folder
        self._kind = kind
        self._count = shards
        self._most = most
        self._today = int(time.time() // 86_400) if today is None else today
        self._shards: dict[int, _Shard] = {}
        self._changed: dict[int, dict[str, _Entry]] = {}

    def is_new(self) -> bool:
        """Whether nothing was ever kept in its folder."""
        return not self._folder.exists()

    def get(self, name: str, key: str) -> Plain:
        """The result kept for the file `name` under the digest `key`; None if there is none."""
        entry = self._entry(name, key)
        return None if entry is None else _parsed(entry.text)

    def get_text(self, name: str, key: str) -> str | None:
        """As `get`, for what was kept with `put_text`."""
        entry = self._entry(name, key)
        return None if entry is None else entry.text.decode("utf-8", errors="surrogateescape")

    def latest(self, name: str) -> Plain:
        """The result that an earlier run kept for the file `name`, whatever it came from; None if there is none."""
        entry = self._shard(_shard_of(name, self._count)).get(name)
        return None if entry is None else _parsed(entry.text)

    def put(self, name: str, key: str, result: Plain) -> None:
        """Keeps `result` for the file `name`, in place of an earlier one."""
        import json

        self.put_text(name, key, json.dumps(result, separators=(",", ":")))

    def put_text(self, name: str, key: str, text: str) -> None:
        """As `put`, for a text, which is kept as it is: it costs less than the same text as a result."""
        self._put(name, _Entry(key, self._today, encoded(text)))

    def save(self) -> None:
        """Writes the shards that changed. A folder that can't be written to is left alone."""
        try:
            for number, changed in self._changed.items():
                fresh = self._now(number).entries()
                kept = [(name, entry) for name, entry in fresh if name not in changed and self._is_fresh(entry)]
                entries = [*kept, *changed.items()]
                self._write(number, dict(entries if self._most is None else entries[-self._most :]))
        except OSError:
            return
        finally:
            self._changed = {}

    def _entry(self, name: str, key: str) -> _Entry | None:
        entry = self._shard(_shard_of(name, self._count)).get(name)
        if entry is None or entry.key != key:
            return None
        if entry.day < self._today - RENEW_DAYS:
            self._put(name, entry._replace(day=self._today))
        return entry

    def _put(self, name: str, entry: _Entry) -> None:
        self._changed.setdefault(_shard_of(name, self._count), {})[name] = entry

    def _is_fresh(self, entry: _Entry) -> bool:
        return self._today - KEEP_DAYS <= entry.day <= self._today + 1

    def _shard(self, number: int) -> _Shard:
        if number not in self._shards:
            self._shards[number] = self._read(number)
        return self._shards[number]

    def _now(self, number: int) -> _Shard:
        """What the shard holds, to which another run may have written since it was read."""
        shard = self._shards.get(number)
        if shard is None or shard.stamp != _stamp(self._path(number)):
            shard = self._shards[number] = self._read(number)
        return shard

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._kind}-{number:02d}.shard"

    def of_kind(self, kind: str, shards: int = SHARDS, most: int | None = None) -> Cache:
        """A cache of something else in the same folder."""
        return Cache(self._folder, kind=kind, shards=shards, most=most, today=self._today)

    def _read(self, number: int) -> _Shard:
        path = self._path(number)
        stamp = _stamp(path)
        try:
            return _Shard() if stamp is None else _Shard(path.read_bytes(), stamp)
        except OSError:
            return _Shard()

    def _write(self, number: int, entries: Mapping[str, _Entry]) -> None:
        import json

        self._make_folder()
        index: dict[str, Plain] = {}
        at = 0
        for name, (key, day, text) in entries.items():
            index[name] = [key, day, at, len(text)]
            at += len(text)
        head = json.dumps({"format": FORMAT, "size": at, "files": index}, separators=(",", ":"))
        texts = (entry.text for entry in entries.values())
        _replace(self._path(number), b"".join((head.encode("ascii"), b"\n", *texts)))

    def _make_folder(self) -> None:
        if (self._folder / "CACHEDIR.TAG").exists():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        tag = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of hostsync. It may be deleted at any time.\n"
        _replace(self._folder / ".gitignore", b"*\n")
        _replace(self._folder / "CACHEDIR.TAG", tag)


def _parsed(text: bytes) -> Plain:
    """A result from its plain form; None if it is damaged."""
    import json

    try:
        result: Plain = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return result


def _shard_of(name: str, count: int) -> int:
    return hashlib.blake2b(encoded(name), digest_size=2).digest()[0] % count


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What is another one once the file is replaced; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _replace(path: Path, data: bytes) -> None:
    """Writes a file so that a reader sees the old or the new content, never half of it."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
