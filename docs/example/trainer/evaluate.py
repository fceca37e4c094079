"""Scores of the tagger: with a wait in every batch, and with one at the end."""

import numpy as np
import torch
from torch import nn

from data import TAGS


@torch.no_grad()
def accuracy(model: nn.Module, loader, device):
    model.eval()
    right, seen, hardest = [], 0, []
    for tokens, tags in loader:
        logits = model(tokens.to(device))
        predicted = logits.argmax(dim=-1).cpu().numpy()
        keep = tags.numpy() != -100
        right.append((predicted == tags.numpy())[keep])
        seen += keep.sum()

        wrong = logits.argmax(dim=-1) != tags.to(device)
        where = torch.nonzero(wrong)
        hardest.append(len(where))
    print(f"{seen} tokens, {max(hardest)} wrong at most in a batch, padding included")
    return np.concatenate(right).mean()


@torch.no_grad()
def confusion(model: nn.Module, loader, device):
    """How often a tag is taken for another. Counts on the device, and copies the result once, at the end."""
    model.eval()
    table = torch.zeros(TAGS, TAGS + 1, device=device)
    for tokens, tags in loader:
        tokens = tokens.to(device, non_blocking=True)
        tags = tags.to(device, non_blocking=True)
        predicted = model(tokens).argmax(dim=-1)
        # Padding is counted in a column of its own and left out in the end.
        column = torch.where(tags == -100, TAGS, tags)
        pairs = predicted * (TAGS + 1) + column
        table.view(-1).scatter_add_(0, pairs.view(-1), torch.ones_like(pairs.view(-1), dtype=table.dtype))
    return table[:, :TAGS].cpu()
