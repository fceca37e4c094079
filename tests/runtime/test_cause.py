"""The rule of a wait, by the expression that waited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostsync.catalogue import load_only_rules
from hostsync.runtime.cause import Causes
from hostsync.runtime.records import Place
from hostsync.runtime.source import module_of, node_at, text_at

from .waits import marked, wait

pytest.importorskip("torch", reason="the frames are those of an installed torch")

CAUSES = Causes(load_only_rules())
IMPORTS = """\
import logging, math, warnings
import numpy as np
import torch
import torch.nn.functional as F
from torch import distributions as D, nonzero
from torch.nn.utils import clip_grad_norm_
"""

TO_DEVICE: dict[str, Any] = {"kind": "copy-to-device", "memory": "pageable"}
TO_HOST: dict[str, Any] = {"kind": "copy-to-host", "memory": "pageable"}


def torch_frame(name: str, function: str) -> Place:
    import torch

    return Place(str(Path(torch.__file__).parent / name), 1, 0, 1, 0, function)


CASES: list[tuple[str, str, dict[str, Any], str | None]] = [
    ("total += loss.item()", "loss.item()", {}, "HS101"),
    ("if loss.item() > 3: pass", "loss.item()", {}, "HS101"),
    ("values = x.tolist()", "x.tolist()", TO_HOST, "HS101"),
    ("y = x.cpu()", "x.cpu()", TO_HOST, "HS102"),
    ('y = x.to("cpu")', 'x.to("cpu")', TO_HOST, "HS102"),
    ("y = np.asarray(x)", "np.asarray(x)", TO_HOST, "HS102"),
    ("y = float(x)", "float(x)", {}, "HS103"),
    ("y = math.sqrt(x)", "math.sqrt(x)", {}, "HS103"),
    ("for i in range(n): pass", "range(n)", {}, "HS104"),
    ("print(x)", "print(x)", {"library": torch_frame("_tensor_str.py", "_Formatter.__init__")}, "HS105"),
    ('s = f"loss {x:.3f}"', "{x:.3f}", {"library": torch_frame("_tensor.py", "Tensor.__format__")}, "HS105"),
    ('s = "%s" % x', '"%s" % x', {"library": torch_frame("_tensor_str.py", "_str")}, "HS105"),
    ('s = "{}".format(x)', '"{}".format(x)', {"library": torch_frame("_tensor.py", "Tensor.__format__")}, "HS105"),
    ('log.info("x %s", x)', 'log.info("x %s", x)', {"library": torch_frame("_tensor_str.py", "_str")}, "HS105"),
    ("m = max(a, b)", "max(a, b)", {}, "HS106"),
    ("m = 1 in x", "1 in x", {}, "HS106"),
    ("m = torch.equal(a, b)", "torch.equal(a, b)", {}, "HS107"),
    ("if torch.equal(a, b): pass", "torch.equal(a, b)", {}, "HS107"),
    ("if x.any(): pass", "x.any()", {}, "HS201"),
    ("if x > 0: pass", "x > 0", {}, "HS201"),
    ("y = 1 if x > 0 else 2", "x > 0", {}, "HS201"),
    ("y = [a for a in b if a > 0]", "a > 0", {}, "HS201"),
    ("while x.any(): pass", "x.any()", {}, "HS202"),
    ("assert x.all()", "x.all()", {}, "HS203"),
    ("if a and x.any(): pass", "x.any()", {"operation": "aten::is_nonzero"}, "HS201"),
    ("if x.any() and a: pass", "x.any()", {}, "HS204"),
    ("while a or b and x.any(): pass", "x.any()", {}, "HS202"),
    ("y = not x", "x", {}, "HS204"),
    ("y = a > 0 and b", "a > 0", {}, "HS204"),
    ("y = 0 < x < 1", "0 < x < 1", {}, "HS204"),
    ("i = torch.nonzero(x)", "torch.nonzero(x)", {}, "HS301"),
    ("i = nonzero(x)", "nonzero(x)", {}, "HS301"),
    ("i = torch.where(x)", "torch.where(x)", {}, "HS301"),
    ("y = x[mask]", "x[mask]", {"operation": "aten::index"}, "HS302"),
    ("y = x.masked_select(m)", "x.masked_select(m)", {}, "HS302"),
    ("x[mask] = y", "x[mask]", {"operation": "aten::index"}, "HS303"),
    ("u = x.unique()", "x.unique()", {}, "HS304"),
    ("c = torch.bincount(x)", "torch.bincount(x)", TO_HOST, "HS305"),
    ("y = x.repeat_interleave(n)", "x.repeat_interleave(n)", {}, "HS306"),
    ("y = F.one_hot(x)", "F.one_hot(x)", {}, "HS307"),
    ("y = x[:n]", "x[:n]", {"operation": "aten::index"}, "HS308"),
    ("x = x.cuda()", "x.cuda()", TO_DEVICE, "HS401"),
    ("m = model.to(device)", "model.to(device)", TO_DEVICE, "HS401"),
    ("x = x.to(d)", "x.to(d)", {"operation": "aten::to"}, "HS401"),
    ('x = x.to(device="cpu")', 'x.to(device="cpu")', {"operation": "aten::to"}, "HS102"),
    ("x = x.to(d)", "x.to(d)", {"kind": "copy-to-device", "memory": "pinned"}, "HS402"),
    ("x = x.to(d, non_blocking=True)", "x.to(d, non_blocking=True)", TO_DEVICE, "HS403"),
    ("x = x.to(d, non_blocking=False)", "x.to(d, non_blocking=False)", TO_DEVICE, "HS401"),
    ("x = torch.tensor([1], device=d)", "torch.tensor([1], device=d)", {}, "HS404"),
    ("y = x[[0, 2]]", "x[[0, 2]]", {"operation": "aten::index"}, "HS405"),
    ("y = x[rows]", "x[rows]", TO_DEVICE, "HS405"),
    ("x[0] = 1.0", "x[0]", {"operation": "aten::index"}, "HS406"),
    ("x[i] = -1", "x[i]", TO_DEVICE, "HS406"),
    ("y = model(x)", "model(x)", {"kind": "free", "operation": "aten::empty_cache"}, None),
    ("y = helper(x)", "helper(x)", {"library": torch_frame("x.py", "f"), "operation": "aten::item"}, "HS605"),
    ("y = x.to(d)", "x.to(d)", {"kind": "free"}, None),
    ("torch.cuda.synchronize()", "torch.cuda.synchronize()", {"kind": "device"}, "HS501"),
    ("s.synchronize()", "s.synchronize()", {"kind": "stream"}, "HS502"),
    ("e.synchronize()", "e.synchronize()", {"kind": "event"}, "HS502"),
    ("torch.cuda.empty_cache()", "torch.cuda.empty_cache()", {"kind": "free"}, "HS503"),
    ("torch.distributed.barrier()", "torch.distributed.barrier()", {}, "HS504"),
    ("y = torch.linalg.inv(x)", "torch.linalg.inv(x)", {}, "HS601"),
    (
        "d = D.Normal(a, b)",
        "D.Normal(a, b)",
        {"library": torch_frame("distributions/distribution.py", "Distribution.__init__")},
        "HS602",
    ),
    (
        "scaler.step(optimizer)",
        "scaler.step(optimizer)",
        {
            "library": torch_frame("amp/grad_scaler.py", "GradScaler._maybe_opt_step.<locals>.<genexpr>"),
            "operation": "aten::item",
        },
        "HS603",
    ),
    ("clip_grad_norm_(p, 1.0)", "clip_grad_norm_(p, 1.0)", {}, "HS604"),
    ("loss.backward()", "loss.backward()", {"operation": "IndexBackward0", "phase": "backward"}, "HS605"),
    ("y = model.generate(x)", "model.generate(x)", {}, "HS605"),
    ("y = x + z", "x + z", {}, None),
]


@pytest.mark.parametrize(("line", "text", "changes", "code"), CASES, ids=[case[0] for case in CASES])
def test_the_expression_names_the_rule(
    line: str, text: str, changes: dict[str, Any], code: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "program.py"
    body = "".join(f"    {part}\n" for part in [line])
    path.write_text(f"{IMPORTS}\ndef f():\n{body}", encoding="utf-8")
    at = marked(path, 9, text)
    assert text_at(at) == text
    assert CAUSES.code_of(wait(at, **changes)) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"kind": "device", "call": "cuCtxSynchronize"}, "HS501"),
        ({"kind": "event"}, "HS502"),
        (TO_HOST, "HS102"),
        (TO_DEVICE, "HS401"),
        ({"operation": "aten::nonzero"}, "HS301"),
        ({"operation": "aten::_local_scalar_dense"}, "HS101"),
        ({"operation": "IndexBackward0", "phase": "backward"}, "HS605"),
        ({"kind": "free"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_without_a_source_the_kind_and_the_operation_name_it(changes: dict[str, Any], code: str | None) -> None:
    assert CAUSES.code_of(wait(None, **changes)) == code
    gone = Place("/no/such/file.py", 3, 5, 3, 9, "f")
    assert CAUSES.code_of(wait(gone, **changes)) == code


@pytest.mark.parametrize(
    ("line", "text", "code", "said"),
    [
        ('torch.save(m, "m.pt")', 'torch.save(m, "m.pt")', "HS605", "save less often"),
        ("y = math.sqrt(x)", "math.sqrt(x)", "HS103", "stay in torch"),
        ("trainer.train()", "trainer.train()", "HS605", "move it out of the loop"),
        ("y = x.item()", "x.item()", "HS101", "keep the value on the device"),
        ("y = x.item()", "x.item()", None, ""),
    ],
)
def test_the_help_is_that_for_what_is_called(line: str, text: str, code: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"{IMPORTS}\ndef f():\n    {line}\n", encoding="utf-8")
    assert CAUSES.help_of(wait(marked(path, 9, text)), code).startswith(said)


def test_rules_of_users_take_part(tmp_path: Path) -> None:
    rule = """\
+++
code = "MY001"
name = "my-metric"
summary = "A metric"
message = "waits"
help = "do not"
since = "0.1.0"
hot = "always"
fix = "none"
[[events]]
kind = "call"
ops = ["my_metrics.update"]
+++
"""
    (tmp_path / "MY001-my-metric.md").write_text(rule, encoding="utf-8")
    path = tmp_path / "program.py"
    path.write_text("import my_metrics as mm\nmm.update(x)\n", encoding="utf-8")
    causes = Causes(load_only_rules([tmp_path]))
    assert causes.code_of(wait(marked(path, 2, "mm.update(x)"))) == "MY001"


def test_nodes_and_text_of_odd_places(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text("s = 'ä€'; y = x.item(\n    # why\n)\n@deco(x.item())\ndef f(): pass\n", encoding="utf-8")
    several = Place(str(path), 1, 15, 3, 2, "f")
    assert text_at(several) == "x.item( # why )"
    found = node_at(several)
    assert found is not None
    assert found.is_exact
    decorated = node_at(marked(path, 4, "x.item()"))
    assert decorated is not None
    assert decorated.is_exact
    row_only = Place(str(path), 4, 0, 4, 0, "f")
    assert text_at(row_only) == "@deco(x.item())"
    assert node_at(row_only) is not None
    for lost in (several._replace(row=99, end_row=99), several._replace(filename="<stdin>"), several._replace(row=0)):
        assert text_at(lost) == ""
        assert node_at(lost) is None
    broken = tmp_path / "broken.py"
    broken.write_text("x = (\n", encoding="utf-8")
    assert node_at(several._replace(filename=str(broken), end_row=1)) is None


def test_module_names() -> None:
    import json.decoder

    assert module_of(json.decoder.__file__) == "json.decoder"
    assert module_of(json.__file__) == "json"
    assert module_of("<stdin>") == ""
