"""Frames → places."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from hostsync.runtime import places
from hostsync.runtime.places import LIBRARY, OWN, STANDARD, USER, locate, operation_in, owner_of_file, text_at
from hostsync.runtime.records import Place

exact = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows rows only")


def here(*_: object) -> Place:
    """Where it is called."""
    return places.place_of(sys._getframe(1))


@exact
def test_the_expression() -> None:
    assert text_at([here(), 1][0]) == "here()"  # type: ignore[arg-type]


@exact
def test_columns_count_characters() -> None:
    place: Any = ["für", "größer", here()][2]
    assert text_at(place) == "here()"
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[place.row - 1]
    assert line[place.column - 1 : place.end_column - 1] == "here()"


@exact
def test_several_rows() -> None:
    place = here(
        1,
        2,
    )
    assert (place.end_row, place.end_column) == (place.row + 3, 6)
    assert text_at(place) == "here( 1, 2, )"


def test_owners() -> None:
    assert owner_of_file(__file__) == USER
    assert owner_of_file("<stdin>") == owner_of_file("<ipython-input-1>") == USER
    assert owner_of_file(places.__file__) == OWN
    assert owner_of_file("<frozen runpy>") == STANDARD
    assert owner_of_file(sysconfig.get_paths()["stdlib"] + "/asyncio/base_events.py") == STANDARD
    assert owner_of_file(str(Path("/env/lib/site-packages/timm/data.py"))) == LIBRARY


def compiled(filename: str, source: str, **names: Any) -> Any:
    exec(compile(source, filename, "exec"), names)
    return names["run"]


def test_the_users_frame_is_the_place_and_the_library_is_kept() -> None:
    inner = compiled("/env/site-packages/library/work.py", "def run(call):\n    return call()", x=1)
    located = inner(lambda: locate(sys._getframe(1)))
    assert located.place.filename == __file__
    assert located.library.filename == "/env/site-packages/library/work.py" and located.library.row == 2
    assert located.callers


class Subclass:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not types:
            return locate(sys._getframe(0))
        return func(*args, **(kwargs or {}))


class Derived(Subclass):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs)


class Dispatched:
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

    __torch_function__ = __torch_dispatch__


@pytest.mark.parametrize("kind", [Subclass, Derived, Dispatched])
def test_the_operation_of_a_subclass_of_tensors_is_its_callers(kind: Any) -> None:
    located = kind.__torch_function__(lambda: locate(sys._getframe(1)), (object,))
    assert located.place is not None and located.library is None
    assert located.place.function == "test_the_operation_of_a_subclass_of_tensors_is_its_callers"


def in_a_library() -> places.Located:
    return locate(sys._getframe(0))


@pytest.mark.parametrize("kind", [Subclass, Derived])
def test_what_a_function_does_for_a_subclass_is_its_own(kind: type[Subclass]) -> None:
    located = kind.__torch_function__(in_a_library, (object,))
    assert located.place is not None and located.place.function == "in_a_library"
    assert "test_what_a_function_does_for_a_subclass_is_its_own" in [caller.function for caller in located.callers]


def test_what_a_subclass_of_tensors_does_besides_is_its_own() -> None:
    located = Subclass.__torch_function__(len, ())
    assert located.place is not None and located.place.function.endswith("__torch_function__")
    assert located.callers[0].function == "test_what_a_subclass_of_tensors_does_besides_is_its_own"


def test_nowhere() -> None:
    assert locate(None) == places.NOWHERE


def test_phases() -> None:
    class Model:
        def forward(self) -> str:
            return locate(sys._getframe(0)).phase

    assert Model().forward() == "forward"
    assert locate(sys._getframe(0)).phase == "other"


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("x[mask]", "aten::index"),
        ("loss > best", "aten::is_nonzero"),
        ("float(x)", "aten::item"),
        ("a.b.wait_for_it(1)", "wait_for_it"),
        ("f'{x}'", ""),
        ("not python at", ""),
    ],
)
def test_operations(text: str, operation: str) -> None:
    assert operation_in(text) == operation


def test_stacks_end_where_a_runner_begins() -> None:
    def outside() -> Any:
        return places.locate(sys._getframe())

    def called() -> Any:
        return outside()

    whole = called()
    assert [caller.function.rpartition(".")[2] for caller in whole.callers][:2] == [
        "called",
        "test_stacks_end_where_a_runner_begins",
    ]
    try:
        places.end_at([called.__code__])
        below = called()
        assert below.place == whole.place and below.callers == () and below.phase == "other"
    finally:
        places.end_at(())
    assert [caller.function for caller in called().callers] == [caller.function for caller in whole.callers]
