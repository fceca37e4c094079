"""Following a module: any program is taken, twice with the same outcome, and the byte screen costs no finding."""

from __future__ import annotations

import sysconfig
import textwrap
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hostsync.infer import ALL_RELEASES, TorchRange, analyse
from hostsync.infer.events import KINDS, Event
from hostsync.lint import check
from hostsync.lint.check import Plan, load_catalogue
from hostsync.syntax.parse import parse_module

from .cases import FILES, rules

OPS = load_catalogue(()).ops

# --- programs ------------------------------------------------------------------------------------

NAMES = st.sampled_from(["x", "y", "mask", "model", "device", "batch", "self", "loss", "n", "items"])
LEAVES = st.one_of(
    NAMES,
    st.sampled_from(
        ["0", "1.0", "None", "True", "'cuda'", "'cpu'", "[]", "()", "{}", "[0, 2]", "torch.bool", "np.zeros(3)"]
    ),
)
METHODS = st.sampled_from(
    ["item()", "tolist()", "cpu()", "cuda()", "numpy()", "to(device)", "to('cpu')", "to(x)", "max()", "max(1).values",
     "any()", "nonzero()", "unique()", "view(-1)", "shape[0]", "size(0)", "items()", "append(x)", "pin_memory()",
     "cuda(non_blocking=True)", "copy_(y)", "repeat_interleave(y)", "type(torch.LongTensor)", "masked_fill_(mask, y)",
     "register_buffer('b', x)", "state_dict()", "step(x)", "device", "device.type", "dtype", "is_cuda", "grad",
     "forward(x)"]
)  # fmt: skip
CALLS = st.sampled_from(
    ["torch.zeros({})", "torch.zeros({}, device=device)", "torch.tensor({}, device='cuda')", "torch.where({})",
     "torch.where({}, x, y)", "torch.cat([{}, x])", "torch.linalg.inv({})", "F.one_hot({})", "F.relu({})", "float({})",
     "int({})", "bool({})", "max({}, y)", "sorted({})", "any({})", "range({})", "print({})", "len({})", "list({})",
     "zip({}, x)", "enumerate({})", "map(int, {})", "sum({})", "math.sqrt({})", "np.asarray({})",
     "torch.from_numpy({})",
     "torch.device({})", "nn.Linear({}, 3)", "nn.Parameter({})", "DataLoader({})", "Normal({}, y)", "helper({})",
     "Net({})", "model({})", "getattr({}, 'x')", "isinstance({}, torch.Tensor)", "super().forward({})", "dict(a={})",
     "f'{{{}}}'", "'%s' % ({})", "(lambda x: {})", "[{} for x in y if x]", "{{x: {} for x in y}}",
     "torch.Tensor.item({})",
     "-({})", "not ({})", "(y := {})", "helper(*({}))", "helper(**({}))", "torch.cuda.synchronize({})"]
)  # fmt: skip
OPERATORS = st.sampled_from(["+", "*", "/", "@", "%", "&", "==", "<", "is", "in", "and", "or", "< 0 <", "if x else"])


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, METHODS).map(lambda t: f"({t[0]}).{t[1]}"),
        st.tuples(CALLS, inner).map(lambda t: t[0].replace("{}", t[1]).replace("{{", "{").replace("}}", "}")),
        st.tuples(inner, OPERATORS, inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]})[{t[1]}]"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]})[:, {t[1]}]"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]})[{t[1]}:]"),
        st.tuples(inner, inner).map(lambda t: f"[{t[0]}, {t[1]}]"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}, *{t[1]},)" if t[1].isidentifier() else f"({t[0]},)"),
        inner.map(lambda t: f"{{'a': {t}, **batch}}"),
    )


EXPRESSIONS = st.recursive(LEAVES, _compound, max_leaves=6).filter(lambda text: "'" not in text or "f'" not in text)
TARGETS = st.sampled_from(
    ["x", "y", "mask", "model", "device", "x, y", "x, *items", "self.x", "self.x.y", "x[0]", "x[mask]", "x[:, y]",
     "batch['a']", "items[n]", "x[[0, 1]]"]
)  # fmt: skip
SIMPLE = st.one_of(
    st.tuples(TARGETS, EXPRESSIONS).map(lambda t: f"{t[0]} = {t[1]}"),
    st.tuples(st.sampled_from(["x", "self.x", "x[0]", "x[mask]", "items"]), EXPRESSIONS).map(
        lambda t: f"{t[0]} += {t[1]}"
    ),
    EXPRESSIONS,
    EXPRESSIONS.map(lambda t: f"return {t}"),
    EXPRESSIONS.map(lambda t: f"assert {t}"),
    EXPRESSIONS.map(lambda t: f"x: torch.Tensor = {t}"),
    st.sampled_from(["break", "continue", "pass", "del x", "global y", "raise x", "import torch as t"]),
)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3).map(lambda parts: textwrap.indent("\n".join(parts), "    "))
    both = st.tuples(EXPRESSIONS, body, body)
    return st.one_of(
        both.map(lambda t: f"if {t[0]}:\n{t[1]}\nelse:\n{t[2]}"),
        both.map(lambda t: f"for x, y in {t[0]}:\n{t[1]}\nelse:\n{t[2]}"),
        both.map(lambda t: f"while {t[0]}:\n{t[1]}"),
        both.map(lambda t: f"with {t[0]} as x:\n{t[1]}"),
        both.map(lambda t: f"try:\n{t[1]}\nexcept ValueError as x:\n{t[2]}\nfinally:\n    pass"),
        both.map(
            lambda t: f"def helper(x, y: torch.Tensor = None, *items, device=None, **batch):\n{t[1]}\n    return {t[0]}"
        ),
        both.map(lambda t: f"async def model(x):\n{t[1]}\n    yield {t[0]}"),
        both.map(
            lambda t: (
                f"class Net(nn.Module):\n    def __init__(self, n):\n        self.x = {t[0]}\n"
                f"{textwrap.indent(t[1], '    ')}\n    def forward(self, x):\n{textwrap.indent(t[2], '    ')}"
            )
        ),
        both.map(
            lambda t: f"match {t[0]}:\n    case [x, y]:\n{textwrap.indent(t[1], '    ')}\n    case _:\n        pass"
        ),
    )


STATEMENTS = st.recursive(SIMPLE, _blocks, max_leaves=6)
IMPORTS = """import math
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal
from torch.utils.data import DataLoader
"""
PROGRAMS = st.lists(STATEMENTS, min_size=1, max_size=4).map(lambda parts: IMPORTS + "\n".join(parts) + "\n")


def events_of(source: str, torch: TorchRange = ALL_RELEASES) -> tuple[Event, ...]:
    return analyse(parse_module(source.encode(), "generated"), OPS, torch)


def _is_python(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "generated", "exec", dont_inherit=True)
    except SyntaxError as error:
        return "outside" in str(error)
    return True


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(PROGRAMS.filter(_is_python))
def test_any_program_is_followed(source: str) -> None:
    events = events_of(source)
    rows = source.count("\n") + 1
    for event in events:
        assert event.kind in KINDS
        assert event.confidence in {"certain", "likely", "possible"}
        assert event.hot in {None, "loop", "forward", "step"}
        for span in (event.span, *(reason.span for reason in event.chain)):
            row, column, end_row, end_column = span
            assert 1 <= row <= end_row <= rows
            assert (row, column) < (end_row, end_column)
    assert events == events_of(source)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(PROGRAMS.filter(_is_python))
def test_one_release_waits_no_more_than_all(source: str) -> None:
    def places(events: tuple[Event, ...]) -> set[tuple[object, ...]]:
        return {(event.kind, event.op, event.span) for event in events if event.confidence != "possible"}

    assert places(events_of(source, TorchRange((2, 15), (2, 15)))) <= places(events_of(source))


# --- what each scan of the repository's own sources gives ----------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case_files_give_the_same_twice_and_each_event_has_a_rule(path: Path) -> None:
    from hostsync.catalogue.rules import RuleIndex

    module = parse_module(path.read_bytes(), path.stem)
    events = analyse(module, OPS)
    assert events == analyse(module, OPS)
    assert list(events) == sorted(events, key=lambda event: event.span[:2])
    index = RuleIndex(rules())
    assert not [event for event in events if index.match(event.kind, event.op, event.form) is None]


def _sample() -> list[Path]:
    folder = Path(sysconfig.get_path("stdlib"))
    return sorted(folder.glob("*.py"))[::8]


def test_the_byte_screen_costs_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    rejected = [path for path in (*_sample(), *FILES) if not check.matters(path.read_bytes(), Plan())]
    assert rejected
    monkeypatch.setattr(check, "matters", lambda source, plan: True)
    for path in rejected:
        checked = check.check_source(path.read_bytes(), path.stem, Plan())
        assert not [finding for finding in checked.findings if finding.confidence != "possible"], path.name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@example("y = x.item()\nx = x.to(device)")
@given(st.lists(STATEMENTS, min_size=1, max_size=3).map("\n".join).filter(_is_python))
def test_the_byte_screen_costs_no_finding_of_a_generated_program(source: str) -> None:
    plan = Plan()
    if check.matters(source.encode(), plan):
        return
    events = events_of(source)
    assert not [event for event in events if event.confidence != "possible"]
