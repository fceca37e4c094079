"""The imports and definitions of a module, read off its bytes without parsing it.

It is as good as a parse for code that is laid out as people lay it out. Where it errs (an import inside a string, say)
a module is taken to know one more or one fewer of the others; a scan then says less, and never anything false.
"""

from __future__ import annotations

import re
import sys
from typing import Final

from hostsync.facts import Imported, Outline

_STATEMENT: Final = rb"""(?:
    (?P<indent>[ \t]*)(?:
        from[ \t]+(?P<module>[.\w]+(?:[ \t]*\.[ \t]*\w+)*)[ \t]+import\b[ \t]*
            (?P<names>\([^)]*\)?|(?:[^\n\\]|\\\r?\n)*)
        |import[ \t]+(?P<modules>(?:[^\n\\]|\\\r?\n)*)
        |(?:async[ \t]+)?(?:def|class)[ \t]+(?P<defined>\w+)
    )
    |(?P<block>(?:if|else|elif|try|except|finally|with|for|while)\b[^\n]*)
    |(?P<branch>[ \t]*)(?P<type>type[ \t]+)?(?P<assigned>[A-Za-z_]\w*)[ \t]*
        (?(type)(?:\[[^=\n]*\][ \t]*)?|(?::[^=\n]+)?)=(?!=)
    )"""
_ANY: Final = re.compile(rb"\n(?=[ \t]*[A-Za-z_])" + _STATEMENT, re.VERBOSE)
"""It begins with a line end rather than with `^`, which makes the search several times as fast."""
_TOP_LEVEL: Final = re.compile(rb"\n(?=[A-Za-z_]|[ \t]+from[ \t])" + _STATEMENT, re.VERBOSE)
"""What is not indented, and imports that are: quicker, as most lines are neither."""
_COMMENT: Final = re.compile(rb"#[^\n]*")


def outline_of(source: bytes) -> Outline:
    """What a module imports, and what it defines where its body runs: not inside functions and classes."""
    imports: list[Imported] = []
    names: dict[str, None] = {}
    open_ = False
    """Indented lines belong to a branch of the module's body, not to a function or class."""
    typing = False
    text = b"\n" + source
    position = 0
    while match := (_ANY if open_ else _TOP_LEVEL).search(text, position):
        position = match.end()
        block = match["block"]
        if block is not None:
            open_ = not block.startswith((b"for", b"while"))
            typing = b"TYPE_CHECKING" in block
            continue
        if match["assigned"] is not None:
            if not match["branch"]:
                open_ = typing = False
            names[_text(match["assigned"])] = None
            continue
        indented = bool(match["indent"])
        local = indented and not open_
        if local and match["module"] is None:
            continue
        if not indented:
            typing = False
        defined = match["defined"]
        if defined is not None:
            names[_text(defined)] = None
            if not indented:
                open_ = False
        elif match["module"] is not None:
            module = _text(match["module"]).replace(" ", "").replace("\t", "")
            for name, alias in _listed(match["names"]):
                if not local or name != "*":
                    imports.append(Imported(module, name, alias, typing, local))
        else:
            for name, alias in _listed(match["modules"]):
                imports.append(Imported(name, None, alias, typing))
    return Outline(tuple(imports), tuple(names), _attributes(text, imports))


_CHAIN: Final = re.compile(rb"\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,3})")
_OUTSIDE: Final = sys.stdlib_module_names | {"torch", "numpy", "pandas", "scipy", "PIL", "tqdm", "einops", "matplotlib"}
"""Packages that are hardly ever the one that is scanned, and whose attributes need not be listed."""
_BEFORE: Final = frozenset(b"._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _attributes(text: bytes, imports: list[Imported]) -> tuple[tuple[str, str], ...]:
    """The `alias.part.name` of a source, for the imports that may stand for modules."""
    found: set[tuple[str, str]] = set()
    for alias in {imported.alias for imported in imports if _may_be_module(imported)}:
        needle = alias.encode("utf-8")
        at = text.find(needle + b".")
        while at >= 0:
            end = at + len(needle)
            chain = _CHAIN.match(text, end) if text[at - 1] not in _BEFORE else None
            if chain is not None:
                found.add((alias, _text(chain[1])))
            at = text.find(needle + b".", end)
    return tuple(sorted(found))


def _may_be_module(imported: Imported) -> bool:
    """Modules have small names."""
    if "." in imported.alias or imported.module.partition(".")[0] in _OUTSIDE:
        return False
    return imported.name is None or imported.name[:1].islower()


def _listed(text: bytes) -> list[tuple[str, str]]:
    """The names and aliases of `a, b as c`, in brackets or not."""
    plain = _COMMENT.sub(b"", text).strip(b"() \t\r\n").replace(b"\\", b" ").partition(b";")[0]
    found = []
    for part in plain.split(b","):
        words = _text(part).split()
        if len(words) == 1:
            found.append((words[0], words[0]))
        elif len(words) == 3 and words[1] == "as":
            found.append((words[0], words[2]))
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
