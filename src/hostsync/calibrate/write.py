"""Writes `rules/ops/*.toml` and the list of names that the tests check it against.

python -m hostsync.calibrate.write [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.calibrate.compare import Known, disagreements
from hostsync.calibrate.derive import Condition, Derived, Rows, all_held_out, compact, derive, read_evidence
from hostsync.calibrate.journal import Measurement
from hostsync.calibrate.semantics import Entry, describe
from hostsync.calibrate.signatures import Param, all_callables
from hostsync.calibrate.stated import Stated, stated
from hostsync.calibrate.tensor_only import tensor_only_members
from hostsync.catalogue.errors import CatalogueError
from hostsync.catalogue.location import rules_dir
from hostsync.catalogue.model import Op, OpParam
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


def params_text(params: Iterable[Param | OpParam]) -> str:
    """Return the parameters as a `def` has them."""
    parts: list[str] = []
    starred = False
    for param in params:
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
    params = params_text(entry.params)
    if params:
        fields.append(f"params = {_quoted(params)}")
    for key, value, default in (
        ("returns", entry.returns, "tensor"),
        ("device", entry.device, "args"),
        ("dtype", entry.dtype, ""),
        ("ndim", entry.ndim, ""),
        ("memory", entry.memory, ""),
    ):
        if value != default:
            fields.append(f"{key} = {_quoted(value)}")
    if entry.positions:
        fields.append("positions = true")
    if conditions:
        fields.append(f"waits = {waits_text(conditions)}")
    if entry.event != "call":
        fields.append(f"event = {_quoted(entry.event)}")
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
    if name.count(".") > 2 and not rows.get("self.validate_args=false", (0, 1, 0))[1]:
        return ("self validating",)
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
        op = parse_op(name, {"params": params_text(entry.params)})
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


# --- a measurement of the user's ------------------------------------------------------------------


class Calibrated(NamedTuple):
    """What a measurement gives: the text of each file, and how well its conditions hold."""

    texts: Mapping[str, str]
    """By name of the file, without folder."""
    operations: int
    changed: tuple[str, ...]
    """Operations whose shipped waits the measurement contradicts, and those that wait and are not shipped."""
    undecided: tuple[str, ...]
    """Operations that wait on some samples and not on others, without a condition that tells them apart."""


def calibrated(
    measured: Measurement, shipped: Mapping[str, Op], exceptions: Iterable[Known], one_file: str
) -> Calibrated:
    """Turn a measurement into files of operations. Only what was measured is in them.

    What is shipped stays where no sample contradicts it, since it covers more than samples do; where one does, the
    conditions are found anew.

    Args:
        measured: the measurement.
        shipped: what is known.
        exceptions: contradictions that are known.
        one_file: name of the file for everything; empty for a file each, as `rules/ops` has them.
    """
    known = tuple(exceptions)
    only = tensor_only_members()
    release = measured.about["torch"]
    lines: dict[str, list[str]] = {}
    changed: list[str] = []
    undecided: list[str] = []
    for callable_ in all_callables():
        name = callable_.name
        rows = compact(measured.ops.get(name, {}))
        if not rows:
            continue
        entry = describe(callable_)
        op = parse_op(name, {"params": params_text(entry.params)})
        conditions = shipped_conditions(op, shipped.get(name), rows, release, known)
        if conditions is None:
            found = conditions_of(op, rows, None)
            conditions = found.conditions
            if name in shipped or conditions:
                changed.append(name)
            if found.undecided:
                undecided.append(name)
        text = line(name, entry, conditions, name.startswith("Tensor.") and name[7:] in only)
        lines.setdefault(one_file or f"{file_of(name)}.toml", []).append(text)
    about = (
        f"# Measured by `hostsync calibrate`: {measured.about['device']}, torch {release}, {measured.about['date']}.\n"
    )
    tested = all_held_out(shipped, measured.ops)
    if tested.samples:
        about += f"# Held out: {tested}.\n"
    head = f'{about}torch = "{release.partition("+")[0]}"\n\n[ops]\n'
    texts = {file: head + "\n".join(sorted(found)) + "\n" for file, found in lines.items()}
    return Calibrated(texts, sum(map(len, lines.values())), tuple(changed), tuple(undecided))


def shipped_conditions(
    op: Op, shipped: Op | None, rows: Rows, release: str, known: tuple[Known, ...]
) -> tuple[Condition, ...] | None:
    """Return the shipped waits of an operation, or None where a sample contradicts them or they do not fit it."""
    if shipped is None:
        return None
    conditions: list[Condition] = []
    for wait in shipped.waits:
        text = " and ".join(f"{test.param} {test.predicate}" for test in wait.tests) or "always"
        conditions.append((text, wait.torch) if wait.torch else text)
    try:
        here = parse_op(
            op.name, {"params": params_text(op.params), "waits": [_plain(item) for item in conditions] or "never"}
        )
    except CatalogueError:
        return None
    if any(not any(one.covers(found) for one in known) for found in disagreements(here, rows, release)):
        return None
    return tuple(conditions)


def _plain(condition: Condition) -> object:
    return condition if isinstance(condition, str) else {"when": condition[0], "torch": condition[1]}


# --- the shipped files -----------------------------------------------------------------------------


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
