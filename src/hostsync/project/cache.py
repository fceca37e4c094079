"""Keeps the result of each file by the content that it came from.

Results are plain JSON in a few shards, so that thousands of files load in a moment. A shard that is damaged, of another
version or not writable only costs time: every answer is checked against a digest of the source and of the tool.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

FOLDER = ".hostsync_cache"
SHARDS = 16
FORMAT = 2
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
        self._shards: dict[int, dict[str, list[Plain]]] = {}
        self._stamps: dict[int, tuple[int, ...]] = {}
        """Which content the shards are that were read."""
        self._changed: dict[int, dict[str, list[Plain]]] = {}

    def is_new(self) -> bool:
        """Whether nothing was ever kept in its folder."""
        return not self._folder.exists()

    def get(self, name: str, key: str) -> Plain:
        """The result kept for the file `name` under the digest `key`; None if there is none."""
        entry = self._shard(_shard_of(name, self._count)).get(name)
        if not isinstance(entry, list) or len(entry) != 3 or entry[0] != key or not isinstance(entry[1], int):
            return None
        if entry[1] < self._today - RENEW_DAYS:
            self.put(name, key, entry[2])
        return entry[2]

    def latest(self, name: str) -> Plain:
        """The result that an earlier run kept for the file `name`, whatever it came from; None if there is none."""
        entry = self._shard(_shard_of(name, self._count)).get(name)
        return entry[2] if isinstance(entry, list) and len(entry) == 3 else None

    def put(self, name: str, key: str, result: Plain) -> None:
        """Keeps `result` for the file `name`, in place of an earlier one."""
        self._changed.setdefault(_shard_of(name, self._count), {})[name] = [key, self._today, result]

    def save(self) -> None:
        """Writes the shards that changed. A folder that can't be written to is left alone."""
        try:
            for number, changed in self._changed.items():
                fresh = self._now(number).items()
                kept = [(name, entry) for name, entry in fresh if name not in changed and self._is_fresh(entry)]
                entries = [*kept, *changed.items()]
                self._write(number, dict(entries if self._most is None else entries[-self._most :]))
        except OSError:
            return
        finally:
            self._changed = {}

    def _is_fresh(self, entry: object) -> bool:
        if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[1], int):
            return False
        return self._today - KEEP_DAYS <= entry[1] <= self._today + 1

    def _shard(self, number: int) -> dict[str, list[Plain]]:
        if number not in self._shards:
            self._shards[number] = self._read(number)
        return self._shards[number]

    def _now(self, number: int) -> dict[str, list[Plain]]:
        """What the shard holds, to which another run may have written since it was read."""
        if self._stamps.get(number) != _stamp(self._path(number)):
            self._shards[number] = self._read(number)
        return self._shard(number)

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._kind}-{number:02d}.json"

    def of_kind(self, kind: str, shards: int = SHARDS, most: int | None = None) -> Cache:
        """A cache of something else in the same folder."""
        return Cache(self._folder, kind=kind, shards=shards, most=most, today=self._today)

    def _read(self, number: int) -> dict[str, list[Plain]]:
        import json

        path = self._path(number)
        stamp = _stamp(path)
        if stamp is None:
            return {}
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        self._stamps[number] = stamp
        if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("files"), dict):
            return {}
        files: dict[str, list[Plain]] = data["files"]
        return files

    def _write(self, number: int, files: dict[str, list[Plain]]) -> None:
        import json

        self._make_folder()
        text = json.dumps({"format": FORMAT, "files": files}, separators=(",", ":"))
        _replace(self._path(number), text.encode("ascii"))

    def _make_folder(self) -> None:
        if (self._folder / "CACHEDIR.TAG").exists():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        tag = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of hostsync. It may be deleted at any time.\n"
        _replace(self._folder / ".gitignore", b"*\n")
        _replace(self._folder / "CACHEDIR.TAG", tag)


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
