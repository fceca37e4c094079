"""Word lists: names that would fill pages as literals."""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
