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


def by_value(x: Tensor):
    match x.sum():
        case 0:  # expect: HS201
            return 0
        case -1:  # expect: HS201
            return 1
        case 1 | 2:  # expect: HS201
            return 2
        case "none" | None:  # silent: HS201
            return 3
        case [4, *_]:  # silent: HS201
            return 4
        case _:
            return 5


def by_a_value_of_the_host(x: Tensor):
    match x.shape[0]:
        case 0:  # silent: HS201
            return 0
    match x.cpu().sum():  # expect: HS102
        case 1:  # silent: HS201
            return 1
    match x.sum().item():  # expect: HS101
        case 1 | 2:  # silent: HS201
            return 2
    return 3
