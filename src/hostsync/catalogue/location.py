"""Where the `rules/` folder is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hostsync.catalogue.errors import CatalogueError


@lru_cache(maxsize=1)
def rules_dir() -> Path:
    """Return the shipped `rules/` folder.

    An installed wheel has it inside the package; a checkout or an editable install has it at the root of the
    repository.

    Raises:
        CatalogueError: when neither exists.
    """
    package = Path(__file__).resolve().parents[1]
    candidates = [package / "rules"]
    if len(package.parents) > 1:
        candidates.append(package.parents[1] / "rules")
    for folder in candidates:
        if (folder / "ops").is_dir():
            return folder
    raise CatalogueError(f"no rules folder; looked in {', '.join(str(folder) for folder in candidates)}")
