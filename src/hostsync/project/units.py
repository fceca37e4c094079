"""Which files belong together: a file is judged with the files of its package, or of its folder for scripts.

A run over one file looks at the same files as a run over everything, so that both say the same of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hostsync.project.cache import digest, encoded
from hostsync.project.discovery import Discovered, SettingsFor, SourceFile, discover
from hostsync.project.paths import is_file, is_folder, is_own_place, own_name

INSTALLED = ("site-packages", "dist-packages")
"""Folders whose packages have nothing to do with each other."""
KNOWN_BY_CATALOGUE = frozenset(("torch", "numpy"))
"""Packages of which others are told by the catalogue, also where they lie beside them, as after `pip install -t .`."""
MOST_SCRIPTS = 400
"""A folder with more files than this is no program: its files are judged one by one."""


def root_of(file: SourceFile) -> str:
    """The folder that the absolute imports of a file start from."""
    # Text rather than paths: this is asked several times for each of thousands of files.
    return str(file.path).rsplit(os.sep, file.module.count(".") + 1)[0] or os.sep


def place_of(file: SourceFile) -> str:
    """What modules must share to see each other by absolute imports."""
    root = root_of(file)
    is_apart = root.rpartition(os.sep)[2] in INSTALLED or file.module.partition(".")[0] in KNOWN_BY_CATALOGUE
    return unit_of(file) if is_apart else root


def unit_of(file: SourceFile) -> str:
    """The folder of the top-level package that a file is in; for a script, the folder that it lies in."""
    root = root_of(file)
    return f"{root.rstrip(os.sep)}{os.sep}{file.module.partition('.')[0]}" if "." in file.module else root


_INIT = "__init__.py"
_MARKS = frozenset((".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"))
"""What lies at the top of a repository."""
_HIGHEST = 4
"""So many folders further up a top is looked for."""
_BESIDE = "src"
"""Where many repositories keep their packages."""


class Found(NamedTuple):
    """The files of other packages that those of a run import, by where they were found."""

    packages: tuple[tuple[str, bool], ...]
    """Their folders, and whether each is a package; else its scripts were found."""
    roots: tuple[tuple[str, str], ...]
    """By folder, a digest of those that imports from there start from."""
    listings: tuple[tuple[str, str], ...]
    """By folder in which was looked for them, a digest of what lay there and may be imported."""


NOTHING_BESIDE = Found((), (), ())


class Roots:
    """Finds the folders that absolute imports may start from, for programs that are run from the top of a repository.

    Folders without an `__init__.py` are packages for Python too (PEP 420), so `models/net.py` may say `import
    utils.misc`. Which folder a program is run from its files don't say: all count from its own to the one that is the
    top by what lies in it, and those called `src` in there. Without such a top it is the own folder alone; but what a
    folder is called itself says where its name is found, `import tool.models` in `tool/models/net.py`. Such a place
    counts for that name alone (`paths.is_own_place`).
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._looked: set[str] = set()
        """The folders in which was looked for more than the marks of a top."""

    def of(self, folder: str) -> tuple[str, ...]:
        """The folders, for the modules below `folder`, the nearest first."""
        known = self._found.get(folder)
        if known is None:
            known = self._found[folder] = self._above(folder)
        return known

    def names(self, folder: str) -> frozenset[str]:
        """What lies in a folder."""
        self._looked.add(folder)
        return self._names_in(folder)

    def _names_in(self, folder: str) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            try:
                with os.scandir(folder) as entries:
                    known = frozenset(entry.name for entry in entries)
            except OSError:
                known = frozenset()
            self._names[folder] = known
        return known

    def asked(self, packages: Iterable[tuple[str, bool]]) -> Found:
        """What was asked for until now, and found in `packages`."""
        roots = tuple((folder, self._roots_of(folder)) for folder in sorted(self._found))
        return Found(tuple(packages), roots, tuple((folder, self._listing(folder)) for folder in sorted(self._looked)))

    def are_as(self, before: Found) -> bool:
        """Whether all that led to `before` still lies where it did."""
        return all(self._roots_of(folder) == roots for folder, roots in before.roots) and all(
            self._listing(folder) == listing for folder, listing in before.listings
        )

    def _roots_of(self, folder: str) -> str:
        return digest(b"", *map(encoded, self.of(folder)))

    def _listing(self, folder: str) -> str:
        return digest(b"", *map(encoded, sorted(filter(is_importable, self._names_in(folder)))))

    def _above(self, folder: str) -> tuple[str, ...]:
        found: list[str] = []
        own: list[str] = []
        path = Path(folder)
        for place in (path, *path.parents)[: _HIGHEST + 1]:
            if place.name in INSTALLED:
                own = [f"{place}{os.sep}"]
                break
            if not place.name:
                break
            own.append(f"{place.parent}{os.sep}")
            found.append(str(place))
            names = self._names_in(str(place))
            if _BESIDE in names:
                found.append(str(place / _BESIDE))
            if not _MARKS.isdisjoint(names):
                return tuple(dict.fromkeys(found))
        return (folder, *own)


class Units:
    """Finds the files that those of a run are to be judged with."""

    def __init__(self, settings_for: SettingsFor, given: Iterable[Path]) -> None:
        """
        Args:
            settings_for: the settings for the files of a folder.
            given: the folders and files of the command line; what lies in such a folder has been found already.
        """
        self._settings_for = settings_for
        self._given = [str(path) for path in given if is_folder(path)]
        self._done: set[Path] = set()
        self.roots = Roots()
        self._known: set[str] = set()
        self._others: list[tuple[str, bool]] = []
        """The packages and folders that `named` went through."""
        self._files: dict[Path, tuple[SourceFile, ...]] = {}
        """By package or folder, all its files."""

    def complete(self, files: Sequence[SourceFile]) -> list[SourceFile]:
        """The further files of the packages and folders that `files` are in."""
        self._known.update(str(file.path) for file in files)
        found: list[SourceFile] = []
        for unit, is_package in sorted({(unit_of(file), "." in file.module) for file in files}):
            found += self._of(Path(unit), is_package)
        return found

    def named(self, file: SourceFile, packages: Mapping[str, Iterable[str]]) -> list[SourceFile]:
        """The files that `file` and those beside it import from elsewhere in the same repository.

        Args:
            file: one of the files.
            packages: by first name, the dotted names of all that they import.
        """
        root = Path(root_of(file))
        if root.name in INSTALLED:
            return []
        found: list[SourceFile] = []
        for folder in self.roots.of(str(root)):
            if is_own_place(folder, str(root)):
                own = own_name(folder, str(root))
                for dotted in sorted(packages.get(own, ())):
                    found += self._below(Path(folder) / own, dotted.partition(".")[2], is_named=True)
                continue
            base = Path(folder)
            names = self.roots.names(folder)
            for name in sorted(set(packages) - KNOWN_BY_CATALOGUE):
                if name in names and _INIT in self.roots.names(str(base / name)):
                    found += self._other(base / name, True)
                elif name in names:
                    for dotted in sorted(packages[name]):
                        found += self._below(base, dotted)
                elif base != root and f"{name}.py" in names:
                    found += self._other(base, False)
        return found

    def found(self) -> Found:
        """All that `named` went through."""
        return self.roots.asked(self._others)

    def again(self, before: Found) -> list[SourceFile] | None:
        """The files that `named` would give once more, after `complete`, if all those files hold what they held when
        it gave `before`; None if something lies elsewhere now."""
        if not self.roots.are_as(before):
            return None
        files = {str(f.path): f for folder, is_package in before.packages for f in self._all(Path(folder), is_package)}
        return [file for path, file in files.items() if path not in self._known]

    def _below(self, base: Path, dotted: str, *, is_named: bool = False) -> list[SourceFile]:
        """The files of the folder, or of the package, that `dotted` names below `base` by way of bare folders.

        With `is_named`, the name of `base` itself came before, so that what lies in it counts, too.
        """
        place = base
        for part in dotted.split("."):
            names = self.roots.names(str(place))
            if f"{part}.py" in names and (is_named or place != base):
                return self._other(place, False)
            if part not in names:
                break
            place = place / part
            if _INIT in self.roots.names(str(place)):
                return self._other(place, True)
        return []

    def _of(self, unit: Path, is_package: bool) -> list[SourceFile]:
        if unit in self._done:
            return []
        self._done.add(unit)
        if self._is_given(unit):
            return []
        fresh = [file for file in self._all(unit, is_package) if str(file.path) not in self._known]
        self._known.update(str(file.path) for file in fresh)
        return fresh

    def _other(self, unit: Path, is_package: bool) -> list[SourceFile]:
        """The files of a package or folder that no file of the run is in, when it is met first."""
        if unit not in self._done and not self._is_given(unit):
            self._others.append((str(unit), is_package))
        return self._of(unit, is_package)

    def _is_given(self, unit: Path) -> bool:
        return any(f"{unit}{os.sep}".startswith(folder.rstrip(os.sep) + os.sep) for folder in self._given)

    def _all(self, unit: Path, is_package: bool) -> tuple[SourceFile, ...]:
        """All files of a package, or the scripts of a folder."""
        if unit not in self._files:
            files = [unit] if is_package else self._scripts(unit)
            self._files[unit] = _discovered(lambda: discover(files, self._settings_for))
        return self._files[unit]

    def _scripts(self, folder: Path) -> list[Path]:
        from hostsync.project.discovery import is_excluded

        try:
            scripts = sorted(p for p in folder.iterdir() if p.suffix == ".py" and is_file(p))
        except OSError:
            scripts = []
        if len(scripts) > MOST_SCRIPTS:
            return []
        settings = self._settings_for(folder)
        return [path for path in scripts if not is_excluded(path, settings)]


def is_importable(name: str) -> bool:
    """Whether an import may ask for what goes by this name in a folder: no cache, and nothing that is written out."""
    return name.removesuffix(".py").isidentifier()


def _discovered(find: Callable[[], Discovered]) -> tuple[SourceFile, ...]:
    try:
        return find().files
    except (OSError, ValueError):
        return ()
