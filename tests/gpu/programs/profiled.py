"""Runs a program under torch.profiler and writes how often it made each CUDA call that can block.

python profiled.py RESULT.json PROGRAM [ARGS]...
"""

import json
import runpy
import sys
import tempfile
from collections import Counter
from pathlib import Path

import torch

SYNCHRONIZING = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")
MEMORY = ("cudaFree",)
COPIES = {"Memcpy DtoH (Device -> Pageable)": "copy-to-host", "Memcpy HtoD (Pageable -> Device)": "copy-to-device"}
# Up to here a copy is only staged (results/runtime-sources.json).
STAGED_BYTES = 2 << 20


def main():
    result, program, *args = sys.argv[1:]
    sys.argv = [program, *args]
    sys.path[0] = str(Path(program).resolve().parent)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile, torch.profiler.record_function("the program"):
        runpy.run_path(program, run_name="__main__")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        profile.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    (whole,) = [e for e in events if e.get("name") == "the program" and e.get("cat") == "user_annotation"]
    begin, end = whole["ts"], whole["ts"] + whole["dur"]
    counts = Counter()
    for event in events:
        name, category = event.get("name"), event.get("cat")
        if category in ("cuda_runtime", "cuda_driver") and begin <= event["ts"] <= end:
            counts[name] += name in SYNCHRONIZING + MEMORY
        elif category == "gpu_memcpy" and name in COPIES:
            counts[COPIES[name]] += COPIES[name] == "copy-to-host" or event["args"]["bytes"] > STAGED_BYTES
    Path(result).write_text(json.dumps({name: count for name, count in counts.items() if count}))


if __name__ == "__main__":
    main()
