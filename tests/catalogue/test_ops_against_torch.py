"""What the operation files say, against torch itself. Skipped where torch is not installed."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
from itertools import islice
from typing import Any

import pytest

from hostsync.catalogue.model import Op
from hostsync.catalogue.ops import load_ops

torch: Any = pytest.importorskip("torch")


def _op_infos() -> list[Any]:
    stub = types.ModuleType("expecttest")
    stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    stub.assert_expected_inline = None  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stub)
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, (tuple, list)) and value and all(isinstance(item, torch.Tensor) for item in value):
        return "tensors"
    return "python" if isinstance(value, (bool, int, float)) else "other"


def disagreements(op: Op, first: Any, result: Any, bound: bool) -> list[str]:
    """Say where a result is not what the entry of its operation says; `bound` tells of arguments besides the first."""
    found = []
    kind = _kind(result)
    said = {"self": "tensor", "list": "tensors"}.get(op.returns, op.returns)
    if kind in ("tensor", "tensors", "python") and kind != said and not (kind == "tensors" and bound):
        found.append(f"returns {op.returns}, got {kind}")
    if kind != "tensor":
        return found
    is_dtype = {
        "bool": result.dtype == torch.bool,
        "int": not result.dtype.is_floating_point and not result.dtype.is_complex and result.dtype != torch.bool,
        "float": result.dtype.is_floating_point or result.dtype.is_complex,
    }
    if op.dtype == "summed" and result.dtype.is_floating_point != first.dtype.is_floating_point:
        found.append(f"dtype summed from {first.dtype}, got {result.dtype}")
    if op.dtype in is_dtype and not is_dtype[op.dtype]:
        found.append(f"dtype {op.dtype}, got {result.dtype}")
    if op.ndim.isdigit() and result.dim() != int(op.ndim):
        found.append(f"ndim {op.ndim}, got {result.dim()}")
    if op.ndim == "same" and isinstance(first, torch.Tensor) and result.dim() != first.dim():
        found.append(f"ndim same as {first.dim()}, got {result.dim()}")
    if op.ndim == "more" and isinstance(first, torch.Tensor) and op.returns == "tensor" and result.dim() <= first.dim():
        found.append(f"ndim more than {first.dim()}, got {result.dim()}")
    if op.ndim == "reduce" and not bound and result.dim():
        found.append(f"ndim reduce, got {result.dim()}")
    return found


def all_disagreements() -> set[str]:
    """Run PyTorch's own samples on the CPU and collect what disagrees, as `operation: what`."""
    ops = load_ops()
    found: set[str] = set()
    for info in _op_infos():
        named = torch
        for part in info.name.split("."):
            named = getattr(named, part, None)
        forms = [(f"torch.{info.name}", named), (f"Tensor.{info.name}", getattr(torch.Tensor, info.name, None))]
        for dtype in (torch.float32, torch.int64):
            if not info.supports_dtype(dtype, "cpu"):
                continue
            for sample in islice(info.sample_inputs("cpu", dtype), 8):
                for name, function in forms:
                    if name not in ops or not callable(function):
                        continue
                    try:
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            result = function(sample.input, *sample.args, **sample.kwargs)
                    except Exception:
                        continue
                    bound = bool(sample.args or sample.kwargs)
                    said = disagreements(ops[name], sample.input, result, bound)
                    # A call that asks for a type gets that one.
                    asked = "dtype " if "dtype" in sample.kwargs else "no such text"
                    found |= {f"{name}: {text}" for text in said if not text.startswith(asked)}
    return found


@pytest.mark.long
def test_results_are_what_the_files_say() -> None:
    on_lists = {f"torch.atleast_{n}d: returns tensor, got tensors" for n in (1, 2, 3)}
    assert sorted(all_disagreements() - on_lists) == []


def test_every_public_callable_of_torch_is_there() -> None:
    from hostsync.calibrate.signatures import public_names

    if not torch.__version__.startswith("2.13."):
        pytest.skip("the files are of torch 2.13")
    assert sorted(set(public_names()) - set(load_ops())) == []
