"""A small tagger, and two losses over the tokens that are no padding: one waits, the other does not."""

import torch
import torch.nn.functional as F
from torch import nn

from data import PAD, TAGS, VOCABULARY


class Tagger(nn.Module):
    def __init__(self, width: int = 64, layers: int = 2, check: bool = True):
        super().__init__()
        self.check = check
        self.embedding = nn.Embedding(VOCABULARY, width, padding_idx=PAD)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, TAGS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        padding = tokens == PAD
        hidden = self.embedding(tokens)
        hidden = hidden + positions(tokens.shape[1], hidden.shape[2], hidden.device)
        hidden = self.encoder(hidden, src_key_padding_mask=padding)
        hidden = hidden.masked_fill(padding.unsqueeze(-1), 0.0)
        if self.check and torch.isnan(hidden).any():
            raise RuntimeError("the encoder made NaNs")
        return self.head(hidden)


def positions(length: int, width: int, device: torch.device) -> torch.Tensor:
    steps = torch.arange(length, device=device).unsqueeze(1)
    rates = torch.exp(torch.arange(0, width, 2, device=device) * (-9.21 / width))
    angles = steps * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def masked_loss(logits: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
    keep = tags != -100
    return F.cross_entropy(logits[keep], tags[keep])


def loss_over_all(logits: torch.Tensor, tags: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(logits.flatten(0, 1), tags.flatten(), weight=weight, ignore_index=-100)
