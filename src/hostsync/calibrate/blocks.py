"""Runs one block of a rule page after another on the GPU, and tells which of its lines made the host wait.

A child process (`hostsync.calibrate.children`). The judge is the oracle: a long delay kernel is enqueued before a line,
an event is recorded after the kernel, and the line has waited if the event is done when the line returns. Each block
runs once to warm up (allocations, libraries, kernels), then with a delay before every line, then with a longer delay
before the marked lines, so that a line that is merely slow isn't taken for one that waits. Waits for another stream, or
for an event that was recorded before the line, can't see a delay that comes right before the line: for marked lines
that did not wait, the block runs again with the delay at the start of the enclosing suite.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import json
import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from hostsync.calibrate.children import Record, serve
from hostsync.calibrate.delay import cycles_per_ms
from hostsync.catalogue.blocks import read_marks
from hostsync.catalogue.evidence import Count, contradictions
from hostsync.runtime import sources
from hostsync.runtime.driver import Seen
from hostsync.runtime.errors import SourceError

torch: Any = import_module("torch")

DELAYS_MS = (20.0, 100.0, 500.0)
"""The delay before each line: of the first try, and of the next ones after a surprise. Lines that work on the CPU alone
may outlast a short one, such as 16 million random numbers on a busy machine."""
LONG_MS = 250.0
"""The delay that a line has to outlast to be called one that waits."""
BLOCKED_SECONDS = 0.002
"""A driver call that takes this long behind a delay is one that the host waited in."""


# --- the oracle ----------------------------------------------------------------------------------


class Oracle:
    """Counts, row by row, how often a line was executed and how often it waited, and in which driver calls.

    The delay comes before each line, with `only` before those rows, and with `by_suite` at the start of each suite.
    """

    def __init__(self, cycles: int, *, only: frozenset[int] | None = None, by_suite: bool = False) -> None:
        self._cycles = cycles
        self._only = only
        self._by_suite = by_suite
        self._event: Any = None
        self._seen: list[str] = []
        self.counts: dict[int, Count] = {}
        self._begun: list[int] = []
        """For each line that is being executed: how many calls had been seen when it began."""
        self._depth_waited: list[bool] = []
        self._inner = 0

    def listen(self, seen: Seen) -> None:
        """Is told of every driver call that blocks."""
        if seen.seconds > BLOCKED_SECONDS:
            self._seen.append(seen.call)

    def _delay(self) -> None:
        drain()
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
        self._begun.append(len(self._seen))
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
        seen = self._seen[self._begun.pop() :]
        if self._by_suite and event is not None:
            done = event.query()
            waited = inner_waited or done
            # A delay that is over says nothing about the lines after it.
            self._event = None if done else event
        elif self._by_suite:
            waited = inner_waited
        else:
            waited = inner_waited if nested else event is not None and event.query()
            drain()
        count = self.counts.get(row, Count(0, 0))
        through = tuple(sorted({*count.through, *seen})) if waited else count.through
        self.counts[row] = Count(count.executed + 1, count.waited + waited, through)
        if self._depth_waited:
            self._depth_waited[-1] = self._depth_waited[-1] or waited
        self._inner += 1


def drain() -> None:
    """Waits for everything, unseen by those who listen."""
    with sources.muted():
        torch.cuda.synchronize()


@contextlib.contextmanager
def listening(oracle: Oracle) -> Iterator[None]:
    """Tells the oracle of driver calls; of none where the driver can't be listened to."""
    try:
        session = sources.open_session(("driver",))
    except SourceError:
        yield
        return
    sources.driver_listeners.append(oracle.listen)
    try:
        yield
    finally:
        sources.driver_listeners.remove(oracle.listen)
        session.close()


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


def instrumented(source: str) -> ast.Module:
    """The block with the oracle, under the name `__oracle__`, around its lines."""
    tree: ast.Module = ast.parse(source)
    tree.body = Instrument().suite(tree.body)
    return ast.fix_missing_locations(tree)


# --- blocks --------------------------------------------------------------------------------------


def run(source: str, oracle: Oracle | None) -> dict[str, Any]:
    """Executes the block, with the oracle if there is one. Returns its names, which keep its memory in use."""
    names: dict[str, Any] = {"__name__": "block", "__oracle__": oracle}
    tree = ast.parse(source) if oracle is None else instrumented(source)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        if oracle is not None:
            stack.enter_context(listening(oracle))
        exec(compile(tree, "block", "exec"), names)
    torch.cuda.synchronize()
    return names


def verify(source: str, per_ms: float) -> dict[int, Count]:
    """Runs one block and returns what its lines did."""
    marked = frozenset(read_marks(source).waits)
    # A block before this one may have compiled something, which switches the checks off for the whole process.
    torch.distributions.Distribution.set_default_validate_args(__debug__)
    kept = [run(source, None)]
    counts: dict[int, Count] = {}
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
        if not contradictions(source, counts):
            break
    del kept
    return counts


def start(need: str) -> None:
    """Prepares what blocks say that they need. Raises ValueError for anything but `distributed`."""
    if need != "distributed":
        raise ValueError(f"`# needs: {need}` is not known; only `distributed` is")
    dist: Any = import_module("torch.distributed")
    if dist.is_initialized():
        return
    store = Path(tempfile.mkdtemp()) / "store"
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", init_method=store.as_uri(), rank=0, world_size=1, timeout=timedelta(seconds=60))


def main() -> None:
    """Serves blocks: an item is JSON with `source`; the answer has `lines`, or an `error`."""
    per_ms = cycles_per_ms()

    def handle(item: str, skip: int, write: Callable[[Record], None]) -> None:
        if skip:
            return
        source = json.loads(item)["source"]
        try:
            for need in sorted(read_marks(source).needs):
                start(need)
            counts = verify(source, per_ms)
        except Exception as error:
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "block"]
            row = f"row {frames[-1].lineno}: " if frames else ""
            message = next(iter(str(error).strip().splitlines()), "")
            write({"error": f"{row}{type(error).__name__}: {message}"[:300]})
            if "CUDA error" in str(error):
                os._exit(3)
        else:
            about = {"torch": str(torch.__version__), "gpu": torch.cuda.get_device_name()}
            write({**about, "lines": {row: list(count) for row, count in counts.items()}})
        gc.collect()
        torch.cuda.synchronize()

    serve(handle)


if __name__ == "__main__":
    main()
