"""What files hold by what the file system says of them, so that most need not be read again.

As in git: a file whose stamp is the one from before holds what it held before, unless it was changed so shortly before
it was read that another change may have left the same stamp (https://git-scm.com/docs/racy-git).
"""

from __future__ import annotations

import time
from typing import Final

from hostsync.project.cache import Cache

_SETTLED: Final = 2_000_000_000
"""The coarsest clock of a file system that is in use, in nanoseconds: that of FAT."""


class Stamps:
    """The digests of files by their stamps.

    Args:
        kept: from earlier runs.
        now: the time, in nanoseconds since 1970; None for that of the clock.
    """

    def __init__(self, kept: Cache, now: int | None = None) -> None:
        self._kept = kept
        self._now = time.time_ns() if now is None else now

    def content(self, key: str, stamp: tuple[int, ...]) -> str | None:
        """The digest of what a file holds, by its unique name and its stamp; None if it must be read."""
        return self._kept.get_text(key, str(stamp)) if stamp else None

    def put(self, key: str, stamp: tuple[int, ...], content: str) -> None:
        """Keeps the digest of a file that was read after it had `stamp`."""
        if stamp and max(stamp[:2]) < self._now - _SETTLED:
            self._kept.put_text(key, str(stamp), content)

    def save(self) -> None:
        self._kept.save()
