"""What a GPU said about the blocks of the rule pages: `rules/evidence/blocks.json`, written by
`tests/gpu/verify_blocks.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir


class BlockEvidence(NamedTuple):
    """One block of a page, as it ran."""

    block: str
    """`bad` or `good` and the block's number on its page, from 0."""
    sha256: str
    lines: Mapping[int, tuple[int, int]]
    """By 1-based row: how often it was executed, and how often it made the host wait."""
    holds: bool
    """Whether the lines that waited are the ones that the page marks."""


class Evidence(NamedTuple):
    torch: str
    gpu: str
    date: str
    rules: Mapping[str, tuple[BlockEvidence, ...]]
    """By code."""

    def sentence(self, code: str) -> str:
        """One line on the rule `code`; empty where nothing of it was run."""
        blocks = self.rules.get(code, ())
        if not blocks:
            return ""
        verdict = "confirmed" if all(block.holds for block in blocks) else "not confirmed"
        return f"{verdict} on {self.gpu} with torch {self.torch}, {self.date}"


def load_evidence(path: Path | None = None) -> Evidence:
    """Reads the evidence at `path` (None: the shipped one). Raises CatalogueError where it can't be read."""
    path = path or rules_dir() / "evidence" / "blocks.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rules = {code: tuple(_block(entry) for entry in entries) for code, entries in data["rules"].items()}
        return Evidence(str(data["torch"]), str(data["gpu"]), str(data["date"]), rules)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CatalogueError(f"can't read this evidence: {error!r}", path=path) from error


def _block(entry: Mapping[str, object]) -> BlockEvidence:
    lines = entry["lines"]
    if not isinstance(lines, dict):
        raise TypeError("lines is no table")
    counts = {int(row): (int(count["executed"]), int(count["waited"])) for row, count in lines.items()}
    return BlockEvidence(str(entry["block"]), str(entry["sha256"]), counts, entry["holds"] is True)
