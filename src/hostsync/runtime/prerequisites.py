"""What has to be there before a wait can be seen: a torch that is built with CUDA, and a device.

Torch is not imported where that can be told without it: a program may set variables that torch, OpenMP and CUDA read
when they are loaded, and expects them to count.
"""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ADVICE = "`hostsync check` needs neither torch nor a GPU"


class NothingToWatchError(Exception):
    """This Python can't show a wait for a GPU; the message says why and what to do."""


def require_cuda() -> None:
    """Raises NothingToWatchError unless torch is here, is built with CUDA, and sees a device.

    Does not initialize CUDA, so that a program can still fork. Imports torch only where its own answer is needed.
    """
    if "torch" not in sys.modules:
        try:
            spec = importlib.util.find_spec("torch")
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            raise NothingToWatchError(f"torch is not installed for {sys.executable}, so no wait can be seen; {ADVICE}")
        version, cuda = _stated_version(spec.origin)
        if version is not None and cuda is None:
            raise _without_cuda(version)
        if cuda is not None and _sees_a_device():
            return
    try:
        import torch
    except ImportError as error:
        raise NothingToWatchError(f"torch can't be imported, so no wait can be seen: {error}") from error
    if torch.version.cuda is None:
        raise _without_cuda(str(torch.__version__))
    # Counts by NVML where it can, as below.
    if torch.cuda.device_count() == 0:
        raise NothingToWatchError(f"{_no_device(str(torch.__version__))}, so no wait can be seen; {ADVICE}")


def why_unused() -> str:
    """Why CUDA is not in use: there is no device, or the program has not asked for it."""
    torch = sys.modules.get("torch")
    unused = "CUDA was not in use"
    if torch is None or torch.cuda.is_initialized() or _sees_a_device() or torch.cuda.device_count():
        return unused
    return f"{unused}, and {_no_device(str(torch.__version__))}"


def torch_with_cuda() -> ModuleType:
    """Torch, imported. Raises NothingToWatchError as `require_cuda`."""
    require_cuda()
    torch: ModuleType = import_module("torch")
    return torch


def _without_cuda(version: str) -> NothingToWatchError:
    return NothingToWatchError(
        f"this is torch {version}, which is built without CUDA, so no wait can be seen: run it where "
        f"torch has CUDA; {ADVICE}"
    )


def _no_device(version: str) -> str:
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None and hidden.strip() in ("", "-1"):
        return f"CUDA_VISIBLE_DEVICES={hidden} hides every CUDA device"
    return f"torch {version} finds no CUDA device here"


def _stated_version(origin: str | None) -> tuple[str | None, str | None]:
    """The versions of torch and of its CUDA as `torch/version.py` states them; None for what it doesn't state."""
    stated: dict[str, str] = {}
    if origin is not None:
        try:
            tree = ast.parse(Path(origin).with_name("version.py").read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError):
            return None, None
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None)
            for target in targets:
                if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    stated[target.id] = value.value
    return stated.get("__version__"), stated.get("cuda")


def _sees_a_device() -> bool:
    """Whether a device is there for sure. Asks NVML, which makes no CUDA context."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return False
    try:
        nvml = ctypes.CDLL("nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1")
        if nvml.nvmlInit_v2():
            return False
        count = ctypes.c_uint()
        failed = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
        nvml.nvmlShutdown()
    except (OSError, AttributeError):
        return False
    return not failed and count.value > 0
