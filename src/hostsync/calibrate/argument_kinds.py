"""The arguments of a call, described: what they are, and where."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

torch: Any = import_module("torch")


Kinds = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
_PLAIN = re.compile(r"(?!cuda)[A-Za-z_][A-Za-z0-9_-]{0,19}")


def kind_of(value: Any) -> str:
    """Describe an argument: `f2` is a float tensor of two dimensions, `cpu:` before it says where, `n` is a number,
    `n-` a negative one, and a short string stands for itself."""
    if isinstance(value, torch.Tensor):
        letter = (
            "b"
            if value.dtype == torch.bool
            else "f"
            if value.is_floating_point()
            else "c"
            if value.is_complex()
            else "i"
        )
        where = "cpu:" if value.device.type == "cpu" else ""
        layout = "" if value.layout == torch.strided else "s"
        return f"{where}{letter}{layout}{value.dim()}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, complex)):
        return "n-" if not isinstance(value, complex) and value < 0 else "n"
    if isinstance(value, str):
        return f"'{value}'" if _PLAIN.fullmatch(value) else "str"
    if isinstance(value, (list, tuple, torch.Size)):
        kinds = {kind_of(item).removesuffix("-") for item in value}
        return "[" + ",".join(sorted(kinds)[:3]) + "]"
    module = type(value).__module__
    if module.startswith("numpy"):
        return "numpy"
    if isinstance(value, torch.dtype):
        return "dtype"
    if isinstance(value, torch.device):
        return "device"
    return "object"


def kinds_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Kinds:
    """The kinds of all arguments of a call, positional and by name."""
    return tuple(kind_of(item) for item in args), tuple(sorted((key, kind_of(item)) for key, item in kwargs.items()))


def text_of(kinds: Kinds) -> str:
    """Kinds of arguments on one line, as records hold them."""
    positional, keywords = kinds
    return ", ".join([*positional, *(f"{key}={kind}" for key, kind in keywords)])


def clone(value: Any) -> Any:
    """A copy of an argument that a call may change."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        return type(value)(clone(item) for item in value)
    return value


def on_device(value: Any) -> bool:
    """Tell whether an argument is a device tensor, or a list of them."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(on_device(item) for item in value)
    return isinstance(value, torch.Tensor) and value.device.type != "cpu"


def to_cpu(value: Any) -> Any:
    """An argument with its tensors on the CPU."""
    return value.cpu() if isinstance(value, torch.Tensor) else type(value)(to_cpu(item) for item in value)


def has_elements(args: tuple[Any, ...]) -> bool:
    """Tell whether no tensor argument is empty: an empty tensor needs no waiting."""
    return all(item.numel() for item in args if isinstance(item, torch.Tensor) and item.layout == torch.strided)
