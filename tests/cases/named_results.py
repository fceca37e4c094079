import torch
from torch import Tensor


def fields_of_a_result(x: Tensor):
    best = x.max(dim=1).values
    if (best > 0).all():  # expect: HS201
        return best.tolist()  # expect: HS101
    labels = x.topk(5).indices
    return labels.tolist(), float(x.sort(dim=0).values[0])  # expect: HS101, HS103


def stores_of_a_result(x: Tensor, y: Tensor):
    mask = x > 0
    x[mask] = y.max(1).values  # expect: HS303
    return x
