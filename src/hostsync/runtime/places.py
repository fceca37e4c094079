"""Frames → places: the expression in the user's code, the library frame under it, and the frames above it."""

from __future__ import annotations

import ast
import dis
import linecache
import os
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterable
from itertools import islice
from types import CodeType, FrameType
from typing import NamedTuple

from hostsync.runtime.allowances import comment_at
from hostsync.runtime.records import Place

USER, LIBRARY, STANDARD, TORCH, OWN = range(5)
"""Whose code a frame runs: the user's, an installed package's, Python's own, torch's, hostsync's."""

CALLERS = 6
"""Frames kept above the place."""

_LIMIT = 50_000
_places: dict[tuple[int, int], tuple[CodeType, Place]] = {}
_operations: dict[tuple[int, int], tuple[CodeType, str]] = {}
_owners: dict[int, tuple[CodeType, int]] = {}
_phases: dict[int, tuple[CodeType, str]] = {}
# The code object is kept with each entry, so that its identity stays its own.


def _folder(path: str) -> str:
    return os.path.normcase(path).rstrip(os.sep) + os.sep


_OWN = _folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120 - no pathlib at import
_STANDARD = tuple({_folder(sysconfig.get_paths()[key]) for key in ("stdlib", "platstdlib")})
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def _torch_folder() -> str:
    torch = sys.modules.get("torch")
    file = getattr(torch, "__file__", None)
    return _folder(os.path.dirname(file)) if file else ""  # noqa: PTH120


_is_claimed: Callable[[str], bool] | None = None


def claim(is_users: Callable[[str], bool] | None) -> None:
    """Counts further files as the user's, those of installed packages and of torch too; None ends that.

    Args:
        is_users: tells of a file, by the name that its code objects carry.
    """
    global _is_claimed
    _is_claimed = is_users
    for known in (_owners, _phases, _located):
        known.clear()


def owner(code: CodeType) -> int:
    """Whose code it is: one of USER, LIBRARY, STANDARD, TORCH, OWN."""
    known = _owners.get(id(code))
    if known is None:
        if len(_owners) > _LIMIT:
            _owners.clear()
        known = _owners[id(code)] = (code, owner_of_file(code.co_filename))
    return known[1]


def owner_of_file(filename: str) -> int:
    """Whose code a file holds. Text without a file (`<stdin>`, a notebook's cell) is the user's."""
    if filename.startswith("<"):
        return STANDARD if filename.startswith(("<frozen", "<__array_function__")) else USER
    path = os.path.normcase(filename)
    if path.startswith(_OWN):
        return OWN
    if _is_claimed is not None and _is_claimed(filename):
        return USER
    torch = _torch_folder()
    if torch and path.startswith(torch):
        return TORCH
    if any(part in path for part in _PACKAGES):
        return LIBRARY
    return STANDARD if path.startswith(_STANDARD) else USER


ends: frozenset[int] = frozenset()
"""The identities of the code that `end_at` was given: a stack ends below the first frame that runs one of them."""
_end_codes: tuple[CodeType, ...] = ()


def end_at(codes: Iterable[CodeType]) -> None:
    """Let stacks end below the frames that run `codes`: those of a test runner say nothing, and are many."""
    global ends, _end_codes
    _end_codes = tuple(codes)
    ends = frozenset(map(id, _end_codes))
    _located.clear()


class Located(NamedTuple):
    """A frame and those above it, in the terms of a `Wait`."""

    place: Place | None
    library: Place | None
    callers: tuple[Place, ...]
    operation: str
    phase: str
    comment: str | None
    """The reason of the allow comment at the place."""
    first_use: bool


NOWHERE = Located(None, None, (), "", "other", None, False)

_FIRST_USE = (
    "/torch/_dynamo/convert_frame.py",
    "/torch/_inductor/cudagraph_trees.py",
    "/torch/_inductor/runtime/benchmarking.py",
    "/triton/runtime/autotuner.py",
    "/triton/testing.py",
)

_DEPTH = 64
"""Frames that tell one stack from another."""
_located: dict[tuple[int, ...], tuple[tuple[CodeType, ...], Located]] = {}


def locate(frame: FrameType | None) -> Located:
    """Find the user's expression.

    It is the innermost frame outside of torch, installed packages, Python's own library and hostsync; in a program
    that is all packages, the innermost frame outside of torch. A `__torch_function__` that has the operation run is
    passed over, whosever it is.

    Args:
        frame: the frame in which the host waits, as it stands there; None gives `NOWHERE`.
    """
    key: list[int] = []
    at, last = frame, ends
    while at is not None and len(key) < 2 * _DEPTH:
        code = id(at.f_code)
        if code in last:
            break
        key.append(code)
        key.append(at.f_lasti)
        at = at.f_back
    spot = tuple(key)
    known = _located.get(spot)
    if known is None:
        if len(_located) > _LIMIT // 5:
            _located.clear()
        codes: list[CodeType] = []
        at = frame
        while at is not None and len(codes) < _DEPTH:
            codes.append(at.f_code)
            at = at.f_back
        known = _located[spot] = (tuple(codes), _locate(frame))
    return known[1]


def _locate(frame: FrameType | None) -> Located:
    while frame is not None and owner(frame.f_code) == OWN:
        frame = frame.f_back
    while frame is not None and frame.f_back is not None and _hands_on(frame):
        frame = frame.f_back
    if frame is None:
        return NOWHERE
    chosen = fallback = None
    at: FrameType | None = frame
    while at is not None and id(at.f_code) not in ends:
        whose = owner(at.f_code)
        if whose == USER and not _hands_on(at):
            chosen = at
            break
        if whose in (USER, LIBRARY) and fallback is None:
            fallback = at
        at = at.f_back
    chosen = chosen or fallback or frame
    place = place_of(chosen)
    callers: list[Place] = []
    at = chosen.f_back
    while at is not None and len(callers) < CALLERS and id(at.f_code) not in ends:
        if owner(at.f_code) < STANDARD:
            callers.append(place_of(at))
        at = at.f_back
    return Located(
        place,
        place_of(frame) if frame is not chosen else None,
        tuple(callers),
        operation_of(frame),
        phase_of(frame),
        comment_at(place),
        _is_first_use(frame),
    )


_DISPATCHING = ("__torch_function__", "__torch_dispatch__")


def _hands_on(frame: FrameType) -> bool:
    """Whether a frame is where a subclass of tensors has an operation run, which is that of its caller.

    What `__torch_function__` does besides, such as a read-back of its own, is its own.
    """
    code = frame.f_code
    if code.co_name not in _DISPATCHING:
        return False
    text = text_at(place_of(frame))
    operation = code.co_varnames[1] if code.co_argcount > 1 else code.co_name
    return any(f"{name}(" in text for name in (operation, *_DISPATCHING))


def _is_first_use(frame: FrameType | None) -> bool:
    """Whether a compiler, an autotuner or the recording of CUDA graphs is on the stack."""
    for _ in range(_DEPTH):
        if frame is None or id(frame.f_code) in ends:
            return False
        if frame.f_code.co_filename.replace("\\", "/").endswith(_FIRST_USE):
            return True
        frame = frame.f_back
    return False


def place_of(frame: FrameType) -> Place:
    """The expression that a frame is executing."""
    code, last = frame.f_code, frame.f_lasti
    known = _places.get((id(code), last))
    if known is None:
        if len(_places) > _LIMIT:
            _places.clear()
        known = _places[id(code), last] = (code, _place(code, last, frame.f_lineno or code.co_firstlineno))
    return known[1]


def _place(code: CodeType, last: int, row: int) -> Place:
    function: str = getattr(code, "co_qualname", code.co_name)
    positions = getattr(code, "co_positions", None)
    if positions is None or last < 0:
        return Place(code.co_filename, row, 0, row, 0, function)
    first, end, column, end_column = next(islice(positions(), last // 2, None), (None,) * 4)
    if first is None:
        return Place(code.co_filename, row, 0, row, 0, function)
    if end is None or column is None or end_column is None:
        return Place(code.co_filename, first, 0, end or first, 0, function)
    return Place(
        code.co_filename,
        first,
        _characters(code.co_filename, first, column),
        end,
        _characters(code.co_filename, end, end_column),
        function,
    )


def _characters(filename: str, row: int, offset: int) -> int:
    """The 1-based column of a byte offset in a line, as Python counts in UTF-8."""
    line = linecache.getline(filename, row)
    if not line or line.isascii():
        return offset + 1
    return len(line.encode()[:offset].decode(errors="replace")) + 1


def text_at(place: Place) -> str:
    """The source text of a place, with its lines joined; the whole line where columns aren't known; empty if unread."""
    lines = [linecache.getline(place.filename, row) for row in range(place.row, place.end_row + 1)]
    if not all(lines):
        return ""
    if not place.column:
        return lines[0].strip()
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    return " ".join(line.strip() for line in lines)


# --- what it does there --------------------------------------------------------------------------


def operation_of(frame: FrameType) -> str:
    """The torch operation that a frame's expression runs, by its text, such as `aten::item`; empty if it can't be told.

    A name that is no operation of torch's is given as it stands in the source.
    """
    code, last = frame.f_code, frame.f_lasti
    known = _operations.get((id(code), last))
    if known is None:
        if len(_operations) > _LIMIT:
            _operations.clear()
        place = place_of(frame)
        instruction = dis.opname[code.co_code[last]] if 0 <= last < len(code.co_code) else ""
        operation = next((name for start, name in _INSTRUCTIONS if instruction.startswith(start)), "")
        if not operation and place.column:
            operation = operation_in(text_at(place))
        known = _operations[id(code), last] = (code, operation)
    return known[1]


_INSTRUCTIONS = (
    ("STORE_SUBSCR", "aten::index_put_"),
    ("STORE_SLICE", "aten::index_put_"),
    ("BINARY_SUBSCR", "aten::index"),
    ("BINARY_SLICE", "aten::index"),
    ("POP_JUMP_", "aten::is_nonzero"),
    ("JUMP_IF_", "aten::is_nonzero"),
    ("TO_BOOL", "aten::is_nonzero"),
    ("UNARY_NOT", "aten::is_nonzero"),
)
"""What an instruction runs on a tensor, by the start of its name; the others are told by their source."""
_CONVERSIONS = {"int", "float", "bool", "complex"}


def operation_in(text: str) -> str:
    """The operation that an expression's outermost step runs.

    >>> operation_in("x[mask]"), operation_in("total.item()"), operation_in("loss > best")
    ('aten::index', 'item', 'aten::is_nonzero')
    """
    try:
        node: ast.AST = ast.parse(f"({textwrap.dedent(text)})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if isinstance(node, ast.Subscript):
        return "aten::index"
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return _aten(node.func.attr)
        if isinstance(node.func, ast.Name):
            return "aten::item" if node.func.id in _CONVERSIONS else _aten(node.func.id)
        return ""
    # Anything else that waits is asked for its truth.
    return (
        "aten::is_nonzero" if isinstance(node, (ast.Name, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp)) else ""
    )


def _aten(name: str) -> str:
    torch = sys.modules.get("torch")
    try:
        known = torch is not None and hasattr(torch.ops.aten, name)
    except (RuntimeError, AttributeError):
        known = False
    return f"aten::{name}" if known else name


_PHASE_LIMIT = 200


def phase_of(frame: FrameType | None) -> str:
    """`forward`, `backward`, `optimizer` or `other`, by the innermost frame that tells."""
    for _ in range(_PHASE_LIMIT):
        if frame is None or id(frame.f_code) in ends:
            break
        code = frame.f_code
        known = _phases.get(id(code))
        if known is None:
            if len(_phases) > _LIMIT:
                _phases.clear()
            known = _phases[id(code)] = (code, _phase(code))
        if known[1]:
            return known[1]
        frame = frame.f_back
    return "other"


def _phase(code: CodeType) -> str:
    torch, path = _torch_folder(), os.path.normcase(code.co_filename)
    # Not by its owner: torch's own files may be claimed.
    if torch and path.startswith(torch):
        path = path[len(torch) :].replace(os.sep, "/")
        if path.startswith("autograd/") and code.co_name in ("backward", "_engine_run_backward", "grad"):
            return "backward"
        if (path.startswith("optim/") and not path.startswith("optim/lr_scheduler")) or path == "amp/grad_scaler.py":
            return "optimizer"
        if path == "nn/modules/module.py" and code.co_name in ("_call_impl", "_wrapped_call_impl"):
            return "forward"
        return ""
    return code.co_name if code.co_name in ("forward", "backward") else ""
