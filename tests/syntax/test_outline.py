"""Imports and definitions read off the bytes of a module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hostsync.facts import Imported, Outline
from hostsync.syntax.outline import outline_of

from .programs import stdlib_files

SOURCE = b"""\
import os, torch.nn as nn
import a.b
from . import sibling  # a comment
from ..up import (
    one,  # first
    two as second,
)
from deep \\
    import thing
from stars import *
LIMIT: int = 3
device = "cpu"
type Shape = tuple[int, ...]
type Pair[T] = tuple[T, T]
type = 3
table[0] = 1
if TYPE_CHECKING:
    from typed import Only
else:
    def fallback(): ...
try:
    from quick import run
except ImportError:
    run = None
if run:
    quick_enough: bool = True

def f():
    from inside import hidden
    local = 1

class C(Base):
    import never
    x = 1
    def method(self): ...

if done == 1:
    from late import last
"""


def test_an_outline() -> None:
    assert outline_of(SOURCE) == Outline(
        (
            Imported("os", None, "os", False),
            Imported("torch.nn", None, "nn", False),
            Imported("a.b", None, "a.b", False),
            Imported(".", "sibling", "sibling", False),
            Imported("..up", "one", "one", False),
            Imported("..up", "two", "second", False),
            Imported("stars", "*", "*", False),
            Imported("typed", "Only", "Only", True),
            Imported("quick", "run", "run", False),
            Imported("inside", "hidden", "hidden", False, True),
            Imported("late", "last", "last", False),
        ),
        ("LIMIT", "device", "Shape", "Pair", "type", "fallback", "run", "quick_enough", "f", "C"),
    )


def test_what_is_looked_up_in_modules() -> None:
    source = b"""\
import os
import pkg, pkg.part as p
from . import utils as U, Class
from .deep import name, Name as N

pkg.f(U.g.h.i.j.k, p.q)
x = not_pkg.f(a.pkg.f, os.path) + name.attribute[U.one] - (U.two)
Class.create() + N.create() + pkg.
"""
    assert outline_of(source).attributes == (
        ("U", "g.h.i.j"),
        ("U", "one"),
        ("U", "two"),
        ("name", "attribute"),
        ("p", "q"),
        ("pkg", "f"),
        ("pkg", "part"),
    )


@pytest.mark.parametrize("path", stdlib_files()[::7], ids=lambda path: path.name)
def test_it_knows_what_a_parse_knows_of_the_top_level(path: Path) -> None:
    source = path.read_bytes()
    try:
        tree = ast.parse(source)
    except SyntaxError:
        pytest.skip("of another release")
    outline = outline_of(source)
    imported = {(i.module, i.name, i.alias) for i in outline.imports}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            assert node.name in outline.names
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            assert {(module, n.name, n.asname or n.name) for n in node.names} <= imported
        elif isinstance(node, ast.Import):
            assert {(n.name, None, n.asname or n.name) for n in node.names} <= imported
