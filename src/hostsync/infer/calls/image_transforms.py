"""What torchvision's transforms make of pictures: tensors in the memory of the host.

Source: documentation of torchvision, "Transforming images": `ToTensor` and `PILToTensor` take a PIL image or an array.
"""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.infer.calls.host_calls import ArgumentList
from hostsync.infer.frame import Frame, explain
from hostsync.infer.values import CPU, UNKNOWN, Instance, Items, Tensor, Value

PACKAGE: Final = "torchvision.transforms"
MAKES_TENSORS: Final = f"{PACKAGE}.ToTensor"
"""The class of whatever makes a tensor of a picture, `Compose` with such a step among others."""
_CLASSES: Final = frozenset({"ToTensor", "PILToTensor"})
_FUNCTIONS: Final = frozenset({"to_tensor", "pil_to_tensor"})


def image_transform(frame: Frame, node: facts.Call, name: str, args: ArgumentList) -> Value:
    """The call of a function or class of `PACKAGE`."""
    short = name.rpartition(".")[2]
    if short in _CLASSES or (short == "Compose" and args and _has_such_a_step(args[0][1])):
        return Instance(MAKES_TENSORS, False)
    return tensor_of_picture(frame, node) if short in _FUNCTIONS else UNKNOWN


def tensor_of_picture(frame: Frame, node: facts.Call) -> Value:
    return explain(Tensor(CPU, "float", 3), node)


def _has_such_a_step(steps: Value) -> bool:
    made = (steps.items or ()) if isinstance(steps, Items) else ()
    return any(isinstance(step, Instance) and step.name == MAKES_TENSORS for step in made)
