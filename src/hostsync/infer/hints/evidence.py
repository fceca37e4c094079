"""What the use of a name says about it, read off a whole function before it is followed step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import flagged
from hostsync.facts import (
    NODES_IN,
    Assert,
    Assign,
    Attr,
    AugAssign,
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Const,
    Expr,
    For,
    FString,
    Handler,
    If,
    Logical,
    Name,
    Place,
    Raise,
    Return,
    Sequence,
    Slice,
    Starred,
    Stmt,
    Subscript,
    Try,
    Unary,
    While,
    With,
)
from hostsync.infer.hints.defaults import last_name
from hostsync.infer.hints.tables import TABLE_MEMBERS, is_table_name

_SIZE_CALLS: Final = frozenset({"dim", "long", "view", "ndimension", "nelement"})
"""Members that prove a tensor only when called: arrays and modules have an attribute, or nothing, of that name."""
_TENSOR_PARAMS: Final = frozenset({"input", "self", "tensor", "x", "query", "A", "condition"})
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
_MOVES: Final = frozenset({"float", "half", "double", "bfloat16", "cpu", "cuda", "detach", "long"})
"""Methods that modules and tensors have, but arrays and numbers don't."""
_CASTS: Final = frozenset({"float", "half", "double", "bfloat16", "detach", "long"})
"""Those that give nothing but a module or a tensor."""
_PLACED: Final = frozenset({"cpu", "cuda", "detach"})
"""Methods of what has a device."""
_TO_THE_DEVICE: Final = frozenset({"to", "cuda"})
_MASK_METHODS: Final = frozenset({"any", "all", "logical_not", "logical_and", "logical_or"})
"""Methods that what is also used as an index has only where it is a mask; `_OF_MASKS` are such functions."""
_OF_CONTEXTS: Final = frozenset({"save_for_backward", "mark_dirty", "mark_non_differentiable"})
"""Methods of the context of an autograd function that take nothing but tensors."""
_OF_MASKS: Final = frozenset({"torch.any", "torch.all", "torch.logical_not"})
_MASK_PARAMS: Final = frozenset({"mask", "condition"})
_SHAPES: Final = frozenset({"shape", "ndim"})
_SELF: Final = frozenset({"self", "cls"})
_WHOLE_DTYPES: Final = frozenset({"int8", "uint8", "int16", "short", "int32", "int", "int64", "long", "bool"})
"""No module is of these: `x.to(torch.int64)` proves a tensor."""
_CONVERSIONS: Final = frozenset({"as_tensor", "asarray", "from_numpy", "new_tensor", "tensor"})
_FILLS: Final = frozenset({"full", "full_like", "new_full"})
"""They take what they convert behind the size."""
_JOINING: Final = frozenset({"stack", "vstack", "hstack", "dstack", "cat", "concat", "concatenate"})
"""They take a sequence of tensors."""
_PATHS: Final = frozenset({Name, Attr})
_REGISTERING: Final = frozenset({"register_buffer", "register_parameter", "add_state"})
"""Methods that make an attribute of what they are handed."""
_FILLING: Final = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "setdefault"})
"""Methods of containers by which what an attribute holds becomes more: `self.parts.append(x)`."""
_LIKE_ARRAYS: Final = frozenset("sum mean any all min max argmin argmax flatten reshape cumsum argsort".split())
"""Methods that tensors and arrays have, and modules don't."""
_SHAPED: Final = _LIKE_ARRAYS | {"expand", "repeat", "squeeze", "transpose"}
"""Methods of arrays, or of distributions, whose results only of a tensor can be moved: `t.expand(n).to(x.dtype)`."""
OF_ARRAYS_ALONE: Final = frozenset({"astype", "isna", "isnull", "notna", "notnull"})
"""Methods of arrays, and of the tables and columns of pandas, that no tensor has."""
_OF_NO_TENSOR: Final = OF_ARRAYS_ALONE | {"copy"}
"""Those, and one that lists and dictionaries have, too."""
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_NOT_PROOF: Final = frozenset({"torch.is_tensor", "torch.is_storage", "torch.Tensor", "torch.save", "torch.typename"})


class Usage(NamedTuple):
    """How names are used in one function."""

    tensors: Mapping[str, Place]
    """Names, and dotted `self.x` paths, that are used as only a tensor can be, with the first such use."""
    stores_attributes: bool
    """It assigns to an attribute of something, or fills one that is a container."""
    candidates: bool
    """It holds an expression or statement that may wait at all."""
    masks: frozenset[str] = frozenset()
    """Names that are used as only a tensor of truth values is."""
    moved: frozenset[str] = frozenset()
    """Names of which `to` or `cuda` is called."""
    asked: frozenset[str] = frozenset()
    """Names of which a type is asked for somewhere, so that they may be several things."""
    indexes: frozenset[str] = frozenset()
    """Names that something is indexed with."""
    read: frozenset[str] = frozenset()
    """Names of which `item` is called, so that they have one element."""
    tables: frozenset[str] = frozenset()
    """Names that are used as only a table is."""
    moves_attributes: bool = False
    """It moves whichever attributes of `self`: `setattr(self, name, value.to(device))`."""
    brings_back: bool = False
    """It calls `cpu` of an attribute of something."""
    counted: frozenset[str] = frozenset()
    """Names of which `len` is asked, so that they are no numbers."""


_CANDIDATES: Final = frozenset(
    [
        If,
        While,
        Assert,
        Conditional,
        Logical,
        Compare,
        FString,
        Comprehension,
        Unary,
    ]
)
"""Besides calls and subscripts, what may wait."""


def names_mentioned(node: object) -> set[str]:
    """All names that stand anywhere in an expression or statement."""
    found: set[str] = set()
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Name):
            found.add(current.id)
        elif isinstance(current, tuple):
            stack.extend(current)
    return found


def dotted_path(node: Expr) -> str | None:
    """`self.x.y` as text, None for anything but names and attributes."""
    path = ""
    while type(node) is Attr:
        _, value, name = node
        path = f".{name}{path}"
        node = value
    return node.id + path if type(node) is Name else None


def receiver_node(node: Call) -> Expr | None:
    """`x` of `x.method()`; None for a call of anything else."""
    return node.func.value if isinstance(node.func, Attr) else None


Annotated: TypeAlias = tuple[str | None, ...]
"""Of the parameters of a function that a place may give, the names of those that are annotated as tensors."""


def _not_annotated(_: Expr) -> Annotated:
    return ()


def usage_of(
    body: tuple[Stmt, ...],
    ops: Mapping[str, Op],
    canonical: Callable[[Expr], str | None],
    uses_torch: bool,
    knows_arrays: Callable[[], bool] = bool,
    annotated: Callable[[Expr], Annotated] = _not_annotated,
    converted: list[tuple[str, int]] | None = None,
) -> Usage:
    """Collect evidence from a function's body, nested functions included.

    `canonical` gives the dotted name of what a call calls. Where `uses_torch` is false, no use proves a tensor.
    Where `knows_arrays` says so, an index like `x[:, 0]` does not.
    `annotated` gives what the function of the project that a call calls says of its parameters.
    `converted` takes the names that are bound anew to what they are turned into, with the row.
    """
    tensors: dict[str, Place] = {}
    placed: dict[str, Place] = {}
    shaped: set[str] = set()
    masks: set[str] = set()
    moved: set[str] = set()
    asked: set[str] = set()
    indexes: set[str] = set()
    read: set[str] = set()
    by_index: dict[str, Place] = {}
    arrays: set[str] = set()
    tables: set[str] = set()
    taken: list[tuple[str, str]] = []
    counted: set[str] = set()
    converted = [] if converted is None else converted
    stores = candidates = moves_attributes = brings_back = False
    methods = _tensor_methods(ops) if uses_torch else frozenset()
    stack: list[Any] = list(body)
    pop, push, extend = stack.pop, stack.append, stack.extend
    # Compiled, the name of an imported class is looked up each time that it is asked for.
    a_name, a_constant, an_attribute, a_call, a_subscript = Name, Const, Attr, Call, Subscript
    while stack:
        node = pop()
        kind = type(node)
        if kind is a_name or kind is a_constant or node is None:
            continue
        if kind is an_attribute:
            while kind is an_attribute:
                span, value, name = node
                if name in methods and name != "numel":
                    # A `torch.Size` has `numel()`, too.
                    _note(tensors, value, span)
                elif name == "device":
                    _note(placed, value, span)
                elif uses_torch and name in _TO_THE_DEVICE and type(value) is a_call:
                    _, made, _, _ = value
                    if type(made) is an_attribute and made.name in _SHAPED:
                        _note(tensors, made.value, span)
                elif name in _SHAPES:
                    path = dotted_path(value)
                    if path is not None:
                        shaped.add(path)
                elif name in TABLE_MEMBERS or (name == "index" and type(value) is a_subscript and _picks(value.key)):
                    table = _whole(value)
                    if isinstance(table, Name):
                        tables.add(table.id)
                node = value
                kind = type(node)
            if kind is not a_name:
                push(node)
            continue
        if kind is a_call:
            candidates = True
            span, func, args, keywords = node
            if uses_torch:
                _from_call(node, ops, canonical, tensors, masks)
                if args or keywords:
                    _from_annotations(node, annotated(func), tensors)
            if type(func) is an_attribute:
                _, owner, name = func
                if name in _FILLING and type(owner) is not a_name:
                    stores = stores or _is_of_attribute(owner)
                if uses_torch and name in _OF_NO_TENSOR:
                    path = dotted_path(_whole(owner))
                    if path is not None:
                        arrays.add(path)
                if name == "cpu" and type(owner) is an_attribute:
                    brings_back = True
                if name == "expand" and uses_torch and args and (type(args[0]) is a_subscript or is_number(args[0])):
                    # A distribution takes a shape.
                    _note(tensors, owner, span)
                if uses_torch and type(owner) is a_name:
                    stores = stores or name in _REGISTERING
                    if name in _PLACED:
                        _note(placed, owner, span)
                    if name in _TO_THE_DEVICE:
                        moved.add(owner.id)
                    elif name in _LIKE_ARRAYS:
                        shaped.add(owner.id)
                    elif name == "item":
                        read.add(owner.id)
                # Lists and texts have a method of that name; tables and columns have it as it stands.
                push(owner if name == "index" else func)
            elif type(func) is not a_name:
                push(func)
            elif func.id == "len":
                if args and type(args[0]) is a_name:
                    counted.add(args[0].id)
            elif uses_torch and func.id == "setattr":
                moves_attributes = moves_attributes or _moves_attribute(node)
            if args:
                extend(args)
            for _, value in keywords:
                push(value)
            continue
        if kind is a_subscript:
            candidates = True
            span, whole, key = node
            if type(key) is a_name:
                indexes.add(key.id)
            elif type(key) is Sequence:
                indexes.update([item.id for item in key.items if type(item) is a_name])
            elif type(key) is a_constant and key.kind == "str" and type(whole) is a_name and is_table_name(whole.id):
                tables.add(whole.id)
            if uses_torch:
                if type(whole) is a_call:
                    _note_cast(tensors, whole)
                elif is_tensor_index(key) and not knows_arrays():
                    _note(by_index, whole, span)
        elif kind is Assign:
            for target in node.targets:
                if type(target) is a_name:
                    continue
                stores = stores or _has_attribute(target)
                push(target)
            if type(node.value) is a_call:
                anew = _converted(node)
                if anew is not None:
                    converted.append((anew, node.span[0]))
            push(node.value)
            push(node.annotation)
            continue
        elif kind is AugAssign:
            stores = stores or _has_attribute(node.target)
        elif kind is For:
            one_each = _taken_from(node)
            if one_each is not None:
                taken.append(one_each)
        elif kind is Binary:
            # It may format a text.
            candidates = candidates or node.op == "%"
            if uses_torch:
                if type(node.left) is a_call:
                    _note_cast(tensors, node.left)
                if type(node.right) is a_call:
                    _note_cast(tensors, node.right)
                if node.op in _OF_TRUTH:
                    masks.update(_combined_with_comparisons(node))
        elif kind in _CANDIDATES:
            candidates = True
            guarded = _guarded(node) if uses_torch and kind in _GUARDING else None
            if guarded is not None:
                # What is done where `isinstance(x, …)` holds says nothing of what `x` is elsewhere.
                names, inside, rest = guarded
                if names is not None and not _leaves(node):
                    asked |= _asked_for_tensors(node)
                inner = usage_of(inside, ops, canonical, uses_torch, knows_arrays, annotated, converted)
                for path, place in inner.tensors.items():
                    if names is not None and path not in names and (path not in tensors or place < tensors[path]):
                        tensors[path] = place
                stores = stores or inner.stores_attributes
                masks |= inner.masks
                moved |= inner.moved
                asked |= inner.asked
                indexes |= inner.indexes
                tables |= inner.tables - names if names is not None else _NO_NAMES
                read |= inner.read - names if names is not None else _NO_NAMES
                counted |= inner.counted - names if names is not None else _NO_NAMES
                moves_attributes = moves_attributes or inner.moves_attributes
                extend(rest)
                continue
            if kind is Unary and node.op == "~" and type(node.operand) in _PATHS:
                path = dotted_path(node.operand)
                if path is not None:
                    masks.add(path)
        for at in _SINGLE[kind]:
            push(node[at])
        for at in _SEVERAL[kind]:
            extend(node[at])
    for name, path in taken:
        if name in tensors and f"{path}[]" not in tensors:
            tensors[f"{path}[]"] = tensors[name]
    for path, place in by_index.items():
        if path not in arrays and (path not in tensors or place < tensors[path]):
            tensors[path] = place
    if uses_torch:
        # A module has a device but no shape, an array a shape but no device.
        for path in shaped.intersection(placed):
            if path not in tensors and path not in _SELF:
                tensors[path] = placed[path]
    for name, row in converted:
        if name in tensors and tensors[name][0] > row:
            del tensors[name]
    return Usage(
        tensors,
        stores,
        candidates,
        frozenset(masks) if masks else _NO_NAMES,
        frozenset(moved) if moved else _NO_NAMES,
        frozenset(asked) if asked else _NO_NAMES,
        frozenset(indexes) if indexes else _NO_NAMES,
        frozenset(read) if read else _NO_NAMES,
        frozenset(tables) if tables else _NO_NAMES,
        moves_attributes,
        brings_back,
        frozenset(counted) if counted else _NO_NAMES,
    )


def _moves_attribute(call: Call) -> bool:
    """`setattr(self, name, value.to(device))` for a name that is not written there."""
    if len(call.args) != 3 or dotted_path(call.args[0]) not in _SELF or type(call.args[1]) is Const:
        return False
    value = call.args[2]
    return type(value) is Call and type(value.func) is Attr and value.func.name in _TO_THE_DEVICE


_NO_NAMES: Final[frozenset[str]] = frozenset()
_GUARDING: Final = frozenset({If, Conditional, Logical})


def _guarded(node: Any) -> tuple[set[str] | None, tuple[Any, ...], tuple[Any, ...]] | None:
    """Splits an `if`, a conditional expression or an `and` that asks for the type of something.

    Returns:
        The names that are asked about, what comes to pass where the answer is yes, and the rest. None if nothing is
        asked. The names are None where it asks for tracing: sizes are tensors there, and nowhere else.
    """
    if type(node) is Logical:
        names = _asked_about(node.values[0]) if node.op == "and" else None
        return (names, node.values[1:], node.values[:1]) if names else None
    asked = None if asks_for_tracing(node.test) else _asked_about(node.test)
    if asked is not None and not asked:
        return None
    if type(node) is If:
        return asked, node.body, (node.test, *node.orelse)
    return asked, (node.body,), (node.test, node.orelse)


_TRACING: Final = frozenset(
    """is_compiling is_dynamo_compiling is_exporting is_scripting is_tracing is_current_stream_capturing is_fx_tracing
    is_in_onnx_export is_torchdynamo_compiling is_torch_fx_proxy _get_tracing_state""".split()
)
"""Functions that say yes only where no eager Python runs on real data, and variables that keep what they say.

So `torch.compiler.is_compiling`, `torch.jit.is_tracing`, `torch._C._get_tracing_state` and others of torch, and what
libraries call theirs.
"""


def asks_for_tracing(test: Expr) -> bool:
    """`torch.jit.is_tracing()`, or `is_tracing` by itself, which is what that gave."""
    node = test.func if type(test) is Call else test
    if type(node) is Name:
        return node.id in _TRACING
    return type(node) is Attr and type(test) is Call and node.name in _TRACING


def _asked_about(test: Expr) -> set[str]:
    """Names of which a test says that they are of some type, where it comes out true."""
    if type(test) is Logical and test.op == "and":
        return {name for part in test.values for name in _asked_about(part)}
    if type(test) is Compare:
        typed = _typed(test)
        path = None if typed is None else used_path(typed)
        return set() if path is None else {path}
    if type(test) is not Call or not test.args:
        return set()
    called = dotted_path(test.func)
    path = used_path(test.args[0]) if called is not None and called.rpartition(".")[2] in _TYPE_TESTS else None
    return set() if path is None else {path}


def _typed(test: Compare) -> Expr | None:
    """`x` of `type(x) == Tensor` and `type(x) in (int, float)`."""
    left = test.left
    if len(test.ops) != 1 or test.ops[0] not in _IS_OF or type(left) is not Call or len(left.args) != 1:
        return None
    return left.args[0] if type(left.func) is Name and left.func.id == "type" else None


_IS_OF: Final = frozenset({"==", "is", "in"})


def _asked_for_tensors(node: Any) -> set[str]:
    """Names of which a test asks whether they are tensors."""
    test = node.values[0] if type(node) is Logical else node.test
    parts = test.values if type(test) is Logical else (test,)
    found = set()
    for part in parts:
        wanted = part.args[1:2] if type(part) is Call else part.rights[:1] if type(part) is Compare else ()
        classes = wanted[0].items if wanted and type(wanted[0]) is Sequence else wanted
        paths = [dotted_path(item) or "" for item in classes]
        if not wanted or any(path.rpartition(".")[2] in {"Tensor", "Parameter"} for path in paths):
            found |= _asked_about(part)
    return found


def _leaves(node: Any) -> bool:
    """`if isinstance(x, Tensor): return …`: what comes after is of what is none."""
    return type(node) is If and not node.orelse and type(node.body[-1]) in {Return, Raise}


_TYPE_TESTS: Final = frozenset({"isinstance", "is_tensor", "issubclass"})


def _converted(node: Assign) -> str | None:
    """The name that `x = torch.tensor([x]).to(device)` binds anew: what it is from then on says nothing of before.

    So does `x = torch.stack(x)` of a sequence of tensors.
    """
    made = node.value
    while type(made) is Call and type(made.func) is Attr and type(made.func.value) is Call:
        made = made.func.value
    if type(made) is not Call or not made.args or type(made.func) not in _PATHS:
        return None
    name = made.func.name if type(made.func) is Attr else dotted_path(made.func)
    if name in _FILLS and len(made.args) > 1:
        given = names_mentioned(made.args[1])
    elif name in _CONVERSIONS:
        given = names_mentioned(made.args[0])
    elif name in _JOINING and type(made.args[0]) is Name:
        given = {made.args[0].id}
    else:
        return None
    return next((t.id for t in node.targets if type(t) is Name and t.id in given), None)


_TENSOR_METHODS: Final[dict[int, tuple[Mapping[str, Op], frozenset[str]]]] = {}


def _tensor_methods(ops: Mapping[str, Op]) -> frozenset[str]:
    """The members that only a tensor has."""
    held = _TENSOR_METHODS.get(id(ops))
    if held is None or held[0] is not ops:
        prefix = "Tensor."
        names = frozenset([name[len(prefix) :] for name in flagged(ops, "tensor_only") if name.startswith(prefix)])
        held = _TENSOR_METHODS[id(ops)] = (ops, names)
    return held[1]


def _children(kind: type, several: bool) -> tuple[int, ...]:
    """Where a kind of node holds other nodes: single ones, or tuples of them."""
    fields: tuple[str, ...] = getattr(kind, "_fields")  # noqa: B009
    named = NODES_IN[kind].split()
    return tuple(fields.index(name.rstrip("*")) for name in named if name.endswith("*") == several)


_SINGLE: Final = {node: _children(node, False) for node in NODES_IN}
_SEVERAL: Final = {node: _children(node, True) for node in NODES_IN}


def calls_in(body: tuple[Stmt, ...]) -> Iterator[Call]:
    """All calls that stand anywhere in a block."""
    return (node for node in nodes_in(body, frozenset()) if type(node) is Call)


_LEAVES: Final = frozenset({Name, Const, type(None)})


def assigned_to(body: tuple[Stmt, ...], name: str) -> list[Expr | None]:
    """What a name is bound to in some statements, nested ones included, in no particular order."""
    return [
        node.value
        for node in nodes_in(body, frozenset())
        if type(node) is Assign and any(last_name(target) == name for target in node.targets)
    ]


def nodes_in(body: tuple[Stmt, ...], closed: frozenset[type]) -> Iterator[Any]:
    """All statements and expressions of a block but names and constants, and what is in them.

    Args:
        body: the block.
        closed: the kinds of node that are left out with all that is in them.
    """
    stack: list[Any] = list(body)
    left_out = closed | _LEAVES
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in left_out:
            continue
        yield node
        for at in _SINGLE[kind]:
            stack.append(node[at])
        for at in _SEVERAL[kind]:
            stack += node[at]


def rebound(body: tuple[Stmt, ...], name: str) -> Iterator[tuple[Attr, Call]]:
    """The calls of methods that a block binds a name to, as `x = x.to(device)`: the method, and the call."""
    for node in nodes_in(body, frozenset()):
        if type(node) is not Assign or type(node.value) is not Call or type(node.value.func) is not Attr:
            continue
        if any(type(target) is Name and target.id == name for target in node.targets):
            yield node.value.func, node.value


def mentions_any(body: tuple[Stmt, ...], names: frozenset[str]) -> bool:
    """Whether a block speaks of one of some names."""
    stack: list[Any] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Name:
            if node.id in names:
                return True
        elif node is not None and kind is not Const:
            for at in _SINGLE[kind]:
                stack.append(node[at])
            for at in _SEVERAL[kind]:
                stack += node[at]
    return False


def used_path(node: Expr) -> str | None:
    """As `dotted_path`, and also for `batch["x"]`, and for `sigmas[i + 1]`, which stands for all that it holds."""
    if type(node) is not Subscript:
        return dotted_path(node)
    key = node.key
    if type(key) is Const and key.kind == "str":
        path = dotted_path(node.value)
        return None if path is None else f"{path}[{key.value}]"
    return element_path(node) if type(key) is Binary and key.op in {"+", "-"} and is_number(key.right) else None


def element_path(node: Subscript) -> str | None:
    """What stands for all elements of something that is indexed."""
    path = dotted_path(node.value)
    return None if path is None else f"{path}[]"


def _taken_from(loop: For) -> tuple[str, str] | None:
    """The `t` and `steps` of `for t in steps`, and of `for i, t in enumerate(steps)`."""
    target, source = loop.target, loop.iterable
    if (
        type(source) is Call
        and type(source.func) is Name
        and source.func.id == "enumerate"
        and source.args
        and type(target) is Sequence
        and len(target.items) == 2
    ):
        target, source = target.items[1], source.args[0]
    path = dotted_path(source) if type(target) is Name else None
    return None if path is None or type(target) is not Name else (target.id, path)


def _note(tensors: dict[str, Place], node: Expr, span: Place) -> None:
    path = used_path(node)
    if path is not None and (path not in tensors or span < tensors[path]) and not path.endswith(_OF_TYPES):
        tensors[path] = span


_OF_TYPES: Final = ("dtype", "qtype")
"""Ends of the names of element types, which have `is_complex` and `itemsize` as tensors have."""


def _note_cast(tensors: dict[str, Place], call: Call) -> None:
    """Notes `x` of `x.float() - 1` and `x.detach()[0]`: no module can be calculated with, or indexed."""
    _, func, args, keywords = call
    if type(func) is Attr and func.name in _CASTS and not args and not keywords:
        _note(tensors, root_of_chain(func.value), call.span)


def _has_attribute(target: Expr) -> bool:
    if isinstance(target, Sequence):
        return any(_has_attribute(item) for item in target.items)
    while isinstance(target, (Subscript, Starred)):
        target = target.value
    return isinstance(target, Attr)


def _picks(key: Expr) -> bool:
    """`samples[samples.label == 1]`."""
    return type(key) is Compare or (type(key) is Binary and key.op in {"&", "|"})


def _is_of_attribute(node: Expr) -> bool:
    """`self.parts`, `self.parts["a"]`, `self.parts.setdefault("a", [])`; of no other object."""
    while isinstance(node, (Subscript, Call)):
        node = node.value if isinstance(node, Subscript) else node.func
        if type(node) is Attr and node.name in _FILLING:
            node = node.value
    return type(node) is Attr and type(node.value) is Name and node.value.id in _SELF


def _from_call(
    call: Call,
    ops: Mapping[str, Op],
    canonical: Callable[[Expr], str | None],
    tensors: dict[str, Place],
    masks: set[str],
) -> None:
    span, func, args, keywords = call
    if type(func) is Attr:
        _, value, member = func
        if member in _MASK_METHODS and not keywords and type(value) in _PATHS and not any(is_number(a) for a in args):
            path = dotted_path(value)
            if path is not None:
                masks.add(path)
        if member in _OF_CONTEXTS:
            for arg in args:
                _note(tensors, arg, span)
        if proves_tensor(call, ops):
            _note(tensors, root_of_chain(value), span)
        if member in _SIZE_CALLS or (member == "size" and args and not keywords):
            _note(tensors, value, span)
        if member == "register_hook":
            return
        if member == "to" and args and _is_whole_dtype(args[0]):
            _note(tensors, value, span)
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
    if op.name in _OF_MASKS and type(args[0]) in _PATHS:
        masks.add(dotted_path(args[0]) or "")
    params = op.params
    first = params[0].name
    if first in _TENSOR_LISTS and type(args[0]) is Sequence:
        for item in args[0].items:
            _note(tensors, item, span)
    if name is not None and first in _TENSOR_PARAMS and not _may_be_number(op.name, args):
        _note(tensors, _of_masked(_beside_numbers(args[0])), span)
    if op.returns not in _GIVING or op.name.endswith(_BY_NUMBER):
        return
    for param, arg in zip(params, args, strict=False):
        if type(arg) not in _PATHS:
            continue
        if param.name in _TENSOR_ARGUMENTS:
            _note(tensors, arg, span)
        if param.name in _MASK_PARAMS:
            masks.add(dotted_path(arg) or "")
    for keyword, arg in keywords:
        if keyword in _TENSOR_ARGUMENTS and type(arg) in _PATHS and any(param.name == keyword for param in params):
            _note(tensors, arg, span)


_OF_TRUTH: Final = frozenset({"&", "|", "^"})


def _combined_with_comparisons(node: Binary) -> list[str]:
    """The operand of `(x > 0) & valid` that isn't the comparison."""
    sides = (node.left, node.right)
    for side, other in (sides, sides[::-1]):
        if type(side) is Compare and len(side.rights) == 1 and side.ops[0] in _ELEMENTWISE and type(other) in _PATHS:
            path = dotted_path(other)
            return [path] if path is not None else []
    return []


_ELEMENTWISE: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def _from_annotations(call: Call, params: Annotated, tensors: dict[str, Place]) -> None:
    """Notes the names that a call hands to parameters which are annotated as tensors."""
    if not params:
        return
    span, _, args, keywords = call
    for param, arg in zip(params, args, strict=False):
        if type(arg) is Starred:
            break
        if param is not None and type(arg) is Name:
            _note(tensors, arg, span)
    for keyword, arg in keywords:
        if keyword is not None and keyword in params and type(arg) is Name:
            _note(tensors, arg, span)


def _may_be_number(name: str, args: tuple[Expr, ...]) -> bool:
    """Whether what is handed first to a function of torch may be a number, because the second is a tensor then."""
    if name not in _NUMBER_FIRST and not name.startswith("torch.special."):
        return False
    return len(args) > 1 and not is_number(args[1])


_MASK: Final = re.compile(
    r"(^|_)(mask|masks|valid|invalid|visible|inlier|inliers|outlier|outliers)$"
    r"|(^|_)mask_(?!\w*(idx|idcs?|index|indexes|indices|inds?|ids?|keep|tokens?|embs?|value|rles?)$)"
)
_QUESTION: Final = re.compile(
    r"^(is|has|bool)_|(^|_)(masked|converged|finished|dones?|alive|active|inactive|cond|condition|flags?|ignored|correct|"
    r"nans?|finite|infinite|empty|nonempty)$"
)


def is_called_a_mask(path: str) -> bool:
    """Whether a dotted name is one that a tensor of truth values goes by."""
    return is_named_mask(path) or _QUESTION.search(path.rpartition(".")[2]) is not None


def is_named_mask(path: str) -> bool:
    """Whether a dotted name is one that hardly anything but a tensor of truth values goes by."""
    return _MASK.search(path.rpartition(".")[2]) is not None


def _of_masked(node: Expr) -> Expr:
    """`x` of `x[mask]`; what such an index picks from is a tensor if what it picks is one."""
    while type(node) is Subscript and type(node.key) in _PATHS and is_called_a_mask(dotted_path(node.key) or ""):
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
        elif type(node) is Compare and len(node.ops) == 1 and node.ops[0] in _COMPARISONS and is_number(node.rights[0]):
            node = node.left
        else:
            return node


_GIVING: Final = frozenset({"tensor", "tensors", "self"})
_BY_NUMBER: Final = (".select", ".select_copy", ".select_scatter")
"""Their `index` is a number."""
_GATHERING: Final = frozenset({"gather", "scatter", "scatter_add", "index_select"})


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


_NO_NUMBERS: Final = frozenset({"is", "is not", "in", "not in"})


def decides(body: tuple[Stmt, ...], name: str) -> bool:
    """Whether a condition of a statement compares what `name` stands for, which is one number then."""
    stack: list[object] = [body]
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            stack.extend(node)
        elif isinstance(node, BLOCKS):
            stack.extend(part for part in node if type(part) is tuple)
        if isinstance(node, (If, While, Assert)) and _compares(node.test, name):
            return True
    return False


BLOCKS: Final = (If, For, While, With, Try, Handler)
"""Statements, and a part of one, that hold others, but for definitions."""


def _compares(test: Expr, name: str) -> bool:
    if isinstance(test, Logical):
        return any(_compares(value, name) for value in test.values)
    if isinstance(test, Unary):
        return _compares(test.operand, name)
    if not isinstance(test, Compare) or set(test.ops) & _NO_NUMBERS:
        return False
    return any(isinstance(side, Name) and side.id == name for side in (test.left, *test.rights))


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


def is_number(node: Expr | None) -> bool:
    """Whether an expression is a number as written: `2`, `-1.0`."""
    if type(node) is Unary:
        node = node.operand
    return type(node) is Const and node.kind in {"int", "float"}


def _is_whole_dtype(node: Expr) -> bool:
    return type(node) is Attr and node.name in _WHOLE_DTYPES and type(node.value) is Name and node.value.id == "torch"


def _whole(node: Expr) -> Expr:
    """What a part, `x[:, 0]`, is taken of."""
    while type(node) is Subscript:
        node = node.value
    return node


def is_tensor_index(index: Expr) -> bool:
    if isinstance(index, Sequence) and index.kind == "tuple":
        # `table.loc[:, "x"]` and `history[:, "loss"]`: a tensor has no names.
        if any((type(item) is Attr and item.name == "newaxis") or _is_text(item) for item in index.items):
            return False
        return any(isinstance(item, Slice) or is_tensor_index(item) for item in index.items)
    return isinstance(index, Const) and index.kind in {"none", "ellipsis"}


def _is_text(node: Expr) -> bool:
    """Whether an expression is a text as it stands, or is called a name: `history[:, self.score_name]`."""
    kind = type(node)
    if kind is Name or kind is Attr:
        return (dotted_path(node) or "").rpartition(".")[2].strip("_").endswith("name")
    if type(node) is Binary:
        return _is_text(node.left) or _is_text(node.right)
    if type(node) is Call:
        return type(node.func) is Attr and node.func.name == "format" and _is_text(node.func.value)
    return kind is FString or (type(node) is Const and node.kind == "str")
