"""Allow comments: where they are, what they name, and which rows they cover.

    # hostsync: allow[HS101, item-read-back] reason
    # hostsync: allow-file[HS4] reason

An allow comment covers the statement that it stands in, all its rows; on a compound statement it covers the header
(decorators included) and not the body. On a row of its own it covers the statement that follows. An `allow-file`
covers the file, wherever it stands. Only real comments count, not text in strings.
"""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from hostsync.facts import Allow, Span

MARK = "hostsync:"
"""What every allow comment contains."""

_ALLOW = re.compile(
    r"#\s*hostsync:\s*(?:(?P<kind>allow-file|allow)(?![\w-])\s*(?:\[(?P<codes>[^\]\n#]*)\])?|(?P<other>[\w-]*))"
    r"\s*(?P<reason>.*?)\s*(?=$|\s#)"
)
_RULES_AMISS = re.compile(r"allow(?:-file)?(?:[({<=]|[\s({<=:]+(?i:HS)\d+)")
"""Rules that stand outside of square brackets."""


class Comment(NamedTuple):
    """A comment: its place, its text from the `#` on, and whether nothing else stands on its row.

    `inside` says whether a statement has begun and not ended where it stands.
    """

    row: int
    column: int
    text: str
    is_alone: bool
    inside: bool


class Layout(NamedTuple):
    """How a source is laid out in rows."""

    statements: tuple[tuple[int, int], ...]
    """First and last row of every simple statement and compound header, in order; decorators belong to the header."""
    comments: tuple[Comment, ...]
    open_rows: frozenset[int]
    """Rows at whose end a comment may be written."""

    def statement_at(self, row: int) -> tuple[int, int] | None:
        """The statement that a row belongs to, or None."""
        at = bisect_right(self.statements, (row, _LAST)) - 1
        if at < 0:
            return None
        statement = self.statements[at]
        return statement if row <= statement[1] else None

    def statement_after(self, row: int) -> tuple[int, int] | None:
        """The first statement that begins below a row, or None."""
        at = bisect_right(self.statements, (row, _LAST))
        return self.statements[at] if at < len(self.statements) else None


_LAST = 1 << 62


def find_allows(text: str) -> tuple[Allow, ...]:
    """The allow comments of a source, in order, and those that begin as one and are none.

    Args:
        text: the decoded source, without a byte order mark. It need not be free of errors.
    """
    if MARK not in text:
        return ()
    text = _newlines(text)
    layout = lay_out(text)
    last_row = text.count("\n") + (not text.endswith("\n"))
    allows = []
    for comment in layout.comments:
        for match in _ALLOW.finditer(comment.text):
            whole_file = match["kind"] == "allow-file"
            first, last = (1, max(last_row, 1)) if whole_file else _covered(layout, comment)
            start = comment.column + match.start()
            end = comment.column + len(match[0].rstrip()) + match.start()
            codes = tuple(code for code in (part.strip() for part in (match["codes"] or "").split(",")) if code)
            span = Span(comment.row, start, comment.row, end)
            unknown = _not_understood(match)
            is_malformed = match["reason"].startswith("[") if match["codes"] is None else not codes
            is_malformed = is_malformed or unknown is not None
            allows.append(Allow(span, codes, match["reason"], whole_file, first, last, is_malformed, unknown or ""))
    return tuple(allows)


def _not_understood(match: re.Match[str]) -> str | None:
    """What a comment says in place of `allow` and its brackets; None where it has them or says nothing of rules."""
    if match["kind"] is None:
        return match["other"] or match["reason"].partition(" ")[0] or MARK
    amiss = None if match["codes"] is not None else _RULES_AMISS.match(match.string, match.start("kind"))
    return None if amiss is None else amiss[0]


def _covered(layout: Layout, comment: Comment) -> tuple[int, int]:
    statement = layout.statement_at(comment.row) or layout.statement_after(comment.row)
    return statement or (comment.row, comment.row)


def lay_out(text: str) -> Layout:
    """Find the statements and comments of a source by its tokens.

    Args:
        text: the decoded source. Where Python's tokenizer fails on it, a coarser scan does the work.
    """
    text = _newlines(text)
    try:
        return _assemble(_by_tokenize(text))
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return _assemble(_by_scan(text))


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class _Piece(NamedTuple):
    """What the scans find: `code` (any token), `comment`, `open` (a row ends inside a statement or outside of any) or
    `end` (a statement ends with the row)."""

    kind: str
    row: int
    is_decorator: bool = False
    comment: Comment | None = None


def _assemble(pieces: Iterator[_Piece]) -> Layout:
    statements: list[tuple[int, int]] = []
    comments: list[Comment] = []
    open_rows: set[int] = set()
    first = 0
    decorated_from = 0
    decorator = False
    for kind, row, flag, comment in pieces:
        if kind == "code":
            if not first:
                first, decorator = row, flag
        elif kind == "comment" and comment is not None:
            comments.append(comment._replace(inside=first > 0))
        elif kind == "open":
            open_rows.add(row)
        elif kind == "end":
            open_rows.add(row)
            if not first:
                continue
            if decorator:
                decorated_from = decorated_from or first
            else:
                statements.append((decorated_from or first, row))
                decorated_from = 0
            first = 0
    if decorated_from:
        statements.append((decorated_from, max(open_rows, default=decorated_from)))
    return Layout(tuple(statements), tuple(comments), frozenset(open_rows))


_SKIPPED = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})


def _by_tokenize(text: str) -> Iterator[_Piece]:
    code_row = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = token.type
        row, column = token.start
        if kind == tokenize.COMMENT:
            alone = row != code_row
            yield _Piece("comment", row, comment=Comment(row, column + 1, token.string, alone, False))
        elif kind == tokenize.NL:
            yield _Piece("open", row)
        elif kind == tokenize.NEWLINE:
            yield _Piece("end", row)
        elif kind not in _SKIPPED:
            code_row = token.end[0]
            yield _Piece("code", row, token.string == "@")


_SCAN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z)|'{3}(?:[^\\]|\\.)*?(?:'{3}|\Z)
        |"(?:[^\\\n"]|\\.)*(?:"|(?=\n)|\Z)|'(?:[^\\\n']|\\.)*(?:'|(?=\n)|\Z))
    |(?P<joined>\\\n)|(?P<newline>\n)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<space>[ \t\f]+)|(?P<code>.)""",
    re.DOTALL | re.VERBOSE,
)


def _by_scan(text: str) -> Iterator[_Piece]:
    """The same by regular expression: knows strings, brackets and backslashes, and no nesting inside f-strings."""
    row, row_start, depth, alone, begun, code_row = 1, 0, 0, True, False, 1
    for match in _SCAN.finditer(text):
        kind = match.lastgroup
        if kind == "comment":
            column = match.start() - row_start + 1
            yield _Piece("comment", row, comment=Comment(row, column, match[0], alone, False))
            continue
        if kind == "newline":
            if begun and depth == 0:
                yield _Piece("end", row)
                begun = False
            else:
                yield _Piece("open", row)
            row, row_start, alone = row + 1, match.end(), True
            continue
        if kind == "space":
            continue
        if kind == "joined":
            row, row_start = row + 1, match.end()
            continue
        yield _Piece("code", row, match[0] == "@")
        alone, begun = False, True
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "string" and "\n" in match[0]:
            row += match[0].count("\n")
            row_start = match.start() + match[0].rindex("\n") + 1
        code_row = row
    if begun:
        yield _Piece("end", code_row)
