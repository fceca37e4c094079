"""Keeps a measurement as evidence: `rules/evidence/ops-TORCH-DEVICE.json`.

    python -m hostsync.calibrate.keep DIR/measured.jsonl --device h200

What was measured for operations that never waited shrinks to one row; forms that only PyTorch's tests have are
left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from hostsync.calibrate.derive import Rows, all_held_out, compact
from hostsync.calibrate.journal import read_measurement
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.ops import load_ops


def text_of(document: Mapping[str, object], ops: Mapping[str, Rows]) -> str:
    """Return the evidence as JSON with one operation a line."""
    head = json.dumps(document, ensure_ascii=False)[1:-1]
    lines = [f"{json.dumps(name)}: {json.dumps(rows, ensure_ascii=False)}" for name, rows in sorted(ops.items())]
    return "{" + head + ', "ops": {\n' + ",\n".join(lines) + "\n}}\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Keeps a measurement as evidence.")
    parser.add_argument("measured", type=Path)
    parser.add_argument("--device", required=True, help="short name of the device, for the file's name")
    options = parser.parse_args(arguments)
    measured = read_measurement(options.measured)
    names = frozenset((rules_dir() / "evidence" / "ops-names.txt").read_text(encoding="utf-8").split("\n"))
    kept = kept_rows(measured.ops, names)
    release = measured.about["torch"].partition("+")[0]
    path = rules_dir() / "evidence" / f"ops-{release}-{options.device}.json"
    tested = all_held_out(load_ops(), measured.ops)
    about = {
        **measured.about,
        "held_out": {"operations": tested.operations, "samples": tested.samples, "agree": tested.agree},
    }
    path.write_text(text_of(about, kept), encoding="utf-8")
    print(f"{path.name}: {len(kept)} operations, {path.stat().st_size} bytes")
    return 0


def kept_rows(ops: Mapping[str, Rows], names: frozenset[str]) -> dict[str, Rows]:
    """Return what is worth keeping: operations of `names` and expressions, with kinds simplified."""
    kept: dict[str, Rows] = {}
    for name, rows in ops.items():
        if name.startswith("~") or (name.startswith(("torch.", "Tensor.")) and name not in names):
            continue
        small = compact(rows)
        if not any(row[1] for row in small.values()):
            small = {"*": (sum(row[0] for row in small.values()), 0, sum(row[2] for row in small.values()))}
        kept[name] = small
    return kept


if __name__ == "__main__":
    sys.exit(main())
