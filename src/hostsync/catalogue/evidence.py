"""What a GPU said about the blocks of the rule pages: `rules/evidence/blocks.json`, written by
`tests/gpu/verify_blocks.py`."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hostsync.catalogue.blocks import digest, read_marks
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Rule


class Count(NamedTuple):
    """What one line did."""

    executed: int
    """How often it ran."""
    waited: int
    """How often the host waited in it."""


class BlockEvidence(NamedTuple):
    """One block of a page, as it ran."""

    block: str
    """`bad` or `good` and the block's number on its page, from 0."""
    digest: str
    lines: Mapping[int, Count]
    """By 1-based row."""


class Evidence(NamedTuple):
    torch: str
    gpu: str
    date: str
    rules: Mapping[str, tuple[BlockEvidence, ...]]
    """By code."""

    def problems(self, rule: Rule) -> list[str]:
        """Where the page of `rule` claims more than its blocks showed on the GPU; empty if nowhere."""
        found = {block.block: block for block in self.rules.get(rule.code, ())}
        problems = []
        for kind, sources in (("bad", rule.bad), ("good", rule.good)):
            for index, source in enumerate(sources):
                name = f"{kind} {index}"
                if name not in found:
                    problems.append(f"{name} was never run on a GPU")
                elif found[name].digest != digest(source):
                    problems.append(f"{name} was changed since it ran on a GPU")
                else:
                    problems += [f"{name}, {problem}" for problem in contradictions(source, found[name].lines)]
        return problems

    def sentence(self, rule: Rule) -> str:
        """One line on what is known of `rule`; empty where no block of it ran."""
        if rule.code not in self.rules:
            return ""
        verdict = "not confirmed" if self.problems(rule) else "confirmed"
        return f"{verdict} on {self.gpu} with torch {self.torch}, {self.date}"


def contradictions(source: str, lines: Mapping[int, Count]) -> list[str]:
    """Where what the lines of the block `source` did is not what its marks say, one sentence each.

    A `# waits` line has to wait in some execution, any other line in none. `# set-up` lines are not judged, nor are
    calls of the block's own functions, whose lines are judged instead.
    """
    marks = read_marks(source)
    problems = []
    for row in marks.waits:
        if row not in lines:
            problems.append(f"row {row} is marked `# waits` and was not executed")
        elif not lines[row].waited:
            problems.append(f"row {row} is marked `# waits` and did not wait")
    unjudged = marks.set_up | marks.waits.keys() | _calls_of_own_functions(source)
    for row, count in sorted(lines.items()):
        if count.waited and row not in unjudged:
            problems.append(f"row {row} waited in {count.waited} of {count.executed} executions and has no mark")
    return problems


def _calls_of_own_functions(source: str) -> frozenset[int]:
    tree = ast.parse(source)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id in own)


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
    counts = {int(row): Count(int(count["executed"]), int(count["waited"])) for row, count in lines.items()}
    return BlockEvidence(str(entry["block"]), str(entry["sha256"]), counts)
