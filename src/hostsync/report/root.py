"""The folder that the paths of a report are relative to: what reads reports of CI wants that of the repository."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""The variables in which GitHub and GitLab name it."""


def report_root(environment: Mapping[str, str], folder: Path) -> Path:
    """The checkout of a CI job, else the repository, that `folder` is in; `folder` itself if there is none."""
    folder = Path(os.path.realpath(folder))
    for name in _CHECKOUTS:
        given = environment.get(name)
        if given:
            root = Path(os.path.realpath(given))
            if folder.is_relative_to(root):
                return root
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def path_from(root: Path | None, filename: str) -> str:
    """A file name relative to `root`, with forward slashes; absolute where it is outside; `<stdin>` as it is."""
    if filename.startswith("<"):
        return filename
    cwd = Path.cwd()
    base = cwd if root is None else root
    path = Path(os.path.normpath(cwd / filename))
    if path.is_relative_to(base):
        return path.relative_to(base).as_posix()
    real = Path(os.path.realpath(path))
    return real.relative_to(base).as_posix() if real.is_relative_to(base) else path.as_posix()
