"""Names and signatures of torch's public callables, read from torch itself.

Sources, in this order: torch's own type stubs (`torch/_C/_VariableFunctions.pyi`, `torch/_C/__init__.pyi`,
`torch/_C/_nn.pyi`), the operator schemas that the JIT registers, and `inspect.signature` for functions that are
written in Python.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hostsync.calibrate.words import words_of

torch: Any = import_module("torch")

NAMESPACES = (
    "torch",
    "torch.nn.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.distributions",
    "torch.cuda",
    "torch.accelerator",
    "torch.distributed",
    "torch.nn.init",
)
"""Modules whose every public callable is an operation."""

CLASSES_WITH_METHODS = (
    "torch.cuda.Stream",
    "torch.cuda.Event",
    "torch.cuda.ExternalStream",
    "torch.cuda.CUDAGraph",
    "torch.Stream",
    "torch.Event",
    "torch.Generator",
    "torch.accelerator.Graph",
    "torch.distributed.Work",
    "torch.amp.GradScaler",
    "torch.cuda.amp.GradScaler",
    "torch.nn.Module",
    "torch.nn.utils.rnn.PackedSequence",
    "torch.quasirandom.SobolEngine",
    "torch.optim.Optimizer",
    "torch.optim.swa_utils.AveragedModel",
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
)
"""Classes whose methods are operations too, besides every class of torch.distributions and torch.optim."""

_MASKED = (
    "amax amin argmax argmin cumprod cumsum log_softmax logaddexp logsumexp mean median norm normalize prod softmax "
    "softmin std sum var"
)
_WINDOWS = "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall"

EXTRA = (
    "torch.amp.GradScaler",
    "torch.amp.autocast",
    "torch.cuda.amp.GradScaler",
    "torch.cuda.amp.autocast",
    "torch.autograd.backward",
    "torch.autograd.grad",
    "torch.autograd.detect_anomaly",
    "torch.autograd.set_detect_anomaly",
    "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.clip_grad_norm",
    "torch.nn.utils.clip_grad_value_",
    "torch.nn.utils.clip_grads_with_norm_",
    "torch.nn.utils.get_total_norm",
    "torch.nn.utils.parameters_to_vector",
    "torch.nn.utils.vector_to_parameters",
    "torch.nn.utils.parametrizations.orthogonal",
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.rnn.PackedSequence",
    "torch.nn.utils.rnn.pack_padded_sequence",
    "torch.nn.utils.rnn.pad_packed_sequence",
    "torch.nn.utils.rnn.pad_sequence",
    "torch.nn.utils.rnn.pack_sequence",
    "torch.nn.utils.rnn.unpad_sequence",
    "torch.nn.utils.rnn.unpack_sequence",
    "torch.nn.utils.rnn.invert_permutation",
    "torch.nn.attention.sdpa_kernel",
    "torch.optim.swa_utils.AveragedModel",
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
    "torch.sparse.mm",
    "torch.sparse.addmm",
    "torch.sparse.sampled_addmm",
    "torch.sparse.sum",
    "torch.sparse.softmax",
    "torch.sparse.log_softmax",
    "torch.sparse.spdiags",
    "torch.testing.assert_close",
    "torch.testing.make_tensor",
    "torch.utils.checkpoint.checkpoint",
    "torch.utils.checkpoint.checkpoint_sequential",
    "torch.quasirandom.SobolEngine",
    "torch.utils.data.DataLoader",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.Subset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.random_split",
    "torch.utils.data.default_collate",
    "torch.utils.dlpack.from_dlpack",
    "torch.utils.dlpack.to_dlpack",
    *(f"torch.masked.{name}" for name in sorted(words_of(_MASKED))),
    *(f"torch.signal.windows.{name}" for name in sorted(words_of(_WINDOWS))),
    "torch.nested.nested_tensor",
    "torch.nested.as_nested_tensor",
    "torch.nested.to_padded_tensor",
    "torch.func.vmap",
    "torch.func.grad",
)
"""Single callables outside those modules that a scan needs to know."""

# Defined in torch.distributed but of no use in a program, or helpers that a module imports for itself.
_NOT_OPERATIONS = re.compile(
    r"torch\.nn\.functional\.(assert_int_or_pair|boolean_dispatch|handle_torch_function|has_torch_function\w*|"
    r"Callable|DType|Optional|Tensor)|torch\.distributed\.(timedelta|Logger)|torch\.fft\.Tensor|"
    r"torch\.(classproperty|get_file_path|prepare_multiprocessing_environment|profiler_allow_cudagraph\w*)|"
    r"torch\.(Any|Callable|ParamSpec|Sequence|TypeVar|Union|Optional|overload|builtins|Literal)|"
    r"torch\.cuda\.(classproperty|lru_cache|Any|Callable|Optional|Union|Device|DeviceLikeType)|torch\.accelerator\.cache|"
    r"torch\.special\.Tensor|torch\.distributions\.Tensor|torch\.nn\.init\.(Literal|Tensor|TypeVar|ParamSpec|overload)"
)


class Param(NamedTuple):
    name: str
    default: str | None
    kind: str
    """normal, keyword, args or kwargs."""
    type: str
    """The annotation as text; empty where there is none."""


class Signature(NamedTuple):
    params: tuple[Param, ...]
    returns: str
    """The return annotation as text; empty where there is none."""


class Callable_(NamedTuple):  # noqa: N801 -- `Callable` is taken
    name: str
    value: Any
    kind: str
    """function, method, property or class."""
    signatures: tuple[Signature, ...]
    """One per overload."""


def lookup(name: str) -> Any:
    """Return the object with a canonical name, or None."""
    if name.startswith("Tensor."):
        return inspect.getattr_static(torch.Tensor, name[7:], None)
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: Any = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part, None)
        return value
    return None


def public_names() -> dict[str, str]:
    """Return every operation's canonical name and its kind: function, class, method or property.

    A method of a class is there under the class that users name, e.g. `torch.distributions.Normal.log_prob`, whether
    the class defines or inherits it.
    """
    names: dict[str, str] = {}
    for namespace in NAMESPACES:
        module = import_module(namespace)
        for name in dir(module):
            if name.startswith("_"):
                continue
            value = getattr(module, name)
            full = f"{namespace}.{name}"
            if not callable(value) or _NOT_OPERATIONS.fullmatch(full) or inspect.ismodule(value):
                continue
            if type(value).__module__ == "typing" or getattr(value, "__module__", "") == "typing":
                continue
            names[full] = "class" if inspect.isclass(value) else "function"
    for name in EXTRA:
        value = lookup(name)
        if value is not None:
            names[name] = "class" if inspect.isclass(value) else "function"
    nn: Any = import_module("torch.nn")
    for name in dir(nn):
        value = getattr(nn, name)
        if not name.startswith("_") and inspect.isclass(value) and issubclass(value, (nn.Module, nn.Parameter)):
            names[f"torch.nn.{name}"] = "class"
            if issubclass(value, nn.Module) and value is not nn.Module and "forward" in vars_of_mro(value):
                names[f"torch.nn.{name}.forward"] = "method"
    optim: Any = import_module("torch.optim")
    for name in dir(optim):
        value = getattr(optim, name)
        if not name.startswith("_") and inspect.isclass(value) and issubclass(value, optim.Optimizer):
            names[f"torch.optim.{name}"] = "class"
            names[f"torch.optim.{name}.step"] = "method"
            names[f"torch.optim.{name}.zero_grad"] = "method"
    distributions: Any = import_module("torch.distributions")
    classes = list(CLASSES_WITH_METHODS) + [
        f"torch.distributions.{name}"
        for name in dir(distributions)
        if inspect.isclass(getattr(distributions, name)) and not name.startswith("_")
    ]
    for class_name in classes:
        cls = lookup(class_name)
        if cls is None:
            continue
        names[class_name] = "class"
        for member in dir(cls):
            value = inspect.getattr_static(cls, member)
            if member.startswith("_") or (class_name.endswith(".AveragedModel") and member not in vars(cls)):
                continue
            if is_property(value):
                if class_name.startswith("torch.distributions."):
                    names[f"{class_name}.{member}"] = "property"
            elif callable(getattr(cls, member)):
                names[f"{class_name}.{member}"] = "method"
    for member in dir(torch.Tensor):
        if not member.startswith("_"):
            value = inspect.getattr_static(torch.Tensor, member)
            names[f"Tensor.{member}"] = "property" if is_property(value) else "method"
    return names


def vars_of_mro(cls: type) -> set[str]:
    """Return the names that a module class defines below `torch.nn.Module`."""
    found: set[str] = set()
    for base in cls.__mro__:
        if base.__name__ == "Module":
            break
        found |= set(vars(base))
    return found


def is_property(value: Any) -> bool:
    """Tell whether a class member is read, not called."""
    if isinstance(value, property) or type(value).__name__ in ("lazy_property", "_lazy_property_and_property"):
        return True
    return inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value)


# --- stubs ---------------------------------------------------------------------------------------


def _from_ast(node: ast.FunctionDef, drop_self: bool) -> Signature:
    arguments = node.args
    params: list[Param] = []
    positional = arguments.posonlyargs + arguments.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        params.append(_param(argument, default, "normal"))
    if arguments.vararg:
        params.append(_param(arguments.vararg, None, "args"))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        params.append(_param(argument, default, "keyword"))
    if arguments.kwarg:
        params.append(_param(arguments.kwarg, None, "kwargs"))
    if drop_self and params and params[0].name == "self":
        del params[0]
    return Signature(tuple(params), ast.unparse(node.returns) if node.returns else "")


def _param(argument: ast.arg, default: ast.expr | None, kind: str) -> Param:
    text = None if default is None else ast.unparse(default)
    return Param(argument.arg, text, kind, ast.unparse(argument.annotation) if argument.annotation else "")


@cache
def _stub_functions(file: str) -> dict[str, tuple[Signature, ...]]:
    return _functions_of(ast.parse(_stub(file)).body, drop_self=False)


@cache
def _stub_tensor() -> tuple[dict[str, tuple[Signature, ...]], dict[str, str]]:
    """Return the methods and the properties (with their type) of the stub of `TensorBase`."""
    for node in ast.parse(_stub("_C/__init__.pyi")).body:
        if isinstance(node, ast.ClassDef) and node.name == "TensorBase":
            properties: dict[str, str] = {}
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    properties[item.target.id] = ast.unparse(item.annotation)
                elif isinstance(item, ast.FunctionDef) and any(
                    isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in item.decorator_list
                ):
                    properties[item.name] = ast.unparse(item.returns) if item.returns else ""
            return _functions_of(node.body, drop_self=True), properties
    raise RuntimeError("torch's stubs have no class TensorBase")


def _stub(file: str) -> str:
    return (Path(torch.__file__).parent / file).read_text(encoding="utf-8")


def _functions_of(body: list[ast.stmt], drop_self: bool) -> dict[str, tuple[Signature, ...]]:
    found: dict[str, tuple[Signature, ...]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = (*found.get(node.name, ()), _from_ast(node, drop_self))
    return found


def property_type(name: str) -> str:
    """Return the annotation of a property of Tensor, or an empty string."""
    return _stub_tensor()[1].get(name, "")


# --- schemas -------------------------------------------------------------------------------------

_SCHEMA_TYPES = (
    (re.compile(r"Tensor\[\]|List\[Tensor\]|List\[Optional\[Tensor\]\]"), "list[Tensor]"),
    (re.compile(r"Tensor"), "Tensor"),
    (re.compile(r"List\[(int|SymInt|float)\]"), "_size"),
    (re.compile(r"\b(int|SymInt)\b"), "_int"),
    (re.compile(r"\bfloat\b"), "_float"),
    (re.compile(r"\bnumber\b"), "Number"),
    (re.compile(r"\bbool\b"), "_bool"),
    (re.compile(r"\bstr\b"), "str"),
)


def _schema_type(type_: Any) -> str:
    text = str(type_)
    for pattern, name in _SCHEMA_TYPES:
        if pattern.search(text):
            return f"{name} | None" if text.startswith("Optional") else name
    return text


def schema_signatures(aten_name: str) -> tuple[Signature, ...]:
    """Return the overloads of an operator of aten; `self` is called `input`, as in the Python binding."""
    merged: list[Signature] = []
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{aten_name}"):
        if schema.overload_name.startswith("names") or "Dimname" in str(schema):
            continue
        params: list[Param] = []
        for argument in schema.arguments:
            name = "input" if argument.name == "self" else argument.name
            default = None
            if argument.has_default_value():
                default = repr(argument.default_value)
            kind = "keyword" if argument.kwarg_only else "normal"
            if argument.is_out:
                name, default = "out", "None"
            if any(param.name == name for param in params):
                continue
            params.append(Param(name, default, kind, _schema_type(argument.type)))
        returns = [_schema_type(value.type) for value in schema.returns]
        text = returns[0] if len(returns) == 1 else f"tuple[{', '.join(returns)}]" if returns else "None"
        merged.append(Signature(tuple(params), text))
    return tuple(merged)


# --- Python functions ----------------------------------------------------------------------------


def python_signature(value: Callable[..., Any]) -> Signature | None:
    """Return the signature of a function written in Python, or None where Python cannot tell it."""
    value = _undispatched(value)
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "normal",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "normal",
        inspect.Parameter.VAR_POSITIONAL: "args",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_KEYWORD: "kwargs",
    }
    params = []
    for param in signature.parameters.values():
        default = None if param.default is inspect.Parameter.empty else repr(param.default)
        params.append(Param(param.name, default, kinds[param.kind], _annotation(param.annotation)))
    return Signature(tuple(params), _annotation(signature.return_annotation))


def _annotation(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    return value if isinstance(value, str) else getattr(value, "__name__", str(value)) if _plain(value) else str(value)


def _plain(value: Any) -> bool:
    return isinstance(value, type) and not getattr(value, "__args__", None)


def _undispatched(value: Any) -> Any:
    """Look through `boolean_dispatch`, which hides a function behind `*args, **kwargs`."""
    closure = getattr(value, "__closure__", None)
    names = getattr(getattr(value, "__code__", None), "co_freevars", ())
    if closure and "if_false" in names:
        return closure[names.index("if_false")].cell_contents
    return value


# --- all -----------------------------------------------------------------------------------------

_STUB_FILES = {"torch": "_C/_VariableFunctions.pyi", "torch.nn.functional": "_C/_nn.pyi"}
_SCHEMA_PREFIX = {
    "torch": "",
    "torch.nn.functional": "",
    "torch.linalg": "linalg_",
    "torch.fft": "fft_",
    "torch.special": "special_",
}


def all_callables() -> Iterator[Callable_]:
    """Yield every operation with its overloads; the list is empty where nothing tells them."""
    for name, kind in sorted(public_names().items()):
        if name.startswith("Tensor."):
            yield Callable_(name, lookup(name), kind, _tensor_signatures(name[7:], kind))
            continue
        value = lookup(name)
        namespace, _, last = name.rpartition(".")
        signatures: tuple[Signature, ...] = ()
        if kind == "function":
            signatures = _function_signatures(namespace, last, value)
        elif kind == "method":
            signature = python_signature(value)
            if signature is not None:
                params = (
                    signature.params[1:] if signature.params[:1] and not inspect.ismethod(value) else signature.params
                )
                signatures = (Signature(params, signature.returns),)
        elif kind == "class":
            signature = python_signature(value)
            signatures = (signature,) if signature is not None else ()
        yield Callable_(name, value, kind, signatures)


def _function_signatures(namespace: str, last: str, value: Any) -> tuple[Signature, ...]:
    if inspect.isfunction(_undispatched(value)):
        signature = python_signature(value)
        opaque = signature is None or {param.kind for param in signature.params} <= {"args", "kwargs"}
        if signature is not None and not opaque:
            return (signature,)
    for candidate in (namespace, "torch"):
        file = _STUB_FILES.get(candidate)
        if file and (found := _stub_functions(file).get(last)):
            return found
        if candidate in _SCHEMA_PREFIX:
            found = schema_signatures(_SCHEMA_PREFIX[candidate] + last)
            if found:
                return found
        if namespace not in _SCHEMA_PREFIX:
            break
    signature = python_signature(value)
    return (signature,) if signature is not None else ()


def _tensor_signatures(member: str, kind: str) -> tuple[Signature, ...]:
    if kind == "property":
        return ()
    value = getattr(torch.Tensor, member)
    if inspect.isfunction(value):
        signature = python_signature(value)
        if signature is not None and {param.kind for param in signature.params[1:]} != {"args", "kwargs"}:
            return (Signature(signature.params[1:], signature.returns),)
    found = _stub_tensor()[0].get(member, ())
    if found:
        return found
    return tuple(
        Signature(tuple(param for param in signature.params if param.name not in ("input", "out")), signature.returns)
        for signature in schema_signatures(member)
    )
