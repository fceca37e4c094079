"""Turns measured samples into the conditions of `waits`. Needs no torch: the tests run it over the evidence.

A sample is described by the kinds of its arguments (`measure.kind_of`), here bound to the parameters' names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from hostsync.calibrate.stated import Stated
from hostsync.catalogue.model import ArgumentTest, Op, OpParam
from hostsync.catalogue.ops import parse_condition

Condition = str | tuple[str, str]
Rows = Mapping[str, tuple[int, int, int]]
"""Calls, how many waited, and in how many debug mode warned, by the kinds of the arguments."""

_DEVICE_TENSOR = re.compile(r"[bfic]s?0?")
_NAMES_OF_DIMENSIONS = re.compile(
    r"(dim|axis|dims|axes)\d?|dim_?\w*|offset|diagonal|keepdim|dimension|start_dim|end_dim"
)


# A tensor as a dimension would be read back too, but nobody passes one: it would only make the files longer.


class Sample(NamedTuple):
    arguments: Mapping[str, str]
    """Kind by parameter; `self` is the receiver of a method. An argument that is None counts as missing."""
    calls: int
    waited: int


def normal(kinds: str) -> str:
    """Simplify kinds: the number of dimensions goes unless it is 0, and so does the text of the expression."""
    kinds = re.sub(r" ?`.*`", "", kinds) if not kinds.startswith("`") else kinds
    return re.sub(r"\b([bfic]s?)[1-9]\b", r"\1", kinds) if not kinds.startswith("`") else kinds


def compact(rows: Mapping[str, Iterable[int]]) -> dict[str, tuple[int, int, int]]:
    """Sum rows whose kinds are the same once simplified."""
    result: dict[str, tuple[int, int, int]] = {}
    for kinds, counts in rows.items():
        key = normal(kinds)
        old = result.get(key, (0, 0, 0))
        calls, waited, warned = counts
        result[key] = (old[0] + calls, old[1] + waited, old[2] + warned)
    return result


def split_kinds(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [part for part in [*parts, current.strip()] if part]


def bind(name: str, params: tuple[OpParam, ...], kinds: str) -> dict[str, str] | None:
    """Return kinds by parameter, or None where they do not fit the parameters."""
    if kinds.startswith("`"):
        return None
    bound: dict[str, str] = {}
    method = name.startswith("Tensor.") or name.endswith((".forward", ".step"))
    slots = [param for param in params if param.kind in ("normal", "args")]
    names = {param.name for param in params}
    position = 0
    for index, part in enumerate(split_kinds(kinds)):
        key, equals, kind = part.partition("=")
        if equals:
            if key not in names and not key.startswith("self"):
                return None
            bound[key] = kind
        elif index == 0 and name.startswith("Tensor."):
            bound["self"] = part
        else:
            if position >= len(slots):
                return bound if method and not name.startswith("Tensor.") else None
            slot = slots[position]
            if slot.kind == "args":
                bound[slot.name] = f"{bound[slot.name]},{part}" if slot.name in bound else part
            else:
                bound[slot.name] = part
                position += 1
    return {key: kind for key, kind in bound.items() if kind != "none"}


def samples_of(op: Op, rows: Rows) -> list[Sample]:
    """Bind an operation's rows; those that do not fit its parameters are left out."""
    found = []
    for kinds, (calls, waited, _) in rows.items():
        bound = bind(op.name, op.params, kinds)
        if bound is not None:
            found.append(Sample(bound, calls, waited))
    return found


def is_tensor(kind: str) -> bool:
    """Tell whether a kind is a device tensor, or sizes with one among them."""
    parts = kind.strip("[]").split(",")
    return any(_DEVICE_TENSOR.fullmatch(part) for part in parts)


def holds(test: ArgumentTest, arguments: Mapping[str, str]) -> bool:
    """Evaluate a test on a sample."""
    kind = arguments.get(test.param)
    if test.predicate == "missing":
        return kind is None
    if kind is None:
        return False
    if test.predicate == "given":
        return True
    if test.predicate == "tensor":
        return is_tensor(kind)
    if test.predicate == "number":
        return kind == "n"
    if test.predicate == "data":
        return kind == "numpy" or (kind.startswith("[") and not is_tensor(kind)) or kind == "[f0]"
    if test.predicate in ("true", "false"):
        return kind == test.predicate
    if test.predicate == "mask":
        return kind.lstrip("[").startswith("b")
    return kind.startswith("[") and "," in kind


def _scalar_tensor(kind: str) -> bool:
    return bool(re.search(r"(^|[\[,])[fib]0($|[\],])", kind))


def read_as_numbers(op: Op, samples: list[Sample]) -> list[str]:
    """Return the parameters that take a Python number and wait whenever a 0-d device tensor comes instead."""
    found = []
    for param in op.params:
        if param.name in ("out", "input", "self"):
            continue
        with_tensor = [sample for sample in samples if is_tensor(sample.arguments.get(param.name, ""))]
        replaced = [sample for sample in with_tensor if _scalar_tensor(sample.arguments[param.name])]
        plain = [
            sample
            for sample in samples
            if re.fullmatch(r"n(,n)*|\[n\]", sample.arguments.get(param.name, "")) and not sample.waited
        ]
        if replaced and plain and len(replaced) == len(with_tensor) and all(s.waited == s.calls for s in replaced):
            found.append(param.name)
    return found


def separate(op: Op, waiting: list[Sample], silent: list[Sample]) -> str | None:
    """Return the shortest condition that holds for all that waited and for none that did not."""
    if not silent:
        return "always"
    tests = [
        ArgumentTest(param.name, predicate)
        for predicate in ("missing", "true", "tensor", "data", "given", "false", "number")
        for param in op.params
    ]
    useful = [test for test in tests if all(holds(test, sample.arguments) for sample in waiting)]
    for size in (1, 2):
        for group in combinations(useful, size):
            if not any(all(holds(test, sample.arguments) for test in group) for sample in silent):
                return " and ".join(f"{test.param} {test.predicate}" for test in group)
    return None


def matches(condition: Condition, arguments: Mapping[str, str]) -> bool:
    text = condition if isinstance(condition, str) else condition[0]
    return all(holds(test, arguments) for test in parse_condition(text))


class Derived(NamedTuple):
    conditions: tuple[Condition, ...]
    undecided: bool
    """Some rows waited and others did not, and no condition tells them apart: `always` stands for them."""


def derive(op: Op, rows: Rows, stated: Stated | None) -> Derived:
    """Return the conditions of an operation: from its rows or as stated, and for the numbers that it reads back."""
    samples = samples_of(op, rows)
    explained = [f"{name} tensor" for name in read_as_numbers(op, samples)]
    numbers = [item for item in explained if not _NAMES_OF_DIMENSIONS.fullmatch(item.split()[0])]
    if stated is not None:
        base: list[Condition] = list(stated.waits)
        if "always" in base:
            return Derived(tuple(base), False)
        known = {item if isinstance(item, str) else item[0] for item in base}
        return Derived((*base, *(item for item in numbers if item not in known)), False)
    rest = [sample for sample in samples if not any(matches(item, sample.arguments) for item in explained)]
    waiting = [sample for sample in rest if sample.waited]
    if not waiting:
        return Derived(tuple(numbers), False)
    silent = [sample for sample in rest if sample.waited < sample.calls]
    condition = separate(op, waiting, silent)
    if condition == "always":
        return Derived(("always",), False)
    if condition is None:
        return Derived(("always",), True)
    return Derived((condition, *numbers), False)


def read_evidence(path: Path) -> tuple[dict[str, str], dict[str, dict[str, tuple[int, int, int]]]]:
    """Return what was measured on (torch, device, date …) and the rows of each operation.

    An operation that never waited has one row, `*`.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    ops = {
        name: {kinds: (row[0], row[1], row[2]) for kinds, row in rows.items()} for name, rows in document["ops"].items()
    }
    return {key: value for key, value in document.items() if key != "ops"}, ops
