"""Verdict files on the command line: reads them, and marks what was found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from hostsync.cli.exits import CommandError
from hostsync.confirm import verdicts
from hostsync.findings import Finding
from hostsync.lint.check import NOTEBOOK_SUFFIX
from hostsync.lint.checked import Checked
from hostsync.report.keys import Key, keyed


class Marker:
    """Verdicts of several files together, by the files that they speak of."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Raises CommandError: a file can't be read."""
        together = verdicts.NONE
        for path in paths:
            folder = path.absolute().parent
            try:
                one = verdicts.read(path)
            except verdicts.VerdictsError as error:
                raise CommandError(str(error)) from error
            absolute = {os.path.normpath(folder / file): counts for file, counts in one.files.items()}
            together = verdicts.merged(together, one._replace(files=absolute))
        self._verdicts = together
        self._stale = 0

    @property
    def note(self) -> str:
        """What is said of verdicts so far that no finding answers to; empty if there are none."""
        if not self._stale:
            return ""
        speak = "1 verdict speaks" if self._stale == 1 else f"{self._stale:,} verdicts speak"
        return f"{speak} of what is not found any more; `hostsync confirm` makes new ones."

    def mark(self, checked: Checked, path: Path) -> Checked:
        """What was found in the file at `path`, with verdicts."""
        counts = self._verdicts.files.get(str(path))
        # No program runs a notebook's file.
        if counts is None or path.suffix.lower() == NOTEBOOK_SUFFIX:
            return checked
        found = keyed_of(checked.findings, path)
        if len(found) != len(checked.findings):
            return checked
        marked = verdicts.mark(found, counts, self._verdicts.runs)
        self._stale += len(marked.stale)
        return checked._replace(findings=marked.findings)


def keyed_of(findings: Sequence[Finding], path: Path) -> list[tuple[Finding, Key]]:
    """The findings of a file, with their keys; none of them if the file is gone by now."""
    from hostsync.syntax.text import SourceError, decode, split_lines

    try:
        lines = split_lines(decode(path.read_bytes()).removeprefix("\ufeff"))
    except (OSError, SourceError):
        return []
    return list(keyed(findings, lines))
