"""`memory` in rules/ops: which operations give what they are called of, or a view of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gpu import digests

from hostsync.catalogue.ops import load_ops

OPS = load_ops()
KEPT = Path(digests.HERE / "results" / "pinned_views.json")


def test_what_is_measured_is_what_is_said() -> None:
    found = json.loads(KEPT.read_text(encoding="utf-8"))
    measured = ("VIEWS", "ROWS", "COLUMNS", "COPIES", "waits")
    file = digests.HERE / "test_pinned_views.py"
    assert found["of"] == digests.of_definition(file, *measured), "run tests/gpu/test_pinned_views.py"
    assert [set(found[kind].values()) for kind in ("views", "rows", "columns", "copies")] == [{0}, {0}, {1}, {1}]
    said = {kind: {OPS[name].memory for name in found[kind] if name in OPS} for kind in ("views", "columns", "copies")}
    assert said == {"views": {"same", "maybe"}, "columns": {"maybe"}, "copies": {"", "maybe"}}
    same = {name for name, op in OPS.items() if op.memory == "same" and name.startswith("Tensor.")}
    assert same <= set(found["views"])


def test_functions_and_methods_agree() -> None:
    for name, op in OPS.items():
        method = OPS.get(f"Tensor.{name[6:]}") if name.startswith("torch.") else None
        if method is not None:
            assert op.memory == method.memory, name


def test_against_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    arguments: dict[str, tuple[Any, ...]] = {
        "chunk": (2,), "moveaxis": (0, 1), "movedim": (0, 1), "narrow": (0, 0, 1), "permute": (1, 0),
        "reshape": (4,), "reshape_as": (torch.zeros(4),), "select": (0, 1), "split": (1,), "swapaxes": (0, 1),
        "swapdims": (0, 1), "tensor_split": (2,), "transpose": (0, 1), "unflatten": (0, (1, 2)), "unsqueeze": (0,),
        "view": (4,), "view_as": (torch.zeros(4),),
    }  # fmt: skip
    types = {"bool": "bool", "byte": "uint8", "char": "int8", "int": "int32", "long": "int64", "short": "int16"}
    types |= {"half": "float16", "bfloat16": "bfloat16", "double": "float64"}
    elsewhere = []
    for name in sorted(name for name, op in OPS.items() if op.memory and name.startswith("Tensor.")):
        last = name.rpartition(".")[2]
        x = torch.zeros(2, 2, dtype=getattr(torch, types.get(last, "float32")))
        made = getattr(x, last) if OPS[name].is_property else getattr(x, last)(*arguments.get(last, ()))
        parts = made if isinstance(made, (tuple, list)) else [made]
        if any(part.untyped_storage().data_ptr() != x.untyped_storage().data_ptr() for part in parts):
            elsewhere.append(name)
    assert not elsewhere
