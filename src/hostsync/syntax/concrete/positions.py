"""Where the nodes of a tree of LibCST begin and end."""

from __future__ import annotations

import libcst as cst
from libcst._nodes.internal import CodegenState

Position = tuple[int, int]
Range = tuple[int, int, int, int]


class _Recording:
    """Context manager that notes where the code of a node begins and ends."""

    __slots__ = ("_end_node", "_key", "_start", "_start_node", "_state")

    def __init__(self, state: Positions, key: int, start_node: int | None, end_node: int | None) -> None:
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


class Positions(CodegenState):
    """Generates no code: counts rows and columns, and notes the range of every node by its identity."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.row = 1
        self.column = 0
        self.ranges: dict[int, Range] = {}
        self.starts: list[Position] = []

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
