"""Turns measured samples into the conditions of `waits`. Needs no torch: the tests run it over the evidence.

A sample is described by the kinds of its arguments (`measure.kind_of`), here bound to the parameters' names.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from hostsync.calibrate.stated import Stated
from hostsync.catalogue.model import ArgumentTest, Op, OpParam
from hostsync.catalogue.ops import is_literal, parse_condition

Condition = str | tuple[str, str]
Rows = Mapping[str, tuple[int, int, int]]
"""Calls, how many waited, and in how many debug mode warned, by the kinds of the arguments."""

_DEVICE_TENSOR = re.compile(r"[bfic]s?\d*")


class Sample(NamedTuple):
    arguments: Mapping[str, str]
    """Kind by parameter; `self` is the receiver of a method. An argument that is None counts as missing."""
    calls: int
    waited: int


def normal(kinds: str) -> str:
    """Simplify kinds: the number of dimensions goes unless it is 0, and so does the text of the expression."""
    kinds = without_text(kinds)
    return kinds if kinds.startswith("`") else re.sub(r"\b([bfic]s?)[1-9]\b", r"\1", kinds)


def without_text(kinds: str) -> str:
    """Return kinds without the text of the expression that they are of, unless they are nothing else."""
    return kinds if kinds.startswith("`") else re.sub(r" ?`.*`", "", kinds)


def compact(rows: Mapping[str, Iterable[int]]) -> dict[str, tuple[int, int, int]]:
    """Sum rows whose kinds are the same once simplified.

    Numbers of dimensions stay where they tell apart which calls wait.
    """
    groups: dict[str, dict[str, tuple[int, int, int]]] = {}
    for kinds, counts in rows.items():
        group = groups.setdefault(normal(kinds), {})
        key = without_text(kinds)
        old = group.get(key, (0, 0, 0))
        calls, waited, warned = counts
        group[key] = (old[0] + calls, old[1] + waited, old[2] + warned)
    result: dict[str, tuple[int, int, int]] = {}
    for simple, group in groups.items():
        if {waited / calls for calls, waited, _ in group.values() if calls} == {0, 1}:
            result.update(group)
        else:
            calls, waited, warned = (sum(row[index] for row in group.values()) for index in range(3))
            result[simple] = (calls, waited, warned)
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


def letter_of(kind: str) -> str:
    """Return b, f, i or c for a tensor, wherever it is; nothing for anything else."""
    match = re.fullmatch(r"(?:cpu:)?([bfic])s?\d*", kind)
    return match[1] if match else ""


def holds(test: ArgumentTest, arguments: Mapping[str, str]) -> bool:
    """Evaluate a test on a sample."""
    if test.predicate == "validating":
        return arguments.get(f"{test.param}.validate_args") != "false"
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
        return kind in ("n", "n-")
    if test.predicate in ("negative", "positive"):
        return kind == ("n-" if test.predicate == "negative" else "n")
    if test.predicate == "cpu":
        parts = kind.strip("[]").split(",")
        return all(letter_of(part) and part.startswith("cpu:") for part in parts)
    if test.predicate in ("int", "float", "complex"):
        return all(letter_of(part) == test.predicate[0] for part in kind.strip("[]").split(","))
    if test.predicate == "scalar":
        return re.fullmatch(r"[bfic]0", kind) is not None
    if test.predicate in ("matrix", "batch"):
        dimensions = re.fullmatch(r"(?:cpu:)?[bfic]s?(\d+)", kind)
        return dimensions is not None and (
            dimensions[1] == "2" if test.predicate == "matrix" else int(dimensions[1]) > 2
        )
    if is_literal(test.predicate):
        # Kinds tell strings, and of numbers only the sign: a number that is named holds for none of them.
        return kind == test.predicate
    if test.predicate == "data":
        return kind == "numpy" or (kind.startswith("[") and not is_tensor(kind)) or kind == "[f0]"
    if test.predicate in ("true", "false"):
        return kind == test.predicate
    if test.predicate == "mask":
        return bool(re.match(r"\[?bs?\d*($|[,\]])", kind))
    return kind.startswith("[") and "," in kind


def _scalar_tensor(kind: str) -> bool:
    return bool(re.search(r"(^|[\[,])[fib]0($|[\],])", kind))


_RECEIVERS = ("out", "input", "self")


def read_as_numbers(op: Op, samples: list[Sample]) -> list[str]:
    """Return the parameters that take a Python number and wait whenever a 0-d device tensor comes instead."""
    found = []
    for param in op.params:
        if param.name in _RECEIVERS:
            continue
        with_tensor = [sample for sample in samples if is_tensor(sample.arguments.get(param.name, ""))]
        replaced = [sample for sample in with_tensor if _scalar_tensor(sample.arguments[param.name])]
        plain = [
            sample
            for sample in samples
            if re.fullmatch(r"n-?(,n-?)*|\[n\]", sample.arguments.get(param.name, "")) and not sample.waited
        ]
        if replaced and plain and len(replaced) == len(with_tensor) and all(s.waited == s.calls for s in replaced):
            found.append(param.name)
    return found


_PREDICATES = (
    "missing",
    "true",
    "tensor",
    "data",
    "given",
    "false",
    "number",
    "negative",
    "cpu",
    "mask",
    "int",
    "float",
    "batch",
)
"""In order of preference, between two that tell the same samples apart."""
_BY_CHANCE = frozenset(("mask", "int", "float", "complex", "batch"))
"""Predicates that tell samples apart by chance more easily than whether an argument is there."""
MOST_CONDITIONS = 4


def tests_for(op: Op, samples: list[Sample]) -> list[ArgumentTest]:
    """Return the tests that a condition may be made of: predicates, and strings that some sample passes."""
    names = [param.name for param in op.params]
    if any("self" in sample.arguments for sample in samples):
        names.append("self")
    tests = [ArgumentTest(name, predicate) for predicate in _PREDICATES for name in names]
    texts = {
        (name, kind)
        for sample in samples
        for name, kind in sample.arguments.items()
        if kind.startswith("'") and name in names
    }
    return [*tests, *(ArgumentTest(name, text) for name, text in sorted(texts))]


def separate(op: Op, waiting: list[Sample], silent: list[Sample]) -> tuple[str, ...] | None:
    """Return few short conditions: each of `waiting` meets one, none of `silent` does. None where there are none."""
    if not silent:
        return ("always",)
    tests = tests_for(op, waiting)
    candidates: list[tuple[ArgumentTest, ...]] = [(test,) for test in tests]
    candidates += [pair for pair in combinations(tests, 2) if _say_two_things(*pair)]
    candidates.sort(key=lambda group: any(test.predicate in _BY_CHANCE for test in group))
    clean = [group for group in candidates if not any(_all_hold(group, sample) for sample in silent)]
    found: list[str] = []
    left = waiting
    while left and len(found) < MOST_CONDITIONS:
        # The one that explains most; of equals the first, which is the shortest.
        best = max(clean, key=lambda group: sum(_all_hold(group, sample) for sample in left), default=())
        rest = [sample for sample in left if not _all_hold(best, sample)]
        if not best or len(rest) == len(left):
            return None
        found.append(" and ".join(f"{test.param} {test.predicate}" for test in best))
        left = rest
    return None if left else tuple(found)


def _say_two_things(one: ArgumentTest, other: ArgumentTest) -> bool:
    """Whether two tests are of two parameters, or of where a tensor is and of its dtype."""
    return one.param != other.param or (one.predicate == "cpu" and other.predicate in ("int", "float"))


def _all_hold(tests: Iterable[ArgumentTest], sample: Sample) -> bool:
    return all(holds(test, sample.arguments) for test in tests)


def matches(condition: Condition, arguments: Mapping[str, str]) -> bool:
    text = condition if isinstance(condition, str) else condition[0]
    return all(holds(test, arguments) for test in parse_condition(text))


def _on_host(op: Op, samples: list[Sample]) -> list[str]:
    """Return conditions for tensors in host memory, of samples that nothing else foretells."""
    waiting = [s for s in samples if s.waited and any("cpu:" in kind for kind in s.arguments.values())]
    silent = [s for s in samples if s.waited < s.calls]
    found = separate(op, waiting, silent) if waiting and silent else None
    return [text for text in found or () if any(test.predicate == "cpu" for test in parse_condition(text))]


class Derived(NamedTuple):
    conditions: tuple[Condition, ...]
    undecided: bool
    """Some rows waited and others did not, and no condition tells them apart: `always` stands for them."""


def derive(op: Op, rows: Rows, stated: Stated | None) -> Derived:
    """Return the conditions of an operation: from its rows or as stated, and for the numbers that it reads back.

    Args:
        op: for its parameters.
        rows: what was measured.
        stated: what is stated of it, if anything is.
    """
    samples = samples_of(op, rows)
    numbers = [f"{name} tensor" for name in read_as_numbers(op, samples)]
    if stated is not None:
        base: list[Condition] = list(stated.waits)
        if "always" in base:
            return Derived(tuple(base), False)
        known = {item if isinstance(item, str) else item[0] for item in base}
        # Where nothing is stated, copies are meant, which the scan knows by the devices of both sides.
        rest = [sample for sample in samples if base and not any(matches(item, sample.arguments) for item in base)]
        more = [*numbers, *_on_host(op, rest)]
        return Derived((*base, *(item for item in more if item not in known)), False)
    rest = [sample for sample in samples if not any(matches(item, sample.arguments) for item in numbers)]
    waiting = [sample for sample in rest if sample.waited]
    if not waiting:
        return Derived(tuple(numbers), False)
    silent = [sample for sample in rest if sample.waited < sample.calls]
    found = separate(op, waiting, silent)
    if found == ("always",):
        return Derived(("always",), False)
    if found is None:
        return Derived(("always",), True)
    return Derived((*found, *(item for item in numbers if item not in found)), False)


# --- samples that were held out ------------------------------------------------------------------


class HeldOut(NamedTuple):
    """How well conditions that were found on some samples foretell the others."""

    operations: int
    """That wait on some samples and not on others, and have enough kinds of samples to split."""
    samples: int
    """Held out: not used to find the conditions."""
    agree: int
    """Of these, as foretold."""
    wrong: tuple[str, ...] = ()
    """Operations with one that is not as foretold."""

    def __add__(self, other: object) -> HeldOut:
        if not isinstance(other, HeldOut):
            return NotImplemented
        return HeldOut(
            self.operations + other.operations,
            self.samples + other.samples,
            self.agree + other.agree,
            self.wrong + other.wrong,
        )

    def __str__(self) -> str:
        return (
            f"conditions found without them foretell {self.agree:,} of {self.samples:,} samples of {self.operations:,} "
            "operations that wait on some samples only"
        )


NONE_HELD_OUT = HeldOut(0, 0, 0)
HELD_OUT_OF = 4
"""One in so many kinds of samples is held out."""


def split(op: Op, rows: Rows) -> tuple[Rows, Rows]:
    """Return the rows to find conditions on, and those held out; always the same for the same rows.

    Rows are split within groups, by the parameters that a tensor was passed for in place of a number: of each group
    something stays, since nothing could be foretold of a parameter that was never tried.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for kinds in sorted(rows, key=lambda kinds: zlib.crc32(f"{op.name}\0{kinds}".encode())):
        bound = bind(op.name, op.params, kinds)
        if bound is not None:
            replaced = (name for name, kind in bound.items() if name not in _RECEIVERS and _scalar_tensor(kind))
            groups.setdefault(tuple(sorted(replaced)), []).append(kinds)
    out = {kinds for group in groups.values() for kinds in group[1::HELD_OUT_OF]}
    return {kinds: row for kinds, row in rows.items() if kinds not in out}, {kinds: rows[kinds] for kinds in out}


def held_out(op: Op, rows: Rows) -> HeldOut:
    """Find conditions on a part of the samples and test them on the rest.

    Samples of the same kinds are on the same side, so that what is tested was not seen before.
    """
    training, rest = split(op, rows)
    tested = samples_of(op, rest)
    seen = samples_of(op, training)
    if not tested or not any(sample.waited for sample in seen) or all(s.waited == s.calls for s in seen):
        return NONE_HELD_OUT
    conditions = derive(op, training, None).conditions
    agree = 0
    for sample in tested:
        foretold = any(matches(condition, sample.arguments) for condition in conditions)
        agree += sample.waited if foretold else sample.calls - sample.waited
    total = sum(sample.calls for sample in tested)
    return HeldOut(1, total, agree, (op.name,) if agree < total else ())


def all_held_out(ops: Mapping[str, Op], measured: Mapping[str, Rows]) -> HeldOut:
    """Sum `held_out` up over all operations that were measured."""
    total = NONE_HELD_OUT
    for name, rows in measured.items():
        if name in ops:
            total += held_out(ops[name], compact(rows))
    return total


# --- files ---------------------------------------------------------------------------------------


def read_evidence(path: Path) -> tuple[dict[str, str], dict[str, dict[str, tuple[int, int, int]]]]:
    """Return what was measured on (torch, device, date …) and the rows of each operation.

    An operation that never waited has one row, `*`.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    ops = {
        name: {kinds: (row[0], row[1], row[2]) for kinds, row in rows.items()} for name, rows in document["ops"].items()
    }
    return {key: value for key, value in document.items() if key != "ops"}, ops
