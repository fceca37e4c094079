r"""A suite not written for hostsync, with and without its plugin: outcomes, overhead, and the sites that it saw.

    PYTHONPATH=src TORCH_DEVICE=cuda python tests/gpu/real_suite.py --name timm --output tests/gpu/results FILES...

Further options go to pytest. Each way is run several times, in turn. The sites of the plugin are held to those of
`hostsync run -m pytest`, which watches all of the process: every one has to be among them, and as often where only
tests wait.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

Site = tuple[str, int, str]


class Ran(NamedTuple):
    outcomes: dict[str, str]
    seconds: float
    """In the tests, their set-up and their end, as pytest reports it."""


def ran(folder: Path, files: list[str], *options: str, launcher: tuple[str, ...] = ()) -> Ran:
    junit = folder / "junit.xml"
    command = [sys.executable, *launcher, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={junit}"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([*command, *options, *files], env=environment, capture_output=True, text=True)
    if not junit.exists():
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    outcomes = {f"{case.get('classname')}::{case.get('name')}": _outcome(case) for case in cases}
    return Ran(outcomes, sum(float(case.get("time", 0)) for case in cases))


def _outcome(case: ElementTree.Element) -> str:
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            return child.tag
    return "passed"


def sites(report: dict[str, Any]) -> dict[Site, int]:
    found: dict[Site, int] = {}
    for site in report["sites"]:
        if site["filename"] is not None:
            key = (str(Path(site["filename"]).resolve()), site["location"]["row"], site["kind"])
            found[key] = found.get(key, 0) + site["count"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("files", nargs="+")
    options, more = parser.parse_known_args()
    import torch

    plugin = ("-p", "hostsync.pytest_plugin", "--host-sync=report", "--host-sync-level=all")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report, whole = folder / "plugin.json", folder / "run.json"
        ran(folder, options.files, *more)
        without, with_it = [], []
        for _ in range(options.runs):
            without.append(ran(folder, options.files, *more))
            with_it.append(ran(folder, options.files, *more, *plugin, f"--host-sync-report={report}"))
        watcher = ("-m", "hostsync", "run", "--output-format", "json", "-o", str(whole))
        watched = ran(folder, options.files, *more, launcher=watcher)
        of_plugin, of_run = (sites(json.loads(path.read_text())) for path in (report, whole))
    ratios = [b.seconds / a.seconds for a, b in zip(without, with_it, strict=True)]
    differing = {key: (count, of_run.get(key, 0)) for key, count in of_plugin.items() if count != of_run.get(key)}
    result = {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "python": platform.python_version(),
        "files": [Path(file).name for file in options.files],
        "tests": len(without[0].outcomes),
        "outcomes": {
            kind: list(without[0].outcomes.values()).count(kind) for kind in set(without[0].outcomes.values())
        },
        "same_outcomes": all(one.outcomes == without[0].outcomes for one in (*without, *with_it, watched)),
        "seconds_without": [round(one.seconds, 2) for one in without],
        "seconds_with": [round(one.seconds, 2) for one in with_it],
        "overhead": round(statistics.median(ratios) - 1, 4),
        "waits": sum(of_plugin.values()),
        "sites": len(of_plugin),
        "sites_that_run_does_not_know": [
            f"{Path(f).name}:{row} {kind}" for f, row, kind in of_plugin if (f, row, kind) not in of_run
        ],
        "counted_differently": {f"{Path(f).name}:{row} {kind}": both for (f, row, kind), both in differing.items()},
        "sites_of_run_alone": len(of_run.keys() - of_plugin.keys()),
    }
    (options.output / f"suite_{options.name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))
    return 0 if result["same_outcomes"] and not result["sites_that_run_does_not_know"] else 1


if __name__ == "__main__":
    sys.exit(main())
