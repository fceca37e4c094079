"""Transfer functions of library functions, the catalogue's operations left out (`catalogued`)."""

from __future__ import annotations

from collections.abc import Callable as Function
from functools import partial
from typing import Final, TypeAlias

from hostsync import facts
from hostsync.infer.calls.backward_passes import gradients
from hostsync.infer.calls.catalogued import flags, operation
from hostsync.infer.calls.comparing import standard_library
from hostsync.infer.calls.copies import is_empty
from hostsync.infer.calls.einops_calls import einops_function
from hostsync.infer.calls.file_readers import READERS
from hostsync.infer.calls.from_data import from_data, read_element_wise
from hostsync.infer.calls.host_calls import (
    ArgumentList,
    KeywordList,
    builtin,
    depth_of,
    made_an_array,
    mathematics,
    numpy_function,
    printed,
)
from hostsync.infer.calls.image_transforms import PACKAGE, image_transform
from hostsync.infer.calls.iteration import iteration
from hostsync.infer.calls.library_objects import made_by
from hostsync.infer.calls.module_containers import contents
from hostsync.infer.calls.own_calls import WRAPPER, construct, own_function
from hostsync.infer.calls.packed_sequences import PACKED, is_out_of_order
from hostsync.infer.calls.placing import device_of, merged
from hostsync.infer.calls.sparse_products import sparse_product
from hostsync.infer.calls.taken_to_the_host import TAKERS
from hostsync.infer.classes import LIMITS
from hostsync.infer.devices import ACCELERATOR, ANYWHERE, CPU, only_host
from hostsync.infer.dtypes import TENSOR_TYPES
from hostsync.infer.events import Reason
from hostsync.infer.explaining import explain
from hostsync.infer.frame import Frame, evaluate_silently
from hostsync.infer.hints.annotations import MODULE_CLASS, from_annotation, named_type
from hostsync.infer.hints.defaults import is_device_name
from hostsync.infer.hints.tables import is_of_tables
from hostsync.infer.iterating import iterated
from hostsync.infer.methods.dispatch import method_call
from hostsync.infer.nodes import last_name
from hostsync.infer.origins import AS_ITS_DATASET, FROM_LOADER, LOADER, because
from hostsync.infer.values import (
    NOTHING,
    NUMBER,
    ON_HOST,
    UNKNOWN,
    Array,
    Callable,
    Choice,
    ClassRef,
    DeviceValue,
    Instance,
    Items,
    Method,
    Nothing,
    Number,
    Partial,
    Ref,
    Tensor,
    Text,
    Unknown,
    Value,
    tensors_in,
)

_OF_ARRAYS: Final = frozenset({"scipy", "cv2", "skimage", "librosa"})
"""Packages whose functions give NumPy arrays, or what is on the host as these are."""
_ON_ARRAYS: Final = _OF_ARRAYS | {"matplotlib", "seaborn", "sklearn"}
"""Packages whose functions make NumPy arrays of what they are given."""
_SCORES: Final = "sklearn.metrics."
"""Of sklearn's functions these give numbers and arrays, whatever they are given."""

Special: TypeAlias = Function[[Frame, facts.Call, ArgumentList, KeywordList], Value]


def library_call(frame: Frame, node: facts.Call, name: str, args: ArgumentList, keywords: KeywordList) -> Value:
    """What a call of a library's function gives, with its waits: special cases first, then the catalogue."""
    root, _, rest = name.partition(".")
    if name in _FOLDS and len(args) > 1 and isinstance(args[0][1], Ref) and args[0][1].name.startswith("torch."):
        return _of_each(frame, node, rest, args[0][1].name, args)
    if root == "builtins":
        return builtin(frame, node, rest, args, keywords)
    if root == "math":
        return mathematics(frame, node, name, args)
    if root in {"numpy", "np"}:
        return numpy_function(frame, node, name, args, keywords)
    if root in {"itertools", "collections"}:
        return iteration(frame, node, name, args, keywords)
    if root in {"heapq", "bisect", "operator"} or name == "functools.reduce":
        return standard_library(frame, node, name, args, keywords)
    if root == "einops":
        return einops_function(frame, node, name, args)
    if name.startswith(PACKAGE):
        return image_transform(frame, node, name, args, keywords)
    # Functions of OpenCV are called `cvtColor` and `Canny`, those of the others as in PEP 8.
    if root in _ON_ARRAYS and (root == "cv2" or name.rpartition(".")[2].islower()):
        for _, value in args:
            made_an_array(frame, value)
        if root in _OF_ARRAYS or name.startswith(_SCORES):
            return Array()
    special = _SPECIAL.get(name)
    if special is not None:
        return special(frame, node, args, keywords)
    if root == "torch":
        if rest.startswith("Tensor.") and args:
            receiver = args[0][1]
            if not isinstance(receiver, Tensor):
                receiver = Tensor(ANYWHERE)
            return method_call(frame, node, Method(receiver, rest.partition(".")[2]), args[1:], keywords)
        last = rest.rpartition(".")[2]
        if last in TENSOR_TYPES:
            return _legacy_constructor(frame, node, rest, args)
        if last in {"Parameter", "Buffer"}:
            return _parameter(args)
        if last == "set_default_validate_args" and [value for _, value in args] == [Number(False)]:
            frame.context.unchecked = True
            return NOTHING
    made_object = made_by(name)
    if made_object is not None:
        return made_object
    if is_of_tables(name):
        return ON_HOST
    if name == "logging.getLogger" or name in LIMITS:
        return Instance(name, False)
    if root == "logging" or name in {"warnings.warn", "tqdm.write"}:
        return printed(frame, node, name, args)
    op = frame.context.ops.get(name)
    if op is not None:
        made = operation(frame, node, op, args, keywords, None)
        held = contents(name, args)
        return made._replace(held=held) if isinstance(made, Instance) and held is not made.held else made
    if name.startswith(_FOREACH):
        return _for_each(name, args)
    links = frame.context.links
    known = links.by_name(name) if links is not None and root in _INDEXED else None
    if isinstance(known, Callable):
        return own_function(frame, node, known, args, keywords)
    if isinstance(known, ClassRef):
        return construct(frame, node, known, args, keywords)
    if name.startswith("torch.") and name.rpartition(".")[2][:1].isupper():
        return Instance(name, False)
    if (name in {"copy.deepcopy", "copy.copy"} or name.rpartition(".")[2].lower() in _PROGRESS) and args:
        return args[0][1]
    return UNKNOWN


_INDEXED: Final = frozenset({"torch", "torchvision"})
"""Packages of which a function may be called by its whole name, of what an index knows."""

_FOLDS: Final = frozenset({"builtins.map", "functools.reduce"})


def _of_each(frame: Frame, node: facts.Call, fold: str, name: str, args: ArgumentList) -> Value:
    """`map(torch.Tensor.item, tensors)`, `reduce(torch.maximum, tensors)`: the function is called of the elements."""
    each = [(expr, iterated(frame, value)) for expr, value in args[1:]]
    if fold == "reduce":
        each = [args[2] if len(args) > 2 else each[0], each[0]]
    call = facts.Call(node.span, args[0][0], tuple([expr for expr, _ in each]), ())
    value = library_call(frame, call, name, each, [])
    return value if fold == "reduce" else Items("iterable", None, value)


_FOREACH: Final = "torch._foreach_"


def _for_each(name: str, args: ArgumentList) -> Value:
    """What torch's optimizers are made of: `torch._foreach_norm(tensors)` gives one for each of a list."""
    if name.endswith("_"):
        return NOTHING
    tensors = tensors_in(args[0][1]) if args else []
    ndim = 0 if name in {f"{_FOREACH}norm", f"{_FOREACH}max"} else None
    return Items("list", None, Tensor(merged([tensor._replace(ndim=None) for tensor in tensors]), ndim=ndim))


def _legacy_constructor(frame: Frame, node: facts.Call, rest: str, args: ArgumentList) -> Value:
    last = rest.rpartition(".")[2]
    dtype = {"L": "int", "I": "int", "S": "int", "C": "int"}.get(last[0], "" if last == "ByteTensor" else "float")
    if last == "BoolTensor":
        dtype = "bool"
    device = ACCELERATOR if rest.startswith("cuda.") else frame.context.default_type if rest == "Tensor" else CPU
    value = args[0][1] if args else UNKNOWN
    # Of one value that nothing is known of, too: sizes are numbers, and mostly written out.
    may_be_data = isinstance(value, (Unknown, Method)) or (isinstance(value, Tensor) and not value.sure)
    is_data = isinstance(value, (Items, Array)) or (may_be_data and len(args) == 1)
    if device != CPU and args and is_data and not (_is_size(args[0][0]) or is_empty(*args[0])):
        frame.emit("copy", "torch.tensor", "python-data", node, subject=args[0][0], device=device)
    if args:
        read_element_wise(frame, node, "torch.tensor", *args[0])
    if args and all(isinstance(v, Number) for _, v in args):
        ndim: int | None = len(args)
    else:
        ndim = depth_of(value) or (1 if isinstance(value, Items) else None)
    return Tensor(device, dtype, ndim)


def _is_size(node: facts.Expr) -> bool:
    """`*sizes`, `x.shape` and `x.size()`: what is written one by one or is a `torch.Size` is no data."""
    if isinstance(node, facts.Call):
        return isinstance(node.func, facts.Attr) and node.func.name == "size" and not node.args
    return isinstance(node, facts.Starred) or (isinstance(node, facts.Attr) and node.name == "shape")


def _parameter(args: ArgumentList) -> Value:
    """A parameter moves with its module, so where it lives is not decided by what it was made from."""
    value = args[0][1] if args else UNKNOWN
    if isinstance(value, Tensor):
        return value._replace(device=ANYWHERE, sure=True, pinned=False, param=None)
    return Tensor(ANYWHERE)


def _device(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if not args:
        return DeviceValue(ANYWHERE)
    value = args[0][1]
    return DeviceValue(ANYWHERE) if isinstance(value, (Unknown, Ref, Nothing)) else device_of(value)


def _loader(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    options = dict(flags(keywords))
    if not any(name is None for name, _, _ in keywords):
        options.setdefault("pin_memory", False)
    pinned = options.get("pin_memory")
    text = FROM_LOADER if pinned is not False else LOADER
    if not _is_filled_on_the_host(keywords):
        text = f"{text}, {AS_ITS_DATASET}"
    made = because(Reason(node.span, text), None)
    return Instance("torch.utils.data.DataLoader", False, options=tuple(options.items()), made=made)


def _batches_of_positions(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """A `BatchSampler` gives lists of the positions that its sampler gives."""
    return Items("iterable", None, Items("list", None, NUMBER))


def _is_filled_on_the_host(keywords: KeywordList) -> bool:
    """Whether a loader has workers, or pins its batches: neither is done with a dataset that is on the GPU already."""
    for name, _, value in keywords:
        if name in {"num_workers", "pin_memory"} and not (isinstance(value, Number) and not value.const):
            return True
    return False


def _cast(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if len(args) != 2:
        return UNKNOWN
    value = args[1][1]
    promised = from_annotation(args[0][0], partial(evaluate_silently, frame))
    # Who casts what started as a number to a tensor says that it is one by then.
    return promised if promised is not None and isinstance(value, (Unknown, Number)) else value


def _default_device(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if args and not frame.skipped:
        frame.context.default_device = device_of(args[0][1]).device
    return NOTHING


def _default_type(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.set_default_tensor_type("torch.cuda.FloatTensor")`: from then on factories work there, and `torch.Tensor`.

    With `torch.set_default_device` that stays on the host (both measured: torch 2.11, H100). A type of the host says
    nothing: next to one of the GPU it is for machines without one.
    """
    named = args[0][1] if args else UNKNOWN
    for option in named.options if isinstance(named, Choice) else (named,):
        name = option.name if isinstance(option, Ref) else option.const if isinstance(option, Text) else None
        if name is not None and name.startswith("torch.cuda."):
            frame.context.default_device = frame.context.default_type = ANYWHERE
    return NOTHING


def _stream(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return Instance("torch.cuda.Stream", False)


def _partial(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    if not args or any(isinstance(expr, facts.Starred) for expr, _ in args):
        return UNKNOWN
    return Partial(args[0][1], tuple(args[1:]), tuple(keywords))


def _type_variable(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`TypeVar("T", bound=Tensor)`: any value of it is one of its bound."""
    bound = next((expr for name, expr, _ in keywords if name == "bound"), None)
    return UNKNOWN if bound is None else named_type(bound, partial(evaluate_silently, frame)) or UNKNOWN


def _first(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    return args[0][1] if args else UNKNOWN


def _load(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.load(path)`: what was saved on the GPU is loaded to it, and what is saved is a model most often.

    In the research code that was tried 40 of 46 of these waited, outside of code that prepares data; and 26 of 30 that
    name a device by what is called one.
    """
    given = [(at, value) for name, at, value in keywords if name == "map_location"] + list(args[1:2])
    if given:
        at, value = given[0]
        is_open = isinstance(value, Unknown) and value.param is None and is_device_name(last_name(at))
        is_open = is_open or (isinstance(value, Text) and value.const is None)
    else:
        is_open = all(name is not None for name, _, _ in keywords)
    if is_open:
        frame.emit("call", "torch.load", "", node, device=ANYWHERE, confidence="likely")
    op = frame.context.ops.get("torch.load")
    return UNKNOWN if op is None else operation(frame, node, op, args, keywords, None)


def _load_scripted(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.jit.load(path, map_location="cpu")` gives a module that is there; where others are nobody says."""
    given = next((value for name, _, value in keywords if name == "map_location"), args[1][1] if args[1:] else UNKNOWN)
    device = device_of(given).device
    return Instance(MODULE_CLASS, False, device) if only_host(device) else UNKNOWN


def _trace(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.jit.trace(module, inputs)`, which compares what it has traced with the module unless told not to.

    Measured: 33 of 36 waited; the others have results without a number in them. Source: torch/jit/_trace.py,
    `_check_trace`.
    """
    checks = next((value for name, _, value in keywords if name == "check_trace"), None)
    inputs = next(
        (value for name, _, value in keywords if name == "example_inputs"), args[1][1] if args[1:] else UNKNOWN
    )
    held = tensors_in(inputs)
    if checks is None or not (isinstance(checks, Number) and checks.const is False):
        device, origin = (merged(held), held[0].origin) if held else (ANYWHERE, None)
        frame.emit("call", "torch.jit.trace", "", node, device=device, origin=origin, confidence="likely")
    return args[0][1] if args else UNKNOWN


def _normal(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.normal(0, std)`: without a size, one of the two is a tensor (the documentation of `torch.normal`)."""
    op = frame.context.ops.get("torch.normal")
    if len(args) == 2 and all(name == "generator" for name, _, _ in keywords):
        (_, mean), (at, std) = args
        if isinstance(mean, Number) and isinstance(std, (Unknown, Method)):
            args = [args[0], (at, Tensor(ANYWHERE, "float"))]
    return UNKNOWN if op is None else operation(frame, node, op, args, keywords, None)


def _one_of(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`random.choice(dataset)`: what it has at one position or another."""
    if not args or isinstance(args[0][0], facts.Starred):
        return UNKNOWN
    return evaluate_silently(frame, facts.Subscript(node.span, args[0][0], facts.Const(node.span, "int", 0)))


def _shape(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`shape_as_tensor(x)`: the sizes of a tensor as one, which is on the CPU (ATen/native/TensorShape.cpp)."""
    return explain(Tensor(CPU, "int", 1), node)


def _variable(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`Variable(x)`, which is the tensor itself (documentation of torch.autograd, "Variable (deprecated)")."""
    return args[0][1] if args else next((value for name, _, value in keywords if name == "data"), UNKNOWN)


def _pad_packed(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """The padded batch, and the lengths, which are on the CPU (documentation of `PackedSequence`)."""
    given = args[0][1] if args else next((value for name, _, value in keywords if name == "sequence"), UNKNOWN)
    device = ANYWHERE
    if isinstance(given, Instance) and given.name == PACKED:
        device = given.device
        if is_out_of_order(given):
            frame.emit("call", "torch.nn.utils.rnn.pad_packed_sequence", "", node, subject=node, device=device)
    return Items("tuple", (Tensor(device), Tensor(CPU, "int", 1)), UNKNOWN)


def _wrapper(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch.no_grad(f)`, or `torch.no_grad()(f)`."""
    mode = not args or isinstance(args[0][1], (Number, Text, Nothing))
    return Instance(WRAPPER, False) if mode else args[0][1]


def _display(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`display(x)` of IPython, which writes what `repr` gives."""
    return printed(frame, node, "builtins.repr", args)


def _assertion(frame: Frame, node: facts.Call, args: ArgumentList, keywords: KeywordList) -> Value:
    """`torch._assert(condition, message)`, which `assert`s it."""
    if args and isinstance(args[0][1], Tensor):
        frame.ask(args[0][0], "assert", args[0][1])
    return NOTHING


_PROGRESS: Final = frozenset({"tqdm", "track"})
"""Functions that show how far a loop over their first argument has come, whoever offers them."""
_SPECIAL: Final[dict[str, Special]] = {
    **READERS,
    **TAKERS,
    **dict.fromkeys(("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autocast"), _wrapper),
    "torch.nn.utils.rnn.pad_packed_sequence": _pad_packed,
    "torch.device": _device,
    "torch.tensor": from_data,
    "torch.as_tensor": from_data,
    "torch.asarray": from_data,
    "torch.utils.data.DataLoader": _loader,
    "torch.utils.data.BatchSampler": _batches_of_positions,
    "functools.partial": _partial,
    "typing.TypeVar": _type_variable,
    "typing_extensions.TypeVar": _type_variable,
    "typing.cast": _cast,
    "torch.jit.annotate": _cast,
    "torch.jit.script": _first,
    "torch.jit.load": _load_scripted,
    "torch.jit.trace": _trace,
    "torch._shape_as_tensor": _shape,
    "torch.onnx.operators.shape_as_tensor": _shape,
    "torch.compile": _wrapper,
    **dict.fromkeys(("torch.compiler.disable", "torch.compiler.allow_in_graph", "torch._dynamo.disable"), _wrapper),
    **dict.fromkeys(("IPython.display.display", "IPython.core.display.display"), _display),
    "torch._assert": _assertion,
    "random.choice": _one_of,
    "torch.normal": _normal,
    "torch.sparse.addmm": sparse_product,
    "torch.sparse.mm": sparse_product,
    "torch.spmm": sparse_product,
    "torch.load": _load,
    "torch.autograd.Variable": _variable,
    "torch.autograd.grad": gradients,
    "torch.set_default_device": _default_device,
    "torch.set_default_tensor_type": _default_type,
    "torch.cuda.current_stream": _stream,
    "torch.cuda.default_stream": _stream,
    "torch.nn.DataParallel": _first,
    "torch.nn.parallel.DistributedDataParallel": _first,
}
