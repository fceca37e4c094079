"""Tests of where code runs: with a GPU that CUDA drives or without one, and whether something is on the CPU."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hostsync import facts
from hostsync.infer.devices import OTHER_DEVICES
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.asked_types import asks_for_tracing
from hostsync.infer.linking.plain import short_name
from hostsync.infer.nodes import dotted_path, last_name
from hostsync.infer.values import Callable, Ref


def holds_elsewhere(frame: Frame, test: facts.Expr) -> bool | None:
    """True when a test holds only where nothing runs on CUDA, False when it fails only there, None for neither.

    That is so under tracing, without a GPU, and on other accelerators: `x.device.type == "mps"`, `x.is_mps`,
    `torch.backends.mps.is_available()`.
    """
    if isinstance(test, facts.Unary) and test.op == "not":
        inner = holds_elsewhere(frame, test.operand)
        return None if inner is None else not inner
    if asks_for_tracing(test) or (isinstance(test, facts.Attr) and test.name in _OTHER_FLAGS):
        return True
    if isinstance(test, facts.Call) and isinstance(test.func, (facts.Attr, facts.Name)):
        path = dotted_path(test.func)
        if path is not None and _OTHER_IS_AVAILABLE.search(path):
            return True
        if asks_for_accelerator(frame, test):
            return False
    if isinstance(test, facts.Compare) and len(test.ops) == 1 and test.ops[0] in {"==", "!="}:
        right = test.rights[0]
        if isinstance(right, facts.Const) and right.value in _ELSEWHERE and _is_device_type(test.left):
            return test.ops[0] == "=="
    if isinstance(test, facts.Logical):
        parts = [holds_elsewhere(frame, part) for part in test.values]
        # Both hold only elsewhere if one does, and either fails only there if one does.
        decisive = test.op == "and"
        if decisive in parts:
            return decisive
        if all(part is (not decisive) for part in parts):
            return not decisive
    return None


_ELSEWHERE: Final = OTHER_DEVICES | {"meta"}
_OTHER_FLAGS: Final = frozenset({f"is_{device}" for device in _ELSEWHERE})
"""`x.is_mps`: what tensors say of where they are."""
_NAMES: Final = "|".join(sorted(OTHER_DEVICES))
_OTHER_IS_AVAILABLE: Final = re.compile(
    rf"^torch(\.backends)?\.({_NAMES})\.is_(available|built)$|(^|\.)is_(torch_)?({_NAMES})(core)?_available$"
)
"""Calls that ask for an accelerator that is not driven by CUDA."""


def _is_device_type(node: facts.Expr) -> bool:
    """`x.device.type`, `device.type`."""
    path = dotted_path(node) if isinstance(node, facts.Attr) and node.name == "type" else None
    return path is not None and "device" in path.rpartition(".")[0].rpartition(".")[2]


_AVAILABLE: Final = frozenset({"torch.cuda.is_available", "torch.accelerator.is_available", "torch.cuda.device_count"})


def asks_for_accelerator(frame: Frame, test: facts.Expr) -> bool:
    """The test is whether there is a GPU at all. Without one nothing waits, so only the side with one counts."""
    if isinstance(test, facts.Logical):
        return test.op == "and" and any(asks_for_accelerator(frame, part) for part in test.values)
    return isinstance(test, facts.Call) and called(frame, test.func) in _AVAILABLE


def called(frame: Frame, func: facts.Expr) -> str | None:
    """The dotted name of what is called: a library's, or `project.` and the short name of a function at hand."""
    value = evaluate_silently(frame, func)
    if isinstance(value, Callable):
        return f"project.{short_name(value.symbol)}"
    return value.name if isinstance(value, Ref) else None


class AskedPlace(NamedTuple):
    """A test of where something is: `x.device.type == "cpu"`, `str(device) != "cpu"`."""

    device: facts.Expr
    """What holds the place: `x.device`, `device`."""
    of_type: bool
    """Its `type` is asked for, rather than the device or its text."""
    on_host: bool
    """The test asks for places that CUDA does not drive, the CPU among them; otherwise for those that it does."""
    is_there: bool
    """Whether what is asked for is so where the test holds."""


def asked_place(test: facts.Compare) -> AskedPlace | None:
    """What a comparison asks of where something is, if it names the places as written."""
    op, right = test.ops[0], test.rights[0]
    if op not in {"==", "!=", "in", "not in"}:
        return None
    names = _named(right, op in {"in", "not in"})
    if not names:
        return None
    on_host = "cpu" in names and names <= _ELSEWHERE | {"cpu"}
    if not on_host and ("cuda" not in names or not names <= _ELSEWHERE | {"cuda"}):
        return None
    node = test.left
    if isinstance(node, facts.Call) and isinstance(node.func, facts.Name) and node.func.id == "str":
        if len(node.args) != 1:
            return None
        node = node.args[0]
    of_type = isinstance(node, facts.Attr) and node.name == "type"
    if isinstance(node, facts.Attr) and of_type:
        node = node.value
    if not (on_host or of_type) or "device" not in last_name(node).lower():
        return None
    return AskedPlace(node, of_type, on_host, op in {"==", "in"})


def _named(node: facts.Expr, several: bool) -> frozenset[str]:
    """The places that `"cpu"`, `torch.device("cpu")` or a display of texts names; nothing if it is anything else."""
    if several:
        items = node.items if isinstance(node, facts.Sequence) else ()
        names = [_named(item, False) for item in items]
        return frozenset().union(*names) if all(names) else frozenset()
    if isinstance(node, facts.Call) and last_name(node.func) == "device" and len(node.args) == 1 and not node.keywords:
        node = node.args[0]
    return frozenset({str(node.value)}) if isinstance(node, facts.Const) and node.kind == "str" else frozenset()
