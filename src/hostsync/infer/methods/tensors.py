"""Methods of tensors."""

from __future__ import annotations

from typing import Final

from hostsync import facts
from hostsync.catalogue.model import Op
from hostsync.infer.calls.catalogued import operation
from hostsync.infer.calls.copies import transfer
from hostsync.infer.calls.host_calls import ArgumentList, KeywordList
from hostsync.infer.calls.sparse_products import is_coalesced
from hostsync.infer.devices import CPU, OTHER_DEVICES
from hostsync.infer.frame import Frame, evaluate, evaluate_silently
from hostsync.infer.nodes import receiver_node
from hostsync.infer.values import NUMBER, TEXT, UNKNOWN, Items, Mapping, Method, Number, Tensor, Unknown, Value

SHARED: Final = frozenset(
    "to cpu cuda float half double bfloat16 type apply_ detach requires_grad_ share_memory_ items values keys get pop "
    "copy index count update split".split()
)
"""Members that modules, mappings, numbers, arrays or bundles of tensors have as well."""


DEFINITE: Final = frozenset({"numpy", "tolist", "item"})
"""Members that a module does not have: `x.cpu().numpy()` proves that x is a tensor."""


_OF_POSITIONS: Final = frozenset(
    {"squeeze", "flatten", "view", "reshape", "t", "tolist", "numel", "size", "unbind", "cpu"}
)
"""Members that the tensor which `nonzero` gives has, and the tuple of an array's doesn't."""

_MOVING: Final = OTHER_DEVICES | {"to", "cuda", "cpu", "type", "numpy", "copy_", "pin_memory", "type_as", "new_tensor"}
"""Methods that may copy a tensor to another place."""


OF_MODULES: Final = frozenset({"buffers", "named_buffers", "named_parameters", "parameters"})
"""Members that say of what was moved to a device that it is a module, and give its tensors."""


def tensors_of_module(name: str, tensor: Tensor) -> Items:
    """What a method of `OF_MODULES` gives of a module whose tensors are like `tensor`."""
    each = Items("tuple", (TEXT, tensor), UNKNOWN) if name.startswith("named") else tensor
    return Items("generator", None, each)


def tensor_method(
    frame: Frame, node: facts.Call, receiver: Tensor, name: str, args: ArgumentList, keywords: KeywordList
) -> Value:
    """Methods of a tensor."""
    if name in DEFINITE:
        definite(frame, node)
    if name in _OF_POSITIONS:
        _counted(frame, node)
    if name in _MOVING:
        return transfer(frame, node, receiver, name, args, keywords)
    if not receiver.sure and name in {"items", "values", "keys"}:
        part = receiver._replace(ndim=None, dtype="")
        return Items("iterable", None, Items("tuple", (TEXT, part), UNKNOWN) if name == "items" else part)
    if not receiver.sure and name == "state_dict":
        # What was moved to a device and has a state is a module.
        return Mapping((), Tensor(receiver.device))
    if not receiver.sure and name in OF_MODULES:
        return tensors_of_module(name, Tensor(receiver.device, origin=receiver.origin))
    if name == "coalesce" and is_coalesced(receiver_node(node)):
        return receiver._replace(param=None)
    op = frame.context.ops.get("Tensor." + name)
    if op is None:
        return receiver._replace(ndim=None, dtype="", param=None) if not receiver.sure else UNKNOWN
    if args and isinstance(args[0][1], Tensor) and _is_no_dimension(op, args[0][1]):
        # `semiring.sum(scores)`: what sums up tensors isn't one.
        return args[0][1]._replace(ndim=None, dtype="", param=None)
    if not receiver.sure and (name == "unique" or (op.tensor_only and not op.is_property)):
        # Neither a number nor an array has such a method, though data frames have `unique`.
        receiver = receiver._replace(sure=True)
    if op.waits and op.event == "call" and frame.context.redefines(name):
        # It may be one of the project's own tensors, whose method does something else; what reads back does so there.
        with frame.silently():
            value = operation(frame, node, op, args, keywords, receiver)
    else:
        value = operation(frame, node, op, args, keywords, receiver)
    if name == "tolist" and receiver.sure and receiver.ndim != 0:
        return Items("list", None, NUMBER if receiver.ndim in {None, 1} else UNKNOWN)
    if not isinstance(value, Tensor) or op.returns == "self":
        return value
    if name == "new" and args and all(_is_a_size(frame, expr, held) for expr, held in args):
        value = value._replace(ndim=len(args))
    # A member that bundles of tensors, numbers and modules have as well does not make sure what was not.
    sure = receiver.sure or name not in SHARED
    return value if value.param is None and value.sure == sure else value._replace(param=None, sure=sure)


def _is_no_dimension(op: Op, value: Tensor) -> bool:
    """Whether a method of tensors would take a tensor for the number of a dimension, which it can't be."""
    if not value.sure or value.ndim == 0 or not op.params or op.params[0].name != "dim":
        return False
    return any(test.param == "dim" and test.predicate == "tensor" for wait in op.waits for test in wait.tests)


def _is_a_size(frame: Frame, node: facts.Expr, value: Value) -> bool:
    """A number, or what is calculated: no list of numbers, which `x.new` takes as well."""
    if not isinstance(value, Unknown) or not isinstance(node, facts.Binary):
        return isinstance(value, Number)
    sides = [(side, evaluate_silently(frame, side)) for side in (node.left, node.right)]
    return all(isinstance(held, (Unknown, Method)) or _is_a_size(frame, side, held) for side, held in sides)


def definite(frame: Frame, node: facts.Call) -> None:
    """`x.cpu().numpy()`: what was only possible for `x.cpu()` is likely now."""
    inner = receiver_node(node)
    if isinstance(inner, facts.Call) and isinstance(inner.func, facts.Attr) and inner.func.name in {"cpu", "to"}:
        with frame.silently():
            value = evaluate(frame, inner.func.value)
        if isinstance(value, (Unknown, Method)):
            if inner.func.name == "cpu":
                frame.emit("read-back", "Tensor.cpu", "", inner, subject=inner.func.value)
            else:
                with frame.silently():
                    moved = evaluate(frame, inner)
                if isinstance(moved, Tensor) and moved.device == CPU:
                    frame.emit("read-back", "Tensor.to", "to-host", inner, subject=inner.func.value)


def _counted(frame: Frame, node: facts.Call) -> None:
    """`x.nonzero().squeeze(1)`: that of an array would be a tuple."""
    inner = receiver_node(node)
    if isinstance(inner, facts.Call) and isinstance(inner.func, facts.Attr) and inner.func.name == "nonzero":
        with frame.silently():
            value = evaluate(frame, inner.func.value)
        if isinstance(value, (Unknown, Method)) and frame.context.uses_torch:
            frame.emit("shape", "Tensor.nonzero", "", inner, subject=inner.func.value)
