"""Tensors that callers may leave out."""

import torch
from torch import Tensor, nn


class Sinusoidal(nn.Embedding):
    def forward(self, shape, past=0, position_ids=None):
        if position_ids is None:
            position_ids = torch.arange(past, past + shape[1], device=self.weight.device)
        return super().forward(position_ids)


class Attention(nn.Module):
    def bias(self, count: int, device=None, positions=None):
        if positions is None:
            return torch.arange(count, device=device)[:, None]
        return positions[:, None].to(device)  # silent: HS401

    def forward(self, x: Tensor, positions=None):
        scores = torch.matmul(x, x)
        return self.bias(3, scores.device, positions) + scores


class Mixer(nn.Module):
    def forward(self, x: Tensor, positions=None):
        if positions.shape[0] == 4 or positions[0] == 0:  # expect: HS201
            x = x + 1
        return x


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = Sinusoidal(3, 4)
        self.layers = nn.ModuleList([Attention() for _ in range(3)])
        self.mixers = nn.ModuleList([Mixer() for _ in range(3)])

    def forward(self, x: Tensor, cache=None, positions=None):
        x = x + self.embed(x.shape, 3).to(x.device)  # silent: HS401
        if cache is None:
            positions = torch.arange(0, 3, device=x.device)
        elif positions is None:
            raise ValueError("positions are needed with a cache")
        for layer in self.layers:
            x = layer(x, positions=positions)
        for mixer in self.mixers:
            x = mixer(x, positions)
        return self.layers[0](x)


def weighted(x: Tensor, weights=None, scale=1.0):
    if x.ndim == 2:
        weights = torch.ones_like(x)
        scale = torch.ones_like(x)
    if weights > 0:  # expect: HS201
        x = x * weights
    if scale > 0:  # silent: HS201
        x = x * scale
    return x


def windows(grid: Tensor, x: Tensor):
    picked: list = []
    for row in range(4):
        index = torch.arange(row * 3).reshape(3, -1)
        picked.append(index + row)
    order = torch.cat(picked)
    return x[order]  # expect: HS405


def made_for_who_leaves_it_out(x: torch.Tensor, grid: torch.Tensor = torch.tensor([0.0, 1.0])):
    there = grid.to(x.device)  # expect: HS401
    return there


def handed_in(x: torch.Tensor, grid: torch.Tensor):
    return grid.to(x.device)  # silent: HS401


class Actor(torch.nn.Module):
    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, observed, mask: torch.Tensor = None):
        """What is left out is nowhere, so what is made beside it is not on the CPU."""
        return self.head(observed, mask)


def acted(actor: Actor, observed: Tensor):
    return actor(observed).mean().item()  # expect: HS101


def _given(value):
    return value is not None


def to_mask(lengths: Tensor, most: int | None = None):
    if not _given(most):
        most = lengths.amax()
    return torch.arange(most, device=lengths.device) < lengths[:, None]  # expect: HS104


def to_mask_of_numbers(lengths: Tensor, most: int | None = None):
    if most is None:
        most = lengths.shape[0]
    return torch.arange(most, device=lengths.device)  # silent: HS104


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1)
        self.mask = None
        self.other = None

    def forward(self, x):
        if self.mask is None:
            self.mask = torch.triu(torch.ones(8, 8, device=x.device))
        x = self.encoder(x, self.other)  # silent: HS605
        return self.encoder(x, self.mask)  # expect: HS605
