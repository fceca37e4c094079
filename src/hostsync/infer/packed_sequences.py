"""What `torch.nn.utils.rnn.PackedSequence` holds: data and orders on one device, and sizes of batches on the CPU.

Source: the documentation of `PackedSequence`.
"""

from __future__ import annotations

from typing import Final

from hostsync.infer.values import ANYWHERE, CPU, UNKNOWN, Instance, Items, Tensor, Value, tensors_in

PACKED: Final = "torch.nn.utils.rnn.PackedSequence"
PACKING: Final = frozenset({"torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence"})
"""The functions that give one, by their first argument."""
_FIELDS: Final = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")


def packed(given: Value) -> Instance:
    """What a tensor, or several, become when they are packed."""
    held = tensors_in(given)
    return Instance(PACKED, False, held[0].device if held else ANYWHERE)


def unpacked(sequence: Instance) -> Items:
    """The fields, in their order."""
    order = Tensor(sequence.device, "int", 1)
    return Items("tuple", (Tensor(sequence.device), Tensor(CPU, "int", 1), order, order), UNKNOWN)


def field_of(sequence: Instance, name: str) -> Value | None:
    """A field by its name; None for anything else, such as a method."""
    fields = unpacked(sequence).items
    return fields[_FIELDS.index(name)] if fields is not None and name in _FIELDS else None
