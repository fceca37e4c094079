"""Many small uses of a package, each guarded: one that fails is reported, and the others go on.

A workload registers functions that take a device:

    uses = Uses()

    @uses.add
    def box_iou(device): ...

    uses.add_each("loss", ["l1", "l2"], lambda name: lambda device: ...)

    if __name__ == "__main__":
        uses.main()

Each runs twice, as what waits may differ in the first round: caches are filled then.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import torch

Use = Callable[[torch.device], object]


class Failure(NamedTuple):
    """A use that raised."""

    name: str
    error: str
    trace: str


class Ran(NamedTuple):
    """What became of the uses."""

    done: tuple[str, ...]
    failed: tuple[Failure, ...]
    skipped: tuple[str, ...]
    """Not started, as the time was up."""
    seconds: float


class Uses:
    """The uses of one package, in the order in which they were added."""

    def __init__(self) -> None:
        self._uses: dict[str, Use] = {}

    def add(self, use: Use) -> Use:
        """Registers a function under its name. Can be used as a decorator."""
        self._put(use.__name__, use)
        return use

    def add_each(self, prefix: str, names: Iterable[str], use_of: Callable[[str], Use]) -> None:
        """Registers `use_of(name)` as `prefix name`, for each of `names`.

        Args:
            prefix: what the uses have in common.
            names: what tells them apart.
            use_of: makes a use. It is called when the use runs, so what it raises fails that use alone.
        """
        for name in names:
            self._put(f"{prefix} {name}", lambda device, name=name: use_of(name)(device))  # type: ignore[misc]

    def _put(self, name: str, use: Use) -> None:
        if name in self._uses:
            raise ValueError(f"two uses are called {name}")
        self._uses[name] = use

    def run(self, device: torch.device, rounds: int, limit: float, only: str = "") -> Ran:
        """Runs the uses whose names contain `only`.

        Args:
            device: where.
            rounds: how often each.
            limit: seconds after which no further use is started.
            only: part of a name.
        """
        began = time.perf_counter()
        done, failed, skipped = [], [], []
        for name, use in self._uses.items():
            if only not in name:
                continue
            if time.perf_counter() - began > limit:
                skipped.append(name)
                continue
            try:
                for _ in range(rounds):
                    torch.manual_seed(0)
                    use(device)
                done.append(name)
            except Exception as error:
                text = str(error).strip().splitlines() or [""]
                failed.append(Failure(name, f"{type(error).__name__}: {text[0][:200]}", traceback.format_exc()))
        return Ran(tuple(done), tuple(failed), tuple(skipped), time.perf_counter() - began)

    def main(self) -> None:
        """The command line of a workload."""
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cuda")
        parser.add_argument("--rounds", type=int, default=2)
        parser.add_argument("--limit", type=float, default=40.0, help="seconds after which no further use is started")
        parser.add_argument("--only", default="", help="part of the names of the uses to run")
        parser.add_argument("--report", type=Path, help="JSON file for what became of the uses")
        parser.add_argument("--traces", action="store_true", help="print the traceback of each use that fails")
        args = parser.parse_args()
        warnings.simplefilter("ignore")
        ran = self.run(torch.device(args.device), args.rounds, args.limit, args.only)
        for failure in ran.failed:
            print(f"failed: {failure.name}: {failure.error}", file=sys.stderr)
            if args.traces:
                print(failure.trace, file=sys.stderr)
        print(
            f"{len(ran.done)} uses ran, {len(ran.failed)} failed, {len(ran.skipped)} were skipped; {ran.seconds:.1f} s"
        )
        if args.report is not None:
            what = {
                "done": ran.done,
                "failed": {failure.name: failure.error for failure in ran.failed},
                "skipped": ran.skipped,
                "seconds": round(ran.seconds, 2),
            }
            args.report.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
