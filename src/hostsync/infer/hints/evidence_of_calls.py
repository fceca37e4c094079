"""What a call says about its receiver and about what it is handed: that they are tensors, or truth values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hostsync.catalogue.model import Op
from hostsync.facts import Attr, Binary, Call, Compare, Expr, Name, Place, Sequence, Starred, Subscript, Unary
from hostsync.infer.dtypes import NO_FLOATS, TO_FLOATS
from hostsync.infer.hints.mask_names import is_called_a_mask
from hostsync.infer.nodes import COMPARISONS, PATHS, dotted_path, is_number, used_path

_SIZE_CALLS: Final = frozenset({"dim", "long", "view", "ndimension", "nelement"})
"""Members that prove a tensor only when called: arrays and modules have an attribute, or nothing, of that name."""
_TENSOR_PARAMS: Final = frozenset({"input", "tensor", "x", "query", "A", "condition"})
"""Names that torch gives to a first parameter that must be a tensor."""
_NUMBER_FIRST: Final = frozenset(
    [f"torch.{name}" for name in "pow float_power remainder xlogy bucketize result_type".split()]
    + [f"torch.bitwise_{name}" for name in "and or xor left_shift right_shift".split()]
)
"""Functions of two operands of which the first may be a number instead: `torch.pow(0.9, step)`. So their documentation
says, or an overload of theirs in torch 2.13; those of `torch.special` are as well."""
_TENSOR_ARGUMENTS: Final = frozenset(
    "x1 x2 mat mat1 mat2 vec vec1 vec2 batch1 batch2 tensor1 tensor2 index target mask boundaries sorted_sequence "
    "grid".split()
)
"""Names that torch gives to parameters that must be tensors wherever they stand."""
_TENSOR_LISTS: Final = frozenset({"tensors"})
_TORCH_KEYWORDS: Final = frozenset(
    "dim keepdim descending largest return_counts return_inverse retain_graph as_tuple".split()
)
"""Arguments that methods of arrays and lists have under other names."""
_COUNTS: Final = frozenset(
    {"k", "chunks", "split_size", "repeats", "p", "sections", "shifts", "n", "diagonal", "dim", "dim0"}
)
"""Names that torch gives to a first parameter of a method that is a number."""
_OF_TENSORS_ALONE: Final = frozenset(
    "backward int bool short byte isnan relu sigmoid tanh exp log log2 log10 log1p expm1 sin cos sqrt rsqrt "
    "square".split()
)
"""Methods that only a tensor has without arguments, though something else may have one with arguments."""
_ALONG: Final = frozenset({"softmax", "log_softmax", "logsumexp"})
"""As those, with nothing but the dimension."""
_KEEPING: Final = (
    frozenset(
        "sum mean any all abs max min argmax argmin clone squeeze flatten view reshape transpose permute cumsum round "
        "floor ceil float long".split()
    )
    | _OF_TENSORS_ALONE
)
"""Methods that give a tensor when called on one, and an array or number when called on such."""
_CASTS: Final = TO_FLOATS | {"detach", "long"}
"""Methods that give nothing but a module or a tensor."""
_MOVES: Final = _CASTS | {"cpu", "cuda"}
"""Methods that modules and tensors have, but arrays and numbers don't."""
_MASK_METHODS: Final = frozenset({"any", "all", "logical_not", "logical_and", "logical_or"})
"""Methods that what is also used as an index has only where it is a mask; `_OF_MASKS` are such functions."""
_OF_CONTEXTS: Final = frozenset({"save_for_backward", "mark_dirty", "mark_non_differentiable"})
"""Methods of the context of an autograd function that take nothing but tensors."""
_OF_MASKS: Final = frozenset({"torch.any", "torch.all", "torch.logical_not"})
_MASK_PARAMS: Final = frozenset({"mask", "condition"})
_NOT_PROOF: Final = frozenset({"torch.is_tensor", "torch.is_storage", "torch.Tensor", "torch.save", "torch.typename"})
Annotated: TypeAlias = tuple[str | None, ...]
"""Of the parameters of a function that a place may give, the names of those that are annotated as tensors."""


def note_tensor(tensors: dict[str, Place], node: Expr, span: Place) -> None:
    """Notes that a name or path is used as only a tensor can be, with the first such use."""
    path = used_path(node)
    if path is not None and (path not in tensors or span < tensors[path]) and not path.endswith(_OF_TYPES):
        tensors[path] = span


_OF_TYPES: Final = ("dtype", "qtype")
"""Ends of the names of element types, which have `is_complex` and `itemsize` as tensors have."""


def note_cast(tensors: dict[str, Place], call: Call) -> None:
    """Notes `x` of `x.float() - 1` and `x.detach()[0]`: no module can be calculated with, or indexed."""
    _, func, args, keywords = call
    if type(func) is Attr and func.name in _CASTS and not args and not keywords:
        note_tensor(tensors, root_of_chain(func.value), call.span)


def note_from_call(
    call: Call,
    ops: Mapping[str, Op],
    canonical: Callable[[Expr], str | None],
    tensors: dict[str, Place],
    masks: set[str],
) -> None:
    """Notes the names that a call proves to be tensors, and those that it proves to be masks."""
    span, func, args, keywords = call
    if type(func) is Attr:
        _, value, member = func
        if member in _MASK_METHODS and not keywords and type(value) in PATHS and not any(is_number(a) for a in args):
            path = dotted_path(value)
            if path is not None:
                masks.add(path)
        if member in _OF_CONTEXTS:
            for arg in args:
                note_tensor(tensors, arg, span)
        if proves_tensor(call, ops):
            note_tensor(tensors, root_of_chain(value), span)
        if member in _SIZE_CALLS or (member == "size" and args and not keywords):
            note_tensor(tensors, value, span)
        if member == "register_hook":
            return
        if member == "to" and args and _is_whole_dtype(args[0]):
            note_tensor(tensors, value, span)
    if not args:
        return
    name = canonical(func)
    if name is None:
        if not isinstance(func, Attr) or len(args) < 2:
            return
        op = ops.get(f"Tensor.{func.name}")
        if op is None or not (op.tensor_only or func.name in _GATHERING):
            return
    elif name in _NOT_PROOF:
        return
    else:
        op = ops.get(name)
    if op is None or not op.params:
        return
    if op.name in _OF_MASKS and type(args[0]) in PATHS:
        masks.add(dotted_path(args[0]) or "")
    params = op.params
    first = params[0].name
    if first in _TENSOR_LISTS and type(args[0]) is Sequence:
        for item in args[0].items:
            note_tensor(tensors, item, span)
    if name is not None and first in _TENSOR_PARAMS and not _may_be_number(op.name, args):
        note_tensor(tensors, _of_masked(_beside_numbers(args[0])), span)
    if op.returns not in _GIVING or op.name.endswith(_BY_NUMBER):
        return
    for param, arg in zip(params, args, strict=False):
        if type(arg) not in PATHS:
            continue
        if param.name in _TENSOR_ARGUMENTS:
            note_tensor(tensors, arg, span)
        if param.name in _MASK_PARAMS:
            masks.add(dotted_path(arg) or "")
    for keyword, arg in keywords:
        if keyword in _TENSOR_ARGUMENTS and type(arg) in PATHS and any(param.name == keyword for param in params):
            note_tensor(tensors, arg, span)


def note_from_annotations(call: Call, params: Annotated, tensors: dict[str, Place]) -> None:
    """Notes the names that a call hands to parameters which are annotated as tensors."""
    if not params:
        return
    span, _, args, keywords = call
    for param, arg in zip(params, args, strict=False):
        if type(arg) is Starred:
            break
        if param is not None and type(arg) is Name:
            note_tensor(tensors, arg, span)
    for keyword, arg in keywords:
        if keyword is not None and keyword in params and type(arg) is Name:
            note_tensor(tensors, arg, span)


def _may_be_number(name: str, args: tuple[Expr, ...]) -> bool:
    """Whether what is handed first to a function of torch may be a number, because the second is a tensor then."""
    if name not in _NUMBER_FIRST and not name.startswith("torch.special."):
        return False
    return len(args) > 1 and not is_number(args[1])


def _of_masked(node: Expr) -> Expr:
    """`x` of `x[mask]`; what such an index picks from is a tensor if what it picks is one."""
    while type(node) is Subscript and type(node.key) in PATHS and is_called_a_mask(dotted_path(node.key) or ""):
        node = node.value
    return node


def _beside_numbers(node: Expr) -> Expr:
    """What `-x`, `x * 2` and `x == 1` are made of, where all the rest are numbers; else the expression itself."""
    while True:
        if type(node) is Unary and node.op != "not":
            node = node.operand
        elif type(node) is Binary and is_number(node.right):
            node = node.left
        elif type(node) is Binary and is_number(node.left):
            node = node.right
        elif type(node) is Compare and len(node.ops) == 1 and node.ops[0] in COMPARISONS and is_number(node.rights[0]):
            node = node.left
        else:
            return node


_GIVING: Final = frozenset({"tensor", "tensors", "self"})
_BY_NUMBER: Final = (".select", ".select_copy", ".select_scatter")
"""Their `index` is a number."""
_GATHERING: Final = frozenset({"gather", "scatter"})
"""Methods of tensors whose `index` is one, though others have methods of these names."""


def proves_tensor(call: Call, ops: Mapping[str, Op]) -> bool:
    """Whether the way in which a method is called proves that it is one of a tensor: `x.sum(dim=1)`, `x.int()`."""
    _, func, args, keywords = call
    if type(func) is not Attr:
        return False
    name = func.name
    if not args and not keywords:
        if name in _MOVES and type(func.value) is Call:
            inner = func.value.func
            return type(inner) is Attr and inner.name in _KEEPING and all(map(is_number, func.value.args))
        if name in _MOVES and type(func.value) in {Compare, Binary}:
            return True
        return name in _OF_TENSORS_ALONE
    if name in _ALONG and not keywords and len(args) == 1 and is_number(args[0]):
        return True
    if not any(keyword in _TORCH_KEYWORDS for keyword, _ in keywords):
        return False
    op = ops.get(f"Tensor.{name}")
    if op is None or len(args) > 1:
        return False
    return not args or is_number(args[0]) or (bool(op.params) and op.params[0].name in _COUNTS)


def root_of_chain(node: Expr) -> Expr:
    """What `x.sum(-1).abs()` begins with, if each step gives a tensor only where it is called on one."""
    while (
        type(node) is Call
        and type(node.func) is Attr
        and node.func.name in _KEEPING
        and not node.keywords
        and all(map(is_number, node.args))
    ):
        node = node.func.value
    return node


def _is_whole_dtype(node: Expr) -> bool:
    """`torch.int64`, `torch.bool`: no module is of these."""
    return type(node) is Attr and node.name in NO_FLOATS and type(node.value) is Name and node.value.id == "torch"
