"""What lies at a path. Of what a user may not look at nothing is known, which is no error here."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def is_missing(path: Path) -> bool:
    """Whether nothing can be there; where that can't be looked at, something may be."""
    try:
        path.stat()
    except PermissionError:
        return False
    except (OSError, ValueError):
        return True
    return False


def is_file(path: Path) -> bool:
    """Whether a regular file is known to be there."""
    mode = mode_of(path)
    return mode is not None and stat.S_ISREG(mode)


def is_folder(path: Path) -> bool:
    """Whether a folder is known to be there."""
    mode = mode_of(path)
    return mode is not None and stat.S_ISDIR(mode)


def mode_of(path: Path) -> int | None:
    """The kind of what is there, as `os.stat` gives it; None if it is not known."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def is_own_place(place: str, folder: str) -> bool:
    """Whether imports may start from a place under the name of the folder alone that they are in, or that is above.

    Such a place ends in a separator, as the top of a file system does that is itself the folder.
    """
    return place.endswith(os.sep) and place != folder


def own_name(place: str, folder: str) -> str:
    """What a folder, or the one that it lies in, is called below a place that counts for this name alone."""
    return folder[len(place) :].partition(os.sep)[0] if folder.startswith(place) else ""
