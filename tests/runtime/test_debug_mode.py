"""The warnings hook: survives what programs do to warnings, and leaves nothing behind."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from hostsync.runtime.debug_mode import MESSAGE, PROTOTYPE, WarningsHook

module: Any = warnings


class StopError(Exception): ...


@pytest.fixture
def seen() -> Iterator[list[int]]:
    rows: list[int] = []
    hook = WarningsHook(lambda frame: rows.append(frame.f_lineno if frame else 0))
    before, contents, show = module.filters, list(module.filters), module._showwarnmsg
    hook.install()
    yield rows
    hook.remove()
    hook.remove()
    assert module.filters is before and module.filters == contents
    assert module._showwarnmsg is show
    with pytest.warns(UserWarning, match=MESSAGE):
        fire()


def fire() -> None:
    warnings.warn(MESSAGE + " (Triggered internally)", stacklevel=1)


def test_every_one_is_seen(seen: list[int]) -> None:
    for _ in range(3):
        fire()
    assert len(seen) == 3


@pytest.mark.parametrize("action", ["error", "ignore", "once"])
def test_filters(seen: list[int], action: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        fire()
        warnings.filterwarnings(action, message=MESSAGE)
        fire()
        warnings.resetwarnings()
        fire()
        with warnings.catch_warnings(record=True) as caught:
            fire()
            warnings.simplefilter("always")
            warnings.warn("another", stacklevel=1)
            warnings.warn(PROTOTYPE, stacklevel=1)
    assert len(seen) == 4
    assert [str(one.message) for one in caught] == ["another"]


def test_it_can_raise() -> None:
    def stop(_: object) -> None:
        raise StopError

    hook = WarningsHook(stop)
    hook.install()
    try:
        with pytest.raises(StopError):
            fire()
    finally:
        hook.remove()


def test_filters_set_meanwhile_stay() -> None:
    with warnings.catch_warnings():
        before = module.filters
        hook = WarningsHook(lambda _: None)
        hook.install()
        warnings.filterwarnings("ignore", message="set by the program")
        hook.remove()
        assert module.filters is before
        assert module.filters[0][1].pattern == "set by the program"


def test_removed_inside_of_catch_warnings() -> None:
    hook = WarningsHook(lambda _: None)
    contents = list(module.filters)
    hook.install()
    with warnings.catch_warnings():
        hook.remove()
        assert module.filters == contents
    assert module.filters == contents
