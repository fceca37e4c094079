"""Parsing with LibCST.

Lowering the result gives the same facts as lowering what `ast.parse` makes of the same text, except that columns count
characters already (so `lower` is to be called without lines), that contexts are always `Load`, that type comments
are not read, and that `type X = …` statements and type parameters are gone.
"""

from __future__ import annotations

import ast

import libcst as cst

from hostsync.syntax.concrete.positions import Positions
from hostsync.syntax.concrete.shallow import is_shallow
from hostsync.syntax.concrete.statements import StatementConverter
from hostsync.syntax.deep import run_deep, without_warnings


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


def convert(module: cst.Module) -> ast.Module:
    """Convert a module that LibCST has parsed.

    Raises:
        SyntaxError, ValueError: a literal in it has no value.
    """
    positions = Positions(module)
    module._codegen(positions)
    return ast.Module(body=StatementConverter(positions.ranges).statements(module.body), type_ignores=[])
