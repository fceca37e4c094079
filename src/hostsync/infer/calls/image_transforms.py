"""What torchvision's transforms make of pictures, tensors in the memory of the host, and which of them wait.

Source: documentation of torchvision, "Transforming images": `ToTensor` and `PILToTensor` take a PIL image or an array.
"""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.calls.catalogued import called, operation
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.devices import CPU, is_certain
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame
from hostsync.infer.values import UNKNOWN, Instance, Items, Tensor, Value, tensors_in

PACKAGE: Final = "torchvision.transforms"
MAKES_TENSORS: Final = f"{PACKAGE}.ToTensor"
"""The class of whatever makes a tensor of a picture, `Compose` with such a step among others."""
_CLASSES: Final = frozenset({"ToTensor", "PILToTensor"})
_PREPARES: Final = re.compile(r"transform|process|augment", re.IGNORECASE)
"""What code is called that prepares pictures."""
_SHOWING: Final = ("to_pil_image", "ToPILImage")
"""What makes a picture of a tensor, or of an array."""
_FUNCTIONS: Final = frozenset({"to_tensor", "pil_to_tensor"})


def image_transform(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """The call of a function or class of `PACKAGE`."""
    op = frame.context.ops.get(name)
    if op is not None and _is_on_device(frame, name, args):
        return operation(frame, node, op, args, keywords, None)
    if op is not None:
        with frame.silently():
            return operation(frame, node, op, args, keywords, None)
    if f"{name}.forward" in frame.context.ops:
        return Instance(name, False)
    short = name.rpartition(".")[2]
    if short in _CLASSES or (short == "Compose" and args and _has_such_a_step(args[0][1])):
        return Instance(MAKES_TENSORS, False)
    return tensor_of_picture(frame, node) if short in _FUNCTIONS else UNKNOWN


def _is_on_device(frame: Frame, name: str, args: ArgumentList) -> bool:
    """Whether pictures are handed in that are on the GPU, for all that is known.

    They are in the memory of the host where they are turned and bent to augment data; models normalize, too, and what
    they make is shown. Something that is no tensor for all that is known may be an array.
    """
    tensors = tensors_in(args[0][1]) if args else ()
    if tensors and is_certain(tensors[0].device):
        return True
    if name.endswith(_SHOWING) and not (tensors and tensors[0].sure):
        return False
    if not name.endswith(("normalize", *_SHOWING)) or _PREPARES.search(frame.symbol) is not None:
        return False
    return "process" not in frame.context.module.name.rpartition(".")[2]


def transformed(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """What an object of a class of `PACKAGE` gives that is called, by the dotted name of the class."""
    if name.endswith(_SHOWING):
        if _is_on_device(frame, name, args):
            called(frame, node, name, args, keywords)
        return UNKNOWN
    called(frame, node, name, args, keywords)
    return args[0][1] if args else UNKNOWN


def tensor_of_picture(frame: Frame, node: facts.Call) -> Value:
    """What makes a tensor of a picture gives: fractions in three dimensions, on the host."""
    return explain(Tensor(CPU, "float", 3), node)


def _has_such_a_step(steps: Value) -> bool:
    made = (steps.items or ()) if isinstance(steps, Items) else ()
    return any(isinstance(step, Instance) and step.name == MAKES_TENSORS for step in made)
