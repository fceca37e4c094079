"""The LibCST route gives the same facts as the quick one, and knows newer syntax."""

from __future__ import annotations

import ast
import sys
import warnings

import pytest
from hypothesis import given, settings

from hostsync import facts as f
from hostsync.syntax.concrete.parsing import ConcreteError, parse_concrete
from hostsync.syntax.concrete.shallow import is_shallow
from hostsync.syntax.lowering.statements import lower
from hostsync.syntax.parse import parse_module_text
from hostsync.syntax.text import SourceError, decode, split_lines

from .programs import PROGRAMS, stdlib_files, without_field_spans

# What LibCST 1.9 itself cannot parse (an annotated target in parentheses, annotations with a bare `yield`, text that
# stops being valid between Python releases), or does not keep (blanks after `!r`).
NOT_FOR_LIBCST = {"ann_module.py", "ann_module7.py", "test_grammar.py", "test_fstring.py"}


def both(text: str) -> tuple[object, object]:
    """The facts of a text by either route."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quick = lower(ast.parse(text), split_lines(text))
        other = lower(parse_concrete(text))
    if sys.version_info < (3, 12) and quick != other:
        return without_field_spans(quick), without_field_spans(other)
    return quick, other


@pytest.mark.parametrize("part", range(15))
def test_the_standard_library(part: int) -> None:
    done = 0
    for path in stdlib_files()[part * 20 : (part + 1) * 20]:
        try:
            text = decode(path.read_bytes()).removeprefix("\ufeff")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SourceError, SyntaxError):
            continue
        if path.name in NOT_FOR_LIBCST or len(text) > 100_000:
            continue
        quick, other = both(text)
        assert quick == other, path
        done += 1
        if done == 10:
            break
    assert done


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n# only a comment",
        "x = (1)\n(y)\n((a, b))\n() \n",
        "a, b , = c\nx[a, b , ]\nx[a,]\nx[: ]\nx[a:b : ]\nx[::  c]\nx[(a) : (b)]\nx[a :\n b,\n]\n",
        "f (x for x in y)\nf((x for x in y))\nf(a, (x for x in y))\nf( x for x in y )\n",
        "x = ((a)).b.c ( (d) ) [ (e) ]\n",
        "x = a and b and c or d and (e and f)\nx = (a and b) and c\n",
        "x = not (a) < (b) != c not in d is not e\n",
        "x = a if (b) else (c)\nx = lambda: (a)\nx = lambda *a, b=1, **k: 0\nx = lambda a, /, b: 0\n",
        "x = -a ** -b\nx = (yield)\nx = yield a, b\nx = yield from (a)\n",
        "'a' \"b\"\n('a'\n 'b')\nx = 'a' f'{b}' r'\\d'[0]\nx = b'a' rb'\\d'\n",
        "x = f'{a!r:>{b}}' f'{{}}' '' f'{a=}' f'{a=:x}' f'{a=!s}' rf'\\d{a:\\d}'\n",
        "x = f'a\\n{{\"'\nx = F'''a\n{{\n\"'''\n",
        "a = b = c\na: b\na.b: c = d\na += b\na @= (b)\na, *b = *c, d\nfor a, in *b, c: pass\n",
        "del a\ndel a, b\ndel (a, b)\ndel (a), [b]\n",
        "assert a, (b)\nraise\nraise a\nraise (a) from (b)\nglobal a, b\n",
        "import a\nimport a.b as c, d . e\nfrom . import a\nfrom .. a . b import (c as d, e,)\nfrom ... import *\n",
        "if a: b\nelif c: d; e;\nelse:\n  f;\nwhile a: b\nelse: c\n",
        "with a: b\nwith a as b, (c) as (d, e): f;\nwith (a as b, c): pass\nwith (a): pass\nwith (a, b): pass\n",
        "try: a\nfinally: b\ntry: a\nexcept: b\nelse: c\ntry: a\nexcept (b) as c: d\nexcept e: f\n",
        "async def f():\n  async with a as b: c\n  async for d in e: await (f)\n  [a async for b in c]\n",
        "@a\n@(b)\n@c . d ( e )\ndef f(a, b: c = d, /, *e: g, h: i = j, **k: l) -> m:\n  'doc'\n  return\n",
        "@a\nasync def f(): pass\ndef f(*, a): return a,\n",
        "class A: x = 1;\nclass A(): pass\nclass A(b, *c, k=d, **e): pass\n",
        "match a:\n  case 1 | -1 | 1+2j | 'a' 'b' | None | a.b: pass\n  case (a): pass\n  case (a, b), *c: pass\n",
        "match a, b:\n  case [a, _, *_]: pass\n  case {'k': v, **r}: pass\n  case A(): b\n  case a.B(1, k=(2)): c\n",
        "match a:\n  case (1 | 2) as x if y: pass\n  case []: pass\n  case (): pass\n  case {}: pass\n",
        "if a:\n\tb\n\n  # comment\n\tc\n",
        "x = 'é', ñ.item()\r\ny = '日本' + z.item()\r\n",
        "x = 1 + \\\n  y\nif a and \\\n   b:\n  pass\n",
        "x = '''a\nb''' + y.item()\n",
        "x = 0xff, 1_000, 1e3, 2J, 0b1, 0o7, ...\n",
        "ﬁ = ﬁ.ﬁ\n",
        "print(a, end='') ; b\n",
        "x = {**a, 'b': c}, {a, *b}, {a: b for a, b in c}, {a for a in b if (c) if d}\n",
    ],
)
def test_small(text: str) -> None:
    quick, other = both(text)
    assert quick == other


@given(PROGRAMS)
@settings(max_examples=150, deadline=None)
def test_random_programs(text: str) -> None:
    quick, other = both(text)
    assert quick == other


NEWER = {
    "except*": ("try:\n    pass\nexcept* E as e:\n    x.item()\n", "Try"),
    "type parameters": ("def f[T: int, *Ts, **P](x: T) -> T:\n    return x.item()\n", "Function"),
    "class type parameters": ("class A[T](B):\n    x.item()\n", "Class"),
    "type statement": ("type X[T] = list[T]\nx.item()\n", "ExprStmt"),
    "nested quotes": ('print(f"{x["a"].item()}")\n', "ExprStmt"),
    "rows in a field": ("print(f'{\n x.item()\n}')\n", "ExprStmt"),
    "except without brackets": ("try:\n    pass\nexcept A, B:\n    x.item()\n", "Try"),
    "t-string": ("print(t'a {x.item()}')\n", "ExprStmt"),
    "star in index": ("y[*a, x.item()]\n", "ExprStmt"),
    "star annotation": ("def f(*args: *Ts): x.item()\n", "Function"),
    "brackets around with": ("with (a as b, c as d,):\n    x.item()\n", "With"),
}


@pytest.mark.parametrize(("text", "kind"), NEWER.values(), ids=NEWER.keys())
def test_newer_syntax(text: str, kind: str) -> None:
    for body in (parse_module_text(text, "m").body, lower(parse_concrete(text))):
        assert type(body[-1]).__name__ == kind
        found: list[f.Call] = []

        def walk(value: object, found: list[f.Call] = found) -> None:
            if isinstance(value, f.Call) and isinstance(value.func, f.Attr):
                found.append(value)
            if isinstance(value, tuple):
                for item in value:
                    walk(item)

        walk(body)
        (call,) = found
        row, column, _, end_column = call.span
        assert text.split("\n")[row - 1][column - 1 : end_column - 1] in ("x.item()", 'x["a"].item()')


def test_type_statement_names_a_type() -> None:
    text = "type X = int | Tensor\n"
    for body in (parse_module_text(text, "m").body, lower(parse_concrete(text))):
        ((_, (target,), value, annotation),) = body
        assert isinstance(target, f.Name)
        assert isinstance(value, f.Binary)
        assert (target.id, annotation) == ("X", None)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 400 + ")" * 400,
        "x = " + "a + " * 5000 + "b",
        "x = " + "-" * 5000 + "b",
        "x = a" + ".b" * 5000,
        "x = a" + "()" * 5000,
        "if a: pass\n" + "elif a: pass\n" * 5000,
    ],
)
def test_deep_nesting_does_not_reach_the_native_parser(text: str) -> None:
    assert not is_shallow(text)
    with pytest.raises(ConcreteError) as caught:
        parse_concrete(text)
    assert caught.value.too_deep


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 140 + "y" + ")" * 140,
        "x = " + "a + " * 1400 + "b",
        "x = a" + ".b" * 1400,
        "x = a" + "()" * 700,
        "if a: pass\n" + "elif a: pass\n" * 1400,
        "x = " + "lambda: " * 700 + "b",
        "x = " + "a if b else " * 700 + "b",
        "x = [" + "a + b, " * 10_000 + "]",
        "x = " + "[lambda: -(" * 70 + "y" + ")]" * 70,
    ],
)
def test_what_is_let_through_does_not_overflow(text: str) -> None:
    assert is_shallow(text)
    try:
        lower(parse_concrete(text))
    except ConcreteError as error:
        assert error.too_deep
