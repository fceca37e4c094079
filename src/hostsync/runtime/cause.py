"""Which rule speaks of a wait: the expression in the source names the operation, the rule files name the rule."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from hostsync.catalogue.model import Rule
from hostsync.catalogue.rules import RuleIndex
from hostsync.runtime.records import Wait
from hostsync.runtime.source import Node, imports_of, module_of, node_at

_TORCH = ("torch.", "Tensor.", "torch.nn.functional.")
_ATEN = {"_local_scalar_dense": "item", "_unique2": "unique", "_unique": "unique", "to_dense": "nonzero"}
"""Internal operations, and the public ones that a user knows."""
_WRITERS = ("torch._tensor_str.", "torch._tensor.Tensor.__repr__", "torch._tensor.Tensor.__format__")
_LOGGERS = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))
_EXPLICIT = {
    "stream": "torch.cuda.Stream.synchronize",
    "event": "torch.cuda.Event.synchronize",
    "device": "torch.cuda.synchronize",
}
_MEMORY_KINDS = ("free",)
_MEMORY_OPS = ("empty_cache",)
"""The operations that are to blame for a wait inside an allocator; elsewhere it happens by chance."""
_MOVERS = ("Tensor.to", "Tensor.copy_")
"""They copy either way."""
_PREFERRED = {
    "copy-to-device": ("copy", "index"),
    "copy-to-host": ("read-back",),
    "stream": ("read-back", "shape", "synchronize", "copy", "call", "index"),
}
"""Where an operation belongs to several kinds of event, the ones to try first."""


class Candidate(NamedTuple):
    """An event that a rule may take, in the words of docs/reference/events.md."""

    kind: str
    op: str
    form: str


class Causes:
    """Finds the rule of a wait. What operations there are is read from the rules, so rules of users count too."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        rules = tuple(rules)
        self._index = RuleIndex(rules)
        self._named = [(match.kind, op) for rule in rules for match in rule.events for op in match.ops]
        self._waiting = {op.rpartition(".")[2] for kind, op in self._named if kind == "synchronize"}
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._rules = {rule.code: rule for rule in rules}
        self._codes: dict[tuple[object, ...], str | None] = {}

    @property
    def rules(self) -> Mapping[str, Rule]:
        """By code."""
        return self._rules

    def rule(self, code: str | None) -> Rule | None:
        """The rule of a code."""
        return None if code is None else self._rules.get(code)

    def code_of(self, wait: Wait) -> str | None:
        """The code of the rule that speaks of `wait`; None where none does."""
        key = (wait.place, wait.library, wait.kind, wait.operation, wait.memory, wait.phase)
        if key not in self._codes:
            self._codes[key] = self._code_of(wait)
        return self._codes[key]

    def help_of(self, wait: Wait, code: str | None) -> str:
        """What to do about `wait`, of which the rule of `code` speaks; empty where none does."""
        rule = self.rule(code)
        if rule is None:
            return ""
        at = None if wait.place is None or not rule.helps else node_at(wait.place)
        if at is None or not isinstance(at.node, ast.Call):
            return rule.help
        helps = (rule.help_for(op) for op in self._names_of(at.node, wait))
        return next((one for one in helps if one != rule.help), rule.help)

    def _code_of(self, wait: Wait) -> str | None:
        for candidate in self._candidates(wait):
            if wait.kind in _MEMORY_KINDS and not candidate.op.endswith(_MEMORY_OPS):
                continue
            rule = self._index.match(*candidate)
            if rule is not None:
                return rule.code
        return None

    def kinds_of(self, op: str) -> tuple[str, ...]:
        """The kinds of event for which a rule names the operation `op`."""
        if op not in self._kinds:
            found = {kind for kind, pattern in self._named if op == pattern or _is_like(op, pattern)}
            self._kinds[op] = tuple(sorted(found))
        return self._kinds[op]

    def is_explicit(self, wait: Wait) -> bool:
        """Whether the expression in the user's code asks for a wait, as `torch.cuda.synchronize()` does."""
        at = None if wait.place is None else node_at(wait.place)
        if at is None:
            return False
        # Python 3.10 tells the statement only.
        nodes = [at.node] if wait.place is not None and wait.place.column else ast.walk(at.node)
        names = {_last_name(node.func) for node in nodes if isinstance(node, ast.Call)}
        return any(fnmatchcase(name, pattern) for name in names if name for pattern in self._waiting)

    def _candidates(self, wait: Wait) -> Iterator[Candidate]:
        """What the wait may be, the likeliest first."""
        at = None if wait.place is None else node_at(wait.place)
        if at is not None:
            yield from self._of_node(at, wait)
        if wait.kind in _MEMORY_KINDS:
            return
        # Of a library only the call is to be judged: what it does inside is not in the user's hands.
        if at is None or wait.library is None:
            yield from self._of_operation(wait)
        if wait.kind == "copy-to-device":
            yield Candidate("copy", "Tensor.copy_", "pinned-blocking" if wait.memory == "pinned" else "pageable")
        called = at is not None and isinstance(at.node, ast.Call)
        if called or wait.library is not None or wait.phase == "backward":
            yield Candidate("call", wait.operation, "")
        if wait.kind == "copy-to-host":
            yield Candidate("read-back", "Tensor.cpu", "")
        elif wait.kind in ("device", "event"):
            yield Candidate("synchronize", _EXPLICIT[wait.kind], "")

    def _of_node(self, at: Node, wait: Wait) -> Iterator[Candidate]:
        node = at.node
        if isinstance(node, ast.Call):
            yield from self._of_call(node, wait)
            if wait.library is None:
                yield from _of_truth(at)
        elif isinstance(node, ast.Subscript):
            yield from _of_subscript(node, at, wait)
        elif any(isinstance(one, (ast.JoinedStr, ast.FormattedValue)) for one in (node, *at.parents[:1])):
            yield Candidate("read-back", "f-string", "")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
            yield Candidate("read-back", "operator.mod", "")
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            yield Candidate("read-back", "operator.contains", "")
        else:
            yield from _of_truth(at)

    def _of_call(self, call: ast.Call, wait: Wait) -> Iterator[Candidate]:
        for op in self._names_of(call, wait):
            kinds = self.kinds_of(op)
            preferred = _PREFERRED.get(wait.kind, ())
            if wait.kind == "stream" and op in _MOVERS and not _names_cpu(call):
                # The wait behind a copy. One into pageable memory waits by itself, so this one goes to the device.
                preferred = ("copy",)
            for kind in sorted(kinds, key=lambda kind: preferred.index(kind) if kind in preferred else len(preferred)):
                yield Candidate(kind, op, _form(kind, op, call, wait))
        library = wait.library
        if library is not None and f"{module_of(library.filename)}.{library.function}".startswith(_WRITERS):
            yield Candidate("read-back", "builtins.str", "")

    def _names_of(self, call: ast.Call, wait: Wait) -> Iterator[str]:
        """What rules may call the function that is called, the most exact first."""
        place = wait.place
        assert place is not None
        dotted = _dotted(call.func)
        imports = imports_of(place.filename)
        first, _, rest = dotted.partition(".")
        if first == "torch" and rest:
            yield dotted
        elif first in imports:
            yield ".".join(filter(None, (imports[first], rest)))
        elif dotted and not rest and hasattr(builtins, dotted):
            yield f"builtins.{dotted}"
        library = wait.library
        attribute = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if library is not None:
            module, _, function = library.function.partition(".<locals>")[0].rpartition(".")
            owner = f"{module_of(library.filename)}.{module}".rstrip(".")
            # The frame that waits may be a helper of the method that was called: `GradScaler._maybe_opt_step`.
            yield f"{owner}.{attribute or function}"
            yield f"{owner}.{function}"
        if not attribute:
            return
        if attribute == "synchronize" and wait.kind in _EXPLICIT:
            yield _EXPLICIT[wait.kind]
        if imports.get(first, first).partition(".")[0] not in ("torch", "numpy", "math"):
            yield f"Tensor.{attribute}"
        if isinstance(call.func, ast.Attribute) and _is_text(call.func.value):
            yield f"str.{attribute}"
        if library is None:
            yield f"list.{attribute}"
        elif attribute in _LOGGERS and wait.kind != "copy-to-device":
            yield f"logging.{attribute}"

    def _of_operation(self, wait: Wait) -> Iterator[Candidate]:
        name = wait.operation.rpartition("::")[2].partition(".")[0]
        if not name or "Backward" in name:
            return
        public = _ATEN.get(name, name.lstrip("_"))
        for prefix in _TORCH:
            for kind in self.kinds_of(prefix + public):
                if kind not in ("copy", "call"):
                    yield Candidate(kind, prefix + public, "")


def _is_like(op: str, pattern: str) -> bool:
    return ("*" in pattern or "?" in pattern) and fnmatchcase(op, pattern)


def _form(kind: str, op: str, call: ast.Call, wait: Wait) -> str:
    name = op.rpartition(".")[2]
    if kind == "copy":
        if name == "pin_memory":
            return "inline"
        if name in ("tensor", "as_tensor", "asarray", "new_tensor"):
            return "python-data"
        if wait.memory == "pinned":
            return "pinned-blocking"
        return "pageable-non-blocking" if _is_non_blocking(call) else "pageable"
    if kind == "shape" and op == "torch.where":
        return "one-argument"
    return "to-host" if kind == "read-back" and op in ("Tensor.to", "Tensor.type") else ""


def _names_cpu(call: ast.Call) -> bool:
    """Whether the text says that the copy goes to the CPU."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(node, ast.Constant) and node.value == "cpu" for value in given for node in ast.walk(value))


def _is_non_blocking(call: ast.Call) -> bool:
    given = (keyword.value for keyword in call.keywords if keyword.arg == "non_blocking")
    return any(not (isinstance(value, ast.Constant) and not value.value) for value in given)


def _of_subscript(node: ast.Subscript, at: Node, wait: Wait) -> Iterator[Candidate]:
    index, operation = node.slice, wait.operation
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    stores = isinstance(node.ctx, ast.Store) and "item" not in operation and "scalar" not in operation
    if any(_is_host_data(part) for part in parts):
        yield Candidate("index", "subscript", "list-index")
    elif stores and _is_number(_stored(at)):
        yield Candidate("index", "subscript", "scalar-store")
    elif "nonzero" in operation:
        yield Candidate("shape", "subscript", "mask-store" if stores else "mask-load")
    elif wait.kind == "copy-to-device":
        yield Candidate("index", "subscript", "scalar-store" if stores else "cpu-index")
    elif any(isinstance(part, ast.Slice) for part in parts) or "item" in operation or "scalar" in operation:
        yield Candidate("shape", "subscript", "scalar-tensor")
    elif stores:
        yield Candidate("shape", "subscript", "mask-store")
    else:
        yield Candidate("shape", "subscript", "mask-load")


def _stored(at: Node) -> ast.expr | None:
    parent = at.parents[0] if at.parents else None
    return parent.value if isinstance(parent, (ast.Assign, ast.AugAssign, ast.AnnAssign)) else None


def _of_truth(at: Node) -> Iterator[Candidate]:
    """A value whose truth is asked: the statement or operator that asks."""
    node, above = at.node, list(at.parents)
    parent = above.pop(0) if above else None
    while above and isinstance(parent, ast.BoolOp) and parent.values[-1] is node:
        # The last operand is the result: who asks for its truth stands further out.
        node, parent = parent, above.pop(0)
    op = ""
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        op = "compare-chain"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        op = "not"
    elif isinstance(parent, ast.If) and parent.test is node:
        op = "if"
    elif isinstance(parent, ast.While) and parent.test is node:
        op = "while"
    elif isinstance(parent, ast.Assert) and parent.test is node:
        op = "assert"
    elif isinstance(parent, ast.IfExp) and parent.test is node:
        op = "ternary"
    elif isinstance(parent, ast.comprehension) and node in parent.ifs:
        op = "comprehension-if"
    elif isinstance(parent, ast.match_case) and parent.guard is node:
        op = "match-guard"
    elif isinstance(parent, ast.MatchValue):
        op = "match-value"
    elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
        op = "not"
    elif isinstance(parent, ast.BoolOp):
        op = "and" if isinstance(parent.op, ast.And) else "or"
    if op:
        yield Candidate("control-flow", op, "")


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


def _last_name(node: ast.expr) -> str:
    """`synchronize` of `stream().synchronize`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_number(node: ast.expr | None) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def _is_host_data(node: ast.expr) -> bool:
    """Whether an index is plainly Python data."""
    if isinstance(node, (ast.List, ast.ListComp)):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "list")
