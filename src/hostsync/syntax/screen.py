"""The byte screen: says, without parsing, which files cannot contain anything to report."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

EVIDENCE: Final[tuple[str, ...]] = (
    "torch",
    "ensor",
    "cuda",
    "hostsync:",
    # Members that tensors have and little else has: files that get their tensors from elsewhere, untyped.
    "nonzero",
    "masked_select",
    "masked_fill",
    "masked_scatter",
    "index_select",
    "index_put",
    "repeat_interleave",
    "requires_grad",
    "non_blocking",
    "pin_memory",
    "detach",
    "backward",
    "argwhere",
    "no_grad",
    "unsqueeze",
    "bincount",
    ".cpu()",
    ".to(device",
    ".device)",
    "zero_grad",
    "state_dict",
    "named_parameters",
    "callback_metrics",
)
"""Words of which at least one stands in every file that can contain a finding, unless the caller knows better ones."""

_COOKIE: Final = re.compile(rb"coding[:=](?![ \t]*(?:utf-?8|ascii|us-ascii|latin|iso-?8859))[ \t]*[-\w.]")


def may_matter(source: bytes, words: Collection[str] = EVIDENCE) -> bool:
    """Whether a file can contain a finding: one of `words` stands in it, as text and anywhere.

    Args:
        source: the file as it is on disk.
        words: ASCII words. The likeliest first makes it quicker.

    Returns:
        True also where bytes say nothing about the text: other encodings than those that extend ASCII, and files
        that are no text at all (which are to be reported as such).
    """
    common, rare = _compiled(tuple(words))
    return (
        any(word in source for word in common)
        or (rare is not None and rare.search(source) is not None)
        or (b"\0" in source or _COOKIE.search(source[:400]) is not None)
    )


_COLLECTING: Final = re.compile(
    rb"\n[ \t]+def (?:__call__|accumulate|add|append|compute|log|observe|push|record|step|track|update)\b"
)
"""Methods of classes that keep what they are handed, such as meters of averages."""


def may_hand_on(source: bytes, names: Collection[str]) -> bool:
    """Whether a file that speaks of no tensors may do something with those of others.

    Args:
        source: the file as it is on disk.
        names: what other files import from it. It does if one of these is a function, or a class that keeps things.
    """
    text = b"\n" + source
    wanted = [name.encode("utf-8") for name in names if name != "*"]
    if any(b"\ndef " + name + b"(" in text for name in wanted):
        return True
    is_class = any(b"\nclass " + name + end in text for name in wanted for end in (b":", b"("))
    return is_class and _COLLECTING.search(source) is not None


_READING: Final = re.compile(rb"\.(?:item|tolist|numpy|any|all)\(\)|\.to\(")


def may_read_back(source: bytes) -> bool:
    """Whether a file that speaks of no tensors reads something back, or copies it, if that is one."""
    return _READING.search(source) is not None


_BASES: Final = re.compile(rb"^[ \t]*class[ \t]+\w+[ \t]*\(([^)]+)\)[ \t]*:", re.MULTILINE)
_LAST_NAME: Final = re.compile(rb"(\w+)[ \t\r\n]*(?:,|$)")


def bases_in(source: bytes) -> frozenset[str]:
    """The names of what the classes of a file are derived from, without the modules that they are in."""
    return frozenset(
        name.decode("utf-8", "replace") for listed in _BASES.findall(source) for name in _LAST_NAME.findall(listed)
    )


@lru_cache(maxsize=8)
def _compiled(words: tuple[str, ...]) -> tuple[tuple[bytes, ...], re.Pattern[bytes] | None]:
    # A plain `in` runs many times as fast as an alternation, so it is used for the few words that decide most files;
    # the rest is one pass.
    encoded = [word.encode("ascii") for word in words]
    common, rare = tuple(encoded[:_PLAIN]), encoded[_PLAIN:]
    return common, re.compile(b"|".join(map(re.escape, rare))) if rare else None


_PLAIN: Final = 24
