"""Tests of a kind: where one has told that something is no tensor, it is none; afterwards it is what it was."""

from typing import Union

import torch


def as_number(x: torch.Tensor):
    if torch.is_tensor(x):
        return x.item()  # expect: HS101
    else:
        return float(x)


def as_number_in_one(x: torch.Tensor):
    return x.item() if isinstance(x, torch.Tensor) else float(x)  # expect: HS101


def early(x: torch.Tensor):
    if not isinstance(x, torch.Tensor):
        return int(x)
    return int(x.sum())  # expect: HS103


def afterwards(x: torch.Tensor):
    if isinstance(x, torch.Tensor):
        scale = x.detach()
    else:
        scale = float(x)
    if x.sum() > 0:  # expect: HS201
        return scale
    return int(x.max())  # expect: HS103


def made(x: torch.Tensor, device):
    if not torch.is_tensor(x):
        x = torch.tensor(x, device=device)  # expect: HS404
    return x.tolist()  # expect: HS101


def chain(x: Union[int, torch.Tensor]):
    if isinstance(x, int):
        return x + 1
    elif isinstance(x, torch.Tensor):
        return x.item()  # expect: HS101
    return float(x)


def window(box: torch.Tensor, image: torch.Tensor, width: int):
    left = max(box[0], 0)  # expect: HS106
    right = min(box[2] + 1, width)  # expect: HS106
    image[:, left:right] = 0  # expect: HS308
    return max(width, 3) + min(image.shape)


def of_numbers(image: torch.Tensor, width: int):
    left = max(width - 3, 0)
    image[:, left:] = 0
    return image


def beside_numbers(mask, weights):
    scaled = torch.exp(-weights * 2)
    if 0.0 in mask:  # expect: HS106
        mask = mask.float()
    if torch.all(mask == 1):  # expect: HS201
        return scaled
    return int(weights.max())  # expect: HS103


def with_a_device(lengths):
    table = torch.zeros(4, device=lengths.device)
    assert lengths.min() > 0  # expect: HS203
    return table, int(lengths.max())  # expect: HS103


def without_one(lengths):
    table = torch.zeros(4)
    assert lengths.min() > 0
    return table, int(lengths.max())
