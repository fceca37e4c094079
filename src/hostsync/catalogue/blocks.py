"""The Python blocks of a rule's page, and the marks in them that say which lines wait."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADING = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_BLOCK = re.compile(r"^```python[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_WAITS = re.compile(r"#\s*waits(?::\s*(?P<code>[A-Z]+[0-9]{3}))?\s*$")
_CAUSE = re.compile(r"#\s*cause\s*$")
_SET_UP = re.compile(r"#\s*set-up\s*$")
_MARK = re.compile(r"[ \t]*#\s*(waits(:\s*[A-Z]+[0-9]{3})?|cause|set-up)\s*$", re.MULTILINE)
_NEEDS = re.compile(r"^#\s*needs:\s*(?P<what>[a-z-]+)\s*$", re.MULTILINE)


class Marks(NamedTuple):
    """What the comments at the ends of a block's lines claim, by 1-based row."""

    waits: dict[int, str]
    """Rows that make the host wait, each with the code that names it; empty for the page's own rule."""
    causes: frozenset[int]
    """Rows that the page's rule is reported on although the wait comes at a later row."""
    set_up: frozenset[int]
    """Rows that prepare the example, once: whether they wait is not judged."""
    needs: frozenset[str]
    """What has to be there to run the block, e.g. `distributed`."""


def sections(page: str) -> dict[str, str]:
    """The text under each second-level heading of `page`, in order; headings inside code blocks do not count."""
    fenced = [match.span() for match in re.finditer(r"^```.*?^```", page, re.MULTILINE | re.DOTALL)]
    headings = [m for m in _HEADING.finditer(page) if not any(a <= m.start() < b for a, b in fenced)]
    ends = [*(m.start() for m in headings), len(page)][1:]
    return {m[1]: page[m.end() : end] for m, end in zip(headings, ends, strict=False)}


def python_blocks(text: str) -> tuple[str, ...]:
    """The sources of the fenced `python` blocks in `text`."""
    return tuple(_BLOCK.findall(text))


def read_marks(source: str) -> Marks:
    """The marks in the block `source`: `# waits`, `# waits: HS101`, `# cause`, `# set-up` at the end of a line, and
    `# needs: …` on a line of its own."""
    waits: dict[int, str] = {}
    causes: set[int] = set()
    set_up: set[int] = set()
    for row, line in enumerate(source.splitlines(), start=1):
        if match := _WAITS.search(line):
            waits[row] = match["code"] or ""
        elif _CAUSE.search(line):
            causes.add(row)
        elif _SET_UP.search(line):
            set_up.add(row)
    return Marks(waits, frozenset(causes), frozenset(set_up), frozenset(m["what"] for m in _NEEDS.finditer(source)))


def digest(source: str) -> str:
    """What evidence knows a block by: the SHA-256, in hexadecimal, of its text without the marks at ends of lines."""
    import hashlib  # Loads OpenSSL, which a scan has no use for.

    return hashlib.sha256(_MARK.sub("", source).encode()).hexdigest()
