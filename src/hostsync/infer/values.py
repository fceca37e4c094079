"""Abstract values: what the scan believes an expression to be."""

from __future__ import annotations

from collections.abc import Callable as Callable_
from typing import Final, NamedTuple, TypeAlias, TypeGuard

from hostsync.facts import Expr, Function, Lambda, new
from hostsync.infer.devices import ANYWHERE, CPU, OTHER, Device
from hostsync.infer.origins import AS_ITS_DATASET, BY_DEFAULT, TOLD_BY_DEFAULT, Origin


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
    """A tensor, or what is one unless it is not `sure`."""

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


NO_CUDA: Final = DeviceValue(OTHER, "")
"""What a test finds to be the CPU: what is handed in there is there as well, and nothing waits."""


class DtypeValue(NamedTuple):
    """An element type of torch."""

    dtype: str


class Items(NamedTuple):
    """A list, tuple, set or other iterable. `items` are known one by one, or else `element` stands for all.

    A kind of its own has what a function gives that returns now one value and now several (`linking/alternatives`).
    """

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
LISTED: Final = frozenset({"list", "range"})
"""Kinds of sequences that hold numbers where they hold no tensors, even if their items are not known."""
"""The sizes of a tensor: known to the host."""


ON_HOST: Final = Instance("data on the host", False)
"""A table, a column of one, a sparse matrix or the like: neither it nor anything that it gives is a tensor."""


def params_in(param: str) -> list[str]:
    """The parameters that a tensor may be, handed in unchanged."""
    return param.split(EITHER)


DISTRIBUTIONS: Final = "torch.distributions."


def is_distribution(value: Value | None) -> TypeGuard[Instance]:
    """Whether a value is an object of a class of `torch.distributions`."""
    return isinstance(value, Instance) and not value.local and value.name.startswith(DISTRIBUTIONS)


def is_function(value: Value) -> TypeGuard[Callable | Choice | Ref]:
    """A function, of the project or of torch, or one of several."""
    return isinstance(value, (Callable, Choice)) or (isinstance(value, Ref) and value.name.startswith("torch."))


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
