"""Decides what is shown of all that was found: selection, confidence, hot code, ignores, allow comments, baselines."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from hostsync.catalogue.model import Rule
from hostsync.findings import CONFIDENCES, Covered, Diagnostic, Finding
from hostsync.lint import baseline
from hostsync.lint.checked import Checked, located
from hostsync.lint.selection import FileIgnores, Names, UnknownSelectorError, enabled
from hostsync.lint.suppression import UNREASONED, UNUSED, hygiene, split
from hostsync.project.config import ConfigError
from hostsync.project.paths import is_missing
from hostsync.project.settings import Settings

_HYGIENE = frozenset((UNUSED, UNREASONED))


class Decided(NamedTuple):
    """What is shown of one file."""

    path: Path
    """Absolute."""
    settings: Settings
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    suppressed: tuple[Covered, ...]
    """What allow comments cover."""
    unshown: tuple[Finding, ...] = ()
    """What would be shown without the options for confidence and hot code."""
    off: frozenset[str] = frozenset()
    """The codes that per-file ignores turn off in it."""


class Judge:
    """Selection under one configuration."""

    def __init__(self, settings: Settings, rules: Mapping[str, Rule]) -> None:
        """Raises ConfigError for a selector or pattern of `settings` that can't be used."""
        listed = tuple(rules.values())
        try:
            self.enabled = enabled(settings, listed)
            self._ignores = FileIgnores(settings.per_file_ignores, settings.root, listed)
        except UnknownSelectorError as error:
            raise ConfigError(_at(settings, str(error))) from None
        except ValueError as error:
            raise ConfigError(_at(settings, f"per-file-ignores: {error}")) from None
        self._settings = settings
        self.rules = rules
        self._names = Names(listed)
        self._confidences = _down_to(settings.min_confidence)
        self._usual = _down_to(settings.usual_confidence)

    def decide(self, checked: Checked, path: Path, filename: str) -> Decided:
        """What is shown of the file `path`, called `filename`."""
        off = self._ignores.ignored(path) if self.enabled else frozenset()
        on = self.enabled - off
        shown = tuple(f for f in checked.findings if f.code in on and self._is_shown(f))
        kept, suppressed = split(shown, checked.allows, self._names)
        unshown: tuple[Finding, ...] = ()
        if not (self._usual <= self._confidences and self._settings.hot_only <= self._settings.usually_hot_only):
            unshown = tuple(f for f in checked.findings if f.code in on and not self._is_shown(f) and self._is_usual(f))
            unshown = split(unshown, checked.allows, self._names).kept
        if checked.allows and not _HYGIENE.isdisjoint(on):
            of_comments = hygiene(checked.findings, checked.allows, self.rules, self._names, on)
            if not self._settings.hot_only:
                kept += of_comments
                kept = tuple(sorted(kept, key=lambda f: (f.location[:2], f.end_location[:2], f.code)))
            elif not self._settings.usually_hot_only:
                unshown += of_comments
        return Decided(
            path,
            self._settings,
            tuple(located(finding, filename, checked.cells) for finding in kept),
            tuple(located(diagnostic, filename, checked.cells) for diagnostic in checked.diagnostics),
            tuple(one._replace(finding=located(one.finding, filename, checked.cells)) for one in suppressed),
            unshown,
            off,
        )

    def _is_shown(self, finding: Finding) -> bool:
        return finding.confidence in self._confidences and (finding.hot is not None or not self._settings.hot_only)

    def _is_usual(self, finding: Finding) -> bool:
        return finding.confidence in self._usual and (finding.hot is not None or not self._settings.usually_hot_only)


def _down_to(confidence: str) -> frozenset[str]:
    return frozenset(CONFIDENCES[: CONFIDENCES.index(confidence) + 1])


def _at(settings: Settings, message: str) -> str:
    return message if settings.source is None else f"{settings.source}: {message}"


class Baselined(NamedTuple):
    findings: tuple[Finding, ...]
    hidden: int
    stale: tuple[tuple[Path, baseline.Stale], ...]
    """With the baseline that each is in."""


def apply_baselines(
    decided: Iterable[Decided], codes: Mapping[Settings, frozenset[str]], below: Collection[Path], update: bool
) -> Baselined:
    """Hides what the baselines of the files' configurations know of; with `update`, writes them anew first.

    Args:
        decided: what was found in each file that was scanned.
        codes: the codes that each configuration turns on.
        below: the folders (absolute) that were searched for files.
        update: accept what was found.

    Raises:
        baseline.BaselineError: a baseline can't be read or written.
    """
    groups: dict[Path | None, list[Decided]] = {}
    for entry in decided:
        groups.setdefault(entry.settings.baseline, []).append(entry)
    if not groups:
        groups = {kind.baseline: [] for kind in codes}
    findings: list[Finding] = []
    stale: list[tuple[Path, baseline.Stale]] = []
    hidden = 0
    for path, group in groups.items():
        if path is None:
            findings += [finding for entry in group for finding in entry.findings]
            continue
        path = path.absolute()
        found = {baseline.file_key(entry.path, path): _seen(entry) for entry in group}
        on = frozenset().union(*(codes[kind] for kind in {entry.settings for entry in group} or codes))
        counts: baseline.Counts = {}
        if not update or path.exists():
            counts = baseline.read(path)
        gone = {file for file in baseline.files_of(counts) if file not in found and is_missing(path.parent / file)}
        if update:
            counts = baseline.updated(found, counts, on, gone)
            baseline.write(path, counts)
        for file in gone:
            place = Path(os.path.normpath(path.parent / file))
            if any(place.is_relative_to(folder) for folder in below):
                found[file] = baseline.Seen(())
        applied = baseline.apply(found, counts, on)
        findings += applied.findings
        hidden += applied.hidden
        stale += [(path, entry) for entry in applied.stale]
    return Baselined(tuple(findings), hidden, tuple(stale))


def _seen(entry: Decided) -> baseline.Seen:
    return baseline.Seen(entry.findings, entry.unshown, not entry.diagnostics, entry.off)
