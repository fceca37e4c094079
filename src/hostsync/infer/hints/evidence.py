"""What the use of a name says about it, read off a whole function before it is followed step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import flagged
from hostsync.facts import (
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
    If,
    Logical,
    Name,
    Place,
    Sequence,
    Starred,
    Stmt,
    Subscript,
    Unary,
    While,
)
from hostsync.infer.devices import MOVES
from hostsync.infer.hints.asked_types import GUARDING, asked_for_tensors, leaves_behind, split_by_type
from hostsync.infer.hints.evidence_of_calls import (
    Annotated,
    note_cast,
    note_from_annotations,
    note_from_call,
    note_tensor,
)
from hostsync.infer.hints.tables import TABLE_MEMBERS, is_table_name
from hostsync.infer.hints.tensor_index import is_tensor_index
from hostsync.infer.nodes import (
    COMBINING,
    COMPARISONS,
    PATHS,
    SELF,
    SEVERAL_CHILDREN,
    SINGLE_CHILDREN,
    dotted_path,
    indexed_whole,
    is_number,
    names_mentioned,
    subtracted_slices,
)

_PLACED: Final = frozenset({"cpu", "cuda", "detach"})
"""Methods of what has a device."""
_SHAPES: Final = frozenset({"shape", "ndim"})
_CONVERSIONS: Final = frozenset({"as_tensor", "asarray", "from_numpy", "new_tensor", "tensor"})
_FILLS: Final = frozenset({"full", "full_like", "new_full"})
"""They take what they convert behind the size."""
_JOINING: Final = frozenset({"stack", "vstack", "hstack", "dstack", "cat", "concat", "concatenate"})
"""They take a sequence of tensors."""
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
    single, several = SINGLE_CHILDREN, SEVERAL_CHILDREN
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
                    note_tensor(tensors, value, span)
                elif name == "device":
                    note_tensor(placed, value, span)
                elif uses_torch and name in MOVES and type(value) is a_call:
                    _, made, _, _ = value
                    if type(made) is an_attribute and made.name in _SHAPED:
                        note_tensor(tensors, made.value, span)
                elif name in _SHAPES:
                    path = dotted_path(value)
                    if path is not None:
                        shaped.add(path)
                elif name in TABLE_MEMBERS or (name == "index" and type(value) is a_subscript and _picks(value.key)):
                    table = indexed_whole(value)
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
                note_from_call(node, ops, canonical, tensors, masks)
                if args or keywords:
                    note_from_annotations(node, annotated(func), tensors)
            if type(func) is an_attribute:
                _, owner, name = func
                if name in _FILLING and type(owner) is not a_name:
                    stores = stores or _is_of_attribute(owner)
                if uses_torch and name in _OF_NO_TENSOR:
                    path = dotted_path(indexed_whole(owner))
                    if path is not None:
                        arrays.add(path)
                if name == "cpu" and type(owner) is an_attribute:
                    brings_back = True
                if name == "expand" and uses_torch and args and (type(args[0]) is a_subscript or is_number(args[0])):
                    # A distribution takes a shape.
                    note_tensor(tensors, owner, span)
                if uses_torch and type(owner) is a_name:
                    stores = stores or name in _REGISTERING
                    if name in _PLACED:
                        note_tensor(placed, owner, span)
                    if name in MOVES:
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
                    note_cast(tensors, whole)
                elif is_tensor_index(key) and not knows_arrays():
                    note_tensor(by_index, whole, span)
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
                    note_cast(tensors, node.left)
                if type(node.right) is a_call:
                    note_cast(tensors, node.right)
                for whole in subtracted_slices(node):
                    if not knows_arrays():
                        note_tensor(by_index, whole, node.span)
                if node.op in COMBINING:
                    masks.update(_combined_with_comparisons(node))
        elif kind in _CANDIDATES:
            candidates = True
            guarded = split_by_type(node) if uses_torch and kind in GUARDING else None
            if guarded is not None:
                # What is done where `isinstance(x, …)` holds says nothing of what `x` is elsewhere.
                names, inside, rest = guarded
                if names is not None and not leaves_behind(node):
                    asked |= asked_for_tensors(node)
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
            if kind is Unary and node.op == "~" and type(node.operand) in PATHS:
                path = dotted_path(node.operand)
                if path is not None:
                    masks.add(path)
        for at in single[kind]:
            push(node[at])
        for at in several[kind]:
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
            if path not in tensors and path not in SELF:
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
    if len(call.args) != 3 or dotted_path(call.args[0]) not in SELF or type(call.args[1]) is Const:
        return False
    value = call.args[2]
    return type(value) is Call and type(value.func) is Attr and value.func.name in MOVES


_NO_NAMES: Final[frozenset[str]] = frozenset()


def _converted(node: Assign) -> str | None:
    """The name that `x = torch.tensor([x]).to(device)` binds anew: what it is from then on says nothing of before.

    So does `x = torch.stack(x)` of a sequence of tensors.
    """
    made = node.value
    while type(made) is Call and type(made.func) is Attr and type(made.func.value) is Call:
        made = made.func.value
    if type(made) is not Call or not made.args or type(made.func) not in PATHS:
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
    return type(node) is Attr and type(node.value) is Name and node.value.id in SELF


def _combined_with_comparisons(node: Binary) -> list[str]:
    """The operand of `(x > 0) & valid` that isn't the comparison."""
    sides = (node.left, node.right)
    for side, other in (sides, sides[::-1]):
        if type(side) is Compare and len(side.rights) == 1 and side.ops[0] in COMPARISONS and type(other) in PATHS:
            path = dotted_path(other)
            return [path] if path is not None else []
    return []
