"""What the docstring says of a parameter that has no annotation."""

from __future__ import annotations

import re
from typing import Final

from hostsync.infer.devices import Device
from hostsync.infer.dtypes import CLASSES, TENSOR_TYPES
from hostsync.infer.hints.annotations import union
from hostsync.infer.values import NOTHING, NUMBER, TEXT, Items, Tensor, Value

_ROLE: Final = re.compile(r":\w+(?::\w+)*:(?=`)|[`*~]")
"""What Sphinx and Markdown put around a name."""
_SHAPE: Final = re.compile(r"\(.*|\bof (?:shape|size|dim).*|\bwith shape.*|\bshape\b.*|,? *default.*", re.DOTALL)
"""What comes after a type."""
_BETWEEN: Final = re.compile(r"\s+or\s+|\s*[,|/]\s*")
_TENSOR: Final = re.compile(r"(?:(?:torch|th|pytorch)[. ])?(?:(?:cuda|sparse)\.)?(\w*tensor)s?", re.IGNORECASE)
_MANY: Final = re.compile(r"(list|tuple|sequence|iterable)(?: of |\[)(.*?)\]?", re.IGNORECASE)
_NUMBERS: Final = frozenset({"int", "float", "bool", "boolean", "number", "scalar", "integer"})
_TEXTS: Final = frozenset({"str", "string"})
_SAYS_NOTHING: Final = frozenset({"", "optional", "required"})
_DTYPES: Final = {name.lower(): CLASSES[name] for name in TENSOR_TYPES}


def from_docstring(text: str, device: Device, param: str) -> Value | None:
    """The value that the text of a type promises; None when it says nothing that helps. A tensor is on `device`.

    That of an array does not help: what is documented so is often handed a tensor.
    """
    plain = _SHAPE.sub("", _ROLE.sub("", text)).strip().rstrip(".")
    parts = [part.strip() for part in _BETWEEN.split(plain)]
    return union([_one(part, device, param) for part in parts if part.lower() not in _SAYS_NOTHING])


def _one(text: str, device: Device, param: str | None) -> Value | None:
    lower = text.lower()
    if lower in _NUMBERS:
        return NUMBER
    if lower in _TEXTS:
        return TEXT
    if lower == "none":
        return NOTHING
    tensor = _TENSOR.fullmatch(text)
    if tensor is not None and tensor.group(1).lower() in _DTYPES:
        return Tensor(device, _DTYPES[tensor.group(1).lower()], param=param)
    many = _MANY.fullmatch(text)
    if many is not None:
        element = _one(many.group(2), device, None)
        return None if element is None else Items("list", None, element)
    return None
