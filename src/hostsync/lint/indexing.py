"""Makes indexes: what other code needs to know of a package, found out by the static scan alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hostsync.infer.linking.plain import MODULE, Plain
from hostsync.lint.check import Plan
from hostsync.lint.scan import Progress, fingerprint, interfaces
from hostsync.project.cache import digest
from hostsync.project.discovery import SourceFile, discover
from hostsync.project.imports import INIT, Module, passed_on
from hostsync.project.index import written
from hostsync.project.settings import Settings

_LEFT_OUT = ("__pycache__", "tests")


class Made(NamedTuple):
    """An index that was made."""

    data: bytes
    files: int
    """The number of files that were looked at."""
    interfaces: int
    """The number of those that offer something."""


def sources_of(place: Path) -> list[SourceFile]:
    """The Python files of the package in the folder `place`, without its tests, or the module in the file `place`."""
    settings = Settings(place.parent, exclude=_LEFT_OUT, respect_gitignore=False)
    return [file for file in discover([place], lambda _: settings).files if file.path.suffix == ".py"]


def make_index(
    name: str,
    version: str | None,
    files: Sequence[SourceFile],
    *,
    workers: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Made:
    """The index of a package.

    Args:
        name: what it is called.
        version: its release, if that is known.
        files: its files, from `sources_of`.
        workers, progress: as for `scan.check_files`.

    Raises:
        OSError: a file can't be read.
    """
    tool = digest(fingerprint(Plan()))
    sources = [part for file in files for part in (_rest(file).encode("utf-8"), file.path.read_bytes())]
    mark = digest(tool.encode("ascii"), *sources)
    prefix = f"<{name}@{mark[:16]}>/"
    project, found = interfaces(files, lambda f: prefix + _rest(f), workers=workers, progress=progress)
    modules = [
        Module(e.key, "", e.file.module, s.outline) for e in project.entries if (s := project.sketches.get(e.key))
    ]
    modules.sort(key=lambda module: module.key)
    others = passed_on(modules)
    full = _completed({key: json.loads(text) for key, text in found.items()}, modules, others)
    for data in full.values():
        for held in data["classes"].values():
            # Nobody tells an index of classes that are derived from its own.
            held.pop("wants", None)
    texts = [json.dumps(full[key], separators=(",", ":"), sort_keys=True) for key in sorted(full)]
    head = {"package": name, "version": version, "fingerprint": tool, "sources": mark, "key": prefix}
    return Made(written(head, _table(modules, others, sorted(full), prefix), texts), len(files), len(texts))


def _rest(file: SourceFile) -> str:
    return file.module.replace(".", "/") + ".py"


def _completed(
    found: dict[str, Plain], modules: Sequence[Module], others: Mapping[str, Mapping[str, str]]
) -> dict[str, Plain]:
    """The interfaces with all that modules pass on and with the modules inside packages, for access by attribute.

    A scan of the package leaves some of it out: modules without a word of torch are not followed, and where imports go
    in circles only one side knows the other.
    """
    known = {key: dict(interface["names"]) for key, interface in found.items()}
    keys = {module.dotted.removesuffix(f".{INIT}"): module.key for module in modules}
    full: dict[str, Plain] = {}
    # What lies deepest first, so that a package holds the modules inside that hold something.
    for dotted, key in sorted(keys.items(), key=lambda item: (-item[0].count("."), item[0])):
        more: dict[str, Plain] = {}
        for name, target in others[key].items():
            source, _, symbol = target.partition(":")
            value = known.get(source, {}).get(symbol) if symbol else ["R", MODULE + source]
            if value is not None:
                more[name] = value
        for inside, other in keys.items():
            if other in full and inside.rpartition(".")[0] == dotted:
                more.setdefault(inside.rpartition(".")[2], ["R", MODULE + other])
        interface = found.get(key, {"names": {}, "functions": {}, "classes": {}, "mentions": []})
        names = {
            **more,
            **{name: value for name, value in interface["names"].items() if not _is_better(more, name, value)},
        }
        if names:
            full[key] = {**interface, "names": names}
    return full


def _is_better(more: Mapping[str, Plain], name: str, value: Plain) -> bool:
    """Whether what a module passes on is known, where a scan of it, in a circle of imports, only has a dotted name."""
    return name in more and value is not None and value[0] == "R" and not value[1].startswith(MODULE)


def _table(
    modules: Sequence[Module], others: Mapping[str, Mapping[str, str]], keys: Sequence[str], prefix: str
) -> list[dict[str, object]]:
    """The modules, as `index.written` takes them."""
    lines = {key: number for number, key in enumerate(keys, start=1)}
    numbers = {module.key: number for number, module in enumerate(modules)}
    table: list[dict[str, object]] = []
    for module in modules:
        targets = {}
        for name, target in others[module.key].items():
            key, _, symbol = target.partition(":")
            if key in lines:
                targets[name] = f"{numbers[key]}:{symbol}"
        table.append(
            {
                "file": module.key.removeprefix(prefix),
                "name": module.dotted.removesuffix(f".{INIT}"),
                "names": sorted(set(module.outline.names)),
                "from": targets,
                "line": lines.get(module.key),
            }
        )
    return table
