"""Precision and recall of the scan on real packages, against what they do on this machine's GPU.

    python tests/gpu/corpus_loop.py [PACKAGE …] [--possible] [--details FOLDER] [--result FILE] [--index PATH]
        [--jobs N] [--device cuda]

For each package, `hostsync confirm` scans its installed source folder and runs its workload, workloads/PACKAGE_uses.py.
`--details` gets, for each package, every finding that was reached with its verdict, and every missed wait. `--result`
is a summary to be kept in results/corpus.json; what it has of other packages stays, each with the date of its run.
With `--possible` only the findings that are *possible* are scored; that summary is kept in
results/corpus_possible.json.

The definitions, by rows, as in a comparison with recorded lines:

- A finding is one range of rows of a file; several on the same rows count once. Certain and likely findings count.
- Precision: of the findings that were executed, the part that waited.
- A site is a range of rows of the package's own files at which the host waited. Recall: of these, the part that a
  finding covers, in part at least. What waited inside an expression that a finding covers is one site with it.
- Neutral, neither asked for nor held against the scan: waits where the line only hands control to code of torch that
  runs a module, moves a whole one, saves a file or loads a batch; copies to the device that were staged by the driver
  or made large without a wait for the stream; and findings on the rows of such a wait alone.
- Waits inside allocators do not count, unless a rule names them (`empty_cache`).

Where this differs from recorded lines: a line that may have skipped the expression (`a and b`) refutes nothing; and a
call of the package's own code that waits in there confirms a finding, but is no site of its own. Both are counted
apart (`not_seen`, `inside_calls`).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "src"), str(REPOSITORY)]

from tests.gpu import digests  # noqa: E402

WORKLOADS = digests.WORKLOADS
GROUPS: Mapping[str, tuple[str, ...]] = {
    "tuned for": ("timm", "torchvision", "diffusers"),
    "not tuned for": ("kornia", "pytorch_metric_learning"),
    "others": ("torchmetrics", "transformers"),
    "torch itself": ("torch",),
    "looked at last": (
        "botorch",
        "captum",
        "e3nn",
        "gpytorch",
        "monai",
        "pyro",
        "sentence_transformers",
        "torch_geometric",
    ),
    "looked at after a first sight": (
        "auraloss",
        "backpack",
        "bindsnet",
        "curvlinops",
        "d3rlpy",
        "denoising_diffusion_pytorch",
        "entmax",
        "gluonts",
        "nnAudio",
        "open_clip",
        "pomegranate",
        "pytorch_forecasting",
        "pytorch_ood",
        "pytorch_tabnet",
        "segmentation_models_pytorch",
        "snntorch",
        "tianshou",
        "torch_audiomentations",
        "torch_struct",
        "torch_uncertainty",
        "torchsde",
        "vector_quantize_pytorch",
        "x_transformers",
    ),
}
PACKAGES = tuple(package for group in GROUPS.values() for package in group)
DISTRIBUTIONS = {
    "backpack": "backpack-for-pytorch",
    "curvlinops": "curvlinops-for-pytorch",
    "open_clip": "open-clip-torch",
    "pytorch_metric_learning": "pytorch-metric-learning",
    "pyro": "pyro-ppl",
    "sentence_transformers": "sentence-transformers",
    "torch_geometric": "torch-geometric",
}
LIMIT = 540
"""Seconds for a package, scan and all."""
MOVES = ("Module.to", "Module.cpu", "Module.cuda", "Module._apply", "save", "save_file", "DataLoader")
"""Functions of libraries that hand control on, or move a whole module once; also those defined inside them."""
MODULE_CALLS = ("forward", "_wrapped_call_impl", "_call_impl", "decorate_context", "compile_wrapper")
STAGED = ("copy-to-device", "memset")

Rows = tuple[str, int, int]
"""A file, its first row and its last one."""


class Score(NamedTuple):
    """Figures that add up over packages."""

    true: int = 0
    """Findings that were executed and waited."""
    false: int = 0
    """Findings that were executed and never waited."""
    sites: int = 0
    found: int = 0
    certain_true: int = 0
    certain_false: int = 0
    not_reached: int = 0
    not_seen: int = 0
    inside_calls: int = 0
    """Of the true, those confirmed by waits of code that they call, and by none of their own."""
    hidden: int = 0
    """Of the missed sites, those found with less certainty than is shown."""
    neutral: int = 0
    """Waiting expressions that are neither asked for nor held against the scan."""

    def plus(self, other: Score) -> Score:
        return Score(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """All figures, with precision and recall, which are null where nothing can be said."""
        return {
            **self._asdict(),
            "precision": share(self.true, self.false),
            "recall": share(self.found, self.sites - self.found),
            "certain_precision": share(self.certain_true, self.certain_false),
        }


def share(good: int, bad: int) -> float | None:
    return round(good / (good + bad), 4) if good + bad else None


# --- the score -----------------------------------------------------------------------------------


def rows_of(entry: Mapping[str, Any]) -> Rows:
    return entry["filename"], entry["location"]["row"], entry["end_location"]["row"]


def overlap(one: Rows, other: Rows) -> bool:
    return one[0] == other[0] and one[1] <= other[2] and other[1] <= one[2]


def is_neutral(missed: Mapping[str, Any]) -> bool:
    """Whether a missed wait is neither asked for nor held against the scan."""
    if missed["kind"] in STAGED:
        return True
    function = (missed["library"] or "").split(".<locals>")[0]
    name = function.rpartition(".")[2]
    return (
        name in MODULE_CALLS
        or any(function == move or function.endswith(f".{move}") for move in MOVES)
        or ("DataLoader" in function)
    )


def score(findings: Iterable[Mapping[str, Any]], missed: Iterable[Mapping[str, Any]]) -> Score:
    """The figures of one package.

    Args:
        findings: `findings` of a confirmation as JSON.
        missed: its `missed`.
    """
    grouped: dict[Rows, list[Mapping[str, Any]]] = {}
    for finding in findings:
        grouped.setdefault(rows_of(finding), []).append(finding)
    waits: dict[Rows, list[Mapping[str, Any]]] = {}
    for entry in missed:
        waits.setdefault(rows_of(entry), []).append(entry)
    neutral = {rows for rows, entries in waits.items() if all(map(is_neutral, entries))}
    left = {rows: entries for rows, entries in waits.items() if rows not in neutral}
    found_waits = {rows for rows in left if any(overlap(rows, at) for at in grouped)}
    figures = dict.fromkeys(Score._fields, 0)
    confirmed_sites = set()
    for rows, ones in grouped.items():
        statuses = {one["verdict"]["status"] for one in ones}
        confirmed = [one for one in ones if one["verdict"]["status"] == "confirmed"]
        certain = any(one["confidence"] == "certain" for one in ones)
        if confirmed or any(overlap(rows, at) for at in left):
            figures["true"] += 1
            figures["certain_true"] += certain
            own = [one for one in confirmed if not one["inside_calls"]]
            figures["inside_calls"] += bool(confirmed) and not own
            if own:
                confirmed_sites.add(rows)
        elif "refuted" in statuses:
            if not any(overlap(rows, at) for at in neutral):
                figures["false"] += 1
                figures["certain_false"] += certain
        else:
            figures["not_seen" if "not seen" in statuses else "not_reached"] += 1
    # A wait on rows that a confirmed finding has already is the same site.
    more = {rows for rows in found_waits if not any(overlap(rows, at) for at in confirmed_sites)}
    unfound = set(left) - found_waits
    figures["found"] = len(confirmed_sites) + len(more)
    figures["sites"] = figures["found"] + len(unfound)
    figures["hidden"] = sum(any(entry["found_as"] for entry in left[rows]) for rows in unfound)
    figures["neutral"] = len(neutral)
    return Score(**figures)


def only_possible(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The findings on whose rows there is none that is surer than possible."""
    surer = {rows_of(finding) for finding in findings if finding["confidence"] != "possible"}
    return [finding for finding in findings if rows_of(finding) not in surer]


# --- running -------------------------------------------------------------------------------------


class Package(NamedTuple):
    """A package that was judged."""

    name: str
    version: str
    score: Score
    uses: Mapping[str, Any]
    """The report of its workload."""
    data: Mapping[str, Any]
    """The confirmation as JSON."""
    seconds: float


class PackageError(Exception):
    """A package that could not be judged; the message says why."""


def folder_of(package: str) -> Path:
    """The installed source folder of a package, without an import of it. Raises PackageError."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PackageError(f"{package} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def version_of(package: str) -> str:
    return importlib.metadata.version(DISTRIBUTIONS.get(package, package))


def judged(
    package: str, device: str, more: Sequence[str] = (), index: Path | None = None, *, possible: bool = False
) -> Package:
    """Scans a package and runs its workload.

    Args:
        package: its name for imports.
        device: what the workload runs on.
        more: further arguments of the workload.
        index: what `hostsync index` wrote, if the scan is to use it.
        possible: the score is that of the findings that are possible, and no more.

    Raises:
        PackageError: it is not installed, or the confirmation failed.
    """
    began = time.perf_counter()
    source = folder_of(package)
    with tempfile.TemporaryDirectory() as made:
        output, report = Path(made) / "confirmed.json", Path(made) / "uses.json"
        command = [sys.executable, "-m", "hostsync", "confirm", "--isolated", "--no-cache", str(source)]
        command += [] if index is None else ["--index", str(index.resolve())]
        command += ["--min-confidence", "possible"] if possible else []
        command += ["--output-format", "json", "-o", str(output), "--", str(WORKLOADS / f"{package}_uses.py")]
        command += ["--device", device, "--report", str(report), *more]
        paths = os.pathsep.join(filter(None, [str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]))
        offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
        variables = {"OMP_NUM_THREADS": "4", **os.environ, **offline, "PYTHONPATH": paths}
        try:
            done = subprocess.run(
                command, cwd=made, env=variables, capture_output=True, text=True, errors="replace", timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            raise PackageError(f"{package}: not done after {LIMIT} s") from None
        if not output.exists():
            raise PackageError(f"{package}: ended with {done.returncode}:\n{done.stderr[-2000:]}")
        data = json.loads(output.read_text(encoding="utf-8"))
        uses = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
        if not uses:
            raise PackageError(f"{package}: its workload ended with {done.returncode}:\n{done.stderr[-2000:]}")
    version = version_of(package)
    asked = only_possible(data["findings"]) if possible else data["findings"]
    return Package(package, version, score(asked, data["missed"]), uses, data, time.perf_counter() - began)


# --- what is written -----------------------------------------------------------------------------


def details(package: Package) -> dict[str, Any]:
    """Every finding that was reached and every wait that was missed, for reading."""
    folder = folder_of(package.name).parent

    def place(entry: Mapping[str, Any]) -> dict[str, Any]:
        name = Path(entry["filename"])
        return {
            "file": (name.relative_to(folder) if name.is_relative_to(folder) else name).as_posix(),
            "row": entry["location"]["row"],
            "column": entry["location"]["column"],
            "end_row": entry["end_location"]["row"],
            "symbol": entry["symbol"],
        }

    findings = [
        {
            **place(entry),
            "status": entry["verdict"]["status"],
            "code": entry["code"],
            "confidence": entry["confidence"],
            "expression": expression(entry),
            "waits": entry["verdict"]["waits"],
            "executions": entry["verdict"]["executions"],
            "inside_calls": entry["inside_calls"],
            "chain": entry["chain"],
        }
        for entry in package.data["findings"]
        if entry["verdict"]["status"] != "not reached"
    ]
    kept = ("code", "expression", "kind", "call", "operation", "library", "waits", "found_as")
    missed = [
        {**place(entry), **{key: entry[key] for key in kept}, "neutral": is_neutral(entry)}
        for entry in package.data["missed"]
    ]
    return {
        "package": package.name,
        "version": package.version,
        "score": package.score.to_dict(),
        "expressions": package.data["summary"],
        "uses": package.uses,
        "findings": sorted(findings, key=lambda entry: (entry["status"], entry["file"], entry["row"])),
        "missed": sorted(missed, key=lambda entry: (entry["neutral"], entry["file"], entry["row"])),
        "memory": package.data["memory"],
        "elsewhere": package.data["elsewhere"],
        "blind_spots": package.data["runs"][0]["blind_spots"],
    }


def expression(finding: Mapping[str, Any]) -> str:
    """The source text of a finding."""
    start, end = finding["location"], finding["end_location"]
    lines = Path(finding["filename"]).read_text(encoding="utf-8").splitlines()[start["row"] - 1 : end["row"]]
    lines[-1] = lines[-1][: end["column"] - 1]
    lines[0] = lines[0][start["column"] - 1 :]
    return " ".join(line.strip() for line in lines)


def summary(
    packages: Sequence[Package], kept: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """What is kept in results/corpus.json.

    Args:
        packages: those judged now.
        kept: by name, what earlier runs have kept of others.
    """
    import torch

    today = datetime.now(timezone.utc).date().isoformat()
    found = {
        package.name: {
            "date": today,
            "version": package.version,
            "workload": digests.of_workload(package.name),
            "score": package.score.to_dict(),
            "expressions": package.data["summary"],
            "uses": {
                "done": len(package.uses["done"]),
                "failed": package.uses["failed"],
                "skipped": package.uses["skipped"],
                "seconds": package.uses["seconds"],
            },
            "counted": package.data["runs"][0]["counted"],
        }
        for package in packages
    }
    everything = {name: {**kept, **found}[name] for name in PACKAGES if name in kept or name in found}
    return {
        "date": today,
        "torch": torch.__version__,
        "device": packages[0].data["runs"][0]["device"],
        "python": sys.version.split()[0],
        "scored_by": digests.of_definition(Path(__file__), "score"),
        "packages": everything,
        **sums(everything),
    }


def summary_of_possible(
    packages: Sequence[Package], kept: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """What is kept in results/corpus_possible.json; arguments as of `summary`."""
    import torch

    today = datetime.now(timezone.utc).date().isoformat()
    found = {
        package.name: {
            "date": today,
            "version": package.version,
            "workload": digests.of_workload(package.name),
            "true": package.score.true,
            "false": package.score.false,
        }
        for package in packages
    }
    everything = {name: {**kept, **found}[name] for name in PACKAGES if name in kept or name in found}
    return {
        "date": today,
        "torch": torch.__version__,
        "device": packages[0].data["runs"][0]["device"],
        "python": sys.version.split()[0],
        "scored_by": digests.of_definition(Path(__file__), "score", "only_possible"),
        "packages": everything,
        "true": sum(package["true"] for package in everything.values()),
        "false": sum(package["false"] for package in everything.values()),
    }


def sums(packages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of the groups and of all, from those of the packages."""
    scores = {
        name: Score(**{key: package["score"][key] for key in Score._fields}) for name, package in packages.items()
    }
    groups = {group: added(scores[name] for name in names if name in scores) for group, names in GROUPS.items()}
    return {
        "groups": {name: group.to_dict() for name, group in groups.items() if group != Score()},
        "all": added(scores.values()).to_dict(),
    }


def added(scores: Iterable[Score]) -> Score:
    total = Score()
    for score in scores:
        total = total.plus(score)
    return total


def table(rows: Iterable[tuple[str, Score]]) -> Iterable[str]:
    """One line for each score."""
    headings = (
        f"{'precision':>10}{'recall':>8}{'certain':>9}{'true':>6}{'false':>6}{'found':>7}{'sites':>7}{'neutral':>9}"
    )
    yield " " * 26 + headings
    for name, figures in rows:
        data = figures.to_dict()
        shown = [f"{data[key]:.3f}" if data[key] is not None else "-" for key in ("precision", "recall")]
        certain = "-" if data["certain_precision"] is None else f"{data['certain_precision']:.3f}"
        yield (
            f"{name:26}{shown[0]:>10}{shown[1]:>8}{certain:>9}{figures.true:>6}{figures.false:>6}"
            f"{figures.found:>7}{figures.sites:>7}{figures.neutral:>9}"
        )


def main() -> int:
    """The command line. Returns 2 if a package could not be judged."""
    parser = argparse.ArgumentParser(description="Precision and recall of the scan on packages, against this GPU.")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(PACKAGES)}; all by default")
    parser.add_argument("--possible", action="store_true", help="ask of what is possible alone whether it waited")
    parser.add_argument("--details", type=Path, help="folder for a JSON file of each package")
    parser.add_argument("--result", type=Path, help="JSON file for the summary")
    parser.add_argument("--index", type=Path, help="what `hostsync index` wrote of packages that these import")
    parser.add_argument("--jobs", type=int, default=1, help="packages at the same time")
    parser.add_argument("--device", default="cuda", help="what the workloads run on")
    parser.add_argument(
        "--limit", type=float, default=40.0, help="seconds after which a workload starts no further use"
    )
    args = parser.parse_args()
    unknown = [name for name in args.packages if name not in PACKAGES]
    if unknown:
        parser.error(f"there is no workload for {', '.join(unknown)}")
    names = args.packages or list(PACKAGES)
    packages, failed = [], False

    def one(name: str) -> Package | PackageError:
        try:
            return judged(name, args.device, ["--limit", str(args.limit)], args.index, possible=args.possible)
        except PackageError as error:
            return error

    with ThreadPoolExecutor(args.jobs) as pool:
        for name, package in zip(names, pool.map(one, names), strict=True):
            if isinstance(package, PackageError):
                print(f"corpus_loop: {package}", file=sys.stderr)
                failed = True
                continue
            packages.append(package)
            print(
                f"{name} {package.version}: {len(package.uses['done'])} uses, {len(package.uses['failed'])} failed, "
                f"{len(package.uses['skipped'])} skipped; {package.seconds:.0f} s, "
                f"of which {package.uses['seconds']:.0f} s in the workload",
                flush=True,
            )
            if args.details is not None:
                args.details.mkdir(parents=True, exist_ok=True)
                text = json.dumps(details(package), indent=1)
                (args.details / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    if packages:
        rows = [(package.name, package.score) for package in packages]
        for group, members in GROUPS.items():
            inside = [package for package in packages if package.name in members]
            if len(inside) > 1:
                rows.append((f"sum: {group}", added(package.score for package in inside)))
        if len(packages) > 1:
            rows.append(("sum", added(package.score for package in packages)))
        print("\n".join(table(rows)))
        if args.result is not None:
            kept = json.loads(args.result.read_text(encoding="utf-8"))["packages"] if args.result.exists() else {}
            result = summary_of_possible(packages, kept) if args.possible else summary(packages, kept)
            args.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
