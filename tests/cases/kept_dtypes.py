"""What only changes the shape keeps the dtype: a mask that was reshaped, joined or picked from is a mask still."""

import torch
from torch import Tensor


def reshaped(x: Tensor, y: Tensor):
    keep = x > 0
    y[keep.view(-1)]  # expect: HS302
    y[keep.flatten()]  # expect: HS302
    y[keep.reshape(-1, 3)]  # expect: HS302
    y[keep.unsqueeze(0).expand(2, -1, 3)]  # expect: HS302
    y[torch.cat([keep, keep])]  # expect: HS302
    y[keep.repeat(1, 3)]  # expect: HS302
    y[torch.where(keep, keep, x < 3)]  # expect: HS302
    y[keep.long().flatten()]
    y[keep.cumsum(0)]
    y[keep.sum(1)]
    return y[keep.gather(0, x.argmax(0))]  # expect: HS302


def filled(x: Tensor, near: Tensor, order: Tensor, any_of: Tensor):
    # A number stored through a mask alone fills.
    x[(near > 0).repeat(1, 3)] = 0
    x[torch.isclose(x, near).flatten()] = 0
    # Nothing tells that this is a mask.
    x[any_of] = 0  # silent: HS406
    x[order] = 0  # expect: HS406
    x[near.topk(3)[1]] = 0  # expect: HS406
    x[near.sort()[1].flatten()] = 0  # expect: HS406


def picked(scores, labels: Tensor, distances):
    rows, cols = torch.where(labels > 0)  # expect: HS301
    near = distances[rows, cols]
    far = near - scores
    return rows[far > 0]  # expect: HS302


def masked(x, mask):
    return torch.sum(x[mask])  # expect: HS302


def filled_by_masks(x: Tensor, mask: Tensor, new: Tensor):
    x[mask & ~new] = 0  # silent: HS406
    flat = x.flatten(1)
    flat[0] = 0.0  # silent: HS406
    line = x.flatten()
    line[0] = 0.0  # expect: HS406
