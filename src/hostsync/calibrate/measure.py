"""Measures which operations make the host wait for the GPU: a child process (`hostsync.calibrate.children`).

The oracle: enqueue a delay kernel, record an event, run the call, ask `event.query()`. An event that is done says that
the call waited. Every call runs once before, so that first-use costs do not count; one that seems to wait is run again
behind a delay that is long against its own time on the host. Other processes on the same GPU only make a delay longer:
an event that is not done still says that the call did not wait, and a call that they slow down is seen by the second
run. `tests/gpu/test_ops_waits.py` holds one process and many to the same verdicts.

What runs: PyTorch's own operator samples (`op_db`, `module_db`), as function, method, in-place method and alias; the
same with one number or size replaced by a 0-d device tensor, and with one tensor of several on the CPU where that is
legal; and the expressions of `samples`. With `--dry-run` everything is executed on the CPU and no verdict is given.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from hostsync.calibrate.children import Record, serve
from hostsync.calibrate.delayed_oracle import Oracle
from hostsync.calibrate.recorder import ITEM_SECONDS, Recorder
from hostsync.calibrate.work_items import items

torch: Any = import_module("torch")

CATALOGUE = "?"
"""The item whose answer says what there is to measure, and on what."""


def about(dry: bool) -> Record:
    """What a measurement is of."""
    found: Record = {"torch": str(torch.__version__), "python": sys.version.split()[0], "device": "none (dry run)"}
    if not dry:
        found |= {"device": torch.cuda.get_device_name(), "free_memory": torch.cuda.mem_get_info()[0]}
    return found


def main() -> None:
    """Serve items of work by name."""
    dry = "--dry-run" in sys.argv[1:]
    warnings.simplefilter("ignore")
    # Many of these processes share the cores.
    torch.set_num_threads(1)
    work = dict(items())
    judge = Oracle(dry)

    def handle(item: str, skip: int, write: Callable[[Record], None]) -> None:
        if item == CATALOGUE:
            write({"about": about(dry), "items": list(work)})
            return
        recorder = Recorder(judge, "cpu" if dry else "cuda", write, skip)
        try:
            work[item](recorder)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            write({"op": item, "kinds": "", "error": text.splitlines()[0][:160]})
            if "CUDA error" in text:
                raise SystemExit(3) from None
        if recorder.cut:
            write({"op": item, "kinds": "", "error": f"cut short after {ITEM_SECONDS:g} s"})

    serve(handle)


if __name__ == "__main__":
    main()
