import torch
from torch import Tensor


def reduce(x: Tensor, kind: str):
    match kind:
        case "mean":
            return x.mean().item()  # expect: HS101
        case "max" if x.shape[0] > 1:  # silent: HS201
            return x.max()
        case "positive" if (x > 0).all():  # expect: HS201
            return x
        case _:
            return x.tolist()  # expect: HS101


def by_shape(x: Tensor):
    match x.shape:
        case (batch, width):
            return torch.zeros(batch, width, device=x.device)  # silent: HS104
        case (batch,):
            return torch.zeros(batch)  # silent: HS104
    return None


def by_type(value):
    match value:
        case int() | float():
            return float(value)  # silent: HS103
        case {"x": x}:
            return x
        case [first, *rest]:
            return first, rest
