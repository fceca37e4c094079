"""What a process keeps of the files that it has studied, as it may be asked to study them again."""

from __future__ import annotations

from hostsync.facts import Module

BUDGET = 16_000_000
"""Bytes of source whose facts all processes of a scan keep together. Facts take some 15 times as much memory."""


class KeptFacts:
    """Facts by the file and a digest of its content, as many as the budget allows.

    Args:
        budget: bytes of source.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._left = budget
        self._held: dict[tuple[str, str], tuple[Module, int]] = {}

    def put(self, key: str, content: str, facts: Module, size: int) -> None:
        """Keeps facts, unless they are too many.

        Args:
            key, content: the name of the file, and the digest of its content.
            facts: what it was parsed to.
            size: bytes of source.
        """
        if size <= self._left and (key, content) not in self._held:
            self._held[key, content] = facts, size
            self._left -= size

    def take(self, key: str, content: str) -> Module | None:
        """What is kept of a file; it is kept no longer then."""
        facts, size = self._held.pop((key, content), (None, 0))
        self._left += size
        return facts
