"""Allowances as text: `file glob::function[:code]`, or a code or name of a rule alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hostsync.catalogue.model import Rule
from hostsync.runtime.records import Place, Wait

FORM = "a file glob, `file glob::function`, `file glob::function:code`, or a code or name of a rule"
_CODE = re.compile(r"[A-Z]{2,5}[0-9]{0,3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


class Allowance(NamedTuple):
    """Waits that are meant."""

    text: str
    """As it was written."""
    file: str
    """A glob over the path, as seen from the root of the test run or as the end of the whole path."""
    function: str
    """A glob over the qualified name of the function, or its last part."""
    code: str
    """A code or the start of one, or the name of a rule; empty for any."""


def parse(text: str) -> Allowance:
    """Reads an allowance.

    Raises:
        ValueError: it has not one of the forms; the message says which there are.
    """
    text = text.strip()
    file, separator, rest = text.partition("::")
    if not separator and (_CODE.fullmatch(text) or _NAME.fullmatch(text)):
        return Allowance(text, "*", "*", text)
    function, _, code = rest.partition(":")
    wrong_code = code and not (_CODE.fullmatch(code) or _NAME.fullmatch(code))
    if not file or (separator and not function) or wrong_code or (rest.endswith(":")):
        raise ValueError(f"{text!r} is no allowance; it has to be {FORM}")
    return Allowance(text, file, function or "*", code)


def matches(allowance: Allowance, wait: Wait, rule: Rule | None, root: Path) -> bool:
    """Whether an allowance covers a wait.

    The file and the function are looked for in every frame that the wait keeps: the expression, the library code below
    it that waits, and the frames that led to it.

    Args:
        allowance: what is allowed.
        wait: what happened.
        rule: the rule that speaks of it.
        root: the folder that paths are relative to.
    """
    if allowance.code and not (
        rule is not None and (rule.name == allowance.code or rule.code.startswith(allowance.code))
    ):
        return False
    if allowance.file == allowance.function == "*":
        return True
    return any(_is_in(allowance, place, root) for place in frames(wait))


def frames(wait: Wait) -> Iterator[Place]:
    """The places that a wait keeps, the expression first."""
    if wait.place is not None:
        yield wait.place
    if wait.library is not None:
        yield wait.library
    yield from wait.callers


def _is_in(allowance: Allowance, place: Place, root: Path) -> bool:
    function = place.function
    if not any(fnmatchcase(name, allowance.function) for name in (function, function.rpartition(".")[2])):
        return False
    path, relative = _paths(place.filename, str(root))
    pattern = allowance.file.removeprefix("./")
    return fnmatchcase(relative, pattern) or fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")


@lru_cache(maxsize=4096)
def _paths(filename: str, root: str) -> tuple[str, str]:
    """The whole path with forward slashes, and the one relative to `root`."""
    path = filename.replace(os.sep, "/")
    start = root.replace(os.sep, "/").rstrip("/") + "/"
    return path, path.removeprefix(start)
