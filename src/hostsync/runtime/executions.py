"""How often an expression was executed, from the counts of lines and what the bytecode says of its place in the line.

A line that begins does not execute all of its expressions: `a and b` may skip `b`, and a call of several lines comes
back to its first line. So an expression is looked up among the instructions, and its count is that of the places from
which its instruction is reached without a choice in between. Where there is a choice, the count is an upper bound.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import CodeType
from typing import NamedTuple

from hostsync.runtime.coverage import Begun, CoveredCode

_CHOOSES = ("POP_JUMP_", "JUMP_IF_", "FOR_ITER", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE", "SEND")


class Span(NamedTuple):
    """1-based rows and columns, the end exclusive."""

    row: int
    column: int
    end_row: int
    end_column: int


class Executed(NamedTuple):
    times: int
    """How often; where it is not `sure`, how often at most."""
    is_sure: bool


NEVER = Executed(0, True)


class Executions:
    """Answers for one file."""

    def __init__(self, codes: Iterable[CoveredCode], lines: list[str]) -> None:
        """
        Args:
            codes: what was counted in the file.
            lines: its source.
        """
        self._spans: dict[Span, Executed] = {}
        self._rows: dict[int, Executed] = {}
        self._codes, self._lines = list(codes), lines
        for covered in self._codes:
            for run in _runs(covered, lines):
                self._add(run, covered.begun)

    def _add(self, run: list[_Instruction], begun: tuple[Begun, ...]) -> None:
        """Adds one stretch of instructions of a line."""
        here: dict[Span, Executed] = {}
        most = 0
        for instruction, executed in _executed(run, begun):
            most = executed.times
            if instruction.span is not None:
                # The first one is the expression; a loop goes on with its span for each turn.
                here.setdefault(instruction.span, executed)
        if most:
            sure = not any(instruction.chooses for instruction in run[:-1])
            row = run[0].row
            self._rows[row] = max(self._rows.get(row, NEVER), Executed(most, sure))
        for span, executed in here.items():
            # Python copies some code, such as the condition of a loop and a `finally`.
            known = self._spans.get(span, NEVER)
            self._spans[span] = Executed(known.times + executed.times, known.is_sure and executed.is_sure)

    def of(self, span: Span) -> Executed:
        """How often the expression at `span` was executed."""
        exact = self._spans.get(span)
        if exact is not None:
            return exact
        inside = [executed for at, executed in self._spans.items() if _is_inside(at, span)]
        if inside:
            return max(inside)
        # A line that makes a lambda, such as a default, executes nothing of what is in it.
        return NEVER if span in self._in_what_was_made else self._rows.get(span.row, NEVER)

    @cached_property
    def _in_what_was_made(self) -> frozenset[Span]:
        """The places in lambdas and functions that were made by what ran."""
        made = [code for covered in self._codes for code in _made_by(covered.code)]
        listed = (instruction.span for code in made for instruction in _listed(code, self._lines))
        return frozenset(span for span in listed if span is not None)


def _made_by(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions in a code object, and of those in them."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _made_by(const)


def _is_inside(inner: Span, outer: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


class _Instruction(NamedTuple):
    offset: int
    row: int
    span: Span | None
    chooses: bool


def _executed(run: list[_Instruction], begun: tuple[Begun, ...]) -> Iterator[tuple[_Instruction, Executed]]:
    """The instructions of a stretch that were reached, and how often."""
    first, last, row = run[0].offset, run[-1].offset, run[0].row
    places = sorted(place[1:] for place in begun if place.row == row and first <= place.offset <= last)
    count, is_sure = 0, True
    for instruction in run:
        while places and places[0][0] <= instruction.offset:
            count += places.pop(0)[1]
        if count:
            yield instruction, Executed(count, is_sure)
            is_sure = is_sure and not instruction.chooses


def _runs(covered: CoveredCode, lines: list[str]) -> Iterator[list[_Instruction]]:
    """The instructions of a code object, cut where another line begins."""
    run: list[_Instruction] = []
    for instruction in _listed(covered.code, lines):
        if run and run[-1].row != instruction.row:
            yield run
            run = []
        run.append(instruction)
    if run:
        yield run


def _listed(code: CodeType, lines: list[str]) -> Iterator[_Instruction]:
    rows = {start: row for start, row in dis.findlinestarts(code) if row is not None}
    positions = list(code.co_positions()) if hasattr(code, "co_positions") else []
    row = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        row = rows.get(instruction.offset, row)
        span = None
        at = positions[instruction.offset // 2] if positions else (None,) * 4
        first, end, column, end_column = at
        if first is not None and end is not None and column is not None and end_column is not None:
            span = Span(first, _characters(lines, first, column), end, _characters(lines, end, end_column))
        yield _Instruction(instruction.offset, row, span, instruction.opname.startswith(_CHOOSES))


def _characters(lines: list[str], row: int, offset: int) -> int:
    """The 1-based column of a byte offset, as Python counts in UTF-8."""
    line = lines[row - 1] if 1 <= row <= len(lines) else ""
    return offset + 1 if line.isascii() else len(line.encode()[:offset].decode(errors="replace")) + 1
