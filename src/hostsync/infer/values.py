"""Abstract values: what the scan believes an expression to be, and how beliefs merge where control flow meets."""

from __future__ import annotations

from collections.abc import Callable as Callable_
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from hostsync.facts import Expr, Function, Lambda, new
from hostsync.infer.events import Reason

# --- where a value lives -------------------------------------------------------------------------

Atom: TypeAlias = str
"""`acc` (an accelerator), `cpu`, `meta`, `?` (not known), `=name`: wherever the parameter `name` lives, or `moved`:
wherever the object that hands it on has been moved to."""
Device: TypeAlias = frozenset[Atom]
"""The places where a value may live."""

ACCELERATOR: Final[Device] = frozenset({"acc"})
CPU: Final[Device] = frozenset({"cpu"})
META: Final[Device] = frozenset({"meta"})
ANYWHERE: Final[Device] = frozenset({"?"})
MOVED: Final[Device] = frozenset({"moved"})
UNTOLD: Final[Device] = frozenset({"untold"})
"""Where a call leaves out a device that is the CPU then. Only devices are ever there, between files."""
_HOST: Final[Device] = CPU | META


def of_param(name: str) -> Device:
    """The device of whatever is passed for the parameter `name`."""
    return frozenset({"=" + name})


def is_of_params(device: Device) -> bool:
    """Whether it depends on what is passed for a parameter."""
    for atom in device:  # noqa: SIM110, asked so often that a generator's cost shows
        if atom.startswith("="):
            return True
    return False


def without_params(device: Device) -> Device:
    """A device as others see it, who don't know the parameters of the function that it comes from."""
    return frozenset("?" if atom.startswith("=") else atom for atom in device) if is_of_params(device) else device


def only_host(device: Device) -> bool:
    """True when the value is known not to live on an accelerator."""
    return device <= _HOST


def is_certain(device: Device) -> bool:
    """True when there is positive evidence of an accelerator and none of anything else."""
    return device == ACCELERATOR


# --- the chain of reasons ------------------------------------------------------------------------


class Origin(NamedTuple):
    """Why a value is believed to be what it is: the latest reason, and the one before it."""

    reason: Reason
    parent: Origin | None
    depth: int


MAX_CHAIN: Final = 4
HANDED_IN: Final = "the call that hands it in"
LOADER: Final = "its batches are not pinned"
"""The reason that marks a batch of a DataLoader in a chain."""
FROM_LOADER: Final = "the loader that it comes from"
"""The same of a loader whose batches are pinned, or may be."""
BY_DEFAULT: Final = "on the default device"
"""The reason where a new tensor is on the CPU because nothing here says otherwise: callers may."""
AS_ITS_DATASET: Final = "and are where its dataset has them"
"""The end of the reason where a loader without workers hands on what a dataset holds, which may be on the GPU."""


ELSEWHERE: Final = Reason((0, 0, 0, 0), BY_DEFAULT)
"""The same of a tensor that another file tells of: the first place in this one that it comes to takes the word over."""

TOLD_BY_DEFAULT: Final = Origin(ELSEWHERE, None, 1)


def _taken_over(reason: Reason) -> Reason:
    text = f"{reason.text}, {BY_DEFAULT}" if reason.text else BY_DEFAULT
    return reason if reason.text.endswith(BY_DEFAULT) else Reason(reason.span, text)


def because(reason: Reason, parent: Origin | None) -> Origin:
    """Append a reason. Beyond `MAX_CHAIN` steps one in the middle goes: the first evidence and the last steps stay.

    Of two for one place the later stays, unless only the earlier has something to say.
    """
    if parent is not None and parent.reason is ELSEWHERE:
        return new(Origin, (_taken_over(reason), None, 1))
    if parent is not None and parent.reason.span == reason.span:
        if parent.reason.text and not reason.text:
            return parent
        parent = parent.parent
    if parent is not None and parent.depth >= MAX_CHAIN:
        parent = new(Origin, (parent.reason, parent.parent and parent.parent.parent, MAX_CHAIN - 1))
    return new(Origin, (reason, parent, parent.depth + 1 if parent is not None else 1))


def reasons(origin: Origin | None) -> tuple[Reason, ...]:
    """The chain, oldest first."""
    steps: list[Reason] = []
    while origin is not None and len(steps) < MAX_CHAIN:
        if origin.reason is not ELSEWHERE:
            steps.append(origin.reason)
        origin = origin.parent
    return tuple(reversed(steps))


# --- values --------------------------------------------------------------------------------------


class Unknown(NamedTuple):
    """Nothing is known of its kind; `param` names the parameter that it came from, if any."""

    param: str | None = None
    derived: bool = False
    """It was computed from the parameter, element by element, rather than being it."""
    apart_from: bool | None = None
    """A test tells, as here, that it is no tensor: whether it is one for sure where the test does not. None: no test
    tells."""
    dtype: str = ""
    """What it is a tensor of, if it is one, where it was computed by a comparison: bool."""
    is_data: bool = False
    """It was read from a text, such as JSON: neither it nor anything in it is a tensor."""


class Tensor(NamedTuple):
    device: Device
    dtype: str = ""
    """bool, int, float, or empty when not known."""
    ndim: int | None = None
    sure: bool = True
    """False when it may as well be something else, such as the number in `int | Tensor`."""
    pinned: bool | None = False
    """True for page-locked host memory; None when not known."""
    origin: Origin | None = None
    param: str | None = None
    """The parameter that it is, if it was handed in unchanged; of several, as `params_in` reads it."""


EITHER: Final = "|"


def host_doubt(tensor: Tensor) -> str:
    """Why a tensor may be elsewhere than on the CPU, as `BY_DEFAULT` or `AS_ITS_DATASET`; empty if nothing says so."""
    origin = tensor.origin if tensor.device == CPU else None
    while origin is not None:
        for doubt in (BY_DEFAULT, AS_ITS_DATASET):
            if origin.reason.text.endswith(doubt):
                return doubt
        origin = origin.parent
    return ""


def tensor_by_default(device: Device) -> Tensor:
    """A new tensor that lives where what it is made of does, as what a distribution draws; numbers are on the default
    device."""
    return Tensor(device, origin=TOLD_BY_DEFAULT if device == CPU else None)


def tensor_on(device: Device, dtype: str, ndim: int | None, origin: Origin | None, sure: bool = True) -> Tensor:
    """What an operation gives; as cheap as `tensor_at`."""
    return new(Tensor, (device, dtype, ndim, sure, False, origin, None))


def tensor_at(tensor: Tensor, device: Device, origin: Origin | None) -> Tensor:
    """The same tensor on a device, no longer what was handed in; at a third of the cost of `_replace`."""
    return new(Tensor, (device, tensor.dtype, tensor.ndim, tensor.sure, tensor.pinned, origin, None))


def tensor_because(tensor: Tensor, origin: Origin | None) -> Tensor:
    """The same tensor with another chain of reasons; as cheap as `tensor_at`."""
    return new(Tensor, (tensor.device, tensor.dtype, tensor.ndim, tensor.sure, tensor.pinned, origin, tensor.param))


def tensor_for(tensor: Tensor, param: str, origin: Origin | None) -> Tensor:
    """The same tensor as what is handed in for a parameter; as cheap as `tensor_at`."""
    return new(Tensor, (tensor.device, tensor.dtype, tensor.ndim, tensor.sure, tensor.pinned, origin, param))


def tensor_shaped(tensor: Tensor, ndim: int | None) -> Tensor:
    """The same tensor with other dimensions, no longer what was handed in; as cheap as `tensor_at`."""
    return new(Tensor, (tensor.device, tensor.dtype, ndim, tensor.sure, tensor.pinned, tensor.origin, None))


class Array(NamedTuple):
    """A NumPy array."""

    ndim: int | None = None
    dtype: str = ""


class Number(NamedTuple):
    """A Python number or bool; `const` is its value where it is known."""

    const: int | float | bool | None = None


class Text(NamedTuple):
    """A string."""

    const: str | None = None
    start: str = ""
    """What one begins with that is not known as a whole."""


class Nothing(NamedTuple):
    """None."""

    const: None = None


class DeviceValue(NamedTuple):
    """A `torch.device`, or what is used as one."""

    device: Device
    param: str | None = None
    """The parameter that it is, where callers have told of it."""


class DtypeValue(NamedTuple):
    dtype: str


class Items(NamedTuple):
    """A list, tuple, set or other iterable. `items` are known one by one, or else `element` stands for all."""

    kind: str
    items: tuple[Value, ...] | None
    element: Value


class Mapping(NamedTuple):
    """A dict: values by constant key where known, and `element` for the rest."""

    items: tuple[tuple[str, Value], ...]
    element: Value


class Ref(NamedTuple):
    """Something outside this module, by its dotted name, e.g. `torch.nn.functional`."""

    name: str


class ClassRef(NamedTuple):
    """A class of the scanned module, by its qualified name."""

    name: str


class Instance(NamedTuple):
    """An object of a class: one of the scanned module (`local`), or of a library, by its dotted name."""

    name: str
    local: bool
    device: Device = ANYWHERE
    """For an `nn.Module`: where its parameters live."""
    options: tuple[tuple[str, bool | None], ...] = ()
    """The switches that a library object was made with (`pin_memory`, `validate_args`); None where it is not known."""
    made: Origin | None = None
    """Where it was made."""
    held: Items | Mapping | None = None
    """What a container of modules holds."""


class Callable(NamedTuple):
    """A function, method or lambda of the scanned module."""

    node: Function | Lambda
    symbol: str
    bound: Value | None
    """What `self` or `cls` is."""
    owner: str | None
    """Qualified name of the class that defines it."""


class Choice(NamedTuple):
    """One of several functions, classes or modules: `table[name]`, `torch.max if largest else torch.min`."""

    options: tuple[Callable | Ref | ClassRef | Instance, ...]


class Method(NamedTuple):
    """A bound method of a library value: `receiver.name`."""

    receiver: Value
    name: str


class TypeOf(NamedTuple):
    """A type that has a name of its own (`Boxes = Tensor | None`, a `TypeVar`): what its values are."""

    value: Value
    admits_number: bool = False
    """One number is among the alternatives, as in `Scalar = float | Tensor`."""


class Partial(NamedTuple):
    """`functools.partial`: what it calls, with the arguments that are fixed."""

    callee: Value
    args: tuple[tuple[Expr, Value], ...]
    keywords: tuple[tuple[str | None, Expr, Value], ...]


Value: TypeAlias = (
    Unknown
    | Tensor
    | Array
    | Number
    | Text
    | Nothing
    | DeviceValue
    | DtypeValue
    | Items
    | Mapping
    | Ref
    | ClassRef
    | Instance
    | Callable
    | Choice
    | Method
    | TypeOf
    | Partial
)

UNKNOWN: Final = Unknown()
DATA: Final = Unknown(apart_from=False, is_data=True)
"""What was read from a text, such as JSON."""
NUMBER: Final = Number()
TEXT: Final = Text()
NOTHING: Final = Nothing()
SIZES: Final = Items("tuple", None, NUMBER)
"""The sizes of a tensor: known to the host."""


def join(a: Value, b: Value) -> Value:
    """The belief that holds whichever of two control-flow paths was taken."""
    if a is b:
        return a
    ka, kb = type(a), type(b)
    if ka is kb and a == b and _same_kinds(a, b):
        return a
    if isinstance(a, Nothing):
        return b
    if isinstance(b, Nothing):
        return a
    if ka is kb:
        return _JOIN_SAME[ka](a, b) if ka in _JOIN_SAME else UNKNOWN
    if isinstance(a, Tensor):
        return _with_other(a, b)
    if isinstance(b, Tensor):
        return _with_other(b, a)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        # `loss or mse_loss`: of a function, the one that is known speaks for what others hand in.
        known, other = (b, a) if isinstance(a, Unknown) else (a, b)
        # `x = x.cpu().numpy()` of what is a tensor: what is none is an array as a rule.
        is_turned = isinstance(known, (Array, Number)) and isinstance(other, Unknown) and other.apart_from is not None
        return known if is_turned or is_function(known) else UNKNOWN
    if ka in _FUNCTIONS and kb in _FUNCTIONS:
        return _join_functions(a, b)
    if isinstance(a, DeviceValue):
        return DeviceValue(a.device | _named(b)) if isinstance(b, (Ref, Text)) else UNKNOWN
    if isinstance(b, DeviceValue):
        return DeviceValue(b.device | _named(a)) if isinstance(a, (Ref, Text)) else UNKNOWN
    return UNKNOWN


def _named(value: Value) -> Device:
    """The device that a text names."""
    return CPU if isinstance(value, Text) and value.const == "cpu" else ANYWHERE


def _same_kinds(a: Value, b: Value) -> bool:
    """Whether equal values are of equal kinds inside as well: tuples compare by their fields alone."""
    if isinstance(a, Items) and isinstance(b, Items):
        pairs = zip(a.items or (), b.items or (), strict=True)
        return _alike(a.element, b.element) and all(_alike(x, y) for x, y in pairs)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        held = zip(a.items, b.items, strict=True)
        return _alike(a.element, b.element) and all(_alike(x[1], y[1]) for x, y in held)
    if isinstance(a, Instance) and isinstance(b, Instance) and a.held is not None and b.held is not None:
        return _alike(a.held, b.held)
    return True


def _alike(a: Value, b: Value) -> bool:
    return type(a) is type(b) and _same_kinds(a, b)


def _with_other(tensor: Tensor, other: Value) -> Value:
    """A tensor on one path, something else on the other."""
    if isinstance(other, Unknown):
        if other.apart_from is not None:
            # What is no tensor says nothing of where tensors are.
            param = tensor.param if tensor.param == other.param else None
            return tensor._replace(sure=tensor.sure and other.apart_from, param=param)
        return tensor._replace(device=tensor.device | ANYWHERE, sure=False, param=None)
    if isinstance(other, Number) and isinstance(other.const, bool) and tensor.dtype == "bool":
        # `return False`, or what a comparison says: where it is not decided at once, it is asked of the tensor.
        return tensor._replace(param=None)
    return tensor._replace(sure=False, param=None)


def _join_tensors(a: Tensor, b: Tensor) -> Tensor:
    return Tensor(
        a.device | b.device,
        a.dtype if a.dtype == b.dtype else "",
        a.ndim if a.ndim == b.ndim else None,
        a.sure and b.sure,
        a.pinned if a.pinned == b.pinned else None,
        b.origin if only_host(a.device) and not only_host(b.device) else a.origin or b.origin,
        a.param if a.param == b.param else _either(a.param, b.param),
    )


def _either(a: str | None, b: str | None) -> str | None:
    """What stands for one of several parameters, as `params_in` reads it; None where it may be something else."""
    return None if a is None or b is None else EITHER.join(sorted({*a.split(EITHER), *b.split(EITHER)}))


def params_in(param: str) -> list[str]:
    """The parameters that a tensor may be, handed in unchanged."""
    return param.split(EITHER)


def _join_items(a: Items, b: Items) -> Items:
    kind = a.kind if a.kind == b.kind else "iterable"
    if a.items is not None and b.items is not None:
        if len(a.items) == len(b.items):
            items = tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
            return Items(kind, items, UNKNOWN)
        if not a.items:
            return Items(kind, None, element_of(b))
        if not b.items:
            return Items(kind, None, element_of(a))
    if a.items == ():
        return b
    if b.items == ():
        return a
    return Items(kind, None, join(element_of(a), element_of(b)))


def merged_mappings(a: Value, b: Value) -> Value:
    """`a | b` for two dictionaries: what `b` has stands in the place of what `a` has."""
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        return UNKNOWN
    element = a.element if isinstance(b.element, Unknown) else b.element
    if not isinstance(a.element, Unknown) and not isinstance(b.element, Unknown):
        element = join(a.element, b.element)
    return Mapping(tuple({**dict(a.items), **dict(b.items)}.items()), element)


_EMPTY: Final = Mapping((), UNKNOWN)


def _join_mappings(a: Mapping, b: Mapping) -> Mapping:
    items = dict(a.items)
    for key, value in b.items:
        items[key] = join(items[key], value) if key in items else value
    empty_a, empty_b = a == _EMPTY and _alike(a, _EMPTY), b == _EMPTY and _alike(b, _EMPTY)
    element = b.element if empty_a else a.element if empty_b else join(a.element, b.element)
    return Mapping(tuple(items.items()), element)


def _join_instances(a: Instance, b: Instance) -> Instance:
    held = None if a.held is None or b.held is None else join(a.held, b.held)
    return a._replace(
        local=a.local and b.local,
        device=a.device | b.device,
        options=a.options if a.options == b.options else (),
        held=held if isinstance(held, (Items, Mapping)) else None,
    )


MOST_OPTIONS: Final = 64
"""Of functions, classes or modules that something may be."""


def is_function(value: Value) -> TypeGuard[Callable | Choice | Ref]:
    """A function, of the project or of torch, or one of several."""
    return isinstance(value, (Callable, Choice)) or (isinstance(value, Ref) and value.name.startswith("torch."))


_WITH_METHODS: Final = ("torch.nn.", "torch.distributions.")
"""Begins the names of classes of torch of whose objects it is worth knowing that they are one of several."""


def _join_functions(a: Value, b: Value) -> Value:
    options: dict[str, Callable | Ref | ClassRef | Instance] = {}
    for side in (a, b):
        for option in side.options if isinstance(side, Choice) else (side,):
            if isinstance(option, Callable):
                options.setdefault(option.symbol, option)
            elif isinstance(option, Ref) and option.name.startswith("torch."):
                options.setdefault(option.name, option)
            elif isinstance(option, ClassRef):
                options.setdefault(f"class {option.name}", option)
            elif isinstance(option, Instance) and (option.local or option.name.startswith(_WITH_METHODS)):
                key = f"object {option.name}"
                known = options.setdefault(key, option)
                if isinstance(known, Instance) and known is not option:
                    options[key] = _join_instances(known, option)
            else:
                return UNKNOWN
    return UNKNOWN if len(options) > MOST_OPTIONS else Choice(tuple(options.values()))


_FUNCTIONS: Final = frozenset({Callable, Choice, Ref, ClassRef, Instance})


def _one_device(a: Device, b: Device) -> Device:
    """One of two devices: that of a module, or the CPU where there is none.

    Where what is asked for may be anywhere, the CPU is what it is without a GPU, and then nothing waits. `=~name` is
    anywhere, too, as `left_out` writes it.
    """
    both = a | b
    if a == b or "cpu" not in both:
        return both
    for atom in both:
        if atom == "?" or atom.startswith("=~"):
            return both - CPU
    return both


_JOIN_SAME: Final[dict[type, Callable_[[Any, Any], Value]]] = {
    Tensor: _join_tensors,
    Items: _join_items,
    Mapping: _join_mappings,
    Instance: lambda a, b: _join_instances(a, b) if a.name == b.name else _join_functions(a, b),
    ClassRef: _join_functions,
    Callable: _join_functions,
    Choice: _join_functions,
    Ref: _join_functions,
    Number: lambda a, b: NUMBER,
    Text: lambda a, b: TEXT,
    Array: lambda a, b: Array(
        a.ndim if a.ndim == b.ndim else None,
        a.dtype if a.dtype == b.dtype else "",
    ),
    DeviceValue: lambda a, b: DeviceValue(_one_device(a.device, b.device), a.param if a.param == b.param else None),
    DtypeValue: lambda a, b: DtypeValue(""),
    Unknown: lambda a, b: Unknown(a.param, True) if a.param is not None and a.param == b.param else UNKNOWN,
}


def element_of(items: Items) -> Value:
    """What iterating yields."""
    if items.items is None:
        return items.element
    if not items.items:
        return UNKNOWN
    result = items.items[0]
    for item in items.items[1:]:
        result = join(result, item)
    return result


def mapping_element(mapping: Mapping) -> Value:
    """What a lookup by an unknown key yields."""
    result: Value | None = None
    for _, value in mapping.items:
        result = value if result is None else join(result, value)
    if result is None:
        return mapping.element
    return result if isinstance(mapping.element, Unknown) else join(result, mapping.element)


def unmixed(device: Device) -> Device:
    """Where one of several tensors is, each of which may be elsewhere: that some are on the CPU says nothing of it."""
    return device - CPU or device


def is_slice(value: Value) -> bool:
    """Whether a value is a slice, as an index."""
    return isinstance(value, Items) and value.kind == "slice"


def ndim_of_part(tensor: Tensor) -> int | None:
    """The dimensions of `tensor[0]` and of what iterating yields.

    What a function makes of integers, by `argsort` or `nonzero`, has one dimension more often than more of them: its
    parts are numbers, where nothing else is known.
    """
    if tensor.ndim:
        return tensor.ndim - 1
    return 0 if tensor.ndim is None and tensor.dtype == "int" and tensor.param is None else None


def with_tensors(value: Value, change: Callable_[[Tensor], Value], depth: int = 3) -> Value:
    """A value with each tensor that it is or holds replaced, nested `depth` deep."""
    if isinstance(value, Tensor):
        return change(value)
    if depth and isinstance(value, Items):
        items = None if value.items is None else tuple(with_tensors(item, change, depth - 1) for item in value.items)
        return Items(value.kind, items, with_tensors(value.element, change, depth - 1))
    if depth and isinstance(value, Mapping):
        held = tuple((key, with_tensors(item, change, depth - 1)) for key, item in value.items)
        return Mapping(held, with_tensors(value.element, change, depth - 1))
    return value


def tensors_in(value: Value, depth: int = 3) -> tuple[Tensor, ...]:
    """The tensors that a value is or holds, nested `depth` deep."""
    if isinstance(value, Tensor):
        return (value,)
    if depth:
        if isinstance(value, Items):
            if value.items is None:
                return tensors_in(value.element, depth - 1)
            return tuple(t for item in value.items[:64] for t in tensors_in(item, depth - 1))
        if isinstance(value, Mapping):
            known = tuple(t for _, item in value.items[:64] for t in tensors_in(item, depth - 1))
            return known + tensors_in(value.element, depth - 1)
    return ()


_NO_TENSORS: Final = frozenset({Number, Text, Nothing, DtypeValue})


def holds_no_tensor(value: Value) -> bool:
    """Whether nothing in a container can be a tensor, for all that is known of everything in it."""
    if isinstance(value, Items):
        return all(map(holds_no_tensor, (value.element,) if value.items is None else value.items))
    if isinstance(value, Mapping):
        elements = () if value.items and isinstance(value.element, Unknown) else (value.element,)
        return all(map(holds_no_tensor, (*(item for _, item in value.items), *elements)))
    return type(value) in _NO_TENSORS
