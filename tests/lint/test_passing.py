"""Evidence that is passed on: gets as far as the calls go, ends in circles, and leaves a file's own calls to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.infer.linking.telling import Told, signature_of, signature_plain
from hostsync.infer.records import Signature
from hostsync.lint.callers.evidence import Evidence
from hostsync.lint.callers.heard import NOTHING, Arrived, Heard, heard_at_once
from hostsync.lint.callers.passing import Links, pass_on
from hostsync.lint.landmarks import marked

CPU: list[Any] = ["T", ["cpu"], "float", 1, True, False, None]
ROW = "3-1f-0"
GPU: list[Any] = ["T", ["cuda"], "float", 1, True, False, None]


def told(passed: dict[str, Any], *functions: str) -> Told:
    """What a file tells that only has functions of one parameter, `x`."""
    return Told({}, [], dict.fromkeys(functions, "x"), {}, {}, [], {}, {}, {}, {}, {}, passed)


def link(target: str, source: str, *, derived: bool = False) -> dict[str, Any]:
    return {source: {"x": [[target, "x", derived, ROW]]}}


def passed(files: dict[str, Any], value: list[Any]) -> dict[str, Any]:
    """What is found if callers hand `value` to `a.py:f`."""

    def add(params: dict[str, Any], name: str, found: Any, caller: str, row: str) -> None:
        params[name] = [found, marked(caller, row)]

    return pass_on({"a.py": {"f": {"x": [value, "a call"]}}}, Links(()), files, lambda _: (), add)


def test_it_goes_through_several_files() -> None:
    files = {"a.py": told(link("b.py:g", "f"), "f"), "b.py": told(link("c.py:h", "g"), "g"), "c.py": told({}, "h")}
    found = passed(files, GPU)
    assert found["c.py"] == {"h": {"x": [GPU, marked("b.py", ROW)]}}
    assert found["b.py"] == {"g": {"x": [GPU, marked("a.py", ROW)]}}


def test_calls_inside_a_file_are_left_to_it() -> None:
    inner = {**link("g", "f"), **link("b.py:h", "g")}
    found = passed({"a.py": told(inner, "f", "g"), "b.py": told({}, "h")}, GPU)
    assert found["a.py"] == {"f": {"x": [GPU, "a call"]}}
    assert found["b.py"] == {"h": {"x": [GPU, marked("a.py", ROW)]}}


def test_what_is_computed_from_it_keeps_its_place_alone() -> None:
    files = {"a.py": told(link("b.py:g", "f", derived=True), "f"), "b.py": told({}, "g")}
    assert passed(files, CPU)["b.py"]["g"]["x"][0] == ["T", ["cpu"], "", None, True, None, None]
    holder = ["I", "list", None, CPU]
    assert "b.py" not in passed(files, holder)


def test_tests_and_what_is_known_do_not_count() -> None:
    files = {"a.py": told(link("b.py:g", "f"), "f"), "b.py": told({})}
    assert "b.py" not in passed(files, GPU)
    open_too = {**files, "b.py": told({}, "g")}
    assert "b.py" in passed(open_too, GPU)
    assert "b.py" not in pass_on(
        {"a.py": {"f": {"x": [GPU, ""]}}}, Links(("a.py",)), open_too, lambda _: (), lambda *_: None
    )


NAMES = [f"{file}.py:{name}" for file in "abc" for name in "fgh"]


@given(st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()), max_size=20))
def test_circles_end(links: set[tuple[str, str, bool]]) -> None:
    """All that can be reached from `a.py:f` across files is told, and nothing else."""
    files = {f"{file}.py": told({}, "f", "g", "h") for file in "abc"}
    for source, target, derived in links:
        file, _, name = source.partition(":")
        other, _, function = target.partition(":")
        called = function if other == file else target
        files[file].passed.setdefault(name, {}).setdefault("x", []).append([called, "x", derived, ROW])
    reached, waiting = {"a.py:f"}, ["a.py:f"]
    while waiting:
        at = waiting.pop()
        for source, target, _ in links:
            if source == at and target not in reached:
                reached.add(target)
                waiting.append(target)
    found = passed(files, GPU)
    across = {t for s, t, _ in links if s in reached and s.partition(":")[0] != t.partition(":")[0]} | {"a.py:f"}
    assert {f"{file}:{name}" for file, held in found.items() for name in held} == across


def evidence_of(evidence: Evidence, told: dict[str, Told]) -> dict[str, Any]:
    return evidence.of(heard_at_once(dict(told)))


def test_one_class_with_the_methods_that_are_called() -> None:
    use = told({}, "split")._replace(asked={"split": {"x": ["verts_padded", "verts_packed"]}})
    both = ["verts_padded", "verts_packed"]
    shape = told({})._replace(
        bases={"Meshes": [], "Fine": ["Meshes"], "Other": []},
        defines={"Meshes": both, "Fine": ["verts_packed"], "Other": ["verts_packed"]},
    )
    evidence = Evidence()
    value, _ = evidence_of(evidence, {"use.py": use, "shape.py": shape})["use.py"]["split"]["x"]
    assert value == ["K", ["shape.py:Meshes"]]
    several = shape._replace(defines={"Meshes": both, "Other": both})
    assert evidence_of(evidence, {"use.py": use, "shape.py": several}) == {}
    # One that counts what the others hold is as good a guess.
    counting = shape._replace(defines={"Meshes": both, "Other": [f"#{name}" for name in both]})
    assert evidence_of(evidence, {"use.py": use, "shape.py": counting}) == {}
    alone = shape._replace(defines={"Meshes": ["verts_padded", "#verts_packed"]})
    assert evidence_of(evidence, {"use.py": use, "shape.py": alone}) == {}


def test_a_signature_comes_back() -> None:
    for signature in (
        Signature(("x",), ("x",), ("x",)),
        Signature(("x", "y"), ("y",), ()),
        Signature(("x", "y"), ("x", "y"), ("x",)),
    ):
        assert signature_of(signature_plain(signature)) == signature


CLASSES = ("Head", "Block", "FineBlock")
VALUES = st.sampled_from([CPU, GPU, ["K", ["b.py:Head"]], ["I", "list", None, CPU], ["U", "~block.rate", False]])
SIGNATURES = st.sampled_from(["x,y;x,y;x", "x,y", "x,y;x;"])
PARAMS = st.dictionaries(st.sampled_from("xy"), VALUES.map(lambda value: [value, ROW]), min_size=1)
METHODS = [f"{owner}.{name}" for owner in CLASSES for name in ("step", "__init__")]
FILES = ("a.py", "b.py", "test_c.py")
OF_OTHERS = [f"{file}:{symbol}" for file in FILES for symbol in ("f", "g", *METHODS)]
TELLINGS = st.builds(
    Told,
    direct=st.dictionaries(st.sampled_from(OF_OTHERS), PARAMS),
    named=st.lists(
        st.tuples(
            st.sampled_from(("block", "head")),
            st.just("step"),
            st.lists(st.none() | VALUES, max_size=2),
            st.dictionaries(st.sampled_from("xy"), VALUES),
            st.just(ROW),
        ).map(list)
    ),
    open=st.dictionaries(st.sampled_from(("f", "g", *METHODS)), SIGNATURES),
    holds=st.dictionaries(st.sampled_from(CLASSES), st.just({"rate": CPU}) | st.just({"rate": GPU})),
    stored=st.dictionaries(st.sampled_from("kl"), st.sampled_from([CPU, GPU]).map(lambda value: [value, ROW])),
    loaded=st.lists(st.sampled_from("kl")),
    methods=st.dictionaries(st.sampled_from([*METHODS, *OF_OTHERS[2:]]), PARAMS),
    bases=st.dictionaries(st.sampled_from(CLASSES), st.lists(st.sampled_from([*CLASSES, "b.py:Block"]), unique=True)),
    asked=st.dictionaries(st.sampled_from(("f", "g")), st.just({"x": ["rates"]})),
    defines=st.dictionaries(st.sampled_from(CLASSES), st.sampled_from((["rates"], ["#rates"]))),
    promises=st.dictionaries(st.sampled_from(["a.py:Head", "b.py:Block"]), PARAMS),
    passed=st.dictionaries(
        st.sampled_from(("f", "Block.step")),
        st.just({"x": [["g", "x", False, ROW], ["b.py:Block.step", "y", True, ROW]]}),
    ),
)


@given(
    st.tuples(*(TELLINGS for _ in FILES)),
    st.lists(st.dictionaries(st.sampled_from(FILES), st.none() | TELLINGS), max_size=3),
    st.data(),
)
def test_what_is_told_anew_counts_as_if_it_had_been_told_first(
    first: tuple[Told, ...], later: list[dict[str, Told | None]], data: st.DataObject
) -> None:
    """Also where an earlier run has kept what it knew, and all but the names of what is called is out of sight."""
    tests = ("test_c.py",)
    told = dict(zip(FILES, first, strict=True))
    evidence = Evidence(tests)
    assert evidence_of(evidence, told) == evidence_of(Evidence(tests), told)
    for change in later:
        before = heard_at_once(dict(told))
        known = json.loads(json.dumps(evidence.plain()))
        kept = data.draw(st.sets(st.sampled_from(Told._fields)))
        for key, new in change.items():
            old = told.pop(key, NOTHING)
            if new is not None:
                told[key] = new._replace(**{name: getattr(old, name) for name in kept})
        afresh = evidence_of(Evidence(tests), told)
        assert evidence_of(evidence, told) == afresh
        now = Heard(heard_at_once(told).marks, dict(told).__getitem__, before.lines())
        taken_up = Evidence(tests, before, known)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hostsync.lint.callers.heard._MOST_SOUGHT", data.draw(st.sampled_from((0, 40))))
            assert taken_up.of(now) == afresh
        if data.draw(st.booleans()):
            evidence = taken_up


def test_what_arrives_while_others_are_studied_is_what_is_heard_later() -> None:
    data = told({**link("b.py:g", "f")}, "f", "A.f")
    arrived = Arrived()
    arrived.add("mark", json.dumps(data))
    arrived.add("mark", "not read again")
    assert arrived.told == {"mark": data}
    assert arrived.lines == Heard({"a.py": "mark"}, lambda _: data).lines()
    heard = Heard({"a.py": "mark", "b.py": "other"}, {"b.py": NOTHING}.__getitem__)
    assert list(heard.lines(arrived.lines)) == ["mark", "other"]
