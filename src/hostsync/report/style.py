"""Colours for terminals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_RESET = "\x1b[0m"


class Style(NamedTuple):
    """How parts of a text report look."""

    colour: bool = False

    def strong(self, text: str) -> str:
        return self._wrap(text, "1")

    def code(self, text: str) -> str:
        return self._wrap(text, "1;31")

    def frame(self, text: str) -> str:
        return self._wrap(text, "34")

    def caret(self, text: str) -> str:
        return self._wrap(text, "31")

    def dim(self, text: str) -> str:
        return self._wrap(text, "2")

    def help(self, text: str) -> str:
        return self._wrap(text, "36")

    def _wrap(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.colour and text else text


def wants_colour(environment: Mapping[str, str], is_terminal: bool) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR is set; always with FORCE_COLOR."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_terminal and environment.get("TERM") != "dumb"
