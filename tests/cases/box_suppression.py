import torch
import torchvision
from torch import Tensor
from torchvision.ops import batched_nms, box_iou, nms, roi_align
from torchvision.ops.boxes import remove_small_boxes


def detections(boxes: Tensor, scores: Tensor, labels: Tensor, features: Tensor):
    large = remove_small_boxes(boxes, 0.1)  # expect: HS310
    kept = nms(boxes, scores, 0.5)  # expect: HS310
    if kept.numel() == 0 or large.shape[0] > 100:  # silent: HS201
        return boxes
    kept = torchvision.ops.batched_nms(boxes, scores, labels, 0.5)[:100]  # expect: HS310
    first = kept[0].item()  # expect: HS101
    pooled = roi_align(features, [boxes], 7)  # silent: HS310
    return boxes[kept], pooled, box_iou(boxes, boxes), first  # silent: HS302


def on_the_host(boxes: Tensor, scores: Tensor, labels: Tensor):
    boxes, scores, labels = boxes.cpu(), scores.cpu(), labels.cpu()  # expect: HS102
    kept = batched_nms(boxes, scores, labels, 0.5)  # silent: HS310
    return torch.ops.torchvision.nms(boxes, scores, 0.5), kept.tolist()  # silent: HS101, HS310


def registered(boxes: Tensor, scores: Tensor):
    return torch.ops.torchvision.nms(boxes, scores, 0.5)  # expect: HS310


def kept_rows(scores: torch.Tensor, boxes: torch.Tensor):
    keep = []
    while scores.shape[0] > 0:
        keep.append(scores.argmax())
        scores = scores[1:]
    if len(keep) > 0:
        return torch.stack(keep)
    return torch.tensor(keep, dtype=torch.long, device=boxes.device)  # silent: HS104, HS404


def counted_rows(n: int, boxes: torch.Tensor):
    keep = []
    for row in range(n):
        keep.append(row)
    if not len(keep):
        return torch.tensor(keep, device=boxes.device)  # silent: HS404
    return torch.tensor(keep, device=boxes.device)  # expect: HS404


class Rows:
    def __init__(self):
        self.kept = []

    def add(self, row: int):
        self.kept.append(row)

    def as_tensor(self, boxes: torch.Tensor):
        return torch.tensor(self.kept, device=boxes.device)  # expect: HS404
