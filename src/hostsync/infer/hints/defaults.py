"""What names, and the default of a parameter, say as written: of a device, of lengths."""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.nodes import is_none, last_name


def is_device_name(name: str) -> bool:
    """A parameter of this name asks for a device."""
    return name in {"device", "map_location"} or name.endswith("_device")


_LENGTHS: Final = re.compile(r"(^|_)(lens?|lengths?)$")


def names_lengths(name: str) -> bool:
    """What is called so holds how long each of several things is: `src_lengths`."""
    return _LENGTHS.search(name) is not None


def is_host_default(default: facts.Expr | None) -> bool:
    """The default is None or the CPU."""
    if isinstance(default, facts.Call) and last_name(default.func) == "device" and default.args:
        default = default.args[0]
    return isinstance(default, facts.Const) and (default.kind == "none" or default.value == "cpu")


def is_host(node: facts.Expr | None) -> bool:
    """The CPU as written: a text or a device. None is no word of it: what that stands for is worked out inside."""
    return is_host_default(node) and not is_none(node)


def may_be_left_out(function: facts.Function, name: str) -> bool:
    """Whether a parameter of this name has the default None."""
    return any(param.name == name and is_none(param.default) for param in function.params)


def speaks_of(node: facts.Expr, word: str) -> bool:
    """Whether a name, an attribute, a call or a key has a word in its name: `device`, `self.device`, `x["device"]`."""
    if isinstance(node, facts.Name):
        return word in node.id.lower()
    if isinstance(node, facts.Attr):
        return word in node.name.lower()
    if isinstance(node, facts.Call):
        return speaks_of(node.func, word)
    if not isinstance(node, facts.Subscript):
        return False
    key = node.key
    return speaks_of(node.value, word) or (isinstance(key, facts.Const) and word in str(key.value).lower())
