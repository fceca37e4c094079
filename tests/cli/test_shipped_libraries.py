"""What `check` knows of libraries around torch by their shipped indexes and by tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Hostsync

METRICS = """\
import torch
import torchmetrics
from torchmetrics import F1Score, MetricCollection
from torchmetrics.classification import MulticlassAccuracy
from torchmetrics.image import PeakSignalNoiseRatio


def f(preds: torch.Tensor, target: torch.Tensor, task: str):
    metric = MulticlassAccuracy(num_classes=3).cuda()
    metric.update(preds, target)  # waits
    value = metric(preds, target)  # waits
    print(value.item())  # waits
    accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=3).to("cuda")
    accuracy.update(preds, target)  # waits
    accuracy(preds, target)  # waits
    print(accuracy.compute().item())  # waits
    F1Score("binary").update(preds, target)  # waits
    F1Score(task=task).update(preds, target)
    both = MetricCollection({"a": metric, "b": F1Score(task="binary")}).cuda()
    both.update(preds, target)  # waits
    both(preds, target)  # waits
    none = MetricCollection([torchmetrics.MeanSquaredError()])
    none.update(preds, target)
    error = torchmetrics.MeanSquaredError().cuda()
    error.update(preds, target)
    error(preds, target)
    on_host = MulticlassAccuracy(num_classes=3)
    on_host(preds.cpu(), target)  # waits
    return on_host(torch.rand(3, 3), torch.zeros(3))


class Judge(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.quality = PeakSignalNoiseRatio(data_range=1.0)
        self.accuracy = MulticlassAccuracy(num_classes=3)

    def judge(self, image: torch.Tensor, batch):
        self.quality(image, image)  # waits
        self.quality(image, batch["image"])  # waits
        self.accuracy.update(batch["image"].to("cuda"), batch["target"])  # waits
        self.accuracy.update(torch.rand(3, 3), batch["target"])
        self.accuracy.update(batch["image"], batch["target"])
"""
GRAPHS = """\
import torch
import torch_geometric
from torch_geometric.utils import degree, softmax


def f(x: torch.Tensor, index: torch.Tensor, ptr: torch.Tensor, n: int):
    degree(index)  # waits
    torch_geometric.utils.degree(index)  # waits
    torch_geometric.utils.remove_self_loops(index)  # waits
    degree(index, n)
    degree(index, num_nodes=x.size(0))
    softmax(x, index)  # waits
    softmax(x, index, num_nodes=n)
    softmax(x, index, ptr)
    return degree(torch.zeros(3))
"""
PICTURES = """\
import torch
import torchvision
from torchvision.io import decode_image, read_image
from torchvision.models.detection import fasterrcnn_resnet50_fpn
from torchvision.utils import make_grid


def f(x: torch.Tensor, images: list[torch.Tensor], path: str):
    make_grid(x, normalize=True)  # waits
    make_grid(x)
    make_grid(x, normalize=True, value_range=(0, 1))
    print(read_image(path).max().item(), torchvision.io.read_image(path).max().item())
    print(decode_image(path).float().mean().item())
    found = fasterrcnn_resnet50_fpn().cuda()(images)  # waits
    model = torchvision.models.detection.ssd300_vgg16().to("cuda")
    model(images)  # waits
    torchvision.models.resnet18().cuda()(x)
    return found
"""


@pytest.mark.parametrize("source", [METRICS, GRAPHS, PICTURES], ids=["metrics", "graphs", "pictures"])
def test_what_waits_is_reported_and_nothing_else(source: str, tmp_path: Path, hostsync_in: Hostsync) -> None:
    (tmp_path / "user.py").write_text(source, encoding="utf-8")
    ran = hostsync_in("check", "user.py", "--output-format", "json", "--quiet", "--no-cache")
    assert ran.code == 1, ran.err
    found = {finding["location"]["row"] for finding in json.loads(ran.out)}
    assert found == {row for row, line in enumerate(source.split("\n"), 1) if line.endswith("# waits")}
