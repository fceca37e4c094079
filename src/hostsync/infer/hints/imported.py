"""The packages that a module imports, as far as these say what its values may be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from hostsync import facts
from hostsync.infer.hints.tables import PACKAGES
from hostsync.infer.nodes import calls_in

_TORCH_PACKAGES: Final = frozenset(
    """accelerate allennlp apex bitsandbytes botorch captum colossalai composer deepspeed detectron2 dgl diffusers
    e3nn espnet fairscale fairseq fastai flair flash_attn gpytorch ignite kornia lightning lightning_fabric litgpt mmcv
    mmdet mmengine mmseg monai nemo open_clip peft pyro segmentation_models_pytorch sentence_transformers sglang skorch
    speechbrain stable_baselines3 tensordict tianshou timm transformers trl ultralytics unsloth vllm
    vector_quantize_pytorch x_transformers xformers""".split()
)
"""Packages whose import says that a module handles tensors, beside those that torch or PyTorch gave their name."""
_ARRAY_PACKAGES: Final = frozenset(
    ["numpy", "pandas", "jax", "cupy", "tensorflow", "xarray", "polars", "scipy", "sqlalchemy", "django", "mlx"]
)
"""Packages whose objects have some methods of tensors."""
_USUAL_NAMES: Final = frozenset({"np", "pd"})

_BRANCHES: Final[frozenset[type]] = frozenset({facts.If, facts.Try, facts.Handler, facts.With})
_ALL: Final[frozenset[type]] = _BRANCHES | {facts.For, facts.While, facts.Class, facts.Function}


def imports_torch(body: tuple[facts.Stmt, ...], *, into_functions: bool) -> bool:
    """Whether a block imports torch or a package built on it, in any of its branches."""
    inside = _ALL if into_functions else _BRANCHES
    return any(is_of_torch(_package(node)) for node in _imports(body, inside))


def imports_in(body: tuple[facts.Stmt, ...]) -> tuple[facts.Import, ...]:
    """The imports of a block, those in functions and classes too."""
    return tuple(_imports(body, _ALL))


def is_of_torch(package: str) -> bool:
    """Whether a package is torch or built on it. Where none is imported, how a name is used proves nothing."""
    return package.startswith(("torch", "pytorch")) or package in _TORCH_PACKAGES


def may_use_torch(body: tuple[facts.Stmt, ...]) -> bool:
    """Whether a module that does not import torch at its top handles tensors that it gets from elsewhere.

    It calls what tensors, modules and optimizers of torch have, and imports no other library that has it too. Nor does
    it import torch in functions: who does that serves several libraries, or does without.
    """
    if any(package in _LIKE_TORCH or is_of_torch(package) for package in map(_package, _imports(body, _ALL))):
        return False
    return any(_is_of_tensors(call) for call in calls_in(body))


def _is_of_tensors(node: facts.Call) -> bool:
    if any(name in _OPTIONS_OF_TENSORS for name, _ in node.keywords):
        return True
    if not isinstance(node.func, facts.Attr):
        return False
    name, args = node.func.name, node.args
    if name == "to" and len(args) == 1:
        to = args[0]
        return (isinstance(to, facts.Name) and to.id == "device") or (
            isinstance(to, facts.Attr) and to.name == "device"
        )
    return name in _OF_TENSORS or (name in _OF_TENSORS_IF_EMPTY and not args and not node.keywords)


_LIKE_TORCH: Final = frozenset(
    """chainer cupy jax jittor keras megengine mindspore mlx mxnet oneflow paddle tensorflow theano tinygrad""".split()
)
_OF_TENSORS: Final = frozenset(
    """load_state_dict masked_fill masked_fill_ masked_select named_parameters no_grad requires_grad_ unsqueeze
    unsqueeze_ zero_grad""".split()
)
_OF_TENSORS_IF_EMPTY: Final = frozenset({"backward", "cuda", "state_dict"})
_OPTIONS_OF_TENSORS: Final = frozenset({"non_blocking", "pin_memory", "requires_grad"})


def names_of_arrays(nodes: Sequence[facts.Import]) -> tuple[frozenset[str], frozenset[str]]:
    """What the packages of arrays among some imports are called: `np` for `import numpy as np`.

    Beside it the same with the usual names that `from prelude import *` may bring.
    """
    named = frozenset([node.alias for node in nodes if _package(node) in _ARRAY_PACKAGES])
    return named, named | _USUAL_NAMES if any(node.alias == "*" for node in nodes) else named


def imports_tables(nodes: Iterable[facts.Import]) -> bool:
    """Whether a package of tables is among some imports."""
    return any(_package(node) in PACKAGES for node in nodes)


def _package(node: facts.Import) -> str:
    return node.module.partition(".")[0]


def _imports(body: tuple[facts.Stmt, ...], inside: frozenset[type]) -> Iterator[facts.Import]:
    """The imports of a block, in statements of the kinds `inside`, too."""
    stack: list[Any] = list(body)
    an_import = facts.Import
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is an_import:
            yield node
        elif kind is tuple:
            stack.extend(node)
        elif kind in inside:
            # Each begins with its span.
            stack.extend([part for part in node[1:] if type(part) is tuple])


_ALIASES: Final = {
    "torch.functional": "torch",
    "torch.nn.modules.module.Module": "torch.nn.Module",
    "torch.nn.modules": "torch.nn",
    "torch.autograd.variable.Variable": "torch.autograd.Variable",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.cuda.amp.GradScaler": "torch.amp.GradScaler",
    "torch.cuda.amp.grad_scaler.GradScaler": "torch.amp.GradScaler",
    "torch.utils.data.dataloader.DataLoader": "torch.utils.data.DataLoader",
    "torch.utils.data.sampler.BatchSampler": "torch.utils.data.BatchSampler",
}


_DEFINED_IN: Final = re.compile(
    r"torch\.(?:(distributions|optim)\.(?!lr_scheduler\.|swa_utils\.)[a-z]\w*|"
    r"(nn)\.(?:modules\.)?(?:activation|adaptive|batchnorm|container|conv|distance|dropout|flatten|fold|instancenorm|"
    r"linear|loss|module|normalization|padding|pooling|rnn|sparse|transformer|upsampling))\.([A-Z]\w*)"
)
"""A class under the name of the file that defines it: `torch.distributions.normal.Normal`, `torch.optim.adam.Adam`."""


@cache
def known_as(name: str) -> str:
    """The one name under which the catalogue knows something that torch exports under several."""
    found = _DEFINED_IN.fullmatch(name)
    return _ALIASES.get(name, name) if found is None else f"torch.{found[1] or found[2]}.{found[3]}"
