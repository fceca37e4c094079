"""Conversion of expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import libcst as cst

from hostsync.syntax.concrete.positions import Position, Range

_N = TypeVar("_N")


class ExpressionConverter:
    """Converts the expressions of one module, and the parameters of its functions."""

    def __init__(self, ranges: dict[int, Range]) -> None:
        self.ranges = ranges

    def make(self, kind: Callable[..., _N], place: Range, **fields: Any) -> _N:
        row, column, end_row, end_column = place
        return kind(lineno=row, col_offset=column, end_lineno=end_row, end_col_offset=end_column, **fields)

    def whole(self, node: Any) -> Range:
        """The range of an expression with its parentheses."""
        place = self.ranges[id(node)]
        lpar, rpar = getattr(node, "lpar", ()), getattr(node, "rpar", ())
        if lpar:
            place = (*self.ranges[id(lpar[0])][:2], *place[2:])
        if rpar:
            place = (*place[:2], *self.ranges[id(rpar[-1])][2:])
        return place

    def inner(self, node: Any) -> Range:
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
        if node.value in SINGLETONS:
            return self.constant(node, SINGLETONS[node.value])
        return self.make(ast.Name, self.ranges[id(node)], id=normal(node.value), ctx=ast.Load())

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
        name = normal(node.attr.value)
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
                    self.make(ast.keyword, self.ranges[id(node)], arg=normal(node.keyword.value), value=value)
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

    def end_with_comma(self, element: Any, value: Any) -> Position:
        if isinstance(element.comma, cst.Comma):
            return self.token_end(element.comma)
        return self.end(value)

    def token_end(self, node: cst.Comma | cst.Colon | cst.Semicolon) -> Position:
        """The end of a one-character token, without the blanks that belong to its node."""
        row, column = self.ranges[id(node.whitespace_before)][2:]
        return row, column + 1

    def end(self, value: Any) -> Position:
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

    def comprehension(self, kind: Callable[..., ast.expr], place: Range, node: Any) -> ast.expr:
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
            ast.arg, self.ranges[id(node.name)], arg=normal(node.name.value), annotation=annotation, type_comment=None
        )


SINGLETONS: dict[str, bool | None] = {"None": None, "True": True, "False": False}
_TEMPLATED: Any = getattr(cst, "TemplatedString", None)


def normal(name: str) -> str:
    """An identifier as the compiler sees it."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def _text(value: str, raw: str, quote: str, braces: bool = True) -> str:
    """The text that a literal part of an f-string stands for."""
    if braces:
        value = value.replace("{{", "{").replace("}}", "}")
    if raw or "\\" not in value:
        return value.replace("\r\n", "\n").replace("\r", "\n")
    if value.endswith('"') and not value.endswith('\\"') and quote == '"""':
        return str(ast.literal_eval('"""' + value[:-1] + '\\""""'))
    return str(ast.literal_eval(quote + value + quote))


_EXPRESSIONS: dict[type, Callable[[ExpressionConverter, Any], ast.expr]] = {
    cst.Name: ExpressionConverter.name,
    cst.Attribute: ExpressionConverter.attribute,
    cst.Integer: ExpressionConverter.number,
    cst.Float: ExpressionConverter.number,
    cst.Imaginary: ExpressionConverter.number,
    cst.SimpleString: ExpressionConverter.simple_string,
    cst.FormattedString: ExpressionConverter.formatted_string,
    cst.ConcatenatedString: ExpressionConverter.concatenated_string,
    cst.Ellipsis: ExpressionConverter.ellipsis,
    cst.Call: ExpressionConverter.call,
    cst.Subscript: ExpressionConverter.subscript,
    cst.Tuple: ExpressionConverter.tuple_,
    cst.List: ExpressionConverter.list_,
    cst.Set: ExpressionConverter.set_,
    cst.Dict: ExpressionConverter.dict_,
    cst.StarredElement: ExpressionConverter.starred_element,
    cst.ListComp: ExpressionConverter.list_comprehension,
    cst.SetComp: ExpressionConverter.set_comprehension,
    cst.DictComp: ExpressionConverter.dict_comprehension,
    cst.GeneratorExp: ExpressionConverter.generator,
    cst.BinaryOperation: ExpressionConverter.binary,
    cst.UnaryOperation: ExpressionConverter.unary,
    cst.BooleanOperation: ExpressionConverter.boolean,
    cst.Comparison: ExpressionConverter.comparison,
    cst.IfExp: ExpressionConverter.conditional,
    cst.Lambda: ExpressionConverter.lambda_,
    cst.NamedExpr: ExpressionConverter.walrus,
    cst.Await: ExpressionConverter.await_,
    cst.Yield: ExpressionConverter.yield_,
}
# Newer than the oldest LibCST that is supported.
for _name, _method in (
    ("TemplatedString", ExpressionConverter.templated_string),
    ("StarredDictComp", ExpressionConverter.starred_dict_comprehension),
):
    if hasattr(cst, _name):
        _EXPRESSIONS[getattr(cst, _name)] = _method

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
