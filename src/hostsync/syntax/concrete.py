"""LibCST's tree → the nodes of `ast`: for source that the running interpreter cannot parse because it is newer.

Lowering the result gives the same facts as lowering what `ast.parse` makes of the same text, except that columns count
characters already (so `lower` is to be called without lines), that contexts are always `Load`, that type comments
are not read, and that `type X = …` statements and type parameters are gone.

Importing this module imports libcst; nothing else in `syntax` does so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import libcst as cst
from libcst._nodes.internal import CodegenState

from hostsync.syntax.deep import run_deep, without_warnings

NESTING_LIMIT = 150
"""Brackets nested deeper than this are not given to LibCST."""
CHAIN_LIMIT = 1500
"""Operators in one expression (or `elif` clauses in one file) beyond this are not given to LibCST."""


class ConcreteError(Exception):
    """LibCST cannot parse the text, or it is nested too deeply to be tried.

    Attributes:
        row: where, 1-based; 0 where it is not known.
        column: where, 1-based.
        too_deep: whether that is the reason.
    """

    def __init__(self, row: int, column: int, message: str, too_deep: bool = False) -> None:
        super().__init__(message)
        self.row = row
        self.column = column
        self.too_deep = too_deep


def parse_concrete(text: str) -> ast.Module:
    """Parse a source with LibCST and convert the tree.

    Args:
        text: the source, decoded, without a byte order mark.

    Raises:
        ConcreteError: LibCST cannot parse it, or it is nested too deeply.
    """
    if not is_shallow(text):
        raise ConcreteError(0, 1, "nested too deeply", too_deep=True)
    try:
        return run_deep(lambda: _parse(text))
    except cst.ParserSyntaxError as error:
        raise ConcreteError(error.raw_line, error.raw_column + 1, error.message) from None
    except (RecursionError, MemoryError):
        raise ConcreteError(0, 1, "nested too deeply", too_deep=True) from None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A panic of the native parser is no `Exception`.
        raise ConcreteError(0, 1, f"{type(error).__name__}: {error}") from None


def _parse(text: str) -> ast.Module:
    with without_warnings():
        return convert(cst.parse_module(text))


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


# --- positions -----------------------------------------------------------------------------------

_N = TypeVar("_N")
_Place = tuple[int, int]
_Range = tuple[int, int, int, int]


class _Recording:
    """Context manager that notes where the code of a node begins and ends."""

    __slots__ = ("_end_node", "_key", "_start", "_start_node", "_state")

    def __init__(self, state: _Positions, key: int, start_node: int | None, end_node: int | None) -> None:
        self._state = state
        self._key = key
        self._start_node = start_node
        self._end_node = end_node
        self._start = (0, 0)

    def __enter__(self) -> None:
        self._start = (self._state.row, self._state.column)

    def __exit__(self, *_: object) -> None:
        state = self._state
        row, column, end_row, end_column = *self._start, state.row, state.column
        if self._start_node is not None and self._start_node in state.ranges:
            row, column = state.ranges[self._start_node][:2]
        if self._end_node is not None and self._end_node in state.ranges:
            end_row, end_column = state.ranges[self._end_node][2:]
        state.ranges[self._key] = (row, column, end_row, end_column)


class _Positions(CodegenState):
    """Generates no code: counts rows and columns, and notes the range of every node by its identity."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.row = 1
        self.column = 0
        self.ranges: dict[int, _Range] = {}
        self.starts: list[_Place] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            self.row += len(lines) - 1
            self.column = len(lines[-1])
        else:
            self.column += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.starts.append((self.row, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.starts.pop()
        key = id(node)
        if key not in self.ranges:
            self.ranges[key] = (*start, self.row, self.column)

    def pop_trailing_newline(self) -> None:
        pass

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recording:
        return _Recording(
            self, id(node), None if start_node is None else id(start_node), None if end_node is None else id(end_node)
        )


def convert(module: cst.Module) -> ast.Module:
    """Convert a module that LibCST has parsed.

    Raises:
        SyntaxError, ValueError: a literal in it has no value.
    """
    positions = _Positions(module)
    module._codegen(positions)
    return ast.Module(body=_Converter(positions.ranges).statements(module.body), type_ignores=[])


# --- conversion ----------------------------------------------------------------------------------


class _Converter:
    """Converts the nodes of one module."""

    def __init__(self, ranges: dict[int, _Range]) -> None:
        self.ranges = ranges
        self.block_ends: dict[int, _Place] = {}

    def make(self, kind: Callable[..., _N], place: _Range, **fields: Any) -> _N:
        row, column, end_row, end_column = place
        return kind(lineno=row, col_offset=column, end_lineno=end_row, end_col_offset=end_column, **fields)

    def whole(self, node: Any) -> _Range:
        """The range of an expression with its parentheses."""
        place = self.ranges[id(node)]
        lpar, rpar = getattr(node, "lpar", ()), getattr(node, "rpar", ())
        if lpar:
            place = (*self.ranges[id(lpar[0])][:2], *place[2:])
        if rpar:
            place = (*place[:2], *self.ranges[id(rpar[-1])][2:])
        return place

    def inner(self, node: Any) -> _Range:
        """The range of a tuple or generator: of its parentheses only the innermost belong to it."""
        if node.lpar:
            return (*self.ranges[id(node.lpar[-1])][:2], *self.ranges[id(node.rpar[0])][2:])
        return self.ranges[id(node)]

    # Expressions.

    def expression(self, node: Any) -> Any:
        return _EXPRESSIONS[type(node)](self, node)

    def optional(self, node: Any) -> Any:
        return None if node is None else self.expression(node)

    def name(self, node: cst.Name) -> ast.expr:
        if node.value in _SINGLETONS:
            return self.constant(node, _SINGLETONS[node.value])
        return self.make(ast.Name, self.ranges[id(node)], id=_normal(node.value), ctx=ast.Load())

    def constant(self, node: cst.CSTNode, value: object) -> ast.expr:
        return self.make(ast.Constant, self.ranges[id(node)], value=value)

    def number(self, node: cst.Integer | cst.Float | cst.Imaginary) -> ast.expr:
        return self.constant(node, ast.literal_eval(node.value))

    def simple_string(self, node: cst.SimpleString) -> ast.expr:
        return self.constant(node, ast.literal_eval(node.value))

    def ellipsis(self, node: cst.Ellipsis) -> ast.expr:
        return self.constant(node, ...)

    def formatted_string(self, node: cst.FormattedString) -> ast.expr:
        return self.make(ast.JoinedStr, self.ranges[id(node)], values=self.parts(node))

    def templated_string(self, node: Any) -> ast.expr:
        values = [part.value for part in self.parts(node) if isinstance(part, ast.FormattedValue)]
        return self.make(ast.Tuple, self.ranges[id(node)], elts=values, ctx=ast.Load())

    def parts(self, node: Any) -> list[ast.expr]:
        """The parts of an f-string or t-string."""
        prefix = node.start[: -len(node.end)].lower()
        raw = "r" if "r" in prefix else ""
        parts = []
        for part in node.parts:
            if hasattr(part, "expression"):
                if part.equal is not None:
                    # The text of `x=` in `f"{x=}"`, as far as anybody asks for it.
                    parts.append(self.constant(part, "="))
                parts.append(self.field(part, raw))
            else:
                parts.append(self.constant(part, _text(part.value, raw, node.end)))
        return parts

    def field(self, node: Any, raw: str) -> ast.expr:
        value = self.expression(node.expression)
        conversion = -1 if node.conversion is None else ord(node.conversion)
        if node.equal is not None and conversion == -1 and node.format_spec is None:
            conversion = ord("r")
        spec = None
        if node.format_spec is not None:
            values = [
                self.field(part, raw)
                if hasattr(part, "expression")
                else self.constant(part, _text(part.value, raw, '"""', braces=False))
                for part in node.format_spec
            ]
            spec = self.make(ast.JoinedStr, self.ranges[id(node)], values=values)
        return self.make(
            ast.FormattedValue, self.ranges[id(node)], value=value, conversion=conversion, format_spec=spec
        )

    def concatenated_string(self, node: cst.ConcatenatedString) -> ast.expr:
        pieces: list[Any] = []
        rest: Any = node
        while isinstance(rest, cst.ConcatenatedString):
            pieces.append(rest.left)
            rest = rest.right
        pieces.append(rest)
        place = self.ranges[id(node)]
        if _TEMPLATED is not None and any(isinstance(piece, _TEMPLATED) for piece in pieces):
            values = [self.expression(piece) for piece in pieces]
            elements = [item for value in values if isinstance(value, ast.Tuple) for item in value.elts]
            return self.make(ast.Tuple, place, elts=elements, ctx=ast.Load())
        if any(isinstance(piece, cst.FormattedString) for piece in pieces):
            parts: list[ast.expr] = []
            for piece in pieces:
                if isinstance(piece, cst.FormattedString):
                    parts.extend(self.parts(piece))
                else:
                    parts.append(self.expression(piece))
            return self.make(ast.JoinedStr, place, values=parts)
        texts: list[Any] = [ast.literal_eval(piece.value) for piece in pieces]
        value = b"".join(texts) if isinstance(texts[0], bytes) else "".join(texts)
        return self.make(ast.Constant, place, value=value)

    def attribute(self, node: cst.Attribute) -> ast.expr:
        value = self.expression(node.value)
        name = _normal(node.attr.value)
        return self.make(ast.Attribute, self.ranges[id(node)], value=value, attr=name, ctx=ast.Load())

    def call(self, node: cst.Call) -> ast.expr:
        args, keywords = self.arguments(node.args)
        if len(args) == 1 and isinstance(args[0], ast.GeneratorExp) and not keywords:
            only = node.args[0]
            if not only.value.lpar:
                # The parentheses of the call are those of the generator.
                generator = args[0]
                generator.lineno, generator.col_offset = self.ranges[id(node.whitespace_after_func)][2:]
                generator.end_lineno, generator.end_col_offset = self.ranges[id(node)][2:]
        return self.make(ast.Call, self.ranges[id(node)], func=self.expression(node.func), args=args, keywords=keywords)

    def arguments(self, nodes: Sequence[cst.Arg]) -> tuple[list[ast.expr], list[ast.keyword]]:
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for node in nodes:
            value = self.expression(node.value)
            if node.keyword is not None:
                keywords.append(
                    self.make(ast.keyword, self.ranges[id(node)], arg=_normal(node.keyword.value), value=value)
                )
            elif node.star == "**":
                keywords.append(self.make(ast.keyword, self.ranges[id(node)], arg=None, value=value))
            elif node.star == "*":
                start = self.ranges[id(node)][:2]
                place = (*start, *self.whole(node.value)[2:])
                args.append(self.make(ast.Starred, place, value=value, ctx=ast.Load()))
            else:
                args.append(value)
        return args, keywords

    def subscript(self, node: cst.Subscript) -> ast.expr:
        elements = [self.element(item) for item in node.slice]
        last = node.slice[-1]
        if len(elements) == 1 and not isinstance(last.comma, cst.Comma) and not isinstance(elements[0], ast.Starred):
            index = elements[0]
        else:
            start = self.ranges[id(node.slice[0])][:2]
            place = (*start, *self.end_with_comma(last, last.slice))
            index = self.make(ast.Tuple, place, elts=elements, ctx=ast.Load())
        value = self.expression(node.value)
        return self.make(ast.Subscript, self.ranges[id(node)], value=value, slice=index, ctx=ast.Load())

    def end_with_comma(self, element: Any, value: Any) -> _Place:
        if isinstance(element.comma, cst.Comma):
            return self.token_end(element.comma)
        return self.end(value)

    def token_end(self, node: cst.Comma | cst.Colon | cst.Semicolon) -> _Place:
        """The end of a one-character token, without the blanks that belong to its node."""
        row, column = self.ranges[id(node.whitespace_before)][2:]
        return row, column + 1

    def end(self, value: Any) -> _Place:
        if isinstance(value, cst.Index):
            return self.whole(value.value)[2:]
        if isinstance(value, cst.Slice):
            if value.step is not None:
                return self.whole(value.step)[2:]
            if isinstance(value.second_colon, cst.Colon):
                return self.token_end(value.second_colon)
            return self.token_end(value.first_colon) if value.upper is None else self.whole(value.upper)[2:]
        return self.whole(value)[2:]

    def element(self, node: cst.SubscriptElement) -> ast.expr:
        part = node.slice
        if isinstance(part, cst.Slice):
            return self.make(
                ast.Slice,
                (*self.ranges[id(part)][:2], *self.end(part)),
                lower=self.optional(part.lower),
                upper=self.optional(part.upper),
                step=self.optional(part.step),
            )
        assert isinstance(part, cst.Index)
        value: ast.expr = self.expression(part.value)
        if part.star:
            return self.make(ast.Starred, self.ranges[id(part)], value=value, ctx=ast.Load())
        return value

    def tuple_(self, node: cst.Tuple) -> ast.expr:
        place = self.inner(node)
        if not node.lpar:
            last = node.elements[-1]
            place = (*place[:2], *self.end_with_comma(last, last if hasattr(last, "lpar") else last.value))
        return self.make(ast.Tuple, place, elts=self.elements(node.elements), ctx=ast.Load())

    def elements(self, nodes: Sequence[cst.BaseElement]) -> list[ast.expr]:
        return [
            self.starred_element(node) if isinstance(node, cst.StarredElement) else self.expression(node.value)
            for node in nodes
        ]

    def starred_element(self, node: cst.StarredElement) -> ast.expr:
        value = self.expression(node.value)
        place = (*self.ranges[id(node)][:2], *self.whole(node.value)[2:])
        return self.make(ast.Starred, place, value=value, ctx=ast.Load())

    def list_(self, node: cst.List) -> ast.expr:
        return self.make(ast.List, self.ranges[id(node)], elts=self.elements(node.elements), ctx=ast.Load())

    def set_(self, node: cst.Set) -> ast.expr:
        return self.make(ast.Set, self.ranges[id(node)], elts=self.elements(node.elements))

    def dict_(self, node: cst.Dict) -> ast.expr:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for element in node.elements:
            keys.append(self.expression(element.key) if isinstance(element, cst.DictElement) else None)
            values.append(self.expression(element.value))
        return self.make(ast.Dict, self.ranges[id(node)], keys=keys, values=values)

    def list_comprehension(self, node: cst.ListComp) -> ast.expr:
        return self.comprehension(ast.ListComp, self.ranges[id(node)], node)

    def set_comprehension(self, node: cst.SetComp) -> ast.expr:
        return self.comprehension(ast.SetComp, self.ranges[id(node)], node)

    def generator(self, node: cst.GeneratorExp) -> ast.expr:
        return self.comprehension(ast.GeneratorExp, self.inner(node), node)

    def comprehension(self, kind: Callable[..., ast.expr], place: _Range, node: Any) -> ast.expr:
        element = self.expression(node.elt)
        return self.make(kind, place, elt=element, generators=self.generators(node.for_in))

    def dict_comprehension(self, node: cst.DictComp) -> ast.expr:
        return self.make(
            ast.DictComp,
            self.ranges[id(node)],
            key=self.expression(node.key),
            value=self.expression(node.value),
            generators=self.generators(node.for_in),
        )

    def starred_dict_comprehension(self, node: Any) -> ast.expr:
        return self.make(
            ast.DictComp,
            self.ranges[id(node)],
            key=self.expression(node.value),
            value=None,
            generators=self.generators(node.for_in),
        )

    def generators(self, node: cst.CompFor) -> list[ast.comprehension]:
        result = []
        current: cst.CompFor | None = node
        while current is not None:
            result.append(
                ast.comprehension(
                    target=self.expression(current.target),
                    iter=self.expression(current.iter),
                    ifs=[self.expression(condition.test) for condition in current.ifs],
                    is_async=int(current.asynchronous is not None),
                )
            )
            current = current.inner_for_in
        return result

    def binary(self, node: cst.BinaryOperation) -> ast.expr:
        return self.make(
            ast.BinOp,
            self.ranges[id(node)],
            left=self.expression(node.left),
            op=_BINARY[type(node.operator)](),
            right=self.expression(node.right),
        )

    def unary(self, node: cst.UnaryOperation) -> ast.expr:
        operand = self.expression(node.expression)
        return self.make(ast.UnaryOp, self.ranges[id(node)], op=_UNARY[type(node.operator)](), operand=operand)

    def boolean(self, node: cst.BooleanOperation) -> ast.expr:
        kind = type(node.operator)
        values: list[Any] = []
        pending: list[Any] = [node]
        while pending:
            current = pending.pop()
            same = isinstance(current, cst.BooleanOperation) and type(current.operator) is kind
            if same and (current is node or not current.lpar):
                pending.append(current.right)
                pending.append(current.left)
            else:
                values.append(self.expression(current))
        return self.make(
            ast.BoolOp, self.ranges[id(node)], op=ast.And() if kind is cst.And else ast.Or(), values=values
        )

    def comparison(self, node: cst.Comparison) -> ast.expr:
        return self.make(
            ast.Compare,
            self.ranges[id(node)],
            left=self.expression(node.left),
            ops=[_COMPARE[type(target.operator)]() for target in node.comparisons],
            comparators=[self.expression(target.comparator) for target in node.comparisons],
        )

    def conditional(self, node: cst.IfExp) -> ast.expr:
        return self.make(
            ast.IfExp,
            self.ranges[id(node)],
            test=self.expression(node.test),
            body=self.expression(node.body),
            orelse=self.expression(node.orelse),
        )

    def lambda_(self, node: cst.Lambda) -> ast.expr:
        body = self.expression(node.body)
        return self.make(ast.Lambda, self.ranges[id(node)], args=self.parameters(node.params), body=body)

    def walrus(self, node: cst.NamedExpr) -> ast.expr:
        target, value = self.expression(node.target), self.expression(node.value)
        return self.make(ast.NamedExpr, self.ranges[id(node)], target=target, value=value)

    def await_(self, node: cst.Await) -> ast.expr:
        return self.make(ast.Await, self.ranges[id(node)], value=self.expression(node.expression))

    def yield_(self, node: cst.Yield) -> ast.expr:
        if isinstance(node.value, cst.From):
            return self.make(ast.YieldFrom, self.ranges[id(node)], value=self.expression(node.value.item))
        return self.make(ast.Yield, self.ranges[id(node)], value=self.optional(node.value))

    # Parameters.

    def parameters(self, node: cst.Parameters) -> ast.arguments:
        positional = [*node.posonly_params, *node.params]
        return ast.arguments(
            posonlyargs=[self.parameter(param) for param in node.posonly_params],
            args=[self.parameter(param) for param in node.params],
            vararg=self.parameter(node.star_arg) if isinstance(node.star_arg, cst.Param) else None,
            kwonlyargs=[self.parameter(param) for param in node.kwonly_params],
            kw_defaults=[self.optional(param.default) for param in node.kwonly_params],
            kwarg=None if node.star_kwarg is None else self.parameter(node.star_kwarg),
            defaults=[self.expression(param.default) for param in positional if param.default is not None],
        )

    def parameter(self, node: cst.Param) -> ast.arg:
        annotation = None if node.annotation is None else self.expression(node.annotation.annotation)
        return self.make(
            ast.arg, self.ranges[id(node.name)], arg=_normal(node.name.value), annotation=annotation, type_comment=None
        )

    # Statements.

    def statements(self, nodes: Sequence[Any]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                result.extend(self.simple(node))
            else:
                result.append(_COMPOUND[type(node)](self, node))
        return result

    def suite(self, node: cst.BaseSuite) -> list[ast.stmt]:
        if isinstance(node, cst.SimpleStatementSuite):
            return self.simple(node)
        return self.statements(node.body)

    def simple(self, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> list[ast.stmt]:
        result = [_SMALL[type(small)](self, small) for small in node.body]
        semicolon = node.body[-1].semicolon
        if isinstance(semicolon, cst.Semicolon):
            # It belongs to no statement, but to the compound one around it.
            self.block_ends[id(result[-1])] = self.token_end(semicolon)
        return result

    def block(self, node: Any) -> list[ast.stmt]:
        """The body of an `else`, `finally` or of nothing."""
        return [] if node is None else self.suite(node.body)

    def compound(self, kind: Callable[..., _N], node: Any, *bodies: list[Any], **fields: Any) -> _N:
        """A compound statement: it ends where the last statement of its last body ends."""
        row, column = self.ranges[id(node)][:2]
        asynchronous = getattr(node, "asynchronous", None)
        if asynchronous is not None:
            row, column = self.ranges[id(asynchronous)][:2]
        last = [body[-1] for body in bodies if body][-1]
        end = self.block_ends.get(id(last), (last.end_lineno, last.end_col_offset))
        return self.make(kind, (row, column, *end), **fields)

    def assign(self, node: cst.Assign) -> ast.stmt:
        targets = [self.expression(target.target) for target in node.targets]
        value = self.expression(node.value)
        return self.make(ast.Assign, self.ranges[id(node)], targets=targets, value=value, type_comment=None)

    def annotated_assign(self, node: cst.AnnAssign) -> ast.stmt:
        return self.make(
            ast.AnnAssign,
            self.ranges[id(node)],
            target=self.expression(node.target),
            annotation=self.expression(node.annotation.annotation),
            value=self.optional(node.value),
            simple=int(isinstance(node.target, cst.Name) and not node.target.lpar),
        )

    def augmented_assign(self, node: cst.AugAssign) -> ast.stmt:
        return self.make(
            ast.AugAssign,
            self.ranges[id(node)],
            target=self.expression(node.target),
            op=_AUGMENTED[type(node.operator)](),
            value=self.expression(node.value),
        )

    def expression_statement(self, node: cst.Expr) -> ast.stmt:
        return self.make(ast.Expr, self.ranges[id(node)], value=self.expression(node.value))

    def return_(self, node: cst.Return) -> ast.stmt:
        return self.make(ast.Return, self.ranges[id(node)], value=self.optional(node.value))

    def raise_(self, node: cst.Raise) -> ast.stmt:
        cause = node.cause.item if isinstance(node.cause, cst.From) else None
        return self.make(ast.Raise, self.ranges[id(node)], exc=self.optional(node.exc), cause=self.optional(cause))

    def assert_(self, node: cst.Assert) -> ast.stmt:
        test, message = self.expression(node.test), self.optional(node.msg)
        return self.make(ast.Assert, self.ranges[id(node)], test=test, msg=message)

    def delete(self, node: cst.Del) -> ast.stmt:
        target: Any = node.target
        if isinstance(target, cst.Tuple) and not target.lpar:
            targets = self.elements(target.elements)
        else:
            targets = [self.expression(target)]
        return self.make(ast.Delete, self.ranges[id(node)], targets=targets)

    def pass_(self, node: cst.Pass) -> ast.stmt:
        return self.make(ast.Pass, self.ranges[id(node)])

    def break_(self, node: cst.Break) -> ast.stmt:
        return self.make(ast.Break, self.ranges[id(node)])

    def continue_(self, node: cst.Continue) -> ast.stmt:
        return self.make(ast.Continue, self.ranges[id(node)])

    def global_(self, node: cst.Global) -> ast.stmt:
        names = [_normal(item.name.value) for item in node.names]
        return self.make(ast.Global, self.ranges[id(node)], names=names)

    def nonlocal_(self, node: cst.Nonlocal) -> ast.stmt:
        names = [_normal(item.name.value) for item in node.names]
        return self.make(ast.Nonlocal, self.ranges[id(node)], names=names)

    def import_(self, node: Any) -> ast.stmt:
        names = [self.alias(alias) for alias in node.names]
        return self.make(ast.Import, self.ranges[id(node)], names=names)

    def import_from(self, node: Any) -> ast.stmt:
        if isinstance(node.names, cst.ImportStar):
            names = [self.make(ast.alias, self.ranges[id(node.names)], name="*", asname=None)]
        else:
            names = [self.alias(alias) for alias in node.names]
        module = None if node.module is None else _dotted(node.module)
        return self.make(ast.ImportFrom, self.ranges[id(node)], module=module, names=names, level=len(node.relative))

    def alias(self, node: cst.ImportAlias) -> ast.alias:
        place = self.ranges[id(node.name)]
        asname = None
        if node.asname is not None and isinstance(node.asname.name, cst.Name):
            asname = _normal(node.asname.name.value)
            place = (*place[:2], *self.ranges[id(node.asname.name)][2:])
        return self.make(ast.alias, place, name=_dotted(node.name), asname=asname)

    def type_alias(self, node: cst.TypeAlias) -> ast.stmt:
        # An assignment, as Python before 3.12 has no node for it.
        name, value = self.expression(node.name), self.expression(node.value)
        return self.make(ast.Assign, self.ranges[id(node)], targets=[name], value=value, type_comment=None)

    def if_(self, node: cst.If) -> ast.stmt:
        links = [node]
        while isinstance(links[-1].orelse, cst.If):
            links.append(links[-1].orelse)
        last = links[-1].orelse
        orelse = self.suite(last.body) if isinstance(last, cst.Else) else []
        for link in reversed(links):
            body = self.suite(link.body)
            test = self.expression(link.test)
            orelse = [self.compound(ast.If, link, body, orelse, test=test, body=body, orelse=orelse)]
        return orelse[0]

    def for_(self, node: cst.For) -> ast.stmt:
        body, orelse = self.suite(node.body), self.block(node.orelse)
        return self.compound(
            ast.For if node.asynchronous is None else ast.AsyncFor,
            node,
            body,
            orelse,
            target=self.expression(node.target),
            iter=self.expression(node.iter),
            body=body,
            orelse=orelse,
            type_comment=None,
        )

    def while_(self, node: cst.While) -> ast.stmt:
        body, orelse = self.suite(node.body), self.block(node.orelse)
        test = self.expression(node.test)
        return self.compound(ast.While, node, body, orelse, test=test, body=body, orelse=orelse)

    def with_(self, node: cst.With) -> ast.stmt:
        body = self.suite(node.body)
        items = [
            ast.withitem(
                context_expr=self.expression(item.item),
                optional_vars=None if item.asname is None else self.expression(item.asname.name),
            )
            for item in node.items
        ]
        kind = ast.With if node.asynchronous is None else ast.AsyncWith
        return self.compound(kind, node, body, items=items, body=body, type_comment=None)

    def try_(self, node: Any) -> ast.stmt:
        body = self.suite(node.body)
        handlers = []
        for handler in node.handlers:
            handler_body = self.suite(handler.body)
            name = None if handler.name is None else _normal(handler.name.name.value)
            kind = self.optional(handler.type)
            handlers.append(
                self.compound(ast.ExceptHandler, handler, handler_body, type=kind, name=name, body=handler_body)
            )
        orelse, final = self.block(node.orelse), self.block(node.finalbody)
        return self.compound(
            _TRY_STAR if isinstance(node, cst.TryStar) else ast.Try,
            node,
            body,
            handlers,
            orelse,
            final,
            body=body,
            handlers=handlers,
            orelse=orelse,
            finalbody=final,
        )

    def function(self, node: cst.FunctionDef) -> ast.stmt:
        body = self.suite(node.body)
        return self.compound(
            ast.FunctionDef if node.asynchronous is None else ast.AsyncFunctionDef,
            node,
            body,
            name=_normal(node.name.value),
            args=self.parameters(node.params),
            body=body,
            decorator_list=[self.expression(decorator.decorator) for decorator in node.decorators],
            returns=None if node.returns is None else self.expression(node.returns.annotation),
            type_comment=None,
        )

    def class_(self, node: cst.ClassDef) -> ast.stmt:
        body = self.suite(node.body)
        bases, keywords = self.arguments([*node.bases, *node.keywords])
        return self.compound(
            ast.ClassDef,
            node,
            body,
            name=_normal(node.name.value),
            bases=bases,
            keywords=keywords,
            body=body,
            decorator_list=[self.expression(decorator.decorator) for decorator in node.decorators],
        )

    # Match statements.

    def match(self, node: cst.Match) -> ast.stmt:
        cases = [
            ast.match_case(
                pattern=self.pattern(case.pattern), guard=self.optional(case.guard), body=self.suite(case.body)
            )
            for case in node.cases
        ]
        return self.compound(ast.Match, node, cases[-1].body, subject=self.expression(node.subject), cases=cases)

    def pattern(self, node: Any) -> Any:
        place = self.ranges[id(node)]
        if isinstance(node, cst.MatchValue):
            return self.make(ast.MatchValue, self.ranges[id(node.value)], value=self.expression(node.value))
        if isinstance(node, cst.MatchSingleton):
            return self.make(ast.MatchSingleton, self.ranges[id(node.value)], value=_SINGLETONS[node.value.value])
        if isinstance(node, cst.MatchSequence):
            if isinstance(node, cst.MatchTuple):
                place = self.inner(node)
            patterns = [self.pattern(item if isinstance(item, cst.MatchStar) else item.value) for item in node.patterns]
            return self.make(ast.MatchSequence, place, patterns=patterns)
        if isinstance(node, cst.MatchStar):
            name = None if node.name is None or node.name.value == "_" else _normal(node.name.value)
            return self.make(ast.MatchStar, place, name=name)
        if isinstance(node, cst.MatchMapping):
            return self.make(
                ast.MatchMapping,
                place,
                keys=[self.expression(element.key) for element in node.elements],
                patterns=[self.pattern(element.pattern) for element in node.elements],
                rest=None if node.rest is None else _normal(node.rest.value),
            )
        if isinstance(node, cst.MatchClass):
            return self.make(
                ast.MatchClass,
                place,
                cls=self.expression(node.cls),
                patterns=[self.pattern(item.value) for item in node.patterns],
                kwd_attrs=[_normal(item.key.value) for item in node.kwds],
                kwd_patterns=[self.pattern(item.pattern) for item in node.kwds],
            )
        if isinstance(node, cst.MatchOr):
            return self.make(ast.MatchOr, place, patterns=[self.pattern(item.pattern) for item in node.patterns])
        assert isinstance(node, cst.MatchAs)
        name = None if node.name is None or node.name.value == "_" else _normal(node.name.value)
        pattern = None if node.pattern is None else self.pattern(node.pattern)
        return self.make(ast.MatchAs, place, pattern=pattern, name=name)


_SINGLETONS: dict[str, bool | None] = {"None": None, "True": True, "False": False}
_TEMPLATED: Any = getattr(cst, "TemplatedString", None)
_TRY_STAR: Callable[..., ast.stmt] = getattr(ast, "TryStar", ast.Try)


def _normal(name: str) -> str:
    """An identifier as the compiler sees it."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def _dotted(node: Any) -> str:
    names = []
    while isinstance(node, cst.Attribute):
        names.append(_normal(node.attr.value))
        node = node.value
    names.append(_normal(node.value))
    return ".".join(reversed(names))


def _text(value: str, raw: str, quote: str, braces: bool = True) -> str:
    """The text that a literal part of an f-string stands for."""
    if braces:
        value = value.replace("{{", "{").replace("}}", "}")
    if raw or "\\" not in value:
        return value.replace("\r\n", "\n").replace("\r", "\n")
    if value.endswith('"') and not value.endswith('\\"') and quote == '"""':
        return str(ast.literal_eval('"""' + value[:-1] + '\\""""'))
    return str(ast.literal_eval(quote + value + quote))


_EXPRESSIONS: dict[type, Callable[[_Converter, Any], ast.expr]] = {
    cst.Name: _Converter.name,
    cst.Attribute: _Converter.attribute,
    cst.Integer: _Converter.number,
    cst.Float: _Converter.number,
    cst.Imaginary: _Converter.number,
    cst.SimpleString: _Converter.simple_string,
    cst.FormattedString: _Converter.formatted_string,
    cst.ConcatenatedString: _Converter.concatenated_string,
    cst.Ellipsis: _Converter.ellipsis,
    cst.Call: _Converter.call,
    cst.Subscript: _Converter.subscript,
    cst.Tuple: _Converter.tuple_,
    cst.List: _Converter.list_,
    cst.Set: _Converter.set_,
    cst.Dict: _Converter.dict_,
    cst.StarredElement: _Converter.starred_element,
    cst.ListComp: _Converter.list_comprehension,
    cst.SetComp: _Converter.set_comprehension,
    cst.DictComp: _Converter.dict_comprehension,
    cst.GeneratorExp: _Converter.generator,
    cst.BinaryOperation: _Converter.binary,
    cst.UnaryOperation: _Converter.unary,
    cst.BooleanOperation: _Converter.boolean,
    cst.Comparison: _Converter.comparison,
    cst.IfExp: _Converter.conditional,
    cst.Lambda: _Converter.lambda_,
    cst.NamedExpr: _Converter.walrus,
    cst.Await: _Converter.await_,
    cst.Yield: _Converter.yield_,
}
_SMALL: dict[type, Callable[[_Converter, Any], ast.stmt]] = {
    cst.Assign: _Converter.assign,
    cst.AnnAssign: _Converter.annotated_assign,
    cst.AugAssign: _Converter.augmented_assign,
    cst.Expr: _Converter.expression_statement,
    cst.Return: _Converter.return_,
    cst.Raise: _Converter.raise_,
    cst.Assert: _Converter.assert_,
    cst.Del: _Converter.delete,
    cst.Pass: _Converter.pass_,
    cst.Break: _Converter.break_,
    cst.Continue: _Converter.continue_,
    cst.Global: _Converter.global_,
    cst.Nonlocal: _Converter.nonlocal_,
    cst.Import: _Converter.import_,
    cst.ImportFrom: _Converter.import_from,
}
_COMPOUND: dict[type, Callable[[_Converter, Any], ast.stmt]] = {
    cst.If: _Converter.if_,
    cst.For: _Converter.for_,
    cst.While: _Converter.while_,
    cst.With: _Converter.with_,
    cst.Try: _Converter.try_,
    cst.TryStar: _Converter.try_,
    cst.FunctionDef: _Converter.function,
    cst.ClassDef: _Converter.class_,
    cst.Match: _Converter.match,
}
# Newer than the oldest LibCST that is supported.
for _name, _method in (
    ("TemplatedString", _Converter.templated_string),
    ("StarredDictComp", _Converter.starred_dict_comprehension),
):
    if hasattr(cst, _name):
        _EXPRESSIONS[getattr(cst, _name)] = _method
for _name, _statement in (
    ("TypeAlias", _Converter.type_alias),
    ("LazyImport", _Converter.import_),
    ("LazyImportFrom", _Converter.import_from),
):
    if hasattr(cst, _name):
        _SMALL[getattr(cst, _name)] = _statement

_BINARY: dict[type, type[ast.operator]] = {
    cst.Add: ast.Add,
    cst.Subtract: ast.Sub,
    cst.Multiply: ast.Mult,
    cst.Divide: ast.Div,
    cst.FloorDivide: ast.FloorDiv,
    cst.Modulo: ast.Mod,
    cst.Power: ast.Pow,
    cst.LeftShift: ast.LShift,
    cst.RightShift: ast.RShift,
    cst.BitOr: ast.BitOr,
    cst.BitAnd: ast.BitAnd,
    cst.BitXor: ast.BitXor,
    cst.MatrixMultiply: ast.MatMult,
}
_AUGMENTED: dict[type, type[ast.operator]] = {
    cst.AddAssign: ast.Add,
    cst.SubtractAssign: ast.Sub,
    cst.MultiplyAssign: ast.Mult,
    cst.MatrixMultiplyAssign: ast.MatMult,
    cst.DivideAssign: ast.Div,
    cst.FloorDivideAssign: ast.FloorDiv,
    cst.ModuloAssign: ast.Mod,
    cst.PowerAssign: ast.Pow,
    cst.LeftShiftAssign: ast.LShift,
    cst.RightShiftAssign: ast.RShift,
    cst.BitOrAssign: ast.BitOr,
    cst.BitAndAssign: ast.BitAnd,
    cst.BitXorAssign: ast.BitXor,
}
_UNARY: dict[type, type[ast.unaryop]] = {
    cst.Plus: ast.UAdd,
    cst.Minus: ast.USub,
    cst.BitInvert: ast.Invert,
    cst.Not: ast.Not,
}
_COMPARE: dict[type, type[ast.cmpop]] = {
    cst.Equal: ast.Eq,
    cst.NotEqual: ast.NotEq,
    cst.LessThan: ast.Lt,
    cst.LessThanEqual: ast.LtE,
    cst.GreaterThan: ast.Gt,
    cst.GreaterThanEqual: ast.GtE,
    cst.Is: ast.Is,
    cst.IsNot: ast.IsNot,
    cst.In: ast.In,
    cst.NotIn: ast.NotIn,
}
