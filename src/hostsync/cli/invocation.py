"""The options of `hostsync check` as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from hostsync.project.config import parse_torch_version
from hostsync.project.settings import Overrides, PerFileIgnore


class Invocation(NamedTuple):
    """What the command line asks for."""

    paths: tuple[Path, ...]
    overrides: Overrides
    output_file: Path | None
    show_suppressed: bool
    statistics: bool
    exit_zero: bool
    add_allow: str | None
    update_baseline: bool
    verdicts: tuple[Path, ...]
    stdin_filename: str | None
    config: Path | None
    isolated: bool
    no_cache: bool
    show_settings: bool
    show_files: bool
    quiet: bool
    verbose: bool
    why: str | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Invocation:
        """The invocation that click's `options` spell. Raises click.UsageError."""
        plain = {name: options[name] for name in cls._fields if name in options}
        return cls(**{**plain, "overrides": _overrides(options)})


def _overrides(options: Mapping[str, Any]) -> Overrides:
    cwd = Path.cwd()
    return Overrides(
        select=options["select"] or None,
        ignore=options["ignore"],
        extend_select=options["extend_select"],
        per_file_ignores=_per_file(options["per_file_ignores"]) or None,
        exclude=options["exclude"] or None,
        extend_exclude=options["extend_exclude"],
        force_exclude=options["force_exclude"],
        respect_gitignore=options["respect_gitignore"],
        min_confidence=options["min_confidence"],
        hot_only=options["hot_only"],
        torch_version=_torch_version(options["torch_version"]),
        extend_rules=tuple(cwd / path for path in options["extend_rules"]),
        ops=tuple(cwd / path for path in options["ops"]),
        index=tuple(cwd / path for path in options["index"]),
        baseline=None if options["baseline"] is None else cwd / options["baseline"],
        output_format=options["output_format"],
        cache_dir=None if options["cache_dir"] is None else cwd / options["cache_dir"],
        jobs=options["jobs"],
    )


def _per_file(entries: tuple[str, ...]) -> tuple[PerFileIgnore, ...]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        pattern, colon, selector = entry.rpartition(":")
        if not colon or not pattern or not selector:
            raise click.UsageError(f"--per-file-ignores takes PATTERN:RULE, such as tests/*:HS101, not {entry!r}.")
        found[pattern] = (*found.get(pattern, ()), selector.strip())
    return tuple(PerFileIgnore(pattern, selectors) for pattern, selectors in found.items())


def _torch_version(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return parse_torch_version(text)
    except ValueError as error:
        raise click.UsageError(f"--torch-version takes {error}, not {text!r}.") from None
