"""How deeply a text is nested, told from its brackets and operators."""

from __future__ import annotations

import re

NESTING_LIMIT = 150
"""Brackets nested deeper than this are not given to LibCST."""
CHAIN_LIMIT = 1500
"""Operators in one expression (or `elif` clauses in one file) beyond this are not given to LibCST."""

_SHAPE = re.compile(
    r"""(?P<string>\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^\\\n"]|\\.)*"|'(?:[^\\\n']|\\.)*'|\#[^\n]*)
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[,;])|(?P<line>\n)
    |(?P<chain>\b(?:not|if|lambda|await|yield)\b|[-+*/%@&|^~.:]|(?<=[\])])\s*(?=[(\[]))""",
    re.DOTALL | re.VERBOSE,
)


def is_shallow(text: str) -> bool:
    """Whether a text is nested so little that a recursive parser in native code surely has stack for it.

    It looks at brackets and operators only, and may refuse a text that would have been harmless.
    """
    if text.count("elif") > CHAIN_LIMIT:
        return False
    chains = [0]
    total = 0
    for match in _SHAPE.finditer(text):
        kind = match.lastgroup
        if kind == "chain":
            chains[-1] += 1
            total += 1
        elif kind == "open":
            chains[-1] += 1
            total += 1
            chains.append(0)
        elif kind == "close":
            if len(chains) > 1:
                total -= chains.pop()
        elif kind == "end" or (kind == "line" and len(chains) == 1):
            total -= chains[-1]
            chains[-1] = 0
        if total > CHAIN_LIMIT or len(chains) > NESTING_LIMIT:
            return False
    return True
