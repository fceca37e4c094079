"""Which files of a project hold tests: these use whatever is handy, which says nothing of real use."""

from __future__ import annotations

from typing import Final

_FOLDERS: Final = frozenset({"test", "tests", "testing"})


def is_test(name: str, module: str) -> bool:
    """Whether a file holds tests.

    Args:
        name: of the file.
        module: its dotted name. The folders above its package don't count: they say nothing of what it is.
    """
    is_named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_named or not _FOLDERS.isdisjoint(module.split(".")[:-1])
