"""Keeps a measurement as evidence: `rules/evidence/ops-TORCH-DEVICE.json`.

    python -m hostsync.calibrate.keep DIR/ops.json --device h200 [--date 2026-11-20]

What was measured for operations that never waited shrinks to one row; forms that only PyTorch's tests have are
left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from hostsync.calibrate.derive import compact
from hostsync.catalogue.location import rules_dir


def text_of(document: dict[str, object], ops: dict[str, dict[str, tuple[int, int, int]]]) -> str:
    """Return the evidence as JSON with one operation a line."""
    head = json.dumps(document, ensure_ascii=False)[1:-1]
    lines = [f"{json.dumps(name)}: {json.dumps(rows, ensure_ascii=False)}" for name, rows in sorted(ops.items())]
    return "{" + head + ', "ops": {\n' + ",\n".join(lines) + "\n}}\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Keeps a measurement as evidence.")
    parser.add_argument("measured", type=Path)
    parser.add_argument("--device", required=True, help="short name of the device, for the file's name")
    parser.add_argument("--date", default="")
    options = parser.parse_args(arguments)
    document = json.loads(options.measured.read_text(encoding="utf-8"))
    names = set((rules_dir() / "evidence" / "ops-names.txt").read_text(encoding="utf-8").split("\n"))
    kept: dict[str, dict[str, tuple[int, int, int]]] = {}
    for name, rows in document["ops"].items():
        if name.startswith("~") or (name.startswith(("torch.", "Tensor.")) and name not in names):
            continue
        small = compact(rows)
        if not any(row[1] for row in small.values()):
            small = {"*": (sum(row[0] for row in small.values()), 0, sum(row[2] for row in small.values()))}
        kept[name] = small
    release = document["torch"].partition("+")[0]
    head = {key: value for key, value in document.items() if key not in ("ops", "seconds")}
    if options.date:
        head["date"] = options.date
    path = rules_dir() / "evidence" / f"ops-{release}-{options.device}.json"
    path.write_text(text_of(head, kept), encoding="utf-8")
    print(f"{path.name}: {len(kept)} operations, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
