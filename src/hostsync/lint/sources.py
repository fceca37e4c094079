"""The text of sources, for reports that quote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hostsync.lint.check import NOTEBOOK_SUFFIX
from hostsync.lint.checked import cells_of


class Sources:
    """Reads files again when a report asks for their lines; a file that is gone by then has none."""

    def __init__(self, paths: Mapping[str, Path], given: Mapping[str, bytes] | None = None) -> None:
        """
        Args:
            paths: of each file name that findings carry, the file.
            given: sources that are not on disk, by file name.
        """
        self._paths = paths
        self._given = given or {}
        self._lines: tuple[str, Mapping[int | None, Sequence[str]]] = ("", {})

    def lines(self, filename: str, cell: int | None = None) -> Sequence[str]:
        """The lines of a file, or of one code cell of a notebook; empty if they can't be had."""
        # Reports go through findings file by file, so one file is all that is worth keeping.
        if self._lines[0] != filename:
            self._lines = (filename, self._read(filename))
        return self._lines[1].get(cell, ())

    def _read(self, filename: str) -> Mapping[int | None, Sequence[str]]:
        from hostsync.syntax.text import SourceError, split_lines

        try:
            source = self._given[filename] if filename in self._given else self._paths[filename].read_bytes()
            if not filename.lower().endswith(NOTEBOOK_SUFFIX):
                return {None: all_lines(source, filename)}
            from hostsync.syntax.notebook import read_notebook

            notebook = read_notebook(source)
        except (OSError, KeyError, SourceError):
            return {}
        lines = split_lines(notebook.written)
        cells = cells_of(notebook.rows)
        ends = [cell.first_row for cell in cells[1:]] + [len(lines) + 1]
        return {cell.number: lines[cell.first_row - 1 : end - 1] for cell, end in zip(cells, ends, strict=True)}


def all_lines(source: bytes, filename: str) -> list[str]:
    """The lines of a source, those of all cells of a notebook.

    Raises:
        syntax.parse.SourceError: it can't be decoded, or is no notebook.
    """
    from hostsync.syntax.text import decode, split_lines

    if not filename.lower().endswith(NOTEBOOK_SUFFIX):
        return split_lines(decode(source).removeprefix("\ufeff"))
    from hostsync.syntax.notebook import read_notebook

    return split_lines(read_notebook(source).written)
