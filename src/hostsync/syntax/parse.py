"""Source → facts: parsing, and errors that say where and why, without a traceback."""

from __future__ import annotations

import ast

from hostsync.facts import Module
from hostsync.syntax.comments import find_allows
from hostsync.syntax.deep import run_deep, without_warnings
from hostsync.syntax.lowering.statements import lower
from hostsync.syntax.text import SourceError, decode, sentence, split_lines

TOO_DEEP = "nested too deeply to be parsed"


def parse_module(source: bytes, name: str) -> Module:
    """Turn the bytes of a Python file into facts.

    Args:
        source: the file as it is on disk; its encoding is found as Python finds it (mark, PEP 263 comment, UTF-8).
        name: the dotted name of the module.

    Raises:
        SourceError: it cannot be decoded or parsed. No other error comes out.
    """
    return parse_module_text(decode(source), name)


def parse_module_text(text: str, name: str) -> Module:
    """Turn the text of a Python file into facts; as `parse_module`, for text that is decoded already.

    Raises:
        SourceError: it cannot be parsed.
    """
    text = text.removeprefix("\ufeff")
    try:
        tree = parse_tree(text)
    except SourceError as error:
        newer = None if error.message == TOO_DEEP else _parse_newer(text)
        if newer is None:
            raise
        body = lower(newer)
    else:
        body = lower(tree, None if text.isascii() else split_lines(text))
    return Module(name, body, find_allows(text))


def parse_tree(text: str) -> ast.Module:
    """Parse a source text with the parser of the running interpreter; columns count UTF-8 bytes.

    Type comments are read where there are any.

    Raises:
        SourceError: kind `syntax-error`.
    """
    try:
        try:
            return _parse(text)
        except (RecursionError, MemoryError):
            return run_deep(lambda: _parse(text))
    except SyntaxError as error:
        raise _syntax_error(error) from None
    except (RecursionError, MemoryError):
        raise SourceError("syntax-error", 1, 1, TOO_DEEP) from None
    except (ValueError, RuntimeError) as error:
        raise SourceError("syntax-error", 1, 1, sentence(str(error))) from None


def _parse(text: str) -> ast.Module:
    with without_warnings():
        if "# type:" in text:
            try:
                return ast.parse(text, type_comments=True)
            except SyntaxError:
                # A comment that only looks like a type is an error there.
                pass
        return ast.parse(text)


def _parse_newer(text: str) -> ast.Module | None:
    """Parse with LibCST what may be syntax newer than the running interpreter; columns count characters.

    Returns:
        None where LibCST cannot parse it either.
    """
    from hostsync.syntax.concrete.parsing import ConcreteError, parse_concrete

    try:
        return parse_concrete(text)
    except ConcreteError:
        return None


def _syntax_error(error: SyntaxError) -> SourceError:
    message = error.msg or "invalid syntax"
    if "too many nested" in message or "too many levels of indentation" in message:
        message = TOO_DEEP
    return SourceError("syntax-error", error.lineno or 1, error.offset or 1, sentence(message))
