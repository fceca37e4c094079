"""Conversion of statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import libcst as cst

from hostsync.syntax.concrete.expressions import SINGLETONS, ExpressionConverter, normal
from hostsync.syntax.concrete.positions import Position, Range

_N = TypeVar("_N")


class StatementConverter(ExpressionConverter):
    """Converts the statements of one module."""

    def __init__(self, ranges: dict[int, Range]) -> None:
        super().__init__(ranges)
        self.block_ends: dict[int, Position] = {}

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
        names = [normal(item.name.value) for item in node.names]
        return self.make(ast.Global, self.ranges[id(node)], names=names)

    def nonlocal_(self, node: cst.Nonlocal) -> ast.stmt:
        names = [normal(item.name.value) for item in node.names]
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
            asname = normal(node.asname.name.value)
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
            name = None if handler.name is None else normal(handler.name.name.value)
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
            name=normal(node.name.value),
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
            name=normal(node.name.value),
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
            return self.make(ast.MatchSingleton, self.ranges[id(node.value)], value=SINGLETONS[node.value.value])
        if isinstance(node, cst.MatchSequence):
            if isinstance(node, cst.MatchTuple):
                place = self.inner(node)
            patterns = [self.pattern(item if isinstance(item, cst.MatchStar) else item.value) for item in node.patterns]
            return self.make(ast.MatchSequence, place, patterns=patterns)
        if isinstance(node, cst.MatchStar):
            name = None if node.name is None or node.name.value == "_" else normal(node.name.value)
            return self.make(ast.MatchStar, place, name=name)
        if isinstance(node, cst.MatchMapping):
            return self.make(
                ast.MatchMapping,
                place,
                keys=[self.expression(element.key) for element in node.elements],
                patterns=[self.pattern(element.pattern) for element in node.elements],
                rest=None if node.rest is None else normal(node.rest.value),
            )
        if isinstance(node, cst.MatchClass):
            return self.make(
                ast.MatchClass,
                place,
                cls=self.expression(node.cls),
                patterns=[self.pattern(item.value) for item in node.patterns],
                kwd_attrs=[normal(item.key.value) for item in node.kwds],
                kwd_patterns=[self.pattern(item.pattern) for item in node.kwds],
            )
        if isinstance(node, cst.MatchOr):
            return self.make(ast.MatchOr, place, patterns=[self.pattern(item.pattern) for item in node.patterns])
        assert isinstance(node, cst.MatchAs)
        name = None if node.name is None or node.name.value == "_" else normal(node.name.value)
        pattern = None if node.pattern is None else self.pattern(node.pattern)
        return self.make(ast.MatchAs, place, pattern=pattern, name=name)


_TRY_STAR: Callable[..., ast.stmt] = getattr(ast, "TryStar", ast.Try)


def _dotted(node: Any) -> str:
    names = []
    while isinstance(node, cst.Attribute):
        names.append(normal(node.attr.value))
        node = node.value
    names.append(normal(node.value))
    return ".".join(reversed(names))


_SMALL: dict[type, Callable[[StatementConverter, Any], ast.stmt]] = {
    cst.Assign: StatementConverter.assign,
    cst.AnnAssign: StatementConverter.annotated_assign,
    cst.AugAssign: StatementConverter.augmented_assign,
    cst.Expr: StatementConverter.expression_statement,
    cst.Return: StatementConverter.return_,
    cst.Raise: StatementConverter.raise_,
    cst.Assert: StatementConverter.assert_,
    cst.Del: StatementConverter.delete,
    cst.Pass: StatementConverter.pass_,
    cst.Break: StatementConverter.break_,
    cst.Continue: StatementConverter.continue_,
    cst.Global: StatementConverter.global_,
    cst.Nonlocal: StatementConverter.nonlocal_,
    cst.Import: StatementConverter.import_,
    cst.ImportFrom: StatementConverter.import_from,
}
_COMPOUND: dict[type, Callable[[StatementConverter, Any], ast.stmt]] = {
    cst.If: StatementConverter.if_,
    cst.For: StatementConverter.for_,
    cst.While: StatementConverter.while_,
    cst.With: StatementConverter.with_,
    cst.Try: StatementConverter.try_,
    cst.TryStar: StatementConverter.try_,
    cst.FunctionDef: StatementConverter.function,
    cst.ClassDef: StatementConverter.class_,
    cst.Match: StatementConverter.match,
}
# Newer than the oldest LibCST that is supported.
for _name, _statement in (
    ("TypeAlias", StatementConverter.type_alias),
    ("LazyImport", StatementConverter.import_),
    ("LazyImportFrom", StatementConverter.import_from),
):
    if hasattr(cst, _name):
        _SMALL[getattr(cst, _name)] = _statement


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
