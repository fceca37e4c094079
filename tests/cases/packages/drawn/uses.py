import torch

from .helpers import anchors, weights


def match(x: torch.Tensor):
    table = anchors([1.0, 2.0], "cpu").to(x.device)  # expect: HS401
    first = weights([1.0], torch.device("cpu"))
    return x * table + weights([1.0], x.device) + first[0]
