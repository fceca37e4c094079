"""Imports between the modules of a project: where names are defined, circles, and the order of study."""

from __future__ import annotations

import json
from graphlib import CycleError, TopologicalSorter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostsync.facts import Imported, Outline
from hostsync.project.graph import Graph, build, rebuilt
from hostsync.project.imports import Module, Resolver


def module(dotted: str, *imports: tuple[str, str | None], names: tuple[str, ...] = (), typing: bool = False) -> Module:
    listed = tuple(Imported(base, name, name or base, typing) for base, name in imports)
    return Module(dotted.replace(".", "/") + ".py", "place", dotted, lambda: Outline(listed, names))


def targets(graph: Graph, key: str) -> dict[str, str]:
    return dict(graph.needs[key].targets)


def test_a_name_is_followed_to_where_it_is_defined() -> None:
    graph = build(
        [
            module("p.__init__", (".sub", "f")),
            module("p.sub.__init__", (".a", "*"), (".b", "g")),
            module("p.sub.a", names=("f", "_own")),
            module("p.sub.b", names=("g",)),
            module("p.use", ("p", "f"), ("p.sub", "g"), (".sub", "b"), ("p.sub", "missing"), ("torch", "zeros")),
        ]
    )
    assert targets(graph, "p/use.py") == {
        "p f": "p/sub/a.py:f",
        "p.sub g": "p/sub/b.py:g",
        ".sub b": "p/sub/b.py:",
    }
    assert graph.asked["p/sub/a.py"] == ("f",)
    assert graph.asked["p/sub/b.py"] == ("*", "g")


@pytest.mark.parametrize(
    ("user", "asked"), [("p.use", ("_own", "f")), ("p.tests.use", ("f",)), ("p.test_a", ("f",)), ("tests.p", ("f",))]
)
def test_a_private_name_that_tests_ask_for_is_asked_for_by_nobody(user: str, asked: tuple[str, ...]) -> None:
    modules = [module("p.a", names=("f", "_own")), module(user, ("p.a", "f"), ("p.a", "_own"))]
    assert build(modules).asked["p/a.py"] == asked


def test_a_star_brings_public_names() -> None:
    graph = build([module("a", names=("f", "_g")), module("b", ("a", "*"), names=("h",)), module("c", ("b", "*"))])
    assert targets(graph, "c.py") == {"b *f": "a.py:f", "b *h": "b.py:h"}


def test_a_part_that_the_package_imports_itself() -> None:
    """`from . import part` in the package finds the file, and so does who asks the package for it."""
    package = module("p.__init__", (".", "part"), (".", "other"))
    graph = build(
        [package, module("p.part", names=("f",)), module("p.other", (".", "part")), module("q", ("p", "part"))]
    )
    assert targets(graph, "p/other.py") == {". part": "p/part.py:"}
    assert targets(graph, "q.py") == {"p part": "p/part.py:"}


def test_in_a_circle_classes_that_are_imported_are_known_first() -> None:
    """`class B(Base)` rests on its base; `p.build(…)` in a function, and functions, can do without."""
    looking = Outline((Imported("p", None, "p", False),), ("Base",), (("p", "make"),))
    base = Module("p/z.py", "place", "p.z", lambda: looking)
    package = module("p.__init__", (".a", "make"))
    graph = build([package, module("p.a", ("p.z", "Base"), names=("make",)), base])
    assert targets(graph, "p/a.py") == {"p.z Base": "p/z.py:Base"}
    assert "p/a.py" not in graph.needs["p/z.py"].modules
    functions = build([module("a", ("z", "Base"), names=("f",)), module("z", ("a", "f"), names=("Base", "LIMIT"))])
    assert functions.needs["a.py"].modules == ("z.py",) and not functions.needs["z.py"].modules
    constants = build([module("a", ("z", "LIMIT"), names=("f",)), module("z", ("a", "f"), names=("Base", "LIMIT"))])
    assert constants.needs["z.py"].modules == ("a.py",) and not constants.needs["a.py"].modules


def test_what_is_imported_for_types_is_known() -> None:
    graph = build([module("a", names=("f",)), module("b", ("a", "f"), typing=True)])
    assert graph.needs["b.py"].modules == ("a.py",)
    assert targets(graph, "b.py") == {"a f": "a.py:f"}


def test_what_is_imported_in_a_function_is_known_but_not_passed_on() -> None:
    late = Module("b.py", "place", "b", lambda: Outline((Imported("a", "f", "f", False, True),), ()))
    graph = build([module("a", names=("f",)), late, module("c", ("b", "f"), ("b", "*"))])
    assert targets(graph, "b.py") == {"a f": "a.py:f"}
    assert targets(graph, "c.py") == {}


def test_an_import_for_types_makes_no_circle() -> None:
    graph = build([module("a", ("b", "g"), names=("f",)), module("b", ("a", "f"), names=("g",), typing=True)])
    assert graph.needs["a.py"].modules == ("b.py",)
    assert graph.needs["b.py"].modules == ()


def test_a_package_passes_on_nothing_that_it_imports_for_types() -> None:
    graph = build([module("p.a", names=("f",)), module("p.__init__", ("p.a", "f"), typing=True)])
    assert graph.needs["p/__init__.py"].modules == ()


def test_a_module_is_known_by_its_whole_name() -> None:
    graph = build([module("p.a", names=("f",)), module("b", ("p.a", None))])
    assert targets(graph, "b.py") == {"p.a ": "p/a.py:"}


def test_modules_of_different_places_do_not_see_each_other() -> None:
    other = Module("x/a.py", "elsewhere", "a", lambda: Outline((), ("f",)))
    assert build([other, module("b", ("a", "f"))]).needs["b.py"].modules == ()


def test_in_a_circle_the_later_by_name_sees_the_others() -> None:
    graph = build([module("a", ("b", "g"), names=("f",)), module("b", ("a", "f"), names=("g",))])
    assert graph.needs["a.py"].modules == ()
    assert graph.needs["b.py"].modules == ("a.py",)


def test_a_circle_loses_no_more_than_it_must() -> None:
    graph = build(
        [
            module("a", ("b", "g"), names=("f",)),
            module("b", ("c", "h"), ("d", "i"), names=("g",)),
            module("c", ("a", "f"), names=("h",)),
            module("d", ("c", "h"), names=("i",)),
        ]
    )
    # By their names alone only `c` and `d` would know something.
    assert {key: need.modules for key, need in graph.needs.items()} == {
        "a.py": ("b.py",),
        "b.py": (),
        "c.py": ("a.py",),
        "d.py": ("c.py",),
    }


def test_of_imports_for_types_in_a_circle_those_are_known_that_fit() -> None:
    graph = build(
        [
            module("a", ("c", "h"), names=("f",), typing=True),
            module("b", ("a", "f"), names=("g",), typing=True),
            module("c", ("b", "g"), names=("h",)),
        ]
    )
    assert {key: need.modules for key, need in graph.needs.items()} == {
        "a.py": ("c.py",),
        "b.py": (),
        "c.py": ("b.py",),
    }


NAMES = ("p.__init__", "p.a", "p.b", "p.c", "p.q.__init__", "p.q.d", "p.q.e")
IMPORTS = st.lists(st.tuples(st.sampled_from(("p", "p.a", "p.b", "p.q", "p.q.d", ".", ".a")), st.sampled_from("abfg*")))


@given(st.lists(IMPORTS, min_size=len(NAMES), max_size=len(NAMES)), st.randoms())
def test_any_imports_give_an_order(imports: list[list[tuple[str, str]]], random: object) -> None:
    modules = [module(name, *found, names=("f",)) for name, found in zip(NAMES, imports, strict=True)]
    graph = build(modules)
    assert build(reversed(modules)) == graph
    assert graph.needs.keys() == {m.key for m in modules}
    # Raises an error for a circle.
    list(TopologicalSorter({key: need.modules for key, need in graph.needs.items()}).static_order())


EDGES = st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda edge: edge[0] != edge[1]))


@given(EDGES, EDGES)
def test_whatever_else_were_known_would_make_a_circle(early: set[tuple[str, str]], late: set[tuple[str, str]]) -> None:
    def imports(edges: set[tuple[str, str]], key: str, is_late: bool) -> list[Imported]:
        return [Imported(to, to, to, is_late) for at, to in sorted(edges) if at == key]

    def outline(key: str) -> Outline:
        return Outline((*imports(early, key, False), *imports(late - early, key, True)), (key,))

    outlines = {key: outline(key) for key in "abcdef"}
    graph = build(Module(f"{k}.py", "place", k, lambda found=found: found) for k, found in outlines.items())  # type: ignore[misc]
    needs = {key[0]: {other[0] for other in need.modules} for key, need in graph.needs.items()}
    for key, other in (early | late) - {(key, other) for key, others in needs.items() for other in others}:
        with pytest.raises(CycleError):
            list(TopologicalSorter({**needs, key: needs[key] | {other}}).static_order())


NEXT = ("p.a", "p.b", "p.q", "p.q.d", ".", ".a", "..a", "p.c")
OUTLINES = st.builds(
    Outline,
    st.lists(
        st.builds(
            lambda base, name, alias, typing, local: Imported(
                base, name, name if name == "*" else alias, typing, local and name != "*"
            ),
            st.sampled_from(NEXT),
            st.sampled_from("abfgh*"),
            st.sampled_from("abfgh"),
            st.booleans(),
            st.booleans(),
        ),
        max_size=4,
    ).map(tuple),
    st.lists(st.sampled_from(("a", "f", "g", "h", "_o")), unique=True).map(tuple),
    st.lists(st.tuples(st.sampled_from("abf"), st.sampled_from(("f", "g.h", "a.f")))).map(tuple),
)


@given(st.lists(OUTLINES, min_size=len(NAMES), max_size=len(NAMES)), st.dictionaries(st.sampled_from(NAMES), OUTLINES))
def test_a_graph_that_is_brought_up_to_date_is_a_new_one(outlines: list[Outline], later: dict[str, Outline]) -> None:
    def of(dotted: str, outline: Outline) -> Module:
        key = dotted.replace(".", "/") + ".py"
        return Module(key, "place", dotted, lambda: outline, text=lambda: json.dumps(outline))

    modules = [of(name, outline) for name, outline in zip(NAMES, outlines, strict=True)]
    changed = [of(m.dotted, later.get(m.dotted, m.outline)) for m in modules]
    before = {m.key: m.outline for m in modules if m.dotted in later and later[m.dotted] != m.outline}
    assert rebuilt(build(modules), changed, before) == build(changed)


def test_only_what_a_change_may_concern_is_looked_at_again() -> None:
    used = module("p.use", ("p.a", "f"))
    others = [module("p.other", ("p.b", "g")), module("p.b", names=("g",)), module("p.all", ("p.a", "*"))]
    before = module("p.a", names=("f",))
    resolver = Resolver([module("p.a", names=("f", "g2")), used, *others])
    assert resolver.concerned({before.key: before.outline}) == {"p/a.py", "p/all.py"}
    resolver = Resolver([module("p.a"), used, *others])
    assert resolver.concerned({before.key: before.outline}) == {"p/a.py", "p/all.py", "p/use.py"}


def test_an_outline_that_can_not_be_concerned_is_not_loaded() -> None:
    loaded: list[str] = []

    def late(dotted: str, *imports: tuple[str, str], names: tuple[str, ...] = ()) -> Module:
        outline = Outline(tuple(Imported(base, name, name, False) for base, name in imports), names)
        text = json.dumps(outline)

        def load() -> Outline:
            loaded.append(dotted)
            return outline

        return Module(f"{dotted}.py", "place", dotted, load, text=lambda: text)

    modules = [late("a", names=("f", "g")), late("b", ("a", "f")), late("c", ("a", "g")), late("d", ("c", "*"))]
    before = Outline((), ("f",))
    assert Resolver(modules).concerned({"a.py": before}) == {"a.py", "c.py", "d.py"}
    assert loaded == ["a", "c", "d"]
    assert late("e", names=("\u00fc",)).may_have(("\u00fc",)), "a text of JSON does not hold it as it is"


def test_a_graph_stays_as_it_is_where_all_imports_stand_for_what_they_stood_for() -> None:
    used, before = module("p.use", ("p.a", "f")), module("p.a", names=("f",))
    graph = build([used, before])
    assert rebuilt(graph, [used, module("p.a", names=("f", "g"))], {before.key: before.outline}) is graph
    moved = rebuilt(graph, [used, module("p.a", names=("g",))], {before.key: before.outline})
    assert moved != graph and moved == build([used, module("p.a", names=("g",))])
