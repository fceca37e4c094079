"""Writing allow comments into a source."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from hostsync.facts import Allow
from hostsync.syntax.comments import Layout, find_allows, lay_out

LINE_LENGTH = 120
"""Where a row would become longer, the comment goes on a row of its own above the statement."""

_TYPE_COMMENT = re.compile(r"#\s*type:(?!\s*ignore\b)")


def add_allows(source: str, wanted: Mapping[int, Collection[str]], reason: str) -> str:
    """Add allow comments to a source.

    A statement gets one comment, at the end of the first wanted row in it; where no comment can stand there (inside a
    string, after a backslash) or the row would be too long, on a row of its own above the statement. Codes join an
    allow comment that covers the statement already. Nothing but comments is changed: line ends, byte order mark and
    existing comments stay.

    Args:
        source: the decoded source, free of syntax errors.
        wanted: for rows (1-based) of statements, the codes or names to allow there. Rows where no statement stands are
            passed over.
        reason: why; line breaks in it become blanks.

    Returns:
        The changed source: its syntax tree is the same, and its allow comments cover the wanted rows.
    """
    mark, text = ("\ufeff", source[1:]) if source.startswith("\ufeff") else ("", source)
    layout = lay_out(text)
    allows = [allow for allow in find_allows(text) if not allow.whole_file and allow.codes]
    reason = _one_line(reason)

    by_statement: dict[tuple[int, int], tuple[int, dict[str, None]]] = {}
    for row in sorted(wanted):
        statement = layout.statement_at(row)
        if statement is not None and wanted[row]:
            _, codes = by_statement.setdefault(statement, (row, {}))
            codes.update(dict.fromkeys(wanted[row]))

    parts = re.split(r"(\r\n|\r|\n)", text)
    lines, ends = parts[::2], parts[1::2]
    default_end = ends[0] if ends else "\n"
    ends.append("")
    above: dict[int, str] = {}
    merged: dict[Allow, dict[str, None]] = {}
    for statement, (row, codes) in by_statement.items():
        covering = [allow for allow in allows if (allow.first_row, allow.last_row) == statement]
        missing = [code for code in codes if not any(code in allow.codes for allow in covering)]
        if not missing:
            continue
        if covering:
            merged.setdefault(covering[0], {}).update(dict.fromkeys(missing))
            continue
        comment = f"# hostsync: allow[{', '.join(missing)}] {reason}".rstrip()
        longer = f"{lines[row - 1].rstrip()}  {comment}"
        if len(longer) <= LINE_LENGTH and _is_open(layout, row, lines[row - 1]):
            lines[row - 1] = longer
        else:
            line = lines[statement[0] - 1]
            above[statement[0]] = line[: len(line) - len(line.lstrip())] + comment
    # From the right, so that the columns of what is still to be changed in the same row stay right.
    for allow in sorted(merged, key=lambda allow: allow.span, reverse=True):
        line = lines[allow.span.row - 1]
        start, stop = allow.span.column - 1, allow.span.end_column - 1
        codes_text = ", ".join([*allow.codes, *merged[allow]])
        changed = re.sub(r"\[[^\]]*\]", lambda _: f"[{codes_text}]", line[start:stop], count=1)  # noqa: B023
        lines[allow.span.row - 1] = line[:start] + changed + line[stop:]

    result = []
    for row, (line, end) in enumerate(zip(lines, ends, strict=True), 1):
        if row in above:
            result.append(above[row] + (end or default_end))
        result.append(line + end)
    return mark + "".join(result)


def _is_open(layout: Layout, row: int, line: str) -> bool:
    """Whether a comment may be written at the end of a row, and would not become part of a type comment."""
    if row not in layout.open_rows:
        return False
    return not any(comment.row == row and _TYPE_COMMENT.search(comment.text) for comment in layout.comments)


def _one_line(reason: str) -> str:
    reason = " ".join("".join(char if char.isprintable() else " " for char in reason).split())
    # Neither may the reason end early for `find_allows`, nor be taken for the encoding of the file.
    return re.sub(r"coding([:=])", r"coding \1", reason.replace("#", "no. "))


__all__ = ["LINE_LENGTH", "add_allows"]
