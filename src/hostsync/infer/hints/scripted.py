"""Functions that TorchScript runs, by their decorators."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.nodes import dotted_path

_SCRIPTING: Final = frozenset({"torch.jit.script", "jit.script"})


def is_scripted(function: facts.Function | None) -> bool:
    """Whether TorchScript runs a function: `@torch.jit.script`."""
    return function is not None and any(dotted_path(decorator) in _SCRIPTING for decorator in function.decorators)
