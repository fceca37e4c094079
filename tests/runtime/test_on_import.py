"""A function that is called once a module is imported, shown in a Python of its own with a module made for it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostsync.runtime.on_import import after_import


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that can be imported and is not."""
    (tmp_path / "late_module.py").write_text("value = 1\nspec = __spec__\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "late_module", raising=False)
    yield "late_module"
    sys.modules.pop("late_module", None)


def test_it_is_called_when_the_module_is_whole_and_leaves_no_trace(late: str) -> None:
    values: list[int] = []
    before = list(sys.meta_path)
    after_import(late, lambda: values.append(sys.modules[late].value))
    assert not values
    module = importlib.import_module(late)
    assert values == [1]
    assert sys.meta_path == before
    assert type(module.__loader__).__module__ == type(module.__spec__.loader).__module__ == "_frozen_importlib_external"
    importlib.reload(module)
    assert values == [1]


def test_a_module_that_is_there_already(late: str) -> None:
    importlib.import_module(late)
    calls: list[str] = []
    after_import(late, lambda: calls.append("now"))
    assert calls == ["now"]


def test_asking_whether_the_module_is_there_is_no_import(late: str) -> None:
    calls: list[str] = []
    after_import(late, lambda: calls.append("loaded"))
    assert importlib.util.find_spec(late) is not None
    assert calls == []
    importlib.import_module(late)
    assert calls == ["loaded"]


def test_forgetting(late: str) -> None:
    calls: list[str] = []
    before = list(sys.meta_path)
    forget = after_import(late, lambda: calls.append("loaded"))
    forget()
    forget()
    importlib.import_module(late)
    assert (calls, sys.meta_path) == ([], before)


def test_a_module_that_fails_can_be_imported_later(tmp_path: Path, late: str) -> None:
    calls: list[str] = []
    path = tmp_path / "late_module.py"
    whole = path.read_text()
    path.write_text("raise ImportError('not yet')\n")
    after_import(late, lambda: calls.append("loaded"))
    with pytest.raises(ImportError, match="not yet"):
        importlib.import_module(late)
    assert calls == []
    path.write_text(whole + "# a different size, so that no cached code is taken\n")
    importlib.invalidate_caches()
    importlib.import_module(late)
    assert calls == ["loaded"]


def test_a_module_that_does_not_exist(tmp_path: Path) -> None:
    forget = after_import("no_such_module_anywhere", lambda: None)
    try:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("no_such_module_anywhere")
    finally:
        forget()
