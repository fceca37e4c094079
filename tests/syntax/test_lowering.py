"""Facts from `ast` nodes: that each kind of node becomes the fact it should, where it should."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from hostsync import facts as f
from hostsync.syntax.lowering.expressions import EXPRESSION_DEPTH
from hostsync.syntax.lowering.statements import STATEMENT_DEPTH
from hostsync.syntax.parse import parse_module_text
from hostsync.syntax.text import SourceError


def body(text: str) -> tuple[f.Stmt, ...]:
    return parse_module_text(text, "m").body


def expression(text: str) -> f.Expr:
    statement = body(f"x = {text}\n")[0]
    assert isinstance(statement, f.Assign)
    assert statement.value is not None
    return statement.value


def plain(value: object) -> object:
    """Facts without spans, as nested tuples headed by the name of the type."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = zip(value._fields, value, strict=True)
        return (type(value).__name__, *(plain(item) for field, item in fields if field != "span"))
    return tuple(plain(item) for item in value) if isinstance(value, tuple) else value


def name(text: str) -> tuple[str, str]:
    return ("Name", text)


def const(kind: str, value: object) -> tuple[str, str, object]:
    return ("Const", kind, value)


A, B, C = name("a"), name("b"), name("c")
ONE = const("int", 1)

EXPRESSIONS = [
    ("a", A),
    ("a.b", ("Attr", A, "b")),
    ("None", const("none", None)),
    ("True", const("bool", True)),
    ("1", ONE),
    (str(2**70), const("int", None)),
    ("1.5", const("float", 1.5)),
    ("'s'", const("str", "s")),
    ("'a' 'b'", const("str", "ab")),
    ("f'a{{'", const("str", "a{")),
    ("b's'", const("bytes", None)),
    ("1j", const("complex", None)),
    ("...", const("ellipsis", None)),
    ("a(b, *c, k=1, **a)", ("Call", A, (B, ("Starred", C)), (("Keyword", "k", ONE), ("Keyword", None, A)))),
    ("a[b]", ("Subscript", A, B)),
    ("a[b:, 1]", ("Subscript", A, ("Sequence", "tuple", (("Slice", B, None, None), ONE)))),
    ("a[:b:c]", ("Subscript", A, ("Slice", None, B, C))),
    ("(a, b)", ("Sequence", "tuple", (A, B))),
    ("a, b", ("Sequence", "tuple", (A, B))),
    ("[a, *b]", ("Sequence", "list", (A, ("Starred", B)))),
    ("{a}", ("Sequence", "set", (A,))),
    ("{a: b, **c}", ("Dict", (A, None), (B, C))),
    ("[a for b in c if a]", ("Comprehension", "list", A, None, (("Generator", B, C, (A,)),))),
    ("{a for b in c}", ("Comprehension", "set", A, None, (("Generator", B, C, ()),))),
    ("{a: b for b in c}", ("Comprehension", "dict", B, A, (("Generator", B, C, ()),))),
    ("(a for b in c)", ("Comprehension", "generator", A, None, (("Generator", B, C, ()),))),
    ("a // b", ("Binary", "//", A, B)),
    ("a @ b", ("Binary", "@", A, B)),
    ("not a", ("Unary", "not", A)),
    ("-1", ("Unary", "-", ONE)),
    ("a and b and c", ("Logical", "and", (A, B, C))),
    ("a or (b or c)", ("Logical", "or", (A, ("Logical", "or", (B, C))))),
    ("a < b is not c", ("Compare", A, ("<", "is not"), (B, C))),
    ("a if b else c", ("Conditional", B, A, C)),
    (
        "lambda a, *b: c",
        ("Lambda", (("Param", "a", "normal", None, None, ""), ("Param", "b", "args", None, None, "")), C),
    ),
    ("f'{a!r:>{b}}'", ("FString", (("Formatted", A, "r", ("FString", (("Formatted", B, "", None),), "")),), "")),
    ("f'{a:.3f}'", ("FString", (("Formatted", A, "", const("str", ".3f")),), "")),
    ("f'_x{a}c{b}'", ("FString", (("Formatted", A, "", None), ("Formatted", B, "", None)), "_x")),
    ("f'a b{a}'", ("FString", (("Formatted", A, "", None),), "")),
    ("(a := b)", ("Walrus", A, B)),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS, ids=[text[:30] for text, _ in EXPRESSIONS])
def test_expression(text: str, expected: object) -> None:
    assert plain(expression(text)) == expected


X = ("ExprStmt", name("x"))
STATEMENTS: list[tuple[str, tuple[object, ...]]] = [
    ("a = b = c", (("Assign", (A, B), C, None),)),
    ("a: b = c", (("Assign", (A,), C, B),)),
    ("a: b", (("Assign", (A,), None, B),)),
    ("a: 'b'", (("Assign", (A,), None, B),)),
    ("a: b['c']", (("Assign", (A,), None, ("Subscript", B, C)),)),
    ("a: 'b | None'", (("Assign", (A,), None, ("Binary", "|", B, const("none", None))),)),
    ("a: Literal['b']", (("Assign", (A,), None, ("Subscript", name("Literal"), const("str", "b"))),)),
    ("a: 'b c'", (("Assign", (A,), None, const("str", "b c")),)),
    ("a = b  # type: c", (("Assign", (A,), B, C),)),
    ("a = b  # type: ignore", (("Assign", (A,), B, None),)),
    ("a += b", (("AugAssign", A, "+", B),)),
    ("'doc'\n1\n...\nx", (X,)),
    ("if a: x\nelif b: x\nelse: x", (("If", A, (X,), (("If", B, (X,), (X,)),)),)),
    ("for a in b: x\nelse: x", (("For", A, B, (X,), (X,), False),)),
    (
        "async def f():\n async for a in b: x",
        (("Function", "f", (), None, (), (("For", A, B, (X,), (), True),), True, False),),
    ),
    ("while a: x", (("While", A, (X,), ()),)),
    ("with a as b, c: x", (("With", (("WithItem", A, B), ("WithItem", C, None)), (X,), False),)),
    (
        "try: x\nexcept a as e: x\nexcept: x\nelse: x\nfinally: x",
        (("Try", (X,), (("Handler", A, "e", (X,)), ("Handler", None, None, (X,))), (X,), (X,)),),
    ),
    ("raise a from b", (("Raise", A),)),
    ("assert a, b", (("Assert", A, B),)),
    ("del a, b", (("Delete", (A, B)),)),
    ("import a.b, c.d as e", (("Import", "a", None, "a"), ("Import", "c.d", None, "e"))),
    ("from ..a import b as c, d", (("Import", "..a", "b", "c"), ("Import", "..a", "d", "d"))),
    ("from . import *", (("Import", ".", "*", "*"),)),
    ("global a, b", (("Scope", "global", ("a", "b")),)),
    ("pass", (("Jump", "pass"),)),
    ("@a\nclass D(b, k=c): x", (("Class", "D", (B,), (("Keyword", "k", C),), (A,), (X,)),)),
    ("def f(): yield a", (("Function", "f", (), None, (), (("ExprStmt", ("Yield", A, False)),), False, True),)),
    (
        "def f(): return lambda: (yield)",
        (("Function", "f", (), None, (), (("Return", ("Lambda", (), ("Yield", None, False))),), False, False),),
    ),
    (
        "match a:\n case [1, b.c, *r] | {'k': v, **w} if c: x\n case None | _: x",
        (
            (
                "Match",
                A,
                (
                    ("Case", ("r", "w", "v"), (ONE, ("Attr", B, "c")), C, (X,)),
                    ("Case", (), (), None, (X,)),
                ),
            ),
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS, ids=[text[:30] for text, _ in STATEMENTS])
def test_statement(text: str, expected: tuple[object, ...]) -> None:
    assert plain(body(text)) == expected


def test_params() -> None:
    function = body("def f(a, /, b: 'x' = 1, *c, d, e=a, **g) -> 'x': pass\n")[0]
    assert isinstance(function, f.Function)
    assert plain(function.params) == (
        ("Param", "a", "positional", None, None, ""),
        ("Param", "b", "normal", name("x"), ONE, ""),
        ("Param", "c", "args", None, None, ""),
        ("Param", "d", "keyword", None, None, ""),
        ("Param", "e", "keyword", None, A, ""),
        ("Param", "g", "kwargs", None, None, ""),
    )
    assert plain(function.returns) == name("x")


@pytest.mark.parametrize(
    ("text", "annotations", "returns"),
    [
        ("def f(a, b):\n    # type: (x, y[z]) -> w\n    pass\n", ["x", "y[z]"], "w"),
        ("def f(self, a):\n    # type: (x) -> w\n    pass\n", [None, "x"], "w"),
        ("def f(a,  # type: x\n      b):\n    # type: (...) -> w\n    pass\n", ["x", "..."], "w"),
        ("def f(a, b, c):\n    # type: (x) -> w\n    pass\n", [None, None, None], "w"),
        ("def f(a):\n    # type: nonsense (\n    pass\n", [None], None),
    ],
)
def test_type_comments_of_functions(text: str, annotations: list[str | None], returns: str | None) -> None:
    function = body(text)[0]
    assert isinstance(function, f.Function)

    def expected(annotation: str | None) -> object:
        return None if annotation is None else plain(expression(annotation))

    found = [plain(param.annotation) for param in function.params]
    if annotations[-1] == "...":
        assert found[0] == expected(annotations[0])
    else:
        assert found == [expected(annotation) for annotation in annotations]
    assert plain(function.returns) == expected(returns)


def test_a_comment_that_only_looks_like_a_type_is_no_error() -> None:
    assert len(body("x = [\n  # type: what\n  1]\n")) == 1


def spans(text: str) -> dict[str, f.Place]:
    """The span of each attribute and name by its source text."""
    found = {}
    lines = text.replace("\r\n", "\n").split("\n")

    def walk(value: object) -> None:
        if isinstance(value, (f.Name, f.Attr, f.Call)):
            row, column, end_row, end_column = value.span
            if row == end_row:
                found[lines[row - 1][column - 1 : end_column - 1]] = value.span
        if isinstance(value, tuple):
            for item in value:
                walk(item)

    walk(body(text))
    return found


@pytest.mark.parametrize(
    "text",
    [
        'print("é", a.item())\n',
        'print("é"); b.item(); x = "日本語", c.item(), "😀", d.item()\n',
        "if x:\n\ty = 'é', a.item()\n",
        "# é\r\nx = 'é' + a.item()\r\n",
        "\fx = 'é' + a.item()\n",
        "@dec('é', a.item())\ndef f(): pass\n",
        "x = f'é{a.item()}'\n",
        "ñ = ñandú.item()\n",
    ],
)
def test_columns_count_characters(text: str) -> None:
    found = spans(text)
    calls = [source for source in found if source.endswith(".item()")]
    assert calls
    assert all(source.count(".item()") == 1 and source[0].isalpha() and " " not in source for source in calls), found


def depth(value: object) -> int:
    """How deeply facts are nested, found without recursion."""
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [item for node in level if isinstance(node, tuple) for item in node]
    return deepest


DEEP = {
    "chain of operators": "x = " + "a + " * 2000 + "b.item()\n",
    "chain of attributes": "x = a" + ".b" * 2000 + "\n",
    "chain of calls": "x = a" + "()" * 900 + "\n",
    "signs": "x = " + "-" * 2000 + "1\n",
    "lambdas": "x = " + "lambda: " * 800 + "1\n",
    "conditionals": "x = " + "a if b else " * 800 + "c\n",
    "brackets": "x = " + "[" * 180 + "]" * 180 + "\n",
    "blocks": "".join(" " * level + "if a:\n" for level in range(98)) + " " * 98 + "x\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_cut(text: str) -> None:
    try:
        found = body(text)
    except SourceError as error:
        assert error.message == "nested too deeply to be parsed"
        return
    assert depth(found) < 4 * (EXPRESSION_DEPTH + STATEMENT_DEPTH)
    json.dumps(found)


def test_a_long_elif_chain_keeps_all_its_branches() -> None:
    text = "if a0: pass\n" + "".join(f"elif a{number}: x.item()\n" for number in range(1, 400)) + "else: last()\n"
    found = body(text)
    assert depth(found) < 6 * STATEMENT_DEPTH
    seen = str(found)
    assert all(f"'a{number}'" in seen for number in range(400))
    assert "'last'" in seen


def test_lowering_works_deep_in_the_stack() -> None:
    text = "x = " + "[" * 150 + "]" * 150 + "\n"
    expected = body(text)

    def down(level: int) -> tuple[f.Stmt, ...]:
        return body(text) if level == 0 else down(level - 1)

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    assert down(max(sys.getrecursionlimit() - used - 120, 1)) == expected


def test_every_expression_of_the_running_python_is_known() -> None:
    from hostsync.syntax.lowering import expressions, statements

    def leaves(kind: type) -> set[type]:
        below = kind.__subclasses__()
        return {kind} if not below else set().union(*map(leaves, below))

    skipped = {
        "Num",
        "Str",
        "Bytes",
        "NameConstant",
        "Ellipsis",
        "Index",
        "ExtSlice",
        "FormattedValue",
        "Interpolation",
    }
    unknown = (
        {kind.__name__ for kind in leaves(ast.expr)} - skipped - {kind.__name__ for kind in expressions._EXPRESSIONS}
    )
    assert not unknown - {"Constant"}
    unknown = (
        {kind.__name__ for kind in leaves(ast.stmt)} - {kind.__name__ for kind in statements._STATEMENTS} - {"Expr"}
    )
    assert not unknown


def test_importing_the_room_does_not_import_libcst() -> None:
    code = (
        "import sys, hostsync.syntax, hostsync.syntax.notebook, hostsync.fix.allow; sys.exit('libcst' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
