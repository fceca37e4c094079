"""Calls a function once a module has been imported, by the program or by whatever it imports."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def after_import(name: str, call: Callable[[], None]) -> Callable[[], None]:
    """Calls `call` when the module `name` is loaded, at once if it is.

    Args:
        name: of a module at the top.
        call: takes nothing; what it raises is raised by the import.

    Returns:
        A function that forgets about it, if the module has not been imported by then.
    """
    if name in sys.modules:
        call()
        return lambda: None
    finder = _Finder(name, call)
    sys.meta_path.insert(0, finder)
    return finder.forget


class _Finder(MetaPathFinder):
    """First in `sys.meta_path` until the module is looked up; then lets the others find it."""

    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name = name
        self._call = call

    def forget(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # Code that only asks whether the module is there comes here too. So this stays until the module is loaded.
        if fullname != self._name or self not in sys.meta_path:
            return None
        at = sys.meta_path.index(self)
        del sys.meta_path[at]
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(at, self)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self)
        return spec

    def loaded(self) -> None:
        self.forget()
        self._call()


class _Loader(Loader):
    """The module's own loader, which tells when it is done."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self._loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        # The module shall not keep a trace of this.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._finder.loaded()
