"""Has a GPU run the blocks of rules, and gathers what it said. Needs no torch itself: children do the work."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from hostsync.calibrate.children import Outcome, work
from hostsync.catalogue.blocks import digest, read_marks
from hostsync.catalogue.evidence import BlockEvidence, Count, Evidence, Measured, blocks_of, contradictions, verdict
from hostsync.catalogue.model import Rule

COMMAND = (sys.executable, "-m", "hostsync.calibrate.blocks")
BLOCK_SECONDS = 120.0


class Block(NamedTuple):
    """A block that is to run."""

    code: str
    name: str
    source: str

    @property
    def item(self) -> str:
        """What a child is asked."""
        return json.dumps(self._asdict())


class Verified(NamedTuple):
    """A block that has run."""

    block: Block
    evidence: BlockEvidence

    @property
    def problems(self) -> list[str]:
        """What contradicts the page, one sentence each."""
        if self.evidence.error:
            return [f"failed: {self.evidence.error}"]
        return contradictions(self.block.source, self.evidence.lines)

    @property
    def verdict(self) -> str:
        return verdict(self.block.source, self.evidence)


def blocks_to_run(rules: Iterable[Rule]) -> list[Block]:
    """The blocks of all rules that claim a wait. What needs more than a GPU comes last: it is the likeliest to fail."""
    blocks = [Block(rule.code, name, source) for rule in rules if rule.events for name, source in blocks_of(rule)]
    return sorted(blocks, key=lambda block: sorted(read_marks(block.source).needs))


def verify_blocks(
    blocks: Sequence[Block],
    where: Measured,
    *,
    jobs: int = 1,
    done: Callable[[Verified], None] = lambda verified: None,
    command: Sequence[str] = COMMAND,
) -> list[Verified]:
    """Runs `blocks` in child processes.

    Args:
        blocks: what to run.
        where: what to record for a block that says nothing of its own.
        jobs: number of processes at a time, which share the GPU.
        done: is told of each block.
        command: starts a child.

    Raises:
        ChildError: a child can't start.
    """
    by_item = {block.item: block for block in blocks}
    verified = []
    for outcome in work(list(by_item), command, jobs=jobs, limit=BLOCK_SECONDS):
        block = by_item[outcome.item]
        verified.append(Verified(block, evidence_of(block, outcome, where)))
        done(verified[-1])
    order = {block: index for index, block in enumerate(blocks)}
    return sorted(verified, key=lambda one: order[one.block])


def evidence_of(block: Block, outcome: Outcome, where: Measured) -> BlockEvidence:
    """What a child's answer says of a block."""
    record = outcome.records[0] if outcome.records else {}
    error = str(record.get("error", ""))
    if "lines" not in record and not error:
        error = f"its process {outcome.breaks[0]}" if outcome.breaks else "its process gave no answer"
    lines = {
        int(row): Count(int(executed), int(waited), tuple(through))
        for row, (executed, waited, through) in record.get("lines", {}).items()
    }
    on = Measured(str(record.get("torch", where.torch)), str(record.get("gpu", where.gpu)), where.date)
    return BlockEvidence(block.name, digest(block.source), lines, on, error)


def gathered(verified: Iterable[Verified]) -> Evidence:
    """The evidence of many blocks."""
    rules: dict[str, list[BlockEvidence]] = {}
    for one in verified:
        rules.setdefault(one.block.code, []).append(one.evidence)
    return Evidence({code: tuple(sorted(found, key=_order)) for code, found in rules.items()})


def _order(block: BlockEvidence) -> tuple[str, int]:
    kind, _, number = block.block.partition(" ")
    return kind, int(number)
