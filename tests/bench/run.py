"""Times whole commands, as a user waits for them.

    python -m tests.bench [--short] [--runs N] [--installed] [--against 'TOOL ARGUMENTS'] [--json FILE] [PATH …]

Measured are a cold scan (empty cache), a warm one (cache of the cold one), one after a statement was added to a
function of one file and one after a function was added (of a copy, another file in each turn, from small to large), one
small file without a cache, and `--version` against a bare interpreter. `--against` times another scanner over the same
PATHs, its runs taking turns with ours. Each figure is the median of its runs. Memory is measured in runs of its own,
since watching costs time: the largest sum, over time, of the resident memory of all processes of a command where /proc
says it, else the largest single process. Pages that processes share count once for each, so the sum is an upper bound.

Nothing is asserted, as machines differ: the exit code is 0 unless a command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.edits import copied, edited, with_name, with_statement

REPOSITORY = Path(__file__).resolve().parents[2]
HOSTSYNC = (sys.executable, "-m", "hostsync")
FOUND = (0, 1)
CHANGES = {"scan, statement added": with_statement, "scan, function added": with_name}
"""How one file of a copy is changed before a scan."""
PAUSE = 0.02
"""Seconds between two looks at memory."""
PROC = Path("/proc")

SMALL = """\
import torch


def mean_loss(model, batches):
    total = 0.0
    for batch in batches:
        total += model(batch.to("cuda")).mean().item()
    return total / len(batches)
"""


class Sample(NamedTuple):
    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Figures(NamedTuple):
    machine: str
    files: int
    lines: int
    samples: tuple[Sample, ...]
    memory: tuple[tuple[str, int], ...]
    """Peak in bytes, by name."""
    memory_of: str
    """Of what: `all processes` or `the largest process`."""


# --- running -------------------------------------------------------------------------------------


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes], command: Sequence[str]) -> None:
    _, errors = process.communicate()
    # A Python that can't find what it is to run ends with 1, as does a scan that finds something.
    found = FOUND if "check" in command or command[0] != sys.executable else (0,)
    if process.returncode not in found:
        raise SystemExit(f"{shlex.join(command)} ended with {process.returncode}:\n{errors.decode(errors='replace')}")


def seconds_of(command: Sequence[str]) -> float:
    """The wall time of a command."""
    began = time.perf_counter()
    finish(start(command), command)
    return time.perf_counter() - began


def peak_of(command: Sequence[str]) -> int:
    """The peak memory of a command in bytes."""
    process = start(command)
    peak = 0
    while process.poll() is None and PROC.is_dir():
        peak = max(peak, sum(map(resident, family(process.pid))))
        time.sleep(PAUSE)
    finish(process, command)
    return peak or largest_child()


def family(pid: int) -> Iterator[int]:
    """A process and all below it, by what /proc says right now."""
    yield pid
    try:
        threads = list((PROC / str(pid) / "task").iterdir())
        children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from family(child)


def resident(pid: int) -> int:
    try:
        pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def largest_child() -> int:
    """The largest process of all that ended so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


# --- what is measured ----------------------------------------------------------------------------


def check(paths: Sequence[Path], *options: str) -> tuple[str, ...]:
    return (*HOSTSYNC, "check", "--isolated", "--output-format", "json", *options, *map(str, paths))


def measure(
    paths: Sequence[Path], runs: int, against: Sequence[str] | None, say: Callable[[str], None] = lambda _: None
) -> Figures:
    """Runs everything.

    Args:
        paths: what is scanned.
        runs: how often each scan runs; the quick commands run at least five times.
        against: the command of another scanner, without the paths.
        say: is told what runs.
    """
    other = None if against is None else (*against, *map(str, paths))
    times: dict[str, list[float]] = {}

    def add(name: str, command: Sequence[str]) -> None:
        say(name)
        times.setdefault(name, []).append(seconds_of(command))

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.py")
        small.write_text(SMALL, encoding="utf-8")
        for turn in range(max(runs, 5)):
            add("bare interpreter", (sys.executable, "-c", "pass"))
            add("hostsync --version", (*HOSTSYNC, "--version"))
            add("one small file, cold", check([small], "--cache-dir", str(Path(folder, f"small{turn}"))))
        copies = copied(paths, Path(folder, "copy"))
        of_copies = check(copies, "--cache-dir", str(Path(folder, "cache of the copy")))
        say("a copy")
        finish(start(of_copies), of_copies)
        for turn in range(runs):
            cache = str(Path(folder, f"cache{turn}"))
            add("scan, cold", check(paths, "--cache-dir", cache))
            add("scan, warm", check(paths, "--cache-dir", cache))
            for name, change in CHANGES.items():
                if edited(copies, (turn + 1) / (runs + 1), change) is not None:
                    add(name, of_copies)
            if other is not None:
                add("the other scanner", other)
        say("memory")
        memory = [("scan, cold", peak_of(check(paths, "--cache-dir", str(Path(folder, "memory")))))]
        memory.append(("scan, warm", peak_of(check(paths, "--cache-dir", str(Path(folder, "memory"))))))
        if other is not None:
            memory.append(("the other scanner", peak_of(other)))
    files, lines = size_of(paths)
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    samples = tuple(Sample(name, tuple(found)) for name, found in times.items())
    watched = "all processes" if PROC.is_dir() else "the largest process"
    return Figures(machine, files, lines, samples, tuple(memory), watched)


def size_of(paths: Sequence[Path]) -> tuple[int, int]:
    """Number of Python files and of their lines."""
    files = [path for root in paths for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])]
    return len(files), sum(path.read_bytes().count(b"\n") for path in files)


# --- output --------------------------------------------------------------------------------------


def table(figures: Figures) -> str:
    """The figures for reading."""
    memory = dict(figures.memory)
    lines = [figures.machine, f"{figures.files:,} files, {figures.lines:,} lines", ""]
    lines.append(f"{'':<24}{'median':>10}{'best':>10}{'worst':>10}{'runs':>6}{'peak memory':>14}")
    for sample in figures.samples:
        row = f"{sample.name:<24}"
        row += "".join(f"{value:>8.3f} s" for value in (sample.median, min(sample.seconds), max(sample.seconds)))
        row += f"{len(sample.seconds):>6}"
        if sample.name in memory:
            row += f"{memory[sample.name] / 1e6:>11,.0f} MB"
        lines.append(row)
    lines.append("")
    lines += [f"{name:<44}{value:>8.3f}{unit}" for name, value, unit in ratios(figures)]
    lines.append(f"memory is that of {figures.memory_of}")
    return "\n".join(lines)


def ratios(figures: Figures) -> Iterator[tuple[str, float, str]]:
    """What is derived: name, value, unit."""
    median = {sample.name: sample.median for sample in figures.samples}
    cold, warm = median["scan, cold"], median["scan, warm"]
    yield "--version over a bare interpreter", median["hostsync --version"] - median["bare interpreter"], " s"
    yield "a line, cold", cold / max(1, figures.lines) * 1e6, " µs"
    yield "warm : cold", warm / cold, ""
    other = median.get("the other scanner")
    if other is not None:
        yield "cold : the other scanner", cold / other, ""
        yield "warm : the other scanner", warm / other, ""
        for name in CHANGES:
            if name in median:
                yield f"{name.removeprefix('scan, ')} : the other scanner", median[name] / other, ""
        best = {sample.name: min(sample.seconds) for sample in figures.samples}
        yield "cold : the other scanner, best runs", best["scan, cold"] / best["the other scanner"], ""


def to_json(figures: Figures) -> str:
    """The figures for programs."""
    data = {
        "machine": figures.machine,
        "files": figures.files,
        "lines": figures.lines,
        "seconds": {sample.name: list(sample.seconds) for sample in figures.samples},
        "median": {sample.name: sample.median for sample in figures.samples},
        "peak_bytes": dict(figures.memory),
        "memory_of": figures.memory_of,
        "derived": {name: value for name, value, _ in ratios(figures)},
    }
    return json.dumps(data, indent=2) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Times whole commands of hostsync, as a user waits for them.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="what to scan  [default: this repository]")
    parser.add_argument("--short", action="store_true", help="one run of each scan")
    parser.add_argument("--runs", type=int, default=5, help="runs of each scan  [default: 5]")
    parser.add_argument(
        "--installed",
        action="store_true",
        help="the hostsync that this Python has, not the one in src of this repository",
    )
    parser.add_argument("--against", metavar="COMMAND", help="another scanner; the paths are put behind it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    paths = options.paths or [REPOSITORY / "src", REPOSITORY / "docs" / "example"]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        parser.error(f"no such file or folder: {', '.join(missing)}")
    runs = 1 if options.short else max(1, options.runs)
    # A package that is installed has its byte code, whatever this environment keeps from being written.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not options.installed:
        os.environ["PYTHONPATH"] = str(REPOSITORY / "src")
    against = shlex.split(options.against) if options.against else None
    figures = measure(paths, runs, against, lambda name: print(f"... {name}", file=sys.stderr, flush=True))
    print(table(figures))
    if options.json is not None:
        options.json.write_text(to_json(figures), encoding="utf-8")
    return 0
