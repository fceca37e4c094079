"""What an earlier run found out of what callers hand in, so that only what has changed since is looked at again."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hostsync.lint.remembered import Caches, round_name
from hostsync.project.cache import digest, encoded

if TYPE_CHECKING:
    from hostsync.infer.linking.telling import Told
    from hostsync.lint.callers.evidence import Evidence

WORTH_KEEPING = 100
"""Files. What fewer tell is put together anew sooner than it is looked up."""
_LINES = "lines"
_EVIDENCE = "evidence"


class Telling(NamedTuple):
    """What a file tells of others, by one of its studies."""

    text: str | None
    """As JSON; None if it is nothing, or in the cache."""
    digest: str
    """Empty if it is nothing."""
    round: int
    """Of the study; 0 is the first one."""


class KeptEvidence:
    """That of some files and one round.

    Args:
        caches: where it is kept.
        name: of the files and the round.
        version: a digest of the tool, which must be that of the earlier run.
    """

    def __init__(self, caches: Caches, name: str, version: bytes) -> None:
        self._caches = caches
        self._name = name
        self._version = version.hex()

    def evidence(self, tests: Collection[str], lines: Mapping[str, str]) -> Evidence | None:
        """What the earlier run knew; None if there is none. `tests` are as for `Evidence`, `lines` from `lines_of`."""
        from hostsync.lint.callers.evidence import Evidence
        from hostsync.lint.callers.heard import Heard, LostError

        text = _held(self._caches, f"{self._name}+{_EVIDENCE}", self._version)
        if text is None:
            return None
        kept = json.loads(text)
        tellings = {key: Telling(None, mark, number) for key, (mark, number) in kept["files"].items()}

        def load(key: str) -> Told:
            told = told_of(self._caches, key, tellings[key])
            if told is None:
                raise LostError
            return told

        before = Heard({key: telling.digest for key, telling in tellings.items()}, load, lines)
        return Evidence(tests, before, kept["evidence"])

    def keep(self, evidence: Evidence, tellings: Mapping[str, Telling]) -> None:
        """Keeps what is known by what files tell, by their keys."""
        files = {key: [telling.digest, telling.round] for key, telling in tellings.items()}
        text = json.dumps({"files": files, "evidence": evidence.plain()}, separators=(",", ":"))
        _hold(self._caches, f"{self._name}+{_EVIDENCE}", self._version, text)


def told_of(caches: Caches, key: str, telling: Telling) -> Told | None:
    """What a file told, from the cache; None if it is lost."""
    from hostsync.lint.callers.heard import told_in

    text = caches.told.get_text(round_name(key, telling.round), telling.digest)
    if text is None or digest(b"", encoded(text)) != telling.digest:
        return None
    return told_in(text)


def lines_of(caches: Caches, name: str, version: bytes) -> dict[str, str]:
    """The lines of `heard.Heard` by the digest of what a file tells, as `keep_lines` kept them under a name."""
    text = _held(caches, f"{name}+{_LINES}", version.hex())
    pairs = (line.partition("\t") for line in text.split("\n")) if text else ()
    return {mark: line for mark, _, line in pairs}


def keep_lines(caches: Caches, name: str, version: bytes, lines: Mapping[str, str]) -> None:
    text = "\n".join(f"{mark}\t{line}" for mark, line in lines.items())
    _hold(caches, f"{name}+{_LINES}", version.hex(), text)


def _held(caches: Caches, name: str, key: str) -> str | None:
    """A text from the cache, if it is what was put there."""
    mark, _, text = (caches.callers.get_text(name, key) or "").partition("\n")
    return text if mark and digest(b"", encoded(text)) == mark else None


def _hold(caches: Caches, name: str, key: str, text: str) -> None:
    caches.callers.put_text(name, key, f"{digest(b'', encoded(text))}\n{text}")
