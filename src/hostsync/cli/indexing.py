"""What `hostsync index` does, from names of packages to files."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from hostsync.cli.exits import OK, CommandError
from hostsync.cli.progress import ProgressLine
from hostsync.lint.indexing import Made, make_index, sources_of
from hostsync.project.discovery import module_name
from hostsync.project.imports import INIT
from hostsync.project.index import SUFFIX


class Package(NamedTuple):
    """What is to be indexed."""

    name: str
    """As in an import."""
    version: str | None
    place: Path
    """Its folder or file."""


def index(packages: Sequence[str], output: Path, jobs: int, quiet: bool) -> int:
    """Indexes packages and returns the exit code.

    Args:
        packages: names, folders and files.
        output: a file for one package, or a folder.
        jobs: number of processes, 0 for one per core.
        quiet: say nothing.

    Raises:
        CommandError: a package is not found or can't be read, or the output can't be written.
    """
    found = [find(text) for text in packages]
    if output.suffix == SUFFIX and len(found) > 1:
        raise CommandError(f"--output {output} is one file; several packages need a folder")
    for package in found:
        path = output if output.suffix == SUFFIX else output / f"{package.name}{SUFFIX}"
        made = _made(package, jobs, quiet)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made.data)
        except OSError as error:
            raise CommandError(f"{path}: can't be written: {error.strerror or error}") from error
        if not quiet:
            about = f"{package.name} {package.version or '(no version known)'}"
            files = "file offers" if made.files == 1 else "files offer"
            click.echo(f"{about}: {made.interfaces:,} of {made.files:,} {files} something: {path}")
    return OK


def _made(package: Package, jobs: int, quiet: bool) -> Made:
    shows = not quiet and sys.stderr is not None and sys.stderr.isatty()
    files = sources_of(package.place)
    if not files:
        raise CommandError(f"{package.name}: there are no Python files in `{package.place}`")
    try:
        with ProgressLine(sys.stderr if shows else None) as line:
            return make_index(package.name, package.version, files, workers=jobs, progress=line.update)
    except OSError as error:
        raise CommandError(f"{package.name}: {error.filename}: can't be read: {error.strerror or error}") from error


def find(text: str) -> Package:
    """The package that `text` names, without importing it. Raises CommandError."""
    if os.sep in text or "/" in text or text.startswith(".") or text.endswith(".py"):
        place = Path(os.path.normpath(Path.cwd() / text))
        if not place.exists():
            raise CommandError(f"no such file or folder: `{text}`")
        inside = place / f"{INIT}.py" if place.is_dir() else place
        if place.is_file() and place.suffix != ".py":
            raise CommandError(f"`{text}` is neither a package nor a Python file")
        if not inside.is_file():
            raise CommandError(f"`{text}` is no package: it has no {INIT}.py")
        return Package(module_name(inside).removesuffix(f".{INIT}"), None, place)
    if not all(part.isidentifier() for part in text.split(".")):
        raise CommandError(f"`{text}` is no name of a package as in an import; a folder is given as ./{text}")
    top, *parts = text.split(".")
    try:
        place = _place_of(top).joinpath(*parts)
    except CommandError:
        if parts and Path(text).is_file():
            raise CommandError(f"`{text}` is neither a package nor a Python file") from None
        raise
    for path in (place, place.with_suffix(".py")):
        if path.is_file() or (path / f"{INIT}.py").is_file():
            return Package(text, _version_of(top), path)
    raise CommandError(f"`{text}`: there is no package or module in Python at `{place}`")


def _place_of(top: str) -> Path:
    """The folder or file of a top-level package. To look for it imports nothing, as it has no parent."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise CommandError(f"there is no package `{top}` where hostsync is installed; its folder can be given instead")
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    # What the interpreter holds frozen, such as `os`, has its source elsewhere.
    origin = getattr(spec.loader_state, "filename", None) if spec.origin == "frozen" else spec.origin
    if spec.origin == "frozen" and origin is None:
        raise CommandError(f"`{top}` is a part of the interpreter; its file can be given instead")
    if origin is None or not origin.endswith(".py"):
        raise CommandError(f"`{top}` is not written in Python, so there is nothing to scan")
    return Path(origin)


def _version_of(top: str) -> str | None:
    names = importlib.metadata.packages_distributions().get(top)
    return importlib.metadata.version(names[0]) if names else None
