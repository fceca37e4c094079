"""Waits that loads and stores share: what an index holds is read back, or uploaded."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.calls.placing import merged
from hostsync.infer.devices import ANYWHERE, CPU, Device, only_host
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.hints.defaults import names_lengths
from hostsync.infer.indexing.masks import has_tensors
from hostsync.infer.indexing.parts import Part, is_of_tensors
from hostsync.infer.nodes import last_name
from hostsync.infer.values import Items, Tensor, Unknown, Value, host_doubt, tensors_in


def note_bounds(frame: Frame, node: facts.Slice, whole: facts.Expr, base: Value) -> None:
    """Slice bounds must be host integers, so a device tensor there is read back."""
    of_tensor = isinstance(base, Tensor)
    for bound in (node.lower, node.upper, node.step):
        if bound is None:
            continue
        value = evaluate(frame, bound)
        if _is_length_of_row(frame, bound, whole):
            value = Tensor(base.device if isinstance(base, Tensor) else ANYWHERE, "int", 0)
        if isinstance(value, Tensor) and value.sure:
            if of_tensor:
                frame.emit(
                    "shape",
                    "subscript",
                    "scalar-tensor",
                    whole,
                    subject=bound,
                    device=value.device,
                    origin=value.origin,
                )
            else:
                frame.emit(
                    "read-back",
                    "operator.index",
                    "slice-bound",
                    whole,
                    subject=bound,
                    device=value.device,
                    origin=value.origin,
                )


def _is_length_of_row(frame: Frame, bound: facts.Expr, whole: facts.Expr) -> bool:
    """`frames[i, : lengths[i]]`: the lengths of padded rows come with these, as a tensor.

    Measured: 40 of 41 such lines waited, but all of these in one library.
    """
    if not isinstance(bound, facts.Subscript) or not isinstance(bound.key, facts.Name) or frame.knows_arrays():
        return False
    row = whole.key if isinstance(whole, facts.Subscript) else None
    at = row.items[0] if isinstance(row, facts.Sequence) and row.items else None
    is_cut = isinstance(at, facts.Name) and at.id == bound.key.id
    held = evaluate_silently(frame, bound.value) if is_cut and names_lengths(last_name(bound.value)) else None
    return isinstance(held, Unknown) and held.apart_from is None


def note_read_index(frame: Frame, node: facts.Subscript, index: Tensor) -> None:
    """What Python indexes, such as a list, needs a number of the host."""
    frame.emit(
        "read-back",
        "operator.index",
        "subscript",
        node,
        subject=node.key,
        device=index.device,
        origin=index.origin,
    )


def note_crossing(frame: Frame, node: facts.Subscript, base: Tensor, parts: list[Part]) -> None:
    """Waits that loads and stores share: an index that has to be read back or uploaded."""
    for part in parts:
        if isinstance(part.node, facts.Slice):
            if part.node is not node.key:
                note_bounds(frame, part.node, node, base)
        elif part.kind == "scalar":
            assert isinstance(part.value, Tensor)
            frame.emit(
                "shape",
                "subscript",
                "scalar-tensor",
                node,
                subject=part.node,
                device=part.value.device,
                sure=part.value.sure,
                origin=part.value.origin,
            )
        elif part.kind == "tensor":
            assert isinstance(part.value, Tensor)
            if _is_on_host(part.value.device) and not only_host(base.device) and part.value.sure:
                note_upload(frame, "cpu-index", node, base, part)
        elif part.kind == "list":
            tensors = tensors_in(part.value, 1)
            if tensors and not only_host(merged(tensors)):
                is_list = isinstance(part.value, Items) and part.value.kind == "list"
                if any(tensor.ndim if tensor.ndim is not None else is_list for tensor in tensors):
                    # A list that holds more than numbers is taken for a tuple (our measurement, torch 2.11).
                    if any("cpu" in tensor.device for tensor in tensors):
                        note_upload(frame, "cpu-index", node, base, part)
                    continue
                frame.emit("read-back", "operator.index", "subscript", node, subject=part.node, device=merged(tensors))
            else:
                note_upload(frame, "list-index", node, base, part)
        elif part.kind == "array":
            note_upload(frame, "numpy-index", node, base, part)


def _is_on_host(device: Device) -> bool:
    """The CPU, or there unless a caller hands in another: `order = torch.randperm(n) if order is None else order`."""
    return device == CPU or ("cpu" in device and all(atom == "cpu" or atom.startswith("=") for atom in device))


def note_upload(frame: Frame, form: str, node: facts.Subscript, base: Tensor, part: Part) -> None:
    """An index that lives on the host, of what is on the device, is copied there."""
    # No number, and nothing of Python, is indexed with a list of numbers.
    is_tensor = base.sure or (form == "list-index" and is_of_tensors(part.value) and has_tensors(frame))
    by_default = isinstance(part.value, Tensor) and host_doubt(part.value)
    frame.emit(
        "index",
        "subscript",
        form,
        node,
        subject=part.node,
        located=node.value,
        device=base.device,
        sure=is_tensor,
        origin=base.origin,
        confidence="possible" if not is_tensor else "likely" if by_default else None,
    )
