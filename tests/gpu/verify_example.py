"""Runs the example of the documentation on a GPU and compares the lines that waited with those that the scan reports.

    PYTHONPATH=src python tests/gpu/verify_example.py

The judge is the oracle, statement by statement: a long delay kernel is enqueued before a statement, an event is
recorded after the kernel, and the statement has waited if the event is done when it returns. Both training loops and
both scores run, for a few batches each; a statement counts from its second run on, so that first-use costs do not.

A line that is reported for what it calls has waited if a statement inside did. Needs torch with CUDA, and what hostsync
needs. Exit code 0 when reported lines and waiting lines are the same, but for those of `KNOWN`; 1 otherwise.
"""

from __future__ import annotations

import ast
import sys
import types
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from hostsync.lint.scan import check_files
from hostsync.project.config import Resolver
from hostsync.project.discovery import discover
from hostsync.project.settings import Overrides

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "example" / "trainer"
MODULES = ("data", "model", "evaluate", "train")
DELAY_MS = 60.0
KNOWN = {("train.py", "loss.backward()"): "the backward pass of a mask index looks for the true elements once more"}
"""Statements that wait and are not reported."""
CALL_THAT_WAITS = "HS606"
"""Says of a line that what it calls waits."""
Line = tuple[str, int]


class Open:
    """A statement that has begun."""

    def __init__(self, event: Any) -> None:
        self.event = event
        self.holds_others = False
        self.waits_inside = False


class Oracle:
    """Enqueues the delay before a statement, and notes after it whether the delay is over.

    A statement that runs other statements of the example is judged only by `outermost`, and only if none of those
    waited: theirs is the wait then.
    """

    def __init__(self) -> None:
        self.runs: dict[Line, list[bool]] = defaultdict(list)
        self.inside: set[Line] = set()
        """Statements that ran others which waited."""
        self.is_on = False
        self.outermost = False
        self._cycles = self._cycles_per_ms() * DELAY_MS
        self._open: list[Open] = []
        self._judged_outside: set[Line] = set()

    @staticmethod
    def _cycles_per_ms() -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for _ in range(2):
            start.record()
            torch.cuda._sleep(20_000_000)
            end.record()
            end.synchronize()
        return 20_000_000 / start.elapsed_time(end)

    def before(self) -> None:
        if not self.is_on:
            return
        if self._open:
            self._open[-1].holds_others = True
        if self.outermost and self._open:
            self._open.append(Open(None))
            return
        torch.cuda.synchronize()
        torch.cuda._sleep(int(self._cycles))
        event = torch.cuda.Event()
        event.record()
        self._open.append(Open(event))

    def after(self, file: str, row: int) -> None:
        if not self.is_on:
            return
        line, done = (file, row), self._open.pop()
        if done.waits_inside:
            self.inside.add(line)
        if done.event is None:
            return
        waited = done.event.query()
        torch.cuda.synchronize()
        if self.outermost:
            if line in self._judged_outside:
                self.runs[line].append(waited)
        elif not done.holds_others:
            self.runs[line].append(waited)
        elif not done.waits_inside:
            self._judged_outside.add(line)
        else:
            self._judged_outside.discard(line)
        if self._open:
            self._open[-1].waits_inside |= waited if not done.holds_others else done.waits_inside

    def waited(self) -> dict[Line, bool]:
        """Whether each statement that ran at least twice waited, its first run left out."""
        return {line: any(runs[1:]) for line, runs in self.runs.items() if len(runs) > 1}


class Instrument(ast.NodeTransformer):
    """Puts each simple statement, each condition and each returned value between calls of the oracle."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._in_function = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._in_function = self._in_function, node.name not in ("main", "__init__")
        self.generic_visit(node)
        self._in_function = outer
        return node

    def _between(self, node: ast.stmt, row: int) -> list[ast.stmt]:
        before = ast.parse("__oracle__.before()").body
        after = ast.parse(f"__oracle__.after({self._file!r}, {row})").body
        return [*before, node, *after]

    def _simple(self, node: ast.stmt) -> Any:
        return self._between(node, node.lineno) if self._in_function else node

    visit_Assign = _simple  # noqa: N815
    visit_AugAssign = _simple  # noqa: N815
    visit_Expr = _simple  # noqa: N815

    def _held(self, node: ast.expr, row: int) -> list[ast.stmt]:
        return self._between(ast.Assign([ast.Name("__held", ast.Store())], node), row)

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if not self._in_function:
            return node
        test = ast.Call(ast.Name("bool", ast.Load()), [node.test], [])
        held, node.test = self._held(test, node.test.lineno), ast.Name("__held", ast.Load())
        return [*held, node]

    def visit_Return(self, node: ast.Return) -> Any:
        if not self._in_function or node.value is None:
            return node
        held, node.value = self._held(node.value, node.value.lineno), ast.Name("__held", ast.Load())
        return [*held, node]


def load_instrumented(oracle: Oracle) -> dict[str, types.ModuleType]:
    """The modules of the example, with the oracle at work in their functions."""
    modules = {}
    for name in MODULES:
        path = EXAMPLE / f"{name}.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if name != "data":  # what it does is on the CPU, thousands of times
            tree = ast.fix_missing_locations(Instrument(path.name).visit(tree))
        module = types.ModuleType(name)
        module.__dict__["__oracle__"] = oracle
        sys.modules[name] = modules[name] = module
        exec(compile(tree, str(path), "exec"), module.__dict__)
    return modules


def run_example(oracle: Oracle) -> None:
    """Both loops and both scores, over four batches each."""
    modules = load_instrumented(oracle)
    data, model, train, evaluate = (modules[name] for name in ("data", "model", "train", "evaluate"))
    device = torch.device("cuda")
    steps, size = 4, 32
    weight = torch.full((data.TAGS,), 1.0, device=device)
    tagger = model.Tagger().to(device)
    quiet = model.Tagger(check=False).to(device)
    pageable = data.make_loader(steps * size, size)
    pinned = data.make_loader(steps * size, size, pin_memory=True)
    for is_on, outermost in ((False, False), (True, False), (True, True)):
        oracle.is_on, oracle.outermost = is_on, outermost
        for _ in range(2):
            train.train_epoch(tagger, pageable, torch.optim.AdamW(tagger.parameters()), device, steps)
            optimizer = torch.optim.AdamW(quiet.parameters())
            train.train_epoch_without_waits(quiet, pinned, optimizer, device, steps, weight)
            evaluate.accuracy(quiet, pageable, device)
            evaluate.confusion(quiet, pinned, device)


def reported() -> dict[Line, str]:
    """The lines that the scan reports, certain and likely."""
    files = discover([EXAMPLE], Resolver(Overrides(), isolated=True).settings).files
    return {
        (file.path.name, finding.location.row): finding.code
        for file, checked in zip(files, check_files(files, workers=1), strict=True)
        for finding in checked.findings
        if finding.confidence != "possible"
    }


def report(waited: dict[Line, bool], inside: set[Line], found: dict[Line, str]) -> int:
    """Prints every line that waited or is reported, and returns the number of disagreements.

    Args:
        waited: of the statements that ran, whether they waited themselves.
        inside: those that ran others which waited.
        found: what is reported, by line.
    """
    wrong = 0
    for line in sorted({line for line, yes in waited.items() if yes} | set(found)):
        file, row = line
        text = (EXAMPLE / file).read_text(encoding="utf-8").splitlines()[row - 1].strip()
        outcome = "did not run" if line not in waited else "waited" if waited[line] else "did not wait"
        if found.get(line) == CALL_THAT_WAITS and line in inside:
            outcome = "waited inside"
        agrees = (line in found) == outcome.startswith("waited")
        is_known = (file, text) in KNOWN and outcome == "waited"
        wrong += not agrees and not is_known
        verdict = "ok   " if agrees else "known" if is_known else "WRONG"
        print(f"{verdict} {file}:{row}: {found.get(line, 'not reported')}: {outcome}: {text}")
    print(f"{sum(waited.values())} of {len(waited)} statements waited, {len(found)} lines are reported, {wrong} wrong")
    return wrong


def main(_: Sequence[str]) -> int:
    oracle = Oracle()
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    run_example(oracle)
    return 1 if report(oracle.waited(), oracle.inside, reported()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
