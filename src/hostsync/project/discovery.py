"""Finds the files to scan below the paths of a command line.

A path that is given is scanned even where a setting or an ignore file would leave it out; what they leave out inside it
stays out, unless the given path itself lies in what they exclude. Folders behind symbolic links are not entered, so
that loops are harmless.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hostsync.project.config import ConfigError
from hostsync.project.paths import is_file, is_folder, mode_of
from hostsync.project.patterns import Patterns
from hostsync.project.settings import Settings

SUFFIXES = (".py", ".ipynb")
_PATTERN_CHARACTERS = frozenset("*?[]/\\!")
_IGNORING = frozenset((".git", ".gitignore"))
"""What a folder holds if anything in it says what git ignores."""
_SIZE = 2
"""The place of the size in a stamp."""
_IS_CERTAIN = os.name != "nt"
"""What a listing of a folder says of its files is what they are. On Windows it may lag behind."""


class SourceFile(NamedTuple):
    """One file to scan."""

    path: Path
    """Absolute, as to be opened."""
    filename: str
    """As shown: relative to the current folder if it is inside, else as found."""
    module: str
    """Dotted name by the folder layout; the file of a package is `package.__init__`, so that dropping the last part
    always gives the package that relative imports start from."""
    size: int
    settings: Settings
    stamp: tuple[int, ...] = ()
    """When it was modified and when anything of it was changed, in nanoseconds since 1970, its size and its number in
    the file system; empty if that isn't known for sure."""


class Unreadable(NamedTuple):
    """A folder or file that could not be looked at."""

    filename: str
    message: str


class Discovered(NamedTuple):
    files: tuple[SourceFile, ...]
    """In order of their names, each once."""
    unreadable: tuple[Unreadable, ...]
    given: tuple[Path, ...]
    """The paths that were looked below, absolute."""
    settings_for: SettingsFor


SettingsFor = Callable[[Path], Settings]
"""The settings for the files directly in a folder (absolute path)."""


def discover(paths: Iterable[Path], settings_for: SettingsFor) -> Discovered:
    """The files below `paths`, which have to exist. Raises what `settings_for` raises, and ConfigError for a pattern
    that is none."""
    walk = _Walk(settings_for)
    given = tuple(Path(os.path.normpath(Path.cwd() / path)) for path in paths)
    for path in given:
        walk.enter(path)
    files = [walk.files[key] for key in sorted(walk.files, key=_parts)]
    return Discovered(tuple(files), tuple(sorted(walk.unreadable)), given, settings_for)


def module_name(path: Path) -> str:
    """The dotted name of the file `path`: its own name below the packages (folders with an `__init__.py`) it is in."""
    return ".".join((*_package(path.parent, {}), path.stem))


def shown_name(path: Path, cwd: Path) -> str:
    """`path` relative to `cwd` where it lies inside, else as it is."""
    return "." if path == cwd else _shown(str(path), _inside(cwd))


def _inside(folder: Path) -> str:
    """How the paths begin of what lies in `folder`, with what its file system takes for the same made the same."""
    return os.path.normcase(str(folder).rstrip(os.sep) + os.sep)


def _shown(path: str, inside: str) -> str:
    return path[len(inside) :] if os.path.normcase(path).startswith(inside) else path


def is_excluded(path: Path, settings: Settings) -> bool:
    """Whether the settings leave out the file `path` (absolute), or a folder that it is in."""
    excludes = _Excludes(settings)
    inside = [place for place in (path, *path.parents) if place != settings.root and settings.root in place.parents]
    return any(excludes.leave_out(place.name, str(place), place != path) for place in inside or [path])


def require_patterns(entries: Iterable[str]) -> None:
    """Raises ValueError if one of `entries`, which are names and patterns to leave out, is neither."""
    Patterns(_patterns_in(entries), Path())


def _patterns_in(entries: Iterable[str]) -> list[str]:
    return [entry for entry in entries if _PATTERN_CHARACTERS.intersection(entry)]


class _Excludes:
    """The `exclude` and `extend-exclude` of one configuration."""

    def __init__(self, settings: Settings) -> None:
        entries = (*settings.exclude, *settings.extend_exclude)
        self._names = frozenset(entry for entry in entries if not _PATTERN_CHARACTERS.intersection(entry))
        try:
            self.patterns = Patterns(_patterns_in(entries), settings.root)
        except ValueError as error:
            at = "" if settings.source is None else f"{settings.source}: "
            raise ConfigError(f"{at}exclude: {error}") from None

    def leave_out(self, name: str, path: str, is_folder: bool) -> bool:
        if name in self._names:
            return True
        return bool(self.patterns) and self.patterns.verdict(path, is_folder) is True


class _Walk:
    """Collects files; one object for all the paths of a command line."""

    def __init__(self, settings_for: SettingsFor) -> None:
        self.files: dict[str, SourceFile] = {}
        self.unreadable: set[Unreadable] = set()
        self._settings_for = settings_for
        self._cwd = Path.cwd()
        self._inside = _inside(self._cwd)
        self._excludes: dict[tuple[object, ...], _Excludes] = {}
        self._packages: dict[Path, tuple[str, ...]] = {}
        self._prefixes: dict[str, tuple[str, ...]] = {}
        """As `_packages`, by text."""
        self._ignore_files: dict[Path, tuple[Patterns, ...]] = {}

    def enter(self, path: Path) -> None:
        """Takes the given path in, a file or a folder."""
        path = Path(os.path.normpath(self._cwd / path))
        is_given_folder = is_folder(path)
        settings = self._settings_for(path if is_given_folder else path.parent)
        if settings.force_exclude and self._is_left_out(path, settings):
            return
        if not is_given_folder:
            mode = mode_of(path)
            if mode is not None and not stat.S_ISREG(mode):
                # To open a pipe that nobody writes to would take forever.
                self.unreadable.add(Unreadable(shown_name(path, self._cwd), "neither a file nor a folder"))
            elif path.suffix != ".pyi":
                self._add(str(path), _stamp(path), settings)
            return
        for key, stamp, file_settings in self._below(path):
            self._add(key, stamp, file_settings)

    def _is_left_out(self, path: Path, settings: Settings) -> bool:
        if is_excluded(path, settings):
            return True
        if not settings.respect_gitignore:
            return False
        for place in (path, *path.parents):
            if _ignored(str(place), place != path or is_folder(path), self._above(place.parent)):
                return True
            if mode_of(place / ".git") is not None:
                break
        return False

    def _add(self, key: str, stamp: tuple[int, ...], settings: Settings) -> None:
        if key not in self.files:
            # Text rather than paths: there may be thousands.
            folder, _, name = key.rpartition(os.sep)
            if folder not in self._prefixes:
                self._prefixes[folder] = _package(Path(key).parent, self._packages)
            module = ".".join((*self._prefixes[folder], name.rpartition(".")[0] or name))
            size = stamp[_SIZE] if stamp else 0
            known = stamp if _IS_CERTAIN else ()
            path = Path(key)
            self.files[key] = SourceFile(path, _shown(key, self._inside), module, size, settings, known)

    def _below(self, root: Path) -> Iterator[tuple[str, tuple[int, ...], Settings]]:
        """The files of a given folder."""
        above = tuple(p for p in self._above(root.parent) if not _inside_ignored(root, p))
        pending: list[tuple[str, tuple[Patterns, ...]]] = [(str(root), above)]
        asked: dict[tuple[object, ...], bool] = {}
        while pending:
            folder, ignores = pending.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                self.unreadable.add(Unreadable(shown_name(Path(folder), self._cwd), error.strerror or str(error)))
                continue
            place = Path(folder)
            settings = self._settings_for(place)
            excludes = self._excludes_of(settings)
            if settings.respect_gitignore and any(entry.name in _IGNORING for entry in entries):
                ignores += self._here(place)
            key = (settings.root, settings.exclude, settings.extend_exclude)
            if key not in asked:
                asked[key] = not _inside_ignored(root, excludes.patterns)
            for entry in entries:
                is_folder = _is_folder(entry)
                if not is_folder and not entry.name.endswith(SUFFIXES):
                    continue
                if entry.name in excludes._names or (
                    asked[key] and excludes.leave_out(entry.name, entry.path, is_folder)
                ):
                    continue
                if settings.respect_gitignore and _ignored(entry.path, is_folder, ignores):
                    continue
                if is_folder:
                    pending.append((entry.path, ignores))
                elif _is_file(entry):
                    yield entry.path, _stamp(entry), settings

    def _excludes_of(self, settings: Settings) -> _Excludes:
        key = (settings.root, settings.exclude, settings.extend_exclude)
        if key not in self._excludes:
            self._excludes[key] = _Excludes(settings)
        return self._excludes[key]

    def _above(self, folder: Path) -> tuple[Patterns, ...]:
        """The ignore files that hold in `folder`, the outermost first: up to the root of the repository, if there is
        one."""
        chain = []
        for place in (folder, *folder.parents):
            chain.append(place)
            if mode_of(place / ".git") is not None:
                break
        return tuple(patterns for place in reversed(chain) for patterns in self._here(place))

    def _here(self, folder: Path) -> tuple[Patterns, ...]:
        if folder not in self._ignore_files:
            found = (
                _read_ignores(folder / ".git" / "info" / "exclude", folder),
                _read_ignores(folder / ".gitignore", folder),
            )
            self._ignore_files[folder] = tuple(patterns for patterns in found if patterns)
        return self._ignore_files[folder]


def _read_ignores(path: Path, root: Path) -> Patterns | None:
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError:
        return None
    lines = text.splitlines()
    try:
        return Patterns(lines, root)
    except ValueError:
        return Patterns([line for line in lines if _is_pattern(line, root)], root)


def _is_pattern(line: str, root: Path) -> bool:
    """git skips a line that it can't make sense of; so does this."""
    try:
        Patterns([line], root)
    except ValueError:
        return False
    return True


def _ignored(path: str, is_folder: bool, ignores: tuple[Patterns, ...]) -> bool:
    """The innermost ignore file that says something decides."""
    for patterns in reversed(ignores):
        verdict = patterns.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _inside_ignored(folder: Path, patterns: Patterns) -> bool:
    """Whether `patterns` leave out `folder` itself or one around it."""
    return any(patterns.verdict(str(place), True) is True for place in (folder, *folder.parents))


def _package(folder: Path, known: dict[Path, tuple[str, ...]]) -> tuple[str, ...]:
    """The dotted parts of the package that `folder` is, empty if it is none."""
    if folder not in known:
        is_package = folder.parent != folder and is_file(folder / "__init__.py")
        known[folder] = (*_package(folder.parent, known), folder.name) if is_package else ()
    return known[folder]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and not _is_junction(entry)
    except OSError:
        return False


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """A junction is how Windows links folders; known to Python since 3.12."""
    return hasattr(entry, "is_junction") and bool(entry.is_junction())


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _parts(path: str) -> str:
    """Sorts paths as their parts do."""
    return path.replace(os.sep, "\0")


def _stamp(entry: os.DirEntry[str] | Path) -> tuple[int, ...]:
    """See `SourceFile.stamp`; empty if the file can't be looked at."""
    try:
        found = entry.stat()
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
