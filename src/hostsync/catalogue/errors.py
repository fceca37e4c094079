"""What the catalogue raises."""

from __future__ import annotations

from pathlib import Path


class CatalogueError(ValueError):
    """A file of the catalogue is missing or wrong.

    The message reads `FILE:LINE: KEY: what is wrong`, with the parts that are known.
    """

    def __init__(self, message: str, *, path: Path | None = None, row: int | None = None, key: str = "") -> None:
        """Keep the parts for callers that render them on their own.

        Args:
            message: what is wrong, without the place.
            path: the file.
            row: the 1-based line in the file, where it could be found.
            key: the key or operation that is wrong.
        """
        place = "" if path is None else str(path) if row is None else f"{path}:{row}"
        super().__init__(": ".join(part for part in (place, key, message) if part))
        self.message = message
        self.path = path
        self.row = row
        self.key = key
