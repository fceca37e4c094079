"""Transfer functions of attribute access."""

from __future__ import annotations

from functools import lru_cache, reduce
from typing import Final

from hostsync import facts
from hostsync.facts import new
from hostsync.infer.calls.packed_sequences import PACKED, PACKED_SEQUENCE, SIZES_OF_BATCHES, field_of
from hostsync.infer.classes import LIMITS, class_attribute, distribution_base, is_vague, note_reader
from hostsync.infer.context import Context
from hostsync.infer.devices import ANYWHERE, CPU, of_param
from hostsync.infer.dtypes import DTYPES
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.functions import is_autograd_function, takes_context
from hostsync.infer.hints.evaluated import part_of
from hostsync.infer.hints.imported import known_as
from hostsync.infer.hints.tables import TO_ARRAYS
from hostsync.infer.joining import join
from hostsync.infer.linking.plain import MODULE
from hostsync.infer.linking.summaries import returned
from hostsync.infer.nodes import calls_in
from hostsync.infer.values import (
    DISTRIBUTIONS,
    NUMBER,
    ON_HOST,
    SIZES,
    TEXT,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    DtypeValue,
    Instance,
    Items,
    Mapping,
    Method,
    Nothing,
    Partial,
    Ref,
    Tensor,
    Unknown,
    Value,
    tensor_by_default,
)

RESULT_FIELDS: Final = {
    **dict.fromkeys(("values", "Q", "U", "L", "eigenvalues", "solution", "P", "LU", "sign", "std", "output"), 0),
    **dict.fromkeys(("indices", "R", "S", "eigenvectors", "residuals", "info", "pivots", "logabsdet", "mean"), 1),
    **dict.fromkeys(("Vh", "V", "rank"), 2),
}
"""Where the named results of torch's operations stand in the tuple (torch.return_types)."""


def attribute(frame: Frame, base: Value, name: str) -> Value:
    """The value of `base.name`."""
    if isinstance(base, Ref):
        return _of_ref(frame, base.name, name)
    if isinstance(base, Tensor):
        return _of_tensor(frame, base, name)
    if isinstance(base, Instance):
        return _of_instance(frame, base, name)
    if isinstance(base, ClassRef):
        value = class_attribute(frame.context, base.name, name, base)
        return _applied(frame, base) if name == "apply" and isinstance(value, Unknown) else value
    if isinstance(base, Unknown):
        if name == "device":
            return DeviceValue(of_param(base.param) if base.param else ANYWHERE)
        if name == "dtype":
            return DtypeValue("")
        if name == "shape":
            return SIZES
        if name == SIZES_OF_BATCHES:
            # Hardly anything else has them.
            return field_of(PACKED_SEQUENCE, name) or UNKNOWN
        return new(Method, (base, name))
    if isinstance(base, Array):
        if name in {"shape", "strides"}:
            return SIZES
        if name in {"ndim", "size", "nbytes", "itemsize"}:
            return NUMBER
        return base if name in {"T", "real", "imag", "flat"} else Method(base, name)
    if isinstance(base, Items) and base.kind == "tuple" and name in RESULT_FIELDS:
        at = RESULT_FIELDS[name]
        if base.items is None:
            return base.element
        return base.items[at] if at < len(base.items) else UNKNOWN
    if isinstance(base, Items) and (part := part_of(base, name)) is not None:
        return part
    if isinstance(base, DeviceValue):
        return TEXT if name == "type" else NUMBER
    if isinstance(base, Choice):
        parts = [attribute(frame, option, name) for option in base.options]
        return Method(base, name) if all(isinstance(part, Method) for part in parts) else reduce(join, parts)
    return new(Method, (base, name))


def want(context: Context, owner: str, name: str) -> None:
    """Takes down that a class uses something of its objects of which nothing in the class tells."""
    info = context.classes.get(owner)
    if info is not None and not name.startswith("__"):
        info.wants.add(name)


def _applied(frame: Frame, base: ClassRef) -> Value:
    """`Function.apply`, which calls `forward` with a context."""
    info = frame.context.classes.get(base.name)
    method = None if info is None else info.methods.get("forward")
    if info is None or method is None or not is_autograd_function(info):
        return UNKNOWN
    forward = Callable(method, f"{info.name}.forward", None, info.name)
    if not takes_context(info, method):
        return forward
    return Partial(forward, ((facts.Name(facts.Span(*method.span), method.params[0].name), UNKNOWN),), ())


def _of_ref(frame: Frame, base: str, name: str) -> Value:
    if base.startswith(MODULE):
        assert frame.context.links is not None
        member = frame.context.links.member(base[len(MODULE) :], name)
        return UNKNOWN if member is None else member
    if base == "torch" and name in DTYPES:
        return DtypeValue(DTYPES[name])
    if base in {"math", "numpy", "torch"} and name in {"pi", "e", "inf", "nan", "tau", "NaN", "Inf"}:
        return NUMBER
    if name == "__name__":
        return TEXT
    dotted = f"{base}.{name}"
    if base[:5] != "torch" and frame.context.links is not None:
        linked = frame.context.links.submodule(dotted)
        if linked is not None:
            return linked
    return _ref(dotted)


@lru_cache(maxsize=1 << 14)
def _ref(dotted: str) -> Ref:
    return Ref(known_as(dotted))


def _of_tensor(frame: Frame, tensor: Tensor, name: str) -> Value:
    if name == "device":
        return DeviceValue(tensor.device)
    if name == "dtype":
        return DtypeValue(tensor.dtype)
    op = frame.context.ops.get("Tensor." + name)
    if op is not None and op.is_property:
        if op.returns == "shape":
            return SIZES
        if op.returns == "python":
            return NUMBER
        if op.returns in {"tensor", "self"}:
            return tensor._replace(param=None)
        return UNKNOWN
    if not tensor.sure and op is None:
        # A batch, or another bundle of tensors: its parts live where it lives.
        return tensor._replace(ndim=None, dtype="")
    return new(Method, (tensor, name))


def _of_instance(frame: Frame, base: Instance, name: str) -> Value:
    if base.local:
        value = class_attribute(frame.context, base.name, name, base)
        if frame.owner is not None and base == frame.bound and is_vague(frame.context, value):
            want(frame.context, frame.owner, name)
        if isinstance(value, (Unknown, Nothing)) or (type(value) is Tensor and base != frame.bound):
            note_reader(frame, base.name)
        if isinstance(value, Callable) and isinstance(value.node, facts.Function) and _is_property(value.node):
            value = returned(frame.context, value, {})
        if not isinstance(value, Unknown):
            return value
        if name == "device":
            return DeviceValue(base.device)
        if name == "dtype":
            return DtypeValue("")
        if name == "training":
            return NUMBER
        if name == "saved_tensors":
            return _saved(frame, base.name)
        if name == "state" and frame.context.is_optimizer_class(base.name):
            # What it knows of each parameter: to look one up by the tensor that it is waits for nothing.
            return Mapping((), UNKNOWN)
        distribution = distribution_base(frame.context, base.name)
        return new(Method, (base, name)) if distribution is None else _of_distribution(frame, base, distribution, name)
    if base == ON_HOST:
        return _of_table(base, name)
    if name == "device":
        return DeviceValue(base.device)
    if name == "dtype":
        return DtypeValue("")
    if base.name.startswith("torch.nn.") and name in {"weight", "bias", "running_mean", "running_var"}:
        return Tensor(base.device)
    if name == "training" or base.name in LIMITS:
        return NUMBER
    if base.name.startswith(DISTRIBUTIONS):
        return _of_distribution(frame, base, base.name, name)
    if base.name == PACKED:
        return field_of(base, name) or Method(base, name)
    return new(Method, (base, name))


def _of_table(base: Instance, name: str) -> Value:
    if name == "shape":
        return SIZES
    if name == "values":
        return Array()
    return Method(base, name) if name in TO_ARRAYS else base


def _saved(frame: Frame, name: str) -> Items:
    """What `forward` of an autograd function of the module keeps for `backward`, where it says so in one place.

    What it makes on the spot, as `ctx.save_for_backward(x, torch.tensor(dim))` does, is on the CPU still.
    """
    info = frame.context.classes.get(name)
    forward = None if info is None else info.methods.get("forward")
    calls = () if forward is None else calls_in(forward.body)
    saving = [call for call in calls if isinstance(call.func, facts.Attr) and call.func.name == "save_for_backward"]
    if len(saving) != 1 or any(isinstance(arg, facts.Starred) for arg in saving[0].args):
        return Items("tuple", None, Tensor(ANYWHERE))
    made = [evaluate_silently(frame, arg) if isinstance(arg, facts.Call) else UNKNOWN for arg in saving[0].args]
    kept = [value if isinstance(value, Tensor) and value.device == CPU else Tensor(ANYWHERE) for value in made]
    return Items("tuple", tuple(kept), UNKNOWN)


def _of_distribution(frame: Frame, base: Instance, known_as: str, name: str) -> Value:
    """An attribute of a distribution, or of one that is derived from the library's class `known_as`."""
    op = frame.context.ops.get(f"{known_as}.{name}")
    if op is not None and op.is_property and op.returns == "tensor":
        return tensor_by_default(base.device)
    made = frame.context.ops.get(known_as) if op is None and name not in _NO_TENSORS else None
    if made is not None and any(param.name == name for param in made.params):
        # What it was made with; a number becomes a tensor.
        return tensor_by_default(base.device)
    return Method(base, name)


_NO_TENSORS: Final = frozenset({"validate_args", "reinterpreted_batch_ndims", "transforms", "dim"})
"""What distributions are made with beside tensors (torch.distributions: Independent, TransformedDistribution,
LKJCholesky)."""


def _is_property(node: facts.Function) -> bool:
    for decorator in node.decorators:
        name = (
            decorator.id
            if isinstance(decorator, facts.Name)
            else decorator.name
            if isinstance(decorator, facts.Attr)
            else ""
        )
        if name.endswith("property"):
            return True
    return False
