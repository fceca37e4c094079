"""What `torch.nn.utils.rnn.PackedSequence` holds: data and orders on one device, and sizes of batches on the CPU.

Source: the documentation of `PackedSequence`, and torch/nn/utils/rnn.py: what `enforce_sorted=False` packed has
its order on the device, and `pad_packed_sequence` copies that to the host to put the lengths in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hostsync.infer.devices import ANYWHERE, CPU
from hostsync.infer.values import UNKNOWN, Instance, Items, Number, Tensor, Value, tensors_in

PACKED: Final = "torch.nn.utils.rnn.PackedSequence"
PACKING: Final = frozenset({"torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence"})
"""The functions that give one, by their first argument."""
PACKED_SEQUENCE: Final = Instance(PACKED, False)
SIZES_OF_BATCHES: Final = "batch_sizes"
_FIELDS: Final = ("data", SIZES_OF_BATCHES, "sorted_indices", "unsorted_indices")


_ORDER: Final = "enforce_sorted"


def what_is_packed(arguments: Mapping[str, Value]) -> Value:
    """Of the arguments of one of `PACKING`, by name, the tensor or tensors; the lengths are on the CPU in any case."""
    return arguments.get("input") or arguments.get("sequences") or UNKNOWN


def packed(arguments: Mapping[str, Value]) -> Instance:
    """What a tensor, or several, become when they are packed.

    Args:
        arguments: of one of `PACKING`, by name.
    """
    held = tensors_in(what_is_packed(arguments))
    order = arguments.get(_ORDER)
    is_sorted = order.const if isinstance(order, Number) and isinstance(order.const, bool) else None
    return Instance(
        PACKED, False, held[0].device if held else ANYWHERE, ((_ORDER, True if order is None else is_sorted),)
    )


def is_out_of_order(sequence: Instance) -> bool:
    """Whether sequences were packed that nobody had sorted, as far as it is known."""
    return (_ORDER, False) in sequence.options


def unpacked(sequence: Instance) -> Items:
    """The fields, in their order."""
    order = Tensor(sequence.device, "int", 1)
    return Items("tuple", (Tensor(sequence.device), Tensor(CPU, "int", 1), order, order), UNKNOWN)


def field_of(sequence: Instance, name: str) -> Value | None:
    """A field by its name; None for anything else, such as a method."""
    fields = unpacked(sequence).items
    return fields[_FIELDS.index(name)] if fields is not None and name in _FIELDS else None
