"""Runs a program under torch.profiler and a line tracer, and writes every call that blocked, with the row that made it.

    python profiled.py RESULT.json PROGRAM [ARGS]...

Nothing of hostsync is in this: the profiler's trace says when which thread made a blocking call, and the tracer says
which row of the program was being executed at that time. Calls of other threads (a backward pass) get the row at which
the main thread was.
"""

import bisect
import json
import runpy
import sys
import tempfile
from pathlib import Path

import torch

SYNCHRONIZING = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaFree")
COPIES = {"Memcpy DtoH (Device -> Pageable)": "copy-to-host", "Memcpy HtoD (Pageable -> Device)": "copy-to-device"}
# Up to here a copy is only staged (results/runtime-sources.json).
STAGED_BYTES = 2 << 20
WHOLE, ROW = "the program", "row "


class Rows:
    """Marks in the profiler's own trace, on its clock, which row of a folder's modules is being executed."""

    def __init__(self, folder):
        self.folder = folder
        self.mark = None

    def row(self, frame):
        if frame is None or not frame.f_code.co_filename.startswith(self.folder):
            return None
        return f"{ROW}{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"

    def __call__(self, frame, event, arg):
        if self.row(frame) is None:
            return None
        # Back in a caller, its row goes on, which no line event tells.
        row = self.row(frame.f_back) if event == "return" else self.row(frame)
        if event in ("line", "return") and row is not None:
            self.end()
            self.mark = torch.profiler.record_function(row)
            self.mark.__enter__()
        return self

    def end(self):
        if self.mark is not None:
            self.mark.__exit__(None, None, None)
            self.mark = None


def main():
    result, program, *args = sys.argv[1:]
    sys.argv = [program, *args]
    sys.path[0] = str(Path(program).resolve().parent)
    rows = Rows(sys.path[0])
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile, torch.profiler.record_function(WHOLE):
        sys.settrace(rows)
        try:
            runpy.run_path(program, run_name="__main__")
        finally:
            sys.settrace(None)
            rows.end()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        profile.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    marks = sorted(
        (e["ts"], e["name"]) for e in events if e.get("cat") == "user_annotation" and e["name"].startswith(ROW)
    )
    begun = [moment for moment, _ in marks]
    (whole,) = [e for e in events if e.get("cat") == "user_annotation" and e["name"] == WHOLE]
    ended = whole["ts"] + whole["dur"]
    copies = {
        e["args"]["correlation"]: COPIES[e["name"]]
        for e in events
        if e.get("cat") == "gpu_memcpy"
        and e["name"] in COPIES
        and (COPIES[e["name"]] == "copy-to-host" or e["args"]["bytes"] > STAGED_BYTES)
    }
    made = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and whole["ts"] <= e["ts"] <= ended]
    made.sort(key=lambda e: e["ts"])
    calls, copied = [], set()
    for event in made:
        name, thread = event["name"], event["tid"]
        copy = copies.get(event["args"].get("correlation"))
        if copy is not None:
            # The stream is waited for right after such a copy, when nothing is left to wait for.
            copied.add(thread)
            name = copy
        elif name not in SYNCHRONIZING:
            continue
        elif name == "cudaStreamSynchronize" and thread in copied:
            copied.discard(thread)
            continue
        at = bisect.bisect_right(begun, event["ts"]) - 1
        row = marks[at][1].removeprefix(ROW) if at >= 0 else None
        calls.append({"call": name, "row": row, "main": thread == whole["tid"], "us": round(event["dur"], 1)})
    Path(result).write_text(json.dumps(calls))


if __name__ == "__main__":
    main()
