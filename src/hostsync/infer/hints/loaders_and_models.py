"""What goes by the name of a loader or of a model."""

from __future__ import annotations

import re
from typing import Final

from hostsync import facts
from hostsync.infer.devices import CPU, is_of_params
from hostsync.infer.nodes import last_name
from hostsync.infer.values import Instance, Items, Tensor, Unknown, Value

LOADER_CLASS: Final = "torch.utils.data.DataLoader"
NAMED_LOADER: Final = Instance(LOADER_CLASS, False)
"""What is called a loader: its batches come from the host, as far as anybody can tell from a name."""
SAMPLE: Final = Tensor(CPU, sure=False)
"""What a dataset or a tokenizer gives: if it is a tensor, then one in the memory of the host."""


def may_be_loader(value: Value) -> bool:
    """What nothing is known of, or only that it can be iterated over, or that what comes of it is tensors."""
    if isinstance(value, Items):
        is_open = isinstance(value.element, Unknown) or _is_handed_in(value.element)
        return value.items is None and is_open
    return isinstance(value, Unknown)


def _is_handed_in(value: Value) -> bool:
    """A tensor or a group of such of which only the annotation of a parameter tells."""
    parts = value.items or () if isinstance(value, Items) else (value,)
    return bool(parts) and all(isinstance(part, Tensor) and is_of_params(part.device) for part in parts)


def is_loader_name(name: str) -> bool:
    """`train_loader`, `dataloader`, `dl`."""
    return name[-6:].lower() == "loader" or name == "dl" or name.endswith("_dl")


_MODEL: Final = re.compile(
    r"(^|_)(model|net|network|module|encoder|decoder|backbone|head|criterion|loss_fn|policy|actor|critic|generator|"
    r"discriminator|unet|vae|transformer)(_?\d)?$"
)


def is_model_name(node: facts.Expr) -> bool:
    """Named as what takes tensors and gives tensors."""
    return bool(_MODEL.search(last_name(node).lower()))
