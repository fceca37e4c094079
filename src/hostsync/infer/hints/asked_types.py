"""Which names a test asks the type of, and which tests ask for tracing."""

from __future__ import annotations

from typing import Any, Final

from hostsync.facts import Attr, Call, Compare, Conditional, Expr, If, Logical, Name, Raise, Return, Sequence
from hostsync.infer.nodes import dotted_path, used_path

GUARDING: Final = frozenset({If, Conditional, Logical})


def split_by_type(node: Any) -> tuple[set[str] | None, tuple[Any, ...], tuple[Any, ...]] | None:
    """Splits an `if`, a conditional expression or an `and` that asks for the type of something.

    Returns:
        The names that are asked about, what comes to pass where the answer is yes, and the rest. None if nothing is
        asked. The names are None where it asks for tracing: sizes are tensors there, and nowhere else.
    """
    if type(node) is Logical:
        names = _asked_about(node.values[0]) if node.op == "and" else None
        return (names, node.values[1:], node.values[:1]) if names else None
    asked = None if asks_for_tracing(node.test) else _asked_about(node.test)
    if asked is not None and not asked:
        return None
    if type(node) is If:
        return asked, node.body, (node.test, *node.orelse)
    return asked, (node.body,), (node.test, node.orelse)


_TRACING: Final = frozenset(
    """is_compiling is_dynamo_compiling is_exporting is_scripting is_tracing is_current_stream_capturing is_fx_tracing
    is_in_onnx_export is_torchdynamo_compiling is_torch_fx_proxy _get_tracing_state""".split()
)
"""Functions that say yes only where no eager Python runs on real data, and variables that keep what they say.

So `torch.compiler.is_compiling`, `torch.jit.is_tracing`, `torch._C._get_tracing_state` and others of torch, and what
libraries call theirs.
"""


def asks_for_tracing(test: Expr) -> bool:
    """`torch.jit.is_tracing()`, or `is_tracing` by itself, which is what that gave."""
    node = test.func if type(test) is Call else test
    if type(node) is Name:
        return node.id in _TRACING
    return type(node) is Attr and type(test) is Call and node.name in _TRACING


def _asked_about(test: Expr) -> set[str]:
    """Names of which a test says that they are of some type, where it comes out true."""
    if type(test) is Logical and test.op == "and":
        return {name for part in test.values for name in _asked_about(part)}
    if type(test) is Compare:
        typed = _typed(test)
        path = None if typed is None else used_path(typed)
        return set() if path is None else {path}
    if type(test) is not Call or not test.args:
        return set()
    called = dotted_path(test.func)
    path = used_path(test.args[0]) if called is not None and called.rpartition(".")[2] in _TYPE_TESTS else None
    return set() if path is None else {path}


def _typed(test: Compare) -> Expr | None:
    """`x` of `type(x) == Tensor` and `type(x) in (int, float)`."""
    left = test.left
    if len(test.ops) != 1 or test.ops[0] not in _IS_OF or type(left) is not Call or len(left.args) != 1:
        return None
    return left.args[0] if type(left.func) is Name and left.func.id == "type" else None


_IS_OF: Final = frozenset({"==", "is", "in"})


def asked_for_tensors(node: Any) -> set[str]:
    """Names of which a test asks whether they are tensors."""
    test = node.values[0] if type(node) is Logical else node.test
    parts = test.values if type(test) is Logical else (test,)
    found = set()
    for part in parts:
        wanted = part.args[1:2] if type(part) is Call else part.rights[:1] if type(part) is Compare else ()
        classes = wanted[0].items if wanted and type(wanted[0]) is Sequence else wanted
        paths = [dotted_path(item) or "" for item in classes]
        if not wanted or any(path.rpartition(".")[2] in {"Tensor", "Parameter"} for path in paths):
            found |= _asked_about(part)
    return found


def leaves_behind(node: Any) -> bool:
    """`if isinstance(x, Tensor): return …`: what comes after is of what is none."""
    return type(node) is If and not node.orelse and type(node.body[-1]) in {Return, Raise}


_TYPE_TESTS: Final = frozenset({"isinstance", "is_tensor", "issubclass"})
