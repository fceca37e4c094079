"""Draws source lines with a marked range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hostsync.findings import Location
from hostsync.report.escape import visible_character, width
from hostsync.report.style import Style

TAB = 4
WIDEST = 120
"""Columns of source that are shown; longer lines are cropped around the range."""
CONTEXT = 24
"""Columns that stay visible before a range in a cropped line."""
MOST_ROWS = 6
"""Of a longer range the middle is left out."""


class Drawn(NamedTuple):
    """A source line as a terminal shows it."""

    cells: tuple[str, ...]
    """What each column of the terminal holds; a wide character is followed by an empty cell."""
    offsets: tuple[int, ...]
    """The cell of each character, and one more past the end."""


@lru_cache(maxsize=4)
def draw(line: str) -> Drawn:
    """Lays `line` out: tabs expanded, control characters as escapes.

    The last ones are kept, as a line may be long and have thousands of findings.
    """
    if line.isascii() and line.isprintable():
        # Nearly every line, at a tenth of the cost.
        return Drawn(tuple(line), tuple(range(len(line) + 1)))
    cells: list[str] = []
    offsets: list[int] = []
    for character in line:
        offsets.append(len(cells))
        if character == "\t":
            cells.extend(" " * (TAB - len(cells) % TAB))
            continue
        shown = visible_character(character)
        if len(shown) > 1:
            cells.extend(shown)
            continue
        columns = width(shown)
        if columns == 0 and cells:
            cells[-1] += shown
        else:
            cells.extend((shown, *[""] * (columns - 1)))
    offsets.append(len(cells))
    return Drawn(tuple(cells), tuple(offsets))


def frame(lines: Sequence[str], start: Location, end: Location, message: str, style: Style) -> Iterator[str]:
    """The lines of a frame: the source rows from `start` to `end`, marked, with `message` at the mark.

    Yields the message alone when the source is not to be had.
    """
    last_row = min(end.row, len(lines))
    margin = len(str(max(start.row, last_row)))
    blank = style.frame(f"{'':{margin}} |")
    if not 1 <= start.row <= len(lines):
        yield f"{blank} {message}"
        return
    yield blank
    if last_row <= start.row:
        first, after = start.column - 1, end.column - 1 if end.row == start.row else len(lines[start.row - 1])
        text, mark = _single(lines[start.row - 1], first, after)
        yield f"{style.frame(f'{start.row:{margin}} |')} {text}".rstrip()
        yield f"{blank} {mark[0]}{style.caret(mark[1])} {message}"
    else:
        yield from _several(lines, start, Location(last_row, end.column), message, style, margin)
    yield blank


def _single(line: str, first: int, after: int) -> tuple[str, tuple[str, str]]:
    """A cropped line, and the blanks and carets below it."""
    drawn = draw(line)
    size = len(drawn.offsets) - 1
    begin = drawn.offsets[min(max(first, 0), size)]
    stop = max(begin + 1, drawn.offsets[min(max(after, 0), size)])
    left, right = 0, len(drawn.cells)
    if right > WIDEST:
        left = 0 if stop <= WIDEST else max(0, begin - CONTEXT)
        right = min(right, left + WIDEST)
    text = _crop(drawn, left, right)
    lead = begin - left + (1 if left else 0)
    return text, (" " * lead, "^" * max(1, min(stop, right) - begin))


def _crop(drawn: Drawn, left: int, right: int) -> str:
    text = "".join(drawn.cells[left:right])
    return ("…" if left else "") + text + ("…" if right < len(drawn.cells) else "")


def _several(
    lines: Sequence[str], start: Location, end: Location, message: str, style: Style, margin: int
) -> Iterator[str]:
    blank = style.frame(f"{'':{margin}} |")
    rows = list(range(start.row, end.row + 1))
    skipped = len(rows) > MOST_ROWS
    shown = rows[: MOST_ROWS - 2] + rows[-1:] if skipped else rows
    opening = lines[start.row - 1][: start.column - 1]
    for row in shown:
        if skipped and row == rows[-1]:
            yield f"{style.frame('.' * margin + ' .')} {style.caret('|')} …"
        drawn = draw(lines[row - 1])
        text = _crop(drawn, 0, min(WIDEST, len(drawn.cells)))
        bar = style.caret("|")
        if row == start.row:
            bar = " " if opening.strip() else style.caret("/")
        yield f"{style.frame(f'{row:{margin}} |')} {bar} {text}".rstrip()
        if row == start.row and opening.strip():
            rule = "_" * min(drawn.offsets[min(start.column, len(drawn.offsets)) - 1] + 1, WIDEST)
            yield f"{blank} {style.caret(' ' + rule + '^')}"
    last = draw(lines[end.row - 1])
    stop = last.offsets[min(max(end.column - 1, 0), len(last.offsets) - 1)]
    rule = "_" * min(max(stop, 1), WIDEST)
    yield f"{blank} {style.caret('|' + rule + '^')} {message}"
