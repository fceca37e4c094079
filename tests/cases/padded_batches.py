"""The lengths of the rows of a padded batch come with it, as a tensor."""

import numpy as np
import torch
from torch import Tensor, nn


class Loss(nn.Module):
    def forward(self, predicted, batch):
        frames, lengths = batch
        total = 0.0
        for i in range(frames.shape[0]):
            total += (predicted[i, : lengths[i]] - frames[i, : lengths[i], :]).abs().mean()  # expect: HS308, HS308
        return total


def cut(frames: Tensor, frame_len, count: int):
    return [frames[i, :, : frame_len[i]].mean() for i in range(count)]  # expect: HS308


def cut_on_the_host(frame_len, count: int):
    frames = torch.zeros(count, 100)
    return [frames[i, : frame_len[i]].mean() for i in range(count)]  # silent: HS308


def cut_by_numbers(frames: Tensor, count: int):
    lengths = [len(str(i)) for i in range(count)]
    return [frames[i, : lengths[i]].mean() for i in range(count)]  # silent: HS308


def cut_beside_arrays(frames, lengths, count: int):
    kept = [frames[i, : lengths[i]] for i in range(count)]  # silent: HS308
    return np.concatenate(kept)


def cut_in_another_order(frames: Tensor, starts, lengths, count: int):
    parts = [frames[i, : lengths[0]] for i in range(count)]  # silent: HS308
    return parts, [frames[i, : starts[i]] for i in range(count)]  # silent: HS308


def cut_by_others(frames: Tensor, lengths, order: "list[int]", count: int):
    return [frames[i, : lengths[j]] for i, j in zip(range(count), order)]  # silent: HS308


def cut_by_what_was_asked_for(frames: Tensor, lengths: "Tensor | list[int]", count: int):
    if isinstance(lengths, Tensor):
        return lengths
    return [frames[i, : lengths[i]] for i in range(count)]  # silent: HS308


def put(frames: Tensor, lengths, count: int):
    mask = torch.ones_like(frames)
    for i in range(count):
        mask[i, : lengths[i]] = 0  # expect: HS308
    return mask
