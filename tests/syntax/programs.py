"""Random Python programs for hypothesis, and helpers to compare facts."""

from __future__ import annotations

import random
import sysconfig
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st

from hostsync import facts

NAMES = st.sampled_from(["x", "torch", "self", "ñandú", "_", "match", "type", "é"])
LITERALS = st.sampled_from(
    ["1", "0xff", "1_000", "1.5e3", "2j", "None", "True", "...", "'a'", '"é"', "b'x'", "r'\\d'", "'''a\nb'''", "''"]
)
BINARY = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"])
COMPARE = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"])


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, BINARY, inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(inner, BINARY, inner, BINARY, inner).map(lambda t: f"({t[0]} {t[1]}\n {t[2]} {t[3]} ({t[4]}))"),
        st.tuples(inner, COMPARE, inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        pair.map(lambda t: f"({t[0]}) < ({t[1]}) <= x"),
        pair.map(lambda t: f"({t[0]}) and ({t[1]}) and y or not x"),
        pair.map(lambda t: f"(lambda a, /, b=({t[0]}), *c, d: {t[1]})"),
        pair.map(lambda t: f"(({t[0]}) if x else ({t[1]}))"),
        pair.map(lambda t: f"f({t[0]}, *({t[1]}), k=({t[0]}), **m)"),
        pair.map(lambda t: f"[({t[0]}), *x, ({t[1]}),]"),
        pair.map(lambda t: f"({t[0]}, {t[1]},)"),
        pair.map(lambda t: f"{{({t[0]}): ({t[1]}), **x}}"),
        pair.map(lambda t: f"{{({t[0]}), ({t[1]})}}"),
        pair.map(lambda t: f"[({t[0]}) for a, b in ({t[1]}) if a if b for c in d]"),
        pair.map(lambda t: f"{{a: ({t[0]}) for a in ({t[1]})}}"),
        inner.map(lambda t: f"sum(({t}) for a in x)"),
        inner.map(lambda t: f"({t}).item()"),
        inner.map(lambda t: f"({t})[1:, ::2, None, ...]"),
        inner.map(lambda t: f"x[({t})]"),
        inner.map(lambda t: f"x[({t}) : -1]"),
        inner.map(lambda t: f"-({t})"),
        inner.map(lambda t: f"(y := ({t}))"),
        inner.filter(lambda t: not set(t) & set("\n\\\"'é#")).map(lambda t: f'f"a {{({t})!r:>{{x}}}} b"'),
        st.tuples(LITERALS.filter(lambda t: t[0] in "'\"")).map(lambda t: f"({t[0]} 'b'\n {t[0]})"),
    )


EXPRESSIONS = st.recursive(st.one_of(NAMES, LITERALS), _compound, max_leaves=8)


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in body.split("\n"))


def _block(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    both = st.tuples(EXPRESSIONS, inner)
    return st.one_of(
        both.map(lambda t: f"if {t[0]}:\n{_indented(t[1])}\nelif x:\n    pass\nelse:\n{_indented(t[1])}"),
        both.map(lambda t: f"for a, *b in {t[0]}:\n{_indented(t[1])}\nelse:\n    break"),
        both.map(lambda t: f"while {t[0]}:\n{_indented(t[1])}"),
        both.map(lambda t: f"with {t[0]} as a, x as (b, c):\n{_indented(t[1])}"),
        both.map(lambda t: f"try:\n{_indented(t[1])}\nexcept ({t[0]}) as e:\n    raise\nfinally:\n    pass;"),
        both.map(lambda t: f"@dec({t[0]})\ndef f(a: 'int', *, b: x = ({t[0]})) -> x:\n{_indented(t[1])}"),
        both.map(lambda t: f"async def f(*a, **k):\n    await ({t[0]})\n{_indented(t[1])}\n    yield"),
        both.map(lambda t: f"@a\nclass A(B, metaclass=({t[0]})):\n{_indented(t[1])}"),
        both.map(
            lambda t: (
                f"match ({t[0]}):\n    case [1, a.b, *r] | {{'k': v, **w}} if v:\n"
                f"{_indented(_indented(t[1]))}\n    case A(1, k=2 as z): x = 1; pass\n    case _: pass"
            )
        ),
    )


SIMPLE = st.one_of(
    EXPRESSIONS.map(lambda t: f"x = y, *z = {t}"),
    EXPRESSIONS.map(lambda t: f"x: 'List[int]' = {t}"),
    EXPRESSIONS.map(lambda t: f"x.y[0] += {t}"),
    EXPRESSIONS.map(lambda t: f"print({t}); del x, (y)  # comment"),
    EXPRESSIONS.map(lambda t: f"assert {t}, 'é'"),
    EXPRESSIONS.map(lambda t: f"return {t}"),
    EXPRESSIONS,
    st.sampled_from(
        ["import a.b, c.d as e", "from ..a import (b as c,\n  d)", "from . import *", "global x, y", "pass"]
    ),
    st.sampled_from(["x = 1 + \\\n    2", "raise E from e", "\n# hostsync: allow[HS1] why\npass", "'doc'"]),
)
STATEMENTS = st.recursive(
    SIMPLE, lambda inner: _block(st.lists(inner, min_size=1, max_size=2).map("\n".join)), max_leaves=6
)
PROGRAMS = st.lists(STATEMENTS, max_size=4).map(lambda parts: "".join(f"{part}\n" for part in parts))
"""Programs without syntax errors."""


@lru_cache
def stdlib_files() -> tuple[Path, ...]:
    """The sources of the running Python's standard library, in an order that is random and always the same."""
    root = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(
        path for path in root.rglob("*.py") if "site-packages" not in path.parts and "dist-packages" not in path.parts
    )
    random.Random(20).shuffle(files)
    return tuple(files)


@lru_cache
def samples() -> tuple[str, ...]:
    """Some real sources, none of them long."""
    texts = []
    for path in stdlib_files():
        if path.stat().st_size < 12_000:
            try:
                texts.append(path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                continue
        if len(texts) == 30:
            break
    return tuple(texts)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A real source with pieces deleted, doubled, swapped and inserted."""
    text = samples()[draw(st.integers(0, len(samples()) - 1))]
    start = draw(st.integers(0, max(len(text) - 1, 0)))
    text = text[start : start + draw(st.integers(1, 1500))]
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        to = min(at + draw(st.integers(0, 40)), len(text))
        kind = draw(st.sampled_from(["delete", "insert", "double", "swap"]))
        if kind == "delete":
            text = text[:at] + text[to:]
        elif kind == "double":
            text = text[:to] + text[at:to] + text[to:]
        elif kind == "swap":
            middle = (at + to) // 2
            text = text[:at] + text[middle:to] + text[at:middle] + text[to:]
        else:
            piece = draw(st.one_of(st.sampled_from(INSERTIONS), st.text(max_size=4)))
            text = text[:at] + piece + text[at:]
    return text


INSERTIONS = (
    *"()[]{}:;,.@=*\\'\"#\n\t\f\r!?%",
    *(
        '"""',
        "f'",
        "f'{",
        "}'",
        "t'",
        "\r\n",
        "\n    ",
        "é",
        "\ufeff",
        "\0",
        "lambda:",
        " if ",
        " else ",
        "*",
        "**",
        "->",
        ":=",
    ),
    *(
        "except*",
        "match x:\n case",
        "type X = ",
        "def f[T](",
        "await ",
        "yield ",
        "# type: ",
        "\\N{DASH}",
        "0_",
        "1__0",
        "08",
    ),
    *("# hostsync: allow[", "async ", "not " * 60, "(" * 120, "[" * 250, "-" * 300, "a." * 300, "\ud800"),
)


def without_field_spans(value: object, inside: bool = False) -> object:
    """Facts as plain tuples, without the spans inside of f-strings: Python before 3.12 gets those of some wrong."""
    if isinstance(value, facts.FString):
        return ("FString", None if inside else value.span, without_field_spans(value.fields, True), value.start)
    if isinstance(value, tuple):
        parts = value[1:] if inside and "span" in getattr(value, "_fields", ()) else value
        return (type(value).__name__, *(without_field_spans(item, inside) for item in parts))
    return value
