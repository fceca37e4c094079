"""What an operation takes, and what its result is: kind and device; the rest of it is in `results.py`.

Kinds come from torch's return annotations. Devices, dtypes and dimensions are not annotated anywhere; the word lists
state them, and `tests/catalogue/test_ops_against_torch.py` runs OpInfo samples to check them.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any, NamedTuple

from hostsync.calibrate.results import dtype_of, event_of, gives_positions, memory_of, ndim_of
from hostsync.calibrate.signatures import Callable_, Param, Signature, property_type
from hostsync.calibrate.words import words_of

torch: Any = import_module("torch")


class Entry(NamedTuple):
    """An operation as it is written, its waits and `tensor_only` left out."""

    params: tuple[Param, ...]
    returns: str
    device: str
    dtype: str
    ndim: str
    positions: bool
    memory: str
    event: str
    is_property: bool


# --- parameters ----------------------------------------------------------------------------------

_PARAMS = {
    "torch.unique": "input, sorted=True, return_inverse=False, return_counts=False, dim=None",
    "torch.unique_consecutive": "input, return_inverse=False, return_counts=False, dim=None",
    "torch.linalg.lstsq": "A, B, rcond=None, *, driver=None, out=None",
    "torch.max": "input, dim=None, keepdim=False, *, other=None, out=None",
    "torch.min": "input, dim=None, keepdim=False, *, other=None, out=None",
    "Tensor.max": "dim=None, keepdim=False, *, other=None",
    "Tensor.min": "dim=None, keepdim=False, *, other=None",
    "torch.nn.functional.one_hot": "tensor, num_classes=-1",
    "torch.nn.functional.logsigmoid": "input",
    "Tensor.index": "indices",
    "torch.where": "condition, input=None, other=None, *, out=None",
    "torch.device": "type=None, index=None",
    "torch.Generator": "device='cpu'",
    "torch.Tensor": "*data, device=None",
    "torch.sparse.mm": "mat1, mat2",
    "torch.Size": "sizes=()",
    "torch.einsum": "equation, *operands",
    "Tensor.new": "*args, device=None",
    "torch.Event": "device=None, *, enable_timing=False, blocking=False, interprocess=False",
    "torch.Event.query": "",
    "torch.Event.record": "stream=None",
    "torch.Event.synchronize": "",
    "torch.Event.wait": "stream=None",
    "torch.Event.elapsed_time": "other",
    "torch.Stream": "device=None, *, priority=0",
    "torch.Stream.query": "",
    "torch.Stream.synchronize": "",
    "torch.Stream.wait_event": "event",
    "torch.Stream.wait_stream": "stream",
    "torch.Stream.record_event": "event=None",
    "torch.Generator.manual_seed": "seed",
    "torch.distributed.Work.wait": "timeout=None",
    "torch.distributed.Work.synchronize": "",
    "torch.distributed.Work.is_completed": "",
    "torch.finfo": "type=None",
    "torch.iinfo": "type",
}
"""Where overloads cannot be joined mechanically, or nothing tells the parameters: from torch's documentation."""

_CONSTRUCTOR = re.compile(r"torch\.(cuda\.)?\w+Tensor")


def parameters(callable_: Callable_) -> tuple[Param, ...]:
    """Join the overloads of an operation into one parameter list.

    The longest overload gives names and order, one with `*size` before others; parameters that only other overloads
    have follow as keywords. What some overload leaves out is optional.
    """
    name = callable_.name
    if name in _PARAMS:
        return _written(_PARAMS[name], callable_.signatures)
    if _CONSTRUCTOR.fullmatch(name):
        return _written("*data, device=None", ())
    signatures = [
        Signature(tuple(param for param in signature.params if param.name not in ("self", "names")), signature.returns)
        for signature in callable_.signatures
        if not any(param.name == "names" and param.default is None for param in signature.params)
    ] or [Signature(tuple(s.params), s.returns) for s in callable_.signatures]
    signatures = _without_deprecated(signatures)
    if not signatures:
        return _written("*args, **kwargs", ()) if callable_.kind in ("function", "method", "class") else ()
    base = max(signatures, key=_width)
    names = [param.name for param in base.params]
    joined: list[Param] = []
    for param in base.params:
        if not param.name.isidentifier():
            continue
        default = param.default
        for other in signatures:
            twin = next((item for item in other.params if item.name == param.name), None)
            if default is None and param.kind in ("normal", "keyword"):
                default = "None" if twin is None else twin.default
        joined.append(Param(param.name, _plain_default(default), param.kind, _types(param.name, signatures)))
    for signature in signatures:
        for param in signature.params:
            if param.name not in names and param.kind in ("normal", "keyword"):
                names.append(param.name)
                joined.append(
                    Param(
                        param.name, _plain_default(param.default) or "None", "keyword", _types(param.name, signatures)
                    )
                )
    return tuple(_ordered(joined))


def _without_deprecated(signatures: list[Signature]) -> list[Signature]:
    """Leave out the overloads that take `alpha`, `beta` or `value` by position, as in `add(input, alpha, other)`."""
    keywords = {param.name for signature in signatures for param in signature.params if param.kind == "keyword"}
    scalars = keywords & {"alpha", "beta", "value"}
    return [
        signature
        for signature in signatures
        if not any(param.name in scalars and param.kind == "normal" for param in signature.params)
    ] or signatures


def _width(signature: Signature) -> tuple[bool, int, int]:
    normal = [param for param in signature.params if param.kind == "normal"]
    sized = any(param.kind == "args" for param in signature.params)
    device_first = any(param.name == "device" for param in normal)
    return sized, len(normal) + device_first, len(signature.params)


def _ordered(params: list[Param]) -> list[Param]:
    """Keep Python's rule that no required parameter follows an optional one."""
    order = {"normal": 0, "args": 1, "keyword": 2, "kwargs": 3}
    params = sorted(params, key=lambda param: order[param.kind])
    optional = False
    result: list[Param] = []
    for param in params:
        if param.kind == "normal":
            optional = optional or param.default is not None
            if optional and param.default is None:
                param = param._replace(default="None")
        result.append(param)
    return result


def _types(name: str, signatures: list[Signature] | tuple[Signature, ...]) -> str:
    found = {param.type for signature in signatures for param in signature.params if param.name == name and param.type}
    return " | ".join(sorted(found))


_SIMPLE = re.compile(r"-?[\d.]+(e-?\d+)?|None|True|False|'[\w ,.-]*'|\(\)|\[\]|[\[(][-\d, .]+[\])]|\.\.\.")


def _plain_default(text: str | None) -> str | None:
    """Keep a default that is a simple literal; write `...` for an object."""
    if text is None:
        return None
    return text if _SIMPLE.fullmatch(text) else "..."


def _written(text: str, signatures: tuple[Signature, ...]) -> tuple[Param, ...]:
    from hostsync.catalogue.ops import parse_params

    return tuple(
        Param(param.name, param.default, param.kind, _types(param.name, signatures)) for param in parse_params(text)
    )


# --- kind of result ------------------------------------------------------------------------------

_RETURNS = {
    "Tensor.item": "python", "Tensor.tolist": "python", "Tensor.numpy": "numpy", "Tensor.size": "shape",
    "Tensor.stride": "shape", "Tensor.dim": "python", "Tensor.is_shared": "python", "Tensor.norm": "tensor",
    "Tensor.data_ptr": "python", "Tensor.const_data_ptr": "python", "Tensor.cdouble": "tensor",
    "Tensor.cfloat": "tensor", "Tensor.ipu": "tensor", "Tensor.mtia": "tensor", "Tensor.shape": "shape",
    "Tensor.is_xla": "python", "Tensor.name": "python", "Tensor.volatile": "python", "Tensor.backward": "none",
    "Tensor.dim_order": "shape", "Tensor.istft": "tensor", "Tensor.stft": "tensor", "Tensor.lu": "tensors",
    "Tensor.eig": "tensors", "Tensor.symeig": "tensors", "Tensor.lstsq": "tensors", "Tensor.solve": "tensors",
    "Tensor.module_load": "tensor", "Tensor.resize": "tensor", "Tensor.resize_as": "tensor",
    "Tensor.share_memory_": "self", "Tensor.split": "list", "Tensor.to_sparse_coo": "tensor",
    "Tensor.unflatten": "tensor", "Tensor.unique": "tensor", "Tensor.unique_consecutive": "tensor",
    "Tensor.storage": "object", "Tensor.storage_type": "object", "Tensor.type": "tensor", "Tensor.new": "tensor",
    "Tensor.index": "tensor", "Tensor.as_subclass": "tensor", "Tensor.requires_grad_": "self",
    "Tensor.retain_grad": "none", "Tensor.record_stream": "none", "Tensor.apply_": "self", "Tensor.map_": "self",
    "Tensor.split_with_sizes": "list", "Tensor.chunk": "list", "Tensor.set_": "self", "Tensor.resize_": "self",
    "Tensor.layout": "object", "Tensor.qscheme": "object", "Tensor.grad": "tensor", "Tensor.nonzero": "tensor",
    "Tensor.get_device": "python", "Tensor.storage_offset": "python", "Tensor.reinforce": "none",
    "torch.where": "tensor", "torch.nonzero": "tensor", "torch.unique": "tensor", "torch.unique_consecutive": "tensor",
    "torch.norm": "tensor", "torch.cdist": "tensor", "torch.chain_matmul": "tensor", "torch.tensordot": "tensor",
    "torch.lu": "tensors", "torch.eig": "tensors", "torch.symeig": "tensors", "torch.lstsq": "tensors",
    "torch.solve": "tensors", "torch.from_numpy": "tensor", "torch.frombuffer": "tensor", "torch.Tensor": "tensor",
    "torch.is_tensor": "python", "torch.is_storage": "python", "torch.load": "object", "torch.meshgrid": "list",
    "torch.atleast_1d": "tensor", "torch.atleast_2d": "tensor", "torch.atleast_3d": "tensor",
    "torch.broadcast_tensors": "list", "torch.split": "list", "torch.Size": "shape", "torch.device": "device",
    "torch.broadcast_shapes": "shape", "torch.result_type": "dtype", "torch.promote_types": "dtype",
    "torch.einsum": "tensor", "torch.block_diag": "tensor", "torch.cartesian_prod": "tensor", "torch.stft": "tensor",
    "torch.align_tensors": "list", "torch.from_dlpack": "tensor", "torch.utils.dlpack.from_dlpack": "tensor",
    "torch.distributed.barrier": "object", "torch.autograd.grad": "list", "torch.nn.functional.max_pool1d": "tensor",
    "torch.utils.data.DataLoader": "object", "torch.nn.parameter.Parameter": "tensor", "torch.nn.Parameter": "tensor",
    "torch.nn.Buffer": "tensor", "torch.nn.UninitializedBuffer": "tensor", "torch.nn.UninitializedParameter": "tensor",
    "torch.utils.data.default_collate": "object", "torch.get_device_module": "object",
    "torch.nn.utils.rnn.invert_permutation": "tensor", "torch.nn.utils.rnn.pad_packed_sequence": "tensors",
    "torch.nn.Sequential.forward": "object", "torch.nn.DataParallel.forward": "object",
    "torch.nn.LSTM.forward": "object", "torch.nn.GRU.forward": "tensors", "torch.nn.RNN.forward": "tensors",
    "torch.nn.parallel.DistributedDataParallel.forward": "object", "torch.nested.to_padded_tensor": "tensor",
    "torch.sparse.addmm": "tensor", "torch.sparse.log_softmax": "tensor", "torch.sparse.mm": "tensor",
    "torch.sparse.sampled_addmm": "tensor", "torch.sparse.softmax": "tensor", "torch.sparse.spdiags": "tensor",
    "torch.sym_max": "python", "torch.sym_min": "python", "torch.sym_int": "python", "torch.sym_float": "python",
    "torch.sym_not": "python", "torch.cond": "object", "torch.while_loop": "object",
    "torch.to_dlpack": "object", "torch.utils.dlpack.to_dlpack": "object",
    "torch.nn.functional.logsigmoid": "tensor", "torch.nn.utils.clip_grad_value_": "none",
    "torch.nn.utils.clip_grad_norm_": "tensor", "torch.nn.utils.clip_grads_with_norm_": "none",
    "torch.cuda.Event.elapsed_time": "python", "torch.cuda.Event.query": "python",
    "torch.Event.elapsed_time": "python", "torch.Event.query": "python", "torch.Stream.query": "python",
    "torch.Event.synchronize": "none", "torch.Stream.synchronize": "none", "torch.Event.record": "none",
    "torch.Stream.wait_event": "none", "torch.Stream.wait_stream": "none", "torch.Event.wait": "none",
    "torch.amp.GradScaler.scale": "tensor", "torch.cuda.amp.GradScaler.scale": "tensor",
    "torch.amp.GradScaler.step": "object", "torch.cuda.amp.GradScaler.step": "object",
    "torch.testing.assert_close": "none", "torch.nn.functional.upsample": "tensor",
    "torch.nn.functional.upsample_bilinear": "tensor", "torch.nn.functional.upsample_nearest": "tensor",
    "torch.seed": "python", "torch.initial_seed": "python", "torch.get_rng_state": "tensor",
    "torch.distributed.Work.wait": "python", "torch.distributed.Work.is_completed": "python",
    "torch.nn.functional.multi_head_attention_forward": "object", "torch.nn.MultiheadAttention.forward": "tensors",
    "torch.nn.functional.embedding_bag": "tensor", "torch.histogramdd": "object", "torch.lobpcg": "tensors",
    "torch.nn.Module.state_dict": "object", "torch.masked.sum": "tensor", "torch.masked.mean": "tensor",
    "torch.cov": "tensor", "torch.nn.AdaptiveLogSoftmaxWithLoss.forward": "tensors",
    "torch.accelerator.current_device_index": "python", "torch.nn.utils.rnn.pad_sequence": "tensor",
}  # fmt: skip

_MODULE_SELF = words_of(
    "apply bfloat16 cpu cuda double eval float half ipu load_state_dict mtia requires_grad_ share_memory to "
    "to_empty train type xpu"
)
_DISTRIBUTION_TENSORS = words_of(
    "sample rsample sample_n log_prob cdf icdf entropy mean mode stddev variance perplexity enumerate_support "
    "probs logits covariance_matrix precision_matrix scale_tril rate scale loc concentration concentration0 "
    "concentration1 df temperature length log_cdf log_survival_function log_abs_det_jacobian sign"
)


def returns_of(callable_: Callable_) -> str:
    """Return the kind of the result."""
    name, last = callable_.name, callable_.name.rpartition(".")[2]
    if name in _RETURNS:
        return _RETURNS[name]
    if callable_.kind == "class":
        return _class_returns(callable_)
    if name.startswith("torch.distributions."):
        return _distribution_returns(name, last)
    if name.startswith("torch.nn.Module."):
        return "self" if last in _MODULE_SELF and last not in ("load_state_dict",) else _module_returns(callable_)
    if callable_.kind == "property":
        return _kind(property_type(last)) if name.startswith("Tensor.") else "object"
    kinds = {_kind(signature.returns) for signature in callable_.signatures}
    if _in_place(name, last) and kinds & {"tensor", "object", "none"}:
        return "self" if name.startswith(("Tensor.", "torch.nn.init.")) or kinds <= {"tensor"} else kinds.pop()
    unknown = kinds <= {"object"} and all(signature.returns in ("", "Any") for signature in callable_.signatures)
    if unknown and re.fullmatch(r"torch\.nn\.(\w+\.forward|functional\.\w+)", name):
        return "tensor"
    for kind in ("tensor", "tensors", "list", "python", "shape", "dtype", "device", "module", "object", "none"):
        if kind in kinds:
            return kind
    return "object"


def _in_place(name: str, last: str) -> bool:
    return last.endswith("_") and not last.endswith("__") and not name.startswith(("torch.nn.utils.", "torch.cuda."))


def _module_returns(callable_: Callable_) -> str:
    return next((_kind(signature.returns) for signature in callable_.signatures), "object")


def _class_returns(callable_: Callable_) -> str:
    value = callable_.value
    if inspect.isclass(value):
        if issubclass(value, torch.nn.Module):
            return "module"
        if issubclass(value, torch.Tensor) or _CONSTRUCTOR.fullmatch(callable_.name):
            return "tensor"
    return "tensor" if _CONSTRUCTOR.fullmatch(callable_.name) else "object"


def _distribution_returns(name: str, last: str) -> str:
    if last in ("batch_shape", "event_shape", "forward_shape", "inverse_shape", "param_shape"):
        return "shape"
    if last in ("has_rsample", "has_enumerate_support", "bijective", "event_dim"):
        return "python"
    if last in _DISTRIBUTION_TENSORS or last == "kl_divergence":
        return "tensor"
    return "none" if last == "set_default_validate_args" else "object"


def _kind(annotation: str) -> str:
    text = annotation.replace("typing.", "").replace("torch.Tensor", "Tensor").strip("'\" ")
    text = re.sub(r"ForwardRef\('([^']*)'\)", r"\1", text)
    if re.fullmatch(r"(TensorLikeType|Tensor|Parameter|torch\.nn\.parameter\.Parameter)( \| None)?", text):
        return "tensor"
    if re.fullmatch(
        r"(list|List|Sequence|collections\.abc\.(Iterator|Iterable))\[(Tensor|torch\.nn\.parameter\.Parameter)\]", text
    ):
        return "list"
    if re.fullmatch(r"(tuple|Tuple)\[Tensor, \.\.\.\]", text):
        return "list"
    if text.startswith(("torch.return_types", "return_types")) or re.match(r"(tuple|Tuple)\[Tensor", text):
        return "tensors"
    if re.fullmatch(
        r"(_?int|_?bool|_?float|Number|str|SymInt|_complex)( \| (None|_?int|_?float|SymInt|_complex))*", text
    ):
        return "python"
    if re.match(r"Type(Is|Guard)\[", text):
        return "python"
    if text in ("Size", "torch.Size", "_size", "tuple[_int, ...]"):
        return "shape"
    if re.fullmatch(r"(_|torch\.)?dtype( \| None)?", text):
        return "dtype"
    if re.fullmatch(r"(_|torch\.)?device( \| None)?", text):
        return "device"
    if text == "None":
        return "none"
    if text == "numpy.ndarray":
        return "numpy"
    if text in ("Module", "torch.nn.modules.module.Module"):
        return "module"
    return "object"


# --- device --------------------------------------------------------------------------------------

_DEVICE = {
    "Tensor.cpu": "cpu", "Tensor.cuda": "accelerator", "Tensor.xpu": "accelerator", "Tensor.ipu": "accelerator",
    "Tensor.mtia": "accelerator", "Tensor.to": "unknown", "Tensor.type": "unknown", "Tensor.new": "like",
    "Tensor.new_tensor": "like", "Tensor.pin_memory": "cpu", "Tensor.numpy": "cpu", "Tensor.type_as": "unknown",
    "Tensor.expand_as": "like", "Tensor.reshape_as": "like", "Tensor.view_as": "like",
    "Tensor.int_repr": "args", "Tensor.module_load": "unknown", "Tensor.to_mkldnn": "cpu",
    "torch.from_numpy": "cpu", "torch.frombuffer": "cpu", "torch.from_file": "cpu", "torch.tensor": "argument",
    "torch.linspace": "argument",
    "torch.logspace": "argument",
    "torch.full": "argument",
    "torch.as_tensor": "like", "torch.asarray": "like", "torch.from_dlpack": "unknown",
    "torch.utils.dlpack.from_dlpack": "unknown", "torch.normal": "like", "torch.get_rng_state": "cpu",
    "torch.cuda.get_rng_state": "cpu", "torch.cuda.get_rng_state_all": "cpu", "torch.Tensor": "argument",
    "torch.sparse_coo_tensor": "like",
    "torch.sparse_csr_tensor": "like", "torch.sparse_csc_tensor": "like", "torch.sparse_bsr_tensor": "like",
    "torch.sparse_bsc_tensor": "like", "torch.sparse_compressed_tensor": "like", "torch.load": "unknown",
    "torch.nested.nested_tensor": "like", "torch.nested.as_nested_tensor": "like", "torch.sparse.spdiags": "args",
    "torch.testing.make_tensor": "argument", "torch.nn.utils.rnn.invert_permutation": "args",
    "torch.Generator.get_state": "cpu", "torch.Generator.graphsafe_get_state": "cpu",
    "torch.quasirandom.SobolEngine.draw": "cpu", "torch.quasirandom.SobolEngine.draw_base2": "cpu",
}  # fmt: skip
_CPU_TENSOR = re.compile(r"torch\.(BFloat16|Bool|Byte|Char|Double|Float|Half|Int|Long|Short)Tensor")


def device_of(name: str, returns: str, params: tuple[Param, ...], kind: str) -> str:
    """Return where the resulting tensors live."""
    if name in _DEVICE:
        return _DEVICE[name]
    if _CPU_TENSOR.fullmatch(name):
        return "cpu"
    if _CONSTRUCTOR.fullmatch(name):
        return "accelerator" if name.startswith("torch.cuda.") else "args"
    if returns == "module" or (kind == "class" and returns == "tensor"):
        return (
            "argument" if any(param.name == "device" for param in params) else "cpu" if returns == "module" else "args"
        )
    if returns not in ("tensor", "tensors", "list"):
        return "args"
    last = name.rpartition(".")[2]
    if any(param.name == "device" for param in params):
        takes_tensor = name.startswith("Tensor.") or any(
            "Tensor" in param.type for param in params if param.name != "out"
        )
        return "like" if takes_tensor or last.endswith("_like") else "argument"
    return "args"


def describe(callable_: Callable_) -> Entry:
    """Return what an operation takes and returns."""
    params = parameters(callable_) if callable_.kind != "property" else ()
    returns = returns_of(callable_)
    name = callable_.name
    return Entry(
        params,
        returns,
        device_of(name, returns, params, callable_.kind),
        dtype_of(name, returns),
        ndim_of(name, returns),
        gives_positions(name),
        memory_of(name),
        event_of(name),
        callable_.kind == "property",
    )
