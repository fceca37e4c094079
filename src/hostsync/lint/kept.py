"""What a process keeps of the files that it has studied, as it may be asked to study them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hostsync.infer.module import Followed

BUDGET = 32_000_000
"""Bytes of source for which all processes of a scan keep together what they know. That takes some 20 times as much
memory."""


class KeptStudies:
    """Studies by the file and a digest of its content, as many as the budget allows.

    Args:
        budget: bytes of source.
    """

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._held: dict[tuple[str, str], tuple[Followed, tuple[str, ...], int]] = {}

    def put(self, key: str, content: str, followed: Followed, handed: tuple[str, ...], size: int) -> None:
        """Keeps a study, unless that is too much.

        Args:
            key, content: the name of the file, and the digest of its content.
            followed: what is to be kept.
            handed: what callers had handed in by then, as in a `Task`.
            size: bytes of source.
        """
        if size <= self._left and (key, content) not in self._held:
            self._held[key, content] = followed, handed, size
            self._left -= size

    def take(self, key: str, content: str, handed: tuple[str, ...]) -> tuple[Followed | None, tuple[str, ...]]:
        """What is kept of a file, and what callers have handed in since; that is all where nothing is kept.

        It is kept no longer then.
        """
        if not handed:
            return None, handed
        followed, before, size = self._held.pop((key, content), (None, (), 0))
        self._left += size
        if before != handed[: len(before)] or before == handed:
            return None, handed
        return followed, handed[len(before) :]
