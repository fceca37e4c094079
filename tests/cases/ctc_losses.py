"""Lengths and targets on the CPU don't say that a CTC loss is calculated there."""

import torch
import torch.nn.functional as F
from torch import nn


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.CTCLoss(zero_infinity=True)

    def forward(self, logits, targets, count: int, frames: int):
        lengths = torch.full((count,), frames, dtype=torch.long)
        return self.loss(logits.log_softmax(-1), targets, lengths, torch.tensor([3, 4]))  # expect: HS605


def by_function(logits, targets: list[int]):
    lengths = torch.full((1,), logits.shape[0], dtype=torch.long)
    wanted = torch.tensor([targets])
    return F.ctc_loss(logits.log_softmax(-1), wanted, lengths, torch.tensor([len(targets)]))  # expect: HS605


def on_the_host(frames: int):
    logits = torch.rand(frames, 1, 8).log_softmax(-1)
    return F.ctc_loss(logits, torch.tensor([[1, 2]]), (frames,), (2,))  # silent: HS605
