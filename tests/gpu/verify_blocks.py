"""Runs the blocks of the rule pages on a GPU and records which of their lines made the host wait.

    PYTHONPATH=src python tests/gpu/verify_blocks.py --output rules/evidence/blocks.json [CODE …]

The judge is the oracle: a long delay kernel is enqueued before a line, an event is recorded after the kernel,
and the line has waited if the event is done when the line returns. Each block runs once to warm up
(allocations, libraries, kernels), then with a delay before every line, then with a longer delay before the
marked lines, so that a line that is merely slow isn't taken for one that waits. Waits for another stream, or for
an event that was recorded before the line, can't see a delay that comes right before the line: for marked lines
that did not wait, the block runs again with the delay at the start of the enclosing suite.

Needs torch with CUDA, and nothing else. Exit code 0 when everything holds, 1 otherwise; the evidence is written
in either case.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import io
import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import torch

from hostsync.catalogue.blocks import digest, read_marks
from hostsync.catalogue.evidence import Count, contradictions
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.rules import load_rules

DELAYS_MS = (20.0, 100.0)
"""The delay before each line: of the first try, and of the second after a surprise."""
LONG_MS = 250.0
"""The delay that a line has to outlast to be called one that waits."""


# --- the oracle ----------------------------------------------------------------------------------


def calibrate() -> float:
    """Cycles of `torch.cuda._sleep` in a millisecond."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    cycles = 20_000_000
    for _ in range(2):
        start.record()
        torch.cuda._sleep(cycles)
        end.record()
        end.synchronize()
    return cycles / start.elapsed_time(end)


class Oracle:
    """Counts, row by row, how often a line was executed and how often it waited.

    The delay comes before each line, with `only` before those rows, and with `by_suite` at the start of each suite.
    """

    def __init__(self, cycles: int, *, only: frozenset[int] | None = None, by_suite: bool = False) -> None:
        self._cycles = cycles
        self._only = only
        self._by_suite = by_suite
        self._event: torch.cuda.Event | None = None
        self.counts: dict[int, Count] = {}
        self._depth_waited: list[bool] = []
        self._inner = 0

    def _delay(self) -> None:
        torch.cuda.synchronize()
        torch.cuda._sleep(self._cycles)
        self._event = torch.cuda.Event()
        self._event.record()

    def suite(self) -> None:
        """Stands at the start of a suite."""
        if self._by_suite:
            self._delay()

    def line(self, row: int, run: Callable[[], Any]) -> Any:
        """Evaluates `run`, the expression or the header at `row`."""
        self.before(row)
        value = run()
        self.after(row)
        return value

    def before(self, row: int) -> None:
        """Stands before the statement at a row."""
        self._depth_waited.append(False)
        self._inner = 0
        if self._by_suite:
            return
        self._event = None
        if self._only is None or row in self._only:
            self._delay()

    def after(self, row: int) -> None:
        """Stands after it. A line with others inside (a call of a function of the block) waits if one of them does."""
        event, nested = self._event, self._inner > 0
        inner_waited = self._depth_waited.pop()
        if self._by_suite and event is not None:
            done = event.query()
            waited = inner_waited or done
            # A delay that is over says nothing about the lines after it.
            self._event = None if done else event
        elif self._by_suite:
            waited = inner_waited
        else:
            waited = inner_waited if nested else event is not None and event.query()
            torch.cuda.synchronize()
        count = self.counts.get(row, Count(0, 0))
        self.counts[row] = Count(count.executed + 1, count.waited + waited)
        if self._depth_waited:
            self._depth_waited[-1] = self._depth_waited[-1] or waited
        self._inner += 1


class Instrument:
    """Puts the oracle around each simple statement, and each header of a compound one."""

    def suite(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = [_statement("__oracle__.suite()")]
        for statement in body:
            out += self._statement(statement)
        return out

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.body = self.suite(node.body)
            return [node]
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)):
            return [node]
        if isinstance(node, ast.Return):
            if node.value is not None:
                node.value = _measured(node.lineno, node.value)
            return [node]
        if isinstance(node, (ast.If, ast.While)):
            node.test = _measured(node.test.lineno, _truth(node.test))
            node.body = self.suite(node.body)
            node.orelse = self.suite(node.orelse) if node.orelse else []
            return [node]
        if isinstance(node, ast.For):
            node.iter = _measured(node.iter.lineno, node.iter)
            node.body = self.suite(node.body)
            return [node]
        if isinstance(node, ast.With):
            # Not measured: what it enters may switch the current stream.
            body = []
            for statement in node.body:
                body += self._statement(statement)
            node.body = body
            return [node]
        return [_statement(f"__oracle__.before({node.lineno})"), node, _statement(f"__oracle__.after({node.lineno})")]


def _statement(source: str) -> ast.stmt:
    return ast.parse(source).body[0]


def _truth(test: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("bool", ast.Load()), [test], [])


def _measured(row: int, value: ast.expr) -> ast.expr:
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    oracle = ast.Attribute(ast.Name("__oracle__", ast.Load()), "line", ast.Load())
    return ast.Call(oracle, [ast.Constant(row), ast.Lambda(empty, value)], [])


# --- blocks --------------------------------------------------------------------------------------


def run(source: str, oracle: Oracle | None) -> dict[str, Any]:
    """Executes the block, with the oracle if there is one. Returns its names, which keep its memory in use."""
    tree: ast.Module = ast.parse(source)
    names: dict[str, Any] = {"__name__": "block", "__oracle__": oracle}
    if oracle is not None:
        tree.body = Instrument().suite(tree.body)
        ast.fix_missing_locations(tree)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, "block", "exec"), names)
    torch.cuda.synchronize()
    return names


def verify(source: str, per_ms: float) -> tuple[dict[int, Count], list[str]]:
    """Runs one block. Returns what its lines did, and what contradicts its marks."""
    marked = frozenset(read_marks(source).waits)
    kept = [run(source, None)]
    counts: dict[int, Count] = {}
    problems: list[str] = []
    for delay in DELAYS_MS:
        oracle = Oracle(int(delay * per_ms))
        kept.append(run(source, oracle))
        counts = oracle.counts
        # A marked line that is slow by itself outlasts a short delay, and a surprise deserves a second look.
        confirm = Oracle(int(LONG_MS * per_ms), only=marked)
        if marked:
            kept.append(run(source, confirm))
            counts |= {row: count for row, count in confirm.counts.items() if row in marked}
        missed = [row for row in marked if row in counts and not counts[row].waited]
        if missed:
            by_suite = Oracle(int(LONG_MS * per_ms), by_suite=True)
            kept.append(run(source, by_suite))
            counts |= {row: by_suite.counts[row] for row in missed if row in by_suite.counts}
        problems = contradictions(source, counts)
        if not problems:
            break
    del kept
    return counts, problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("codes", nargs="*", help="only these rules; default: all")
    parser.add_argument("--output", type=Path, default=rules_dir() / "evidence" / "blocks.json")
    parser.add_argument("--date", default=date.today().isoformat())
    options = parser.parse_args()
    per_ms = calibrate()
    started: set[str] = set()
    rules = [file.rule for file in load_rules([rules_dir()]) if file.rule.events]
    blocks = [
        (rule.code, f"{kind} {index}", source)
        for rule in rules
        if not options.codes or rule.code in options.codes
        for kind, sources in (("bad", rule.bad), ("good", rule.good))
        for index, source in enumerate(sources)
    ]
    # What needs more than a GPU comes last, so that its failure to start spoils nothing.
    blocks.sort(key=lambda block: sorted(read_marks(block[2]).needs))
    results: dict[str, list[dict[str, Any]]] = {}
    failures = 0
    for code, name, source in blocks:
        counts: dict[int, Count] = {}
        try:
            for need in read_marks(source).needs - started:
                start(need)
                started.add(need)
            counts, problems = verify(source, per_ms)
        except Exception:
            problems = [traceback.format_exc(limit=-2)]
        gc.collect()
        torch.cuda.synchronize()
        failures += bool(problems)
        for problem in problems:
            print(
                f"{code} {name}: {problem}\n    { ({row: tuple(count) for row, count in counts.items()}) }", flush=True
            )
        lines = {str(row): {"executed": c.executed, "waited": c.waited} for row, c in sorted(counts.items())}
        entry = {"block": name, "sha256": digest(source), "lines": lines}
        results.setdefault(code, []).append(entry)
        write(options.output, options.date, results)
    print(f"{len(blocks)} blocks of {len(results)} rules, {failures} with a problem")
    if "distributed" in started:
        torch.distributed.destroy_process_group()
    return 1 if failures else 0


def write(path: Path, day: str, results: dict[str, list[dict[str, Any]]]) -> None:
    """Writes the evidence gathered so far to `path`, one line for each block."""
    rules = []
    for code, entries in sorted(results.items()):
        rules.append(f'  "{code}": [\n   ' + ",\n   ".join(map(json.dumps, entries)) + "\n  ]")
    head = {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "date": day}
    text = json.dumps(head, indent=1).removesuffix("\n}") + ',\n "rules": {\n' + ",\n".join(rules) + "\n }\n}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def start(need: str) -> None:
    """Prepares what blocks say that they need. Raises ValueError for anything but `distributed`."""
    if need != "distributed":
        raise ValueError(f"don't know how to start {need}")
    import torch.distributed as dist

    store = Path(tempfile.mkdtemp()) / "store"
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", init_method=store.as_uri(), rank=0, world_size=1, timeout=timedelta(seconds=60))


if __name__ == "__main__":
    sys.exit(main())
