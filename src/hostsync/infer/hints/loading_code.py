"""Code that prepares data: datasets, samplers, loaders, and what collates. It runs on the host.

Workers of a `DataLoader` are other processes, in which CUDA is not to be used: "it is generally not recommended to
return CUDA tensors in multi-process loading" (torch.utils.data, "Working with CUDA tensors"). So where nothing else
tells of a tensor there, it is no reason to speak.
"""

from __future__ import annotations

import re
from typing import Final

from hostsync.infer.context import Context
from hostsync.infer.values import Ref

_CLASS: Final = re.compile(r"Dataset$|DataLoader$|Collat")
_FUNCTION: Final = re.compile(r"(^|_)collate(_|$)")
_MODULES: Final = frozenset({"dataset", "datasets", "loader", "dataloader", "dataloaders"})
"""What packages and modules of such code are called: in nineteen libraries that were written to see, 4 of 43 findings
there were true. A part of the module's name counts as well, as in `text_dataset`."""
_EVALUATES: Final = re.compile(r"(^|_)(eval|evaluat|metric|score)")
_DEPTH: Final = 4
"""How many calls up such code is looked for."""


def prepares_data(context: Context, symbol: str, depth: int = _DEPTH) -> bool:
    """Whether a function is such code: by its name or its class's or module's, by a base, or by all its callers."""
    path = context.module.name.split(".")
    if not _MODULES.isdisjoint((*path, *path[-1].split("_"))) and not _EVALUATES.search(path[-1]):
        return True
    owner, _, name = symbol.rpartition(".")
    if _FUNCTION.search(name):
        return True
    if owner in context.classes:
        if _loads(context, owner):
            return True
        if not name.startswith("_"):
            return False
    elif owner in context.functions and prepares_data(context, owner, depth):
        return True
    callers = {site.caller for site in context.calls.get(symbol, ())} - {symbol}
    return bool(callers and depth) and all(prepares_data(context, caller, depth - 1) for caller in callers)


def _loads(context: Context, owner: str) -> bool:
    """Whether a class is a dataset, a sampler, a loader, or an object that collates."""
    for info in context.lineage(owner):
        if _CLASS.search(info.name.rpartition(".")[2]):
            return True
        for base in info.bases:
            if isinstance(base, Ref):
                module, _, short = base.name.rpartition(".")
                if _CLASS.search(short) or (module.startswith("torch.utils.data") and short.endswith("Sampler")):
                    return True
    return False
