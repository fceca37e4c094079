"""Evidence that is passed on: gets as far as the calls go, ends in circles, and leaves a file's own calls to it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hostsync.infer.handed import KEYS
from hostsync.lint.callers import evidence
from hostsync.lint.landmarks import marked
from hostsync.lint.passing import pass_on

CPU: list[Any] = ["T", ["cpu"], "float", 1, True, False, None]
ROW = "3-1f-0"
GPU: list[Any] = ["T", ["cuda"], "float", 1, True, False, None]


def told(passed: dict[str, Any], *functions: str) -> list[Any]:
    """What a file tells that only has functions of one parameter, `x`."""
    return [{}, [], {name: [["x"], ["x"], ["x"]] for name in functions}, {}, {}, [], {}, {}, {}, {}, {}, passed]


def link(target: str, source: str, *, derived: bool = False) -> dict[str, Any]:
    return {source: {"x": [[target, "x", derived, ROW]]}}


def passed(files: dict[str, Any], value: list[Any]) -> dict[str, Any]:
    """What is found if callers hand `value` to `a.py:f`."""

    def add(params: dict[str, Any], name: str, found: Any, where: str) -> None:
        params[name] = [found, where]

    return pass_on({"a.py": {"f": {"x": [value, "a call"]}}}, files, (), lambda _: (), add)


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
    assert "b.py" not in pass_on({"a.py": {"f": {"x": [GPU, ""]}}}, open_too, ("a.py",), lambda _: (), lambda *_: None)


NAMES = [f"{file}.py:{name}" for file in "abc" for name in "fgh"]


@given(st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()), max_size=20))
def test_circles_end(links: set[tuple[str, str, bool]]) -> None:
    """All that can be reached from `a.py:f` across files is told, and nothing else."""
    files = {f"{file}.py": told({}, "f", "g", "h") for file in "abc"}
    for source, target, derived in links:
        file, _, name = source.partition(":")
        other, _, function = target.partition(":")
        called = function if other == file else target
        files[file][11].setdefault(name, {}).setdefault("x", []).append([called, "x", derived, ROW])
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


def test_one_class_with_the_methods_that_are_called() -> None:
    use = told({}, "split")
    use[8] = {"split": {"x": ["verts_padded", "verts_packed"]}}
    shape = told({})
    shape[7] = {"Meshes": [], "Fine": ["Meshes"], "Other": []}
    shape[9] = {"Meshes": ["verts_padded", "verts_packed"], "Fine": ["verts_packed"], "Other": ["verts_packed"]}
    files = {"use.py": use, "shape.py": shape}
    value, _ = evidence(files, files)["use.py"]["split"]["x"]
    assert value == ["K", ["shape.py:Meshes"]]
    shape[9]["Other"] = ["verts_padded", "verts_packed"]
    assert evidence(files, files) == {}
    assert KEYS not in evidence(files, files)
