"""What a GPU said about the blocks of rule pages: `evidence/blocks.json` in a folder of rules.

`hostsync verify-rules --update` writes it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.catalogue.blocks import digest, read_marks
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Rule

WAITS, SILENT, FAILED = "waits", "does not wait", "failed"
"""Verdicts on a block."""


class Count(NamedTuple):
    """What one line did."""

    executed: int
    """How often it ran."""
    waited: int
    """How often the host waited in it."""
    through: tuple[str, ...] = ()
    """The driver calls in which it waited; empty when it didn't, or the driver could not be listened to."""


class Measured(NamedTuple):
    """Where and when something was measured."""

    torch: str
    gpu: str
    date: str

    def __str__(self) -> str:
        return f"{self.gpu}, torch {self.torch.partition('+')[0]}, {self.date}"


class BlockEvidence(NamedTuple):
    """One block of a page, as it ran."""

    block: str
    """`bad` or `good` and the block's number on its page, from 0."""
    digest: str
    lines: Mapping[int, Count]
    """By 1-based row."""
    on: Measured
    error: str = ""
    """Why it did not run to its end; its lines are not evidence then."""


class Evidence(NamedTuple):
    rules: Mapping[str, tuple[BlockEvidence, ...]]
    """By code."""

    def problems(self, rule: Rule) -> list[str]:
        """Where the page of `rule` claims more than its blocks showed on the GPU; empty if nowhere."""
        found = {block.block: block for block in self.rules.get(rule.code, ())}
        problems = []
        for name, source in blocks_of(rule):
            if name not in found:
                problems.append(f"{name} was never run on a GPU")
            elif found[name].digest != digest(source):
                problems.append(f"{name} was changed since it ran on a GPU")
            elif found[name].error:
                problems.append(f"{name} failed: {found[name].error}")
            else:
                problems += [f"{name}, {problem}" for problem in contradictions(source, found[name].lines)]
        return problems

    def sentence(self, rule: Rule) -> str:
        """One line on what is known of `rule`, such as `2 of 2 Bad blocks wait (cuStreamSynchronize), …`; empty where
        no block of it ran."""
        known = {block.block: block for block in self.rules.get(rule.code, ())}
        if not known:
            return ""
        sources = dict(blocks_of(rule))
        current = {
            name: known[name] for name in sources if name in known and known[name].digest == digest(sources[name])
        }
        good = {
            name
            for name, block in current.items()
            if not block.error and not contradictions(sources[name], block.lines)
        }
        counts = {
            kind: (sum(name.startswith(kind) for name in good), sum(name.startswith(kind) for name in sources))
            for kind in ("bad", "good")
        }
        calls = sorted({call for name, block in current.items() if name.startswith("bad") for call in _calls(block)})
        through = f" ({', '.join(calls)})" if calls else ""
        # Where no line is marked, the page blames something else than a wait for the GPU.
        claim = "wait" if any(read_marks(source).waits for source in rule.bad) else "do as the page says"
        parts = [f"{counts['bad'][0]} of {counts['bad'][1]} Bad blocks {claim}{through}"]
        parts.append(f"{counts['good'][0]} of {counts['good'][1]} Good blocks do not")
        if len(current) < len(sources):
            parts.append(f"{len(sources) - len(current)} changed or added since")
        places = sorted({str(block.on) for block in known.values()})
        return f"{', '.join(parts)} ({'; '.join(places)})"


def _calls(block: BlockEvidence) -> Iterable[str]:
    return (call for count in block.lines.values() for call in count.through)


def blocks_of(rule: Rule) -> list[tuple[str, str]]:
    """The name and the source of each block of a page, as evidence knows them."""
    return [
        (f"{kind} {index}", source)
        for kind, sources in (("bad", rule.bad), ("good", rule.good))
        for index, source in enumerate(sources)
    ]


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
    unjudged = _unjudged(source)
    for row, count in sorted(lines.items()):
        if count.waited and row not in unjudged and row not in marks.waits:
            through = f" in {', '.join(count.through)}" if count.through else ""
            problems.append(
                f"row {row} waited{through} in {count.waited} of {count.executed} executions and has no mark"
            )
    return problems


def verdict(source: str, block: BlockEvidence) -> str:
    """What became of a block, in a word: a Bad one waits where each of its marked lines did, a Good one where any
    line that is judged did."""
    if block.error:
        return FAILED
    marked = read_marks(source).waits
    if block.block.startswith("bad") and marked:
        return WAITS if all(row in block.lines and block.lines[row].waited for row in marked) else SILENT
    unjudged = _unjudged(source)
    return WAITS if any(count.waited and row not in unjudged for row, count in block.lines.items()) else SILENT


def _unjudged(source: str) -> frozenset[int]:
    return read_marks(source).set_up | _calls_of_own_functions(source)


def _calls_of_own_functions(source: str) -> frozenset[int]:
    tree = ast.parse(source)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id in own)


# --- files ---------------------------------------------------------------------------------------


def evidence_file(folder: Path) -> Path:
    """Where the evidence of a folder of rules is."""
    return folder / "evidence" / "blocks.json"


def load_evidence(path: Path | None = None) -> Evidence:
    """Reads the evidence at `path` (None: the shipped one). Raises CatalogueError where it can't be read."""
    path = path or evidence_file(rules_dir())
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        head = Measured(str(data["torch"]), str(data["gpu"]), str(data["date"]))
        return Evidence({code: tuple(_block(entry, head) for entry in found) for code, found in data["rules"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CatalogueError(f"can't read this evidence: {error!r}", path=path) from error


def _block(entry: Mapping[str, Any], head: Measured) -> BlockEvidence:
    lines = entry["lines"]
    if not isinstance(lines, dict):
        raise TypeError("lines is no table")
    counts = {
        int(row): Count(int(count["executed"]), int(count["waited"]), tuple(map(str, count.get("through", ()))))
        for row, count in lines.items()
    }
    on = Measured(**{**head._asdict(), **{key: str(value) for key, value in entry.get("on", {}).items()}})
    return BlockEvidence(str(entry["block"]), str(entry["sha256"]), counts, on, str(entry.get("error", "")))


def merge_evidence(old: Evidence, new: Evidence) -> Evidence:
    """`old` with the rules of `new` in place of what it had of them."""
    return Evidence({**old.rules, **new.rules})


def evidence_text(evidence: Evidence, rules: Mapping[str, Rule]) -> str:
    """The file of evidence, one line for each block.

    The head says where the newest was measured, and a block says where it was if that is elsewhere.

    Args:
        evidence: of at least one block.
        rules: by code; for the verdicts.
    """
    blocks = [block for found in evidence.rules.values() for block in found]
    head = max((block.on for block in blocks), key=lambda on: (on.date, on))
    parts = []
    for code, found in sorted(evidence.rules.items()):
        sources = dict(blocks_of(rules[code])) if code in rules else {}
        entries = (json.dumps(_entry(block, sources.get(block.block), head), ensure_ascii=False) for block in found)
        parts.append(f'  "{code}": [\n   ' + ",\n   ".join(entries) + "\n  ]")
    start = json.dumps(head._asdict(), indent=1, ensure_ascii=False).removesuffix("\n}")
    return start + ',\n "rules": {\n' + ",\n".join(parts) + "\n }\n}\n"


def _entry(block: BlockEvidence, source: str | None, head: Measured) -> dict[str, object]:
    entry: dict[str, object] = {"block": block.block, "sha256": block.digest}
    if source is not None and digest(source) == block.digest:
        entry["verdict"] = verdict(source, block)
    if block.error:
        entry["error"] = block.error
    if block.on != head:
        entry["on"] = block.on._asdict()
    entry["lines"] = {str(row): _line(count) for row, count in sorted(block.lines.items())}
    return entry


def _line(count: Count) -> dict[str, object]:
    plain: dict[str, object] = {"executed": count.executed, "waited": count.waited}
    return {**plain, "through": list(count.through)} if count.through else plain
