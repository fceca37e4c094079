"""Conditions from samples, and their test on samples that were held out. Kinds as `measure.kind_of` writes them."""

from __future__ import annotations

import pytest

from hostsync.calibrate.derive import (
    HELD_OUT_OF,
    NONE_HELD_OUT,
    Sample,
    derive,
    held_out,
    holds,
    separate,
    split,
)
from hostsync.calibrate.stated import Stated
from hostsync.catalogue.model import ArgumentTest
from hostsync.catalogue.ops import parse_condition, parse_op

OP = parse_op("torch.op", {"params": "input, n=1, other=None, *, mode='fast', size=None, check=False"})


def row(waited: bool, calls: int = 2) -> tuple[int, int, int]:
    return (calls, calls * waited, 0)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ({"f, n": row(True), "f, n, size=n": row(False)}, ("size missing",)),
        ({"f, n-": row(True), "f, n": row(False), "f": row(False)}, ("n negative",)),
        ({"f, mode='slow'": row(True), "f, mode='fast'": row(False), "f": row(False)}, ("mode 'slow'",)),
        ({"f, check=true": row(True), "f, check=false": row(False), "f": row(False)}, ("check true",)),
        ({"f, n, cpu:f": row(True), "f, n, f": row(False)}, ("other cpu",)),
        ({"i": row(True), "f": row(False), "c": row(False)}, ("input int",)),
        ({"b": row(True), "f": row(False), "i": row(False)}, ("input mask",)),
        ({"f3": row(True), "f2": row(False), "c4": row(True), "c2": row(False)}, ("input batch",)),
        (
            {"f, n, [cpu:i]": row(True), "f, n, [cpu:b]": row(False), "f, n, [i]": row(False)},
            ("other cpu and other int",),
        ),
        (
            {"f, n, f, size=i0": row(True), "f, n, f, size=n": row(False), "f, i0": row(True), "f, n": row(False)},
            ("n tensor", "size tensor"),
        ),
        ({"f, n, f": row(True), "f, n, f, size=n": row(False), "f, n": row(False)}, ("size missing and other tensor",)),
        (
            {"f, n-": row(True), "f, mode='slow'": row(True), "f, n, mode='fast'": row(False), "f": row(False)},
            ("n negative", "mode 'slow'"),
        ),
        ({"f": row(True), "f, n": row(True)}, ("always",)),
        ({"f": row(False)}, ()),
    ],
)
def test_the_condition_is_found(rows: dict[str, tuple[int, int, int]], expected: tuple[str, ...]) -> None:
    found = derive(OP, rows, None)
    assert (set(found.conditions), found.undecided) == (set(expected), False)
    for condition in found.conditions:
        assert isinstance(condition, str)
        parse_condition(condition)


def test_where_nothing_tells_them_apart_it_is_always_and_undecided() -> None:
    assert derive(OP, {"f": (4, 2, 0)}, None) == (("always",), True)
    assert separate(OP, [Sample({"input": "f"}, 1, 1)], [Sample({"input": "f"}, 1, 0)]) is None


@pytest.mark.parametrize(
    ("predicate", "yes", "no"),
    [
        ("cpu", ("cpu:f2", "cpu:b0", "[cpu:i]"), ("f2", "[cpu:i,i]", "'cpu'", "n")),
        ("int", ("i2", "cpu:i0", "[cpu:i]", "[i]"), ("f2", "n", "b1", "[f,i]", "[b]")),
        ("matrix", ("f2", "cpu:c2"), ("f", "f3", "[f2]", "n")),
        ("scalar", ("f0", "b0", "i0"), ("f", "f2", "cpu:f0", "[f0]", "n")),
        ("batch", ("f3", "b4", "i10", "fs3"), ("f", "f2", "c0", "[f3]", "n")),
        ("mask", ("b2", "[b2]", "bs2"), ("f2", "cpu:b2", "i1")),
        ("tensor", ("f2", "[f0,n]"), ("cpu:f2", "n", "'f'")),
        ("number", ("n", "n-"), ("f0", "true")),
        ("negative", ("n-",), ("n", "f0")),
        ("'nuc'", ("'nuc'",), ("'fro'", "str", "n")),
        ("-2", (), ("n", "n-", "f2")),
    ],
)
def test_predicates(predicate: str, yes: tuple[str, ...], no: tuple[str, ...]) -> None:
    assert [kind for kind in (*yes, *no) if holds(ArgumentTest("x", predicate), {"x": kind})] == list(yes)
    assert not holds(ArgumentTest("x", predicate), {})


def test_what_validates_is_told_by_how_it_was_made() -> None:
    validating = ArgumentTest("self", "validating")
    assert holds(validating, {}) and holds(validating, {"value": "f2"})
    assert not holds(validating, {"self.validate_args": "false"})


def kinds(count: int, extra: str) -> list[str]:
    """Many kinds of the same call, which differ in what does not matter."""
    return [f"f, n, {'f' if number % 2 else 'i'}, mode='m{number}'{extra}" for number in range(count)]


def test_held_out_samples_are_not_used_and_are_foretold() -> None:
    rows = {**dict.fromkeys(kinds(20, ""), row(True)), **dict.fromkeys(kinds(20, ", size=n"), row(False))}
    training, rest = split(OP, rows)
    assert set(training) | set(rest) == set(rows) and not set(training) & set(rest)
    assert len(rest) == pytest.approx(len(rows) / HELD_OUT_OF, abs=1)
    assert split(OP, dict(reversed(rows.items()))) == (training, rest)
    found = held_out(OP, rows)
    assert (found.operations, found.samples, found.agree, found.wrong) == (1, 2 * len(rest), 2 * len(rest), ())


def test_held_out_samples_can_disagree() -> None:
    rows = {**dict.fromkeys(kinds(20, ""), row(True)), **dict.fromkeys(kinds(20, ", size=n"), row(False))}
    _, rest = split(OP, rows)
    wrong = sorted(rest)[0]
    found = held_out(OP, {**rows, wrong: row(not rows[wrong][1])})
    assert found.agree == found.samples - 2
    assert found.wrong == ("torch.op",)


def test_a_parameter_that_was_tried_once_stays_in_training() -> None:
    rows = {"f, n": row(False), "f, i0": row(True), "f, n, size=n": row(False), "f, n, size=i0": row(True)}
    training, rest = split(OP, rows)
    assert {"f, i0", "f, n, size=i0"} <= set(training)
    assert held_out(OP, {"f": row(True)}) == NONE_HELD_OUT
    assert rest


def test_what_is_stated_is_joined_by_tensors_in_host_memory() -> None:
    stated = Stated("torch.op", ("check true",), "test")
    rows = {"f, n, f": row(False), "f, n, f, check=true": row(True), "f, n, cpu:f": row(True), "f, n-": row(True)}
    assert derive(OP, rows, stated).conditions == ("check true", "other cpu")
    assert derive(OP, {**rows, "f, cpu:f, cpu:f": row(False)}, stated).conditions[0] == "check true"
