"""Allow comments in the source of a running program."""

from __future__ import annotations

import linecache

from hostsync.runtime.records import Place

_MARK = "hostsync:"
_LIMIT = 5_000
_rows: dict[str, tuple[tuple[int, int, str], ...]] = {}


def comment_at(place: Place | None) -> str | None:
    """The reason of the allow comment that covers a place; its codes where it states no reason; None without a comment.

    A wait doesn't tell for sure which rule a scan would name it by, so a comment covers it whatever codes it names.
    """
    if place is None:
        return None
    rows = _rows.get(place.filename)
    if rows is None:
        if len(_rows) > _LIMIT:
            _rows.clear()
        rows = _rows[place.filename] = _read(place.filename)
    for first, last, reason in rows:
        if first <= place.row <= last:
            return reason
    return None


def _read(filename: str) -> tuple[tuple[int, int, str], ...]:
    text = "".join(linecache.getlines(filename))
    if _MARK not in text:
        return ()
    from hostsync.syntax.comments import find_allows

    return tuple(
        (allow.first_row, allow.last_row, allow.reason or f"allowed for {', '.join(allow.codes) or 'all rules'}")
        for allow in find_allows(text)
        if not allow.is_malformed
    )
