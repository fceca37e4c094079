"""The settings of a scan, as one frozen type, and the keys that a configuration file may hold."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".hostsync_cache",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "_vendor",
    "buck-out",
    "build",
    "dist",
    "externals",
    "node_modules",
    "site-packages",
    "third_party",
    "vendor",
    "vendored",
    "venv",
)
"""Names of folders and files that are left out unless they are given as a path: caches, builds, environments, and
other people's code that was copied in, which is not here to be mended."""

CONFIDENCES = ("certain", "likely", "possible")


class PerFileIgnore(NamedTuple):
    """Rules that are ignored in the files that `pattern` matches (a line of a .gitignore; `!` first inverts it)."""

    pattern: str
    selectors: tuple[str, ...]


class Settings(NamedTuple):
    """What decides how a file is scanned. Names follow the keys of the configuration, with underscores."""

    root: Path
    """The folder that patterns are relative to: that of the configuration file, or the current one."""
    source: Path | None = None
    """The configuration file that these came from."""
    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    min_confidence: str = "likely"
    hot_only: bool = False
    torch_version: str | None = None
    extend_rules: tuple[Path, ...] = ()
    ops: tuple[Path, ...] = ()
    index: tuple[Path, ...] = ()  # type: ignore[assignment]  # hides tuple.index: settings are no list to search
    baseline: Path | None = None
    output_format: str = "full"
    cache_dir: Path | None = None
    jobs: int = 0
    """Number of processes; 0 stands for one per core."""
    usual_confidence: str = "likely"
    usually_hot_only: bool = False
    """`min_confidence` and `hot_only` as they are without options of the command line."""


class Overrides(NamedTuple):
    """What the command line says; None where it is silent. It holds for every file, above any configuration."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    min_confidence: str | None = None
    hot_only: bool | None = None
    torch_version: str | None = None
    extend_rules: tuple[Path, ...] = ()
    ops: tuple[Path, ...] = ()
    index: tuple[Path, ...] = ()  # type: ignore[assignment]  # hides tuple.index: settings are no list to search
    baseline: Path | None = None
    output_format: str | None = None
    cache_dir: Path | None = None
    jobs: int | None = None

    def over(self, settings: Settings) -> Settings:
        """`settings` with these laid over them.

        `select` replaces what the configuration selects and ignores; the options that extend or ignore add to it.
        """
        plain = {name: value for name in _REPLACED if (value := getattr(self, name)) is not None}
        plain.update(usual_confidence=settings.min_confidence, usually_hot_only=settings.hot_only)
        if self.select is not None:
            plain.update(select=self.select, extend_select=self.extend_select, ignore=self.ignore)
        else:
            plain.update(
                extend_select=settings.extend_select + self.extend_select,
                ignore=settings.ignore + self.ignore,
            )
        plain["extend_exclude"] = settings.extend_exclude + self.extend_exclude
        plain["extend_rules"] = settings.extend_rules + self.extend_rules
        plain["ops"] = settings.ops + self.ops
        plain["index"] = settings.index + self.index
        return settings._replace(**plain)


_REPLACED = (
    "per_file_ignores",
    "exclude",
    "force_exclude",
    "respect_gitignore",
    "min_confidence",
    "hot_only",
    "torch_version",
    "baseline",
    "output_format",
    "cache_dir",
    "jobs",
)
