import datetime
import math
import sys
import time

import torch
from torch.utils.data import DataLoader


class SmoothedValue:
    def __init__(self):
        self.deque = []
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        d = torch.tensor(list(self.deque))
        return d.median().item()  # silent: HS101

    @property
    def avg(self):
        d = torch.tensor(self.deque, dtype=torch.float32)
        return d.mean().item()  # silent: HS101

    @property
    def global_avg(self):
        return self.total / self.count


class MetricLogger:
    def __init__(self):
        self.meters = {}

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()  # expect: HS101
            assert isinstance(v, (float, int))  # silent: HS203
            self.meters.setdefault(k, SmoothedValue()).update(v)


def train_one_epoch(model, optimizer, data_loader: DataLoader, device: torch.device, epoch: int):
    model.train()
    metric_logger = MetricLogger()
    start = time.time()
    for images, targets in data_loader:
        images = list(image.to(device) for image in images)  # expect: HS401
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]  # expect: HS401
        loss_dict = model(images, targets)
        losses = sum(loss for loss in loss_dict.values())
        loss_value = losses.item()  # expect: HS101
        if not math.isfinite(loss_value):  # silent: HS103, HS201
            print(f"Loss is {loss_value}, stopping training")  # silent: HS105
            sys.exit(1)
        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        metric_logger.update(loss=losses, lr=optimizer.param_groups[0]["lr"])
    print(datetime.timedelta(seconds=int(time.time() - start)))  # silent: HS103, HS105
    return metric_logger


@torch.inference_mode()
def evaluate(model, data_loader: DataLoader, device):
    cpu_device = torch.device("cpu")
    results = {}
    for images, targets in data_loader:
        images = [image.to(device) for image in images]  # expect: HS401
        torch.cuda.synchronize()  # expect: HS501
        outputs = model(images)
        outputs = [{k: v.to(cpu_device) for k, v in t.items()} for t in outputs]  # expect: HS102
        for target, output in zip(targets, outputs):
            results[target["name"]] = output["scores"].tolist()  # silent: HS101
    return results


def boxes_area(boxes: torch.Tensor):
    if boxes.numel() == 0:  # silent: HS201
        return boxes.new_zeros((0,))
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def batched_nms(boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor):
    max_coordinate = boxes.max()
    offsets = idxs.to(boxes) * (max_coordinate + torch.tensor(1).to(boxes))  # expect: HS401
    keep = torch.zeros_like(scores, dtype=torch.bool)
    for class_id in torch.unique(idxs):  # expect: HS304
        current = torch.where(idxs == class_id)[0]  # expect: HS301
        keep[current] = True  # expect: HS406
    return offsets, torch.where(keep)[0]  # expect: HS301
