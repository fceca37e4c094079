"""Makes quoted text harmless: what could steer a terminal or reorder a line is shown as an escape instead."""

from __future__ import annotations

import unicodedata

_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Control characters, format characters (bidi overrides among them), surrogates, unassigned, line separators."""


def visible(text: str) -> str:
    """`text` with every character that is no plain printable one written as an escape."""
    if text.isprintable():
        return text
    return "".join(visible_character(character) for character in text)


def visible_character(character: str) -> str:
    """One character, or its escape."""
    if character.isprintable() or unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # a byte of a file name that is not valid in its encoding
        return f"\\x{point - 0xDC00:02x}"
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def width(character: str) -> int:
    """How many columns of a terminal `character` takes."""
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
