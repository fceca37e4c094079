"""Tensors in the attributes and under the keys of what nobody annotates."""

import torch
import torch.nn.functional as F
from torch import Tensor


def masked(batch, x: Tensor, slots):
    keep = x.sum(-1) > 0
    anchor = batch.anchor[keep]  # expect: HS302
    named = batch.pos[batch.valid_mask]  # expect: HS302
    under_keys = batch["pos"][batch["mask"]]  # expect: HS302
    compared = batch.scores[batch.scores > 0]  # expect: HS302
    first = batch.scores[0]  # silent: HS302, HS308
    rows = batch.scores[slots]  # silent: HS302
    return anchor, named, under_keys, compared, first, rows


def stored(batch, x: Tensor):
    batch.scores[x > 0] = x  # expect: HS303
    batch.scores[x > 0] = 0.0  # silent: HS303
    batch["scores"][x > 0] = x  # expect: HS303
    batch.counts[x > 0] += 1  # expect: HS302


def picked(batch, x: Tensor, names):
    best = torch.where(x > 0)[0]  # expect: HS301
    batch.boxes = batch.boxes[best[0]]  # expect: HS104
    some = batch.boxes[[0, 1]]  # expect: HS405
    name = names[0]  # silent: HS104
    return some, name


def by_methods(batch):
    n = int(batch.x.max()) + 1  # expect: HS103
    while batch.x.norm() > 1:  # expect: HS202
        batch.x = batch.x / 2
    rows = batch.x.nonzero()  # expect: HS301
    values = batch["x"].tolist()  # expect: HS101
    ones = batch.x.eq(1).sum().item()  # expect: HS101
    return n, rows, values, ones


def proven_under_a_key(batch):
    order = torch.randperm(batch["x"].size(0))
    return batch["x"][order]  # expect: HS405


def proven_elsewhere(batch):
    hot = F.one_hot(batch.labels, 3)  # silent: HS605
    if batch.labels.sum() == 0:  # expect: HS201
        return None
    return hot


def guarded(group, p):
    rate = torch.zeros_like(group["lr"]) if torch.is_tensor(group["lr"]) else 0.0
    if group["lr"] != 0:  # silent: HS201
        return rate
    return p


def moved_to(batch, values: list[float]):
    return torch.tensor(values).to(batch.x)  # expect: HS401


def converted_to(batch, values: list[float]):
    return torch.tensor(values).to(batch.dtype)  # silent: HS401


def layers(block, x: Tensor, config):
    x = block.norm(x)  # silent: HS601
    if config.max_length > 1:  # silent: HS201
        x = block.norm(x)
    return x[: config["length"]], config.names[config.index]  # silent: HS104


def kept_on_the_host(store, x):
    """What has a shape and a device is a tensor."""
    n = x.shape[0]
    store[:n] = x.cpu()  # expect: HS102
    return n


def counted(graph, device):
    edges = graph.edges.to(device)
    return torch.bincount(edges[0])  # expect: HS305


def one_of_several(value, size: int):
    """What is asked where a test holds says nothing of elsewhere."""
    if isinstance(value, Tensor):
        value = value.item()  # expect: HS101
    if value > size:  # silent: HS201
        return size
    return value


def sized(x: Tensor, y):
    scaled = x * x.size(1) + y * y.size(0)  # silent: HS104
    return scaled, x.size() + (1,)


def masked_by_a_function(x: Tensor, lengths, helpers):
    return x[helpers.sequence_mask(lengths)]  # expect: HS302


def made_like(value, other: Tensor):
    if torch.is_tensor(value):
        return value.to(other.device)
    return torch.as_tensor(value, device=other.device)  # expect: HS404


def made_like_or_not(value, other: Tensor):
    if torch.is_tensor(value):
        value = value.float()
    return torch.as_tensor(value, device=other.device)  # silent: HS404


class Declared:
    def __init__(self, made):
        self.count: Tensor
        self.host: Tensor
        self.host = torch.zeros(3)
        if made:
            self.count = made()

    def read(self):
        return float(self.count) + float(self.host.sum())  # expect: HS103


def renewed(params, others):
    out = params.copy()
    for key, value in others.items():
        out[key] = value
    return out


def of_a_copy(x: Tensor):
    host = renewed({"first": torch.zeros(3)}, {})
    there = renewed({"first": x}, {})
    moved = host["first"].to(x.device)  # expect: HS401
    return moved + there["first"].to(x.device)  # silent: HS401


def shown_by_use(found, y):
    boxes = found.boxes
    wider = boxes.unsqueeze(0)
    first = float(boxes)  # expect: HS103
    return first + float(wider.sum()) + y  # expect: HS103
