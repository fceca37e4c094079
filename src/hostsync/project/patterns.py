"""Matches paths against gitignore-style patterns; loads the library for it only when there are patterns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Patterns:
    """The patterns of one ignore file or one setting, relative to the folder `root`."""

    def __init__(self, lines: Iterable[str], root: Path) -> None:
        """Raises ValueError, naming the pattern, if one of `lines` is none."""
        self.root = root
        self._prefix = _slashed(root)
        kept = [line for line in lines if line.strip() and not line.startswith("#")]
        self._spec = _compile(kept) if kept else None

    def __bool__(self) -> bool:
        return self._spec is not None

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches the absolute `path` takes it in (True) or out (False); None if none
        matches, or if `path` is not below the root."""
        if self._spec is None:
            return None
        path = path.replace("\\", "/")
        if not path.startswith(self._prefix):
            return None
        relative = path[len(self._prefix) :]
        return self._spec.check_file(relative + "/" if is_folder else relative).include


def _slashed(folder: Path) -> str:
    text = str(folder).replace("\\", "/")
    return text if text.endswith("/") else text + "/"


def _compile(lines: list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except Exception:
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
            except Exception as error:
                raise ValueError(f"`{line}` is no pattern: {error}") from None
        raise
