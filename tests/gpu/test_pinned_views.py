"""What is made of pinned memory without a copy (`memory` in rules/ops), on a GPU: it is copied there without a wait.

With HOSTSYNC_RESULTS=FOLDER in the environment what was seen is written there, as `pinned_views.json`.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.gpu import digests
from tests.gpu.keeping import keep

import hostsync

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

VIEWS = {
    "Tensor.H": lambda x: x.view(16, -1).H,
    "Tensor.T": lambda x: x.view(16, -1).T,
    "Tensor.adjoint": lambda x: x.adjoint(),
    "Tensor.contiguous": lambda x: x.contiguous(),
    "Tensor.data": lambda x: x.data,
    "Tensor.detach": lambda x: x.detach(),
    "Tensor.flatten": lambda x: x.flatten(1),
    "Tensor.float": lambda x: x.float(),
    "Tensor.mH": lambda x: x.mH,
    "Tensor.mT": lambda x: x.mT,
    "Tensor.moveaxis": lambda x: x.moveaxis(1, -1),
    "Tensor.movedim": lambda x: x.movedim(1, -1),
    "Tensor.permute": lambda x: x.permute(0, 2, 3, 1),
    "Tensor.real": lambda x: x.real,
    "Tensor.reshape": lambda x: x.reshape(16, -1),
    "Tensor.squeeze": lambda x: x.unsqueeze(0).squeeze(0),
    "Tensor.swapaxes": lambda x: x.swapaxes(0, 1),
    "Tensor.swapdims": lambda x: x.swapdims(0, 1),
    "Tensor.t": lambda x: x.view(16, -1).t(),
    "Tensor.transpose": lambda x: x.transpose(0, 1),
    "Tensor.unflatten": lambda x: x.unflatten(0, (4, 4)),
    "Tensor.unsqueeze": lambda x: x.unsqueeze(0),
    "Tensor.view": lambda x: x.view(16, -1),
    "Tensor.view_as": lambda x: x.view_as(x.view(-1)),
}
ROWS = {
    "x[2:8]": lambda x: x[2:8],
    "x[0, 1:]": lambda x: x.view(1, 32, -1)[0, 16:],
    "x[1:9, :, None]": lambda x: x[1:9, :, None],
    "Tensor.chunk": lambda x: x.chunk(2)[1],
    "Tensor.narrow": lambda x: x.narrow(0, 2, 8),
    "Tensor.select": lambda x: x.view(2, -1).select(0, 1),
    "Tensor.split": lambda x: x.split(8)[1],
    "Tensor.tensor_split": lambda x: x.tensor_split(2)[1],
    "Tensor.unbind": lambda x: x.view(2, -1).unbind()[1],
}
COLUMNS = {
    "x[:, 1:]": lambda x: x[:, 1:],
    "x[..., 0]": lambda x: x.view(2, -1, 4)[..., 0],
    "x[1:9, :2]": lambda x: x[1:9, :2],
    "x[::2]": lambda x: x[::2],
    "Tensor.chunk": lambda x: x.chunk(2, 1)[0],
    "Tensor.narrow": lambda x: x.narrow(1, 0, 2),
    "Tensor.select": lambda x: x.select(1, 0),
    "Tensor.split": lambda x: x.split(1, 1)[0],
    "Tensor.tensor_split": lambda x: x.tensor_split(2, 1)[0],
    "Tensor.unbind": lambda x: x.unbind(1)[0],
}
COPIES = {
    "Tensor.clone": lambda x: x.clone(),
    "Tensor.contiguous": lambda x: x.permute(0, 2, 3, 1).contiguous(),
    "Tensor.double": lambda x: x.double(),
    "Tensor.expand": lambda x: x[:, :1].expand(-1, 3, -1, -1),
    "Tensor.mul": lambda x: x * 2,
    "x[[0, 2]]": lambda x: x[list(range(8))],
    "x[x > 0]": lambda x: x[x > 0.1],
}


MEASURED = ("VIEWS", "ROWS", "COLUMNS", "COPIES", "waits")


def waits(function: Any) -> int:
    """How often the copy of what a function makes of pinned memory waits: 12 MB, so that none is staged."""
    pinned = torch.rand(16, 3, 256, 256).pin_memory()
    with hostsync.watch("driver") as seen:
        moved = function(pinned).to("cuda", non_blocking=True)
    torch.cuda.synchronize()
    assert moved.is_cuda
    return int(seen.count)


def test_views_are_copied_without_a_wait() -> None:
    torch.zeros(1).cuda()
    tables = {"views": VIEWS, "rows": ROWS, "columns": COLUMNS, "copies": COPIES}
    found = {kind: {name: waits(function) for name, function in table.items()} for kind, table in tables.items()}
    keep("pinned_views", {"of": digests.of_definition(digests.HERE / "test_pinned_views.py", *MEASURED), **found})
    for kind, count in (("views", 0), ("rows", 0), ("columns", 1), ("copies", 1)):
        assert set(found[kind].values()) == {count}, found[kind]
