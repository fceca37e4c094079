"""Writes `rules/ops/*.toml` and the list of names that the tests check it against.

python -m hostsync.calibrate.write [--check]
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from hostsync.calibrate.derive import Condition, Derived, Rows, derive, read_evidence
from hostsync.calibrate.semantics import Entry, describe
from hostsync.calibrate.signatures import all_callables
from hostsync.calibrate.stated import Stated, stated
from hostsync.calibrate.tensor_only import tensor_only_members
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import parse_op

torch: Any = import_module("torch")

FILES = (
    ("Tensor.", "tensor"),
    ("torch.nn.functional.", "nn-functional"),
    ("torch.nn.", "nn"),
    ("torch.linalg.", "linalg"),
    ("torch.fft.", "fft"),
    ("torch.special.", "special"),
    ("torch.distributions.", "distributions"),
    ("torch.cuda.amp.", "amp"),
    ("torch.cuda.", "cuda"),
    ("torch.accelerator.", "accelerator"),
    ("torch.distributed.", "distributed"),
    ("torch.amp.", "amp"),
    ("torch.optim.", "optim"),
    ("torch.utils.", "utils"),
)
"""Which file an operation goes to, by the first prefix that fits; `torch.toml` has the rest."""


def file_of(name: str) -> str:
    return next((file for prefix, file in FILES if name.startswith(prefix)), "torch")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', "'") + '"'


def params_text(entry: Entry) -> str:
    """Return the parameters as a `def` has them."""
    parts: list[str] = []
    starred = False
    for param in entry.params:
        if param.kind == "args":
            starred = True
        if param.kind == "keyword" and not starred:
            parts.append("*")
            starred = True
        prefix = {"args": "*", "kwargs": "**"}.get(param.kind, "")
        parts.append(prefix + param.name + ("" if param.default is None else f"={param.default}"))
    return ", ".join(parts)


def waits_text(conditions: tuple[Condition, ...]) -> str:
    """Return the value of `waits` as TOML."""
    if len(conditions) == 1 and isinstance(conditions[0], str):
        return _quoted(conditions[0])
    items = [
        _quoted(item) if isinstance(item, str) else f"{{ when = {_quoted(item[0])}, torch = {_quoted(item[1])} }}"
        for item in conditions
    ]
    return "[" + ", ".join(items) + "]"


def line(name: str, entry: Entry, conditions: tuple[Condition, ...], tensor_only: bool) -> str:
    """Return the entry's line; fields that equal their default are left out."""
    fields = []
    params = params_text(entry)
    if params:
        fields.append(f"params = {_quoted(params)}")
    for key, value, default in (
        ("returns", entry.returns, "tensor"),
        ("device", entry.device, "args"),
        ("dtype", entry.dtype, ""),
        ("ndim", entry.ndim, ""),
    ):
        if value != default:
            fields.append(f"{key} = {_quoted(value)}")
    if conditions:
        fields.append(f"waits = {waits_text(conditions)}")
    if tensor_only:
        fields.append("tensor_only = true")
    if entry.is_property:
        fields.append("property = true")
    return f"{_quoted(name)} = {{ {', '.join(fields)} }}" if fields else f"{_quoted(name)} = {{}}"


def evidence() -> dict[str, dict[str, tuple[int, int, int]]]:
    """Return the rows of every measurement kept, summed."""
    merged: dict[str, dict[str, tuple[int, int, int]]] = {}
    for path in sorted((rules_dir() / "evidence").glob("ops-*.json")):
        for name, rows in read_evidence(path)[1].items():
            into = merged.setdefault(name, {})
            for kinds, (calls, waited, warned) in rows.items():
                old = into.get(kinds, (0, 0, 0))
                into[kinds] = (old[0] + calls, old[1] + waited, old[2] + warned)
    return merged


def distribution_waits(name: str, rows: Rows) -> tuple[Condition, ...]:
    """Return the waits of a distribution: validation reads a flag back, unless `validate_args=False`.

    A method is measured on an instance that validates (row "") and on one that does not.
    """
    validating, other = rows.get("", (0, 0, 0))[1], rows.get("validate_args=false", (0, 0, 0))[1]
    if not validating and not other and not rows.get("self.validate_args=false", (0, 0, 0))[1]:
        return ()
    if name.count(".") == 2 and not other:
        return ("validate_args missing", "validate_args true")
    return ("always",)


def conditions_of(op: Op, rows: Rows, known: Stated | None) -> Derived:
    """Return the waits of an operation."""
    if known is None and op.name.startswith("torch.distributions."):
        return Derived(distribution_waits(op.name, rows), False)
    return derive(op, rows, known)


def build() -> dict[str, str]:
    """Return the text of every file by its name."""
    known = stated()
    rows = evidence()
    undecided: list[str] = []
    only = tensor_only_members()
    lines: dict[str, list[str]] = {}
    names: list[str] = []
    for callable_ in all_callables():
        entry = describe(callable_)
        name = callable_.name
        names.append(name)
        op = parse_op(name, {"params": params_text(entry)})
        conditions, mixed = conditions_of(op, rows.get(name, {}), known.get(name))
        if mixed:
            undecided.append(name)
        tensor_only = name.startswith("Tensor.") and name[7:] in only
        lines.setdefault(file_of(name), []).append(line(name, entry, conditions, tensor_only))
    release = torch.__version__.partition("+")[0]
    texts = {
        f"ops/{file}.toml": f'torch = "{release}"\n\n[ops]\n' + "\n".join(sorted(rows)) + "\n"
        for file, rows in lines.items()
    }
    texts["evidence/ops-names.txt"] = f"# torch {release}\n" + "\n".join(sorted(names)) + "\n"
    if undecided:
        print(f"no condition found, taken as always: {' '.join(undecided)}", file=sys.stderr)
    return texts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a file would change")
    options = parser.parse_args(arguments)
    root: Path = rules_dir()
    changed = []
    for file, text in build().items():
        path = root / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(file)
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    print("\n".join(changed) or "nothing to change")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
