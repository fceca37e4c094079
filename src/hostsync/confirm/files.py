"""The scanned files, as a running program names them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path


class ScannedFiles:
    """Knows the scanned files by the names that code objects carry: relative, through links, in another case."""

    def __init__(self, names: Mapping[Path, str]) -> None:
        """
        Args:
            names: of the absolute path of each scanned file, the name that its findings have.
        """
        self._names = {_real(str(path)): name for path, name in names.items()}
        # The program may change its folder.
        self._folder = os.getcwd()  # noqa: PTH109 - as text, as code objects have it
        self._known: dict[str, str | None] = {}

    def name_of(self, filename: str) -> str | None:
        """The name that findings have in the file; None if it is not one of them."""
        if filename not in self._known:
            path = os.path.join(self._folder, filename)  # noqa: PTH118
            self._known[filename] = None if filename.startswith("<") else self._names.get(_real(path))
        return self._known[filename]

    def has(self, filename: str) -> bool:
        """Whether it is a scanned file."""
        return self.name_of(filename) is not None

    def seen_as(self, name: str) -> Iterable[str]:
        """All names that a file was asked for by."""
        return [filename for filename, known in list(self._known.items()) if known == name]


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
