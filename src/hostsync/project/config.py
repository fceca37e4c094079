"""Reads `[tool.hostsync]` of pyproject.toml, and hostsync.toml, into `Settings`.

The nearest configuration wins, for each file on its own: the first folder upwards that holds a hostsync.toml, or a
pyproject.toml with a `[tool.hostsync]` table. Nothing of it is executed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hostsync.project.paths import is_file
from hostsync.project.settings import CONFIDENCES, Overrides, PerFileIgnore, Settings

OWN_FILE = "hostsync.toml"
SHARED_FILE = "pyproject.toml"


class ConfigError(ValueError):
    """A configuration that can't be used. The message names the file, the key and what is wrong with it."""


Reader = Callable[[object, Path], Any]
"""Turns a TOML value into a setting, relative to the folder of the file; raises ValueError with what was expected."""


def _strings(value: object, _: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("a list of strings")
    return tuple(value)


def _paths(value: object, root: Path) -> tuple[Path, ...]:
    return tuple(root / item for item in _strings(value, root))


def _path(value: object, root: Path) -> Path:
    return root / _string(value, root)


def _folder(value: object, root: Path) -> Path:
    path = _path(value, root)
    if is_file(path):
        raise ValueError(f"a folder, and `{path}` is a file")
    return path


def _string(value: object, _: Path) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a string that is not empty")
    return value


def _flag(value: object, _: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _confidence(value: object, _: Path) -> str:
    if value not in CONFIDENCES:
        raise ValueError(f"one of {', '.join(CONFIDENCES)}")
    return str(value)


def _count(value: object, _: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("a number of processes, 0 for one per core")
    return value


def _ignores(value: object, root: Path) -> tuple[PerFileIgnore, ...]:
    if not isinstance(value, dict):
        raise ValueError('a table of patterns, such as "tests/*" = ["HS1"]')
    try:
        return tuple(PerFileIgnore(pattern, _strings(codes, root)) for pattern, codes in value.items())
    except ValueError as error:
        raise ValueError(f"a table whose values are each {error}") from None


def _torch_version(value: object, _: Path) -> str:
    return parse_torch_version(_string(value, _))


_READERS: Mapping[str, Reader] = {
    "select": _strings,
    "ignore": _strings,
    "extend-select": _strings,
    "per-file-ignores": _ignores,
    "exclude": _strings,
    "extend-exclude": _strings,
    "force-exclude": _flag,
    "respect-gitignore": _flag,
    "min-confidence": _confidence,
    "hot-only": _flag,
    "torch-version": _torch_version,
    "extend-rules": _paths,
    "ops": _paths,
    "index": _paths,
    "baseline": _path,
    "output-format": _string,
    "cache-dir": _folder,
    "jobs": _count,
}

KEYS = tuple(_READERS)
"""The keys of a configuration."""


def parse_torch_version(text: str) -> str:
    """The release that `text` names, as major.minor (`2.11.1` is `2.11`). Raises ValueError with what was expected."""
    parts = text.split("+")[0].split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isdigit() for part in parts[:2]):
        raise ValueError("a release of torch such as 2.11")
    return f"{int(parts[0])}.{int(parts[1])}"


def read_table(path: Path) -> Mapping[str, object] | None:
    """The hostsync table of the configuration file `path`; None for a pyproject.toml that has none.

    Raises ConfigError where the file can't be read or is no TOML.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: can't read this configuration: {error.strerror or error}") from error
    if path.name == SHARED_FILE and b"hostsync" not in data:
        return None
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    if path.name != SHARED_FILE:
        return table
    tool = table.get("tool")
    own = tool.get("hostsync") if isinstance(tool, dict) else None
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{path}: tool.hostsync: expected a table")
    return own


def parse_table(table: Mapping[str, object], path: Path) -> Settings:
    """The settings in `table`, which was read from `path`. Raises ConfigError for an unknown key or a wrong value."""
    root = path.parent
    values: dict[str, Any] = {}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            import difflib

            near = difflib.get_close_matches(key.replace("_", "-"), KEYS, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else f"; the keys are {', '.join(KEYS)}"
            raise ConfigError(f"{path}: unknown key `{key}`{hint}")
        try:
            values[key.replace("-", "_")] = reader(value, root)
        except ValueError as error:
            raise ConfigError(f"{path}: {key}: expected {error}") from None
    return Settings(root, path, **values)


def load(path: Path) -> Settings:
    """The settings of one configuration file, given by hand. Raises ConfigError; a file without a table is one."""
    path = path.absolute()
    table = read_table(path)
    if table is None:
        raise ConfigError(f"{path}: has no [tool.hostsync] table")
    return parse_table(table, path)


class Resolver:
    """Answers which settings hold in a folder, and remembers the answers."""

    def __init__(self, overrides: Overrides, *, config: Path | None = None, isolated: bool = False) -> None:
        """
        Args:
            overrides: what the command line says.
            config: a configuration file that holds for every file, instead of the nearest.
            isolated: look at no configuration file at all.

        Raises:
            ConfigError: `config` can't be used.
        """
        self._overrides = overrides
        self._folders: dict[Path, Settings | None] = {}
        self._default = overrides.over(Settings(Path.cwd()))
        self._fixed: Settings | None = None
        if isolated:
            self._fixed = self._default
        elif config is not None:
            self._fixed = overrides.over(load(config))

    def settings(self, folder: Path) -> Settings:
        """The settings for the files directly in `folder`, an absolute path. Raises ConfigError."""
        if self._fixed is not None:
            return self._fixed
        return self._nearest(folder) or self._default

    def _nearest(self, folder: Path) -> Settings | None:
        trail = []
        found: Settings | None = None
        for place in (folder, *folder.parents):
            if place in self._folders:
                found = self._folders[place]
                break
            trail.append(place)
            found = self._read(place)
            if found is not None:
                break
        self._folders.update(dict.fromkeys(trail, found))
        return found

    def _read(self, folder: Path) -> Settings | None:
        for name in (OWN_FILE, SHARED_FILE):
            path = folder / name
            if is_file(path):
                table = read_table(path)
                if table is not None:
                    return self._overrides.over(parse_table(table, path))
        return None
