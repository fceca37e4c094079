"""Functions that do a part of what constructors do, and are handed the device that these may be told."""

from typing import Callable, Optional

import numpy as np
import torch
from torch import Tensor, nn


def scaled_frequencies(config, device, length=None):
    powers = torch.arange(0, 8, 2).to(device=device, dtype=torch.float)  # silent: HS401
    factors = torch.tensor(config.factors, device=device)  # silent: HS404
    return 1.0 / (config.base ** (powers / factors))


def tabled_frequencies(config, device, length=None):
    return torch.arange(0, 8, 2).to(device=device, dtype=torch.float)  # expect: HS401


FREQUENCIES = {"tabled": tabled_frequencies}


class Rotary(nn.Module):
    def __init__(self, config, device=None):
        super().__init__()
        make: Callable = self.default_frequencies
        if config.kind == "scaled":
            make = scaled_frequencies
        self.register_buffer("inverse", make(config, device), persistent=False)
        self.register_buffer("other", FREQUENCIES[config.kind](config, device), persistent=False)
        self.register_buffer("third", self.frequencies_by_half(config, device), persistent=False)
        self.set_steps(10)

    @staticmethod
    def default_frequencies(config, device: Optional[torch.device] = None, length=None):
        powers = torch.arange(0, 8, 2, dtype=torch.int64).to(device=device, dtype=torch.float)  # silent: HS401
        return 1.0 / (config.base ** (powers / 8))

    def frequencies_by_half(self, config, device=None):
        return self.halved(config, device)

    def halved(self, config, device=None):
        return torch.arange(8).to(device) / 2  # silent: HS401

    def set_steps(self, count: int, device=None):
        # The constructor doesn't say where to: those who call it later do.
        self.steps = torch.arange(count).to(device)  # expect: HS401


class Longer(nn.Module):
    def __init__(self, config, device=None):
        super().__init__()
        self.register_buffer("table", self.table_of(16, device))

    def table_of(self, length: int, device=None):
        return torch.arange(length).to(device)  # expect: HS401

    def forward(self, x: Tensor):
        if x.shape[1] > self.table.shape[0]:
            self.table = self.table_of(x.shape[1], x.device)
        return x + self.table


class Masked(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.zeros(1, 16, 8), requires_grad=False)
        self.initialize_weights(table)

    def initialize_weights(self, table: np.ndarray):
        self.pos_embed.data.copy_(torch.from_numpy(table).float().unsqueeze(0))  # silent: HS401

    def renew(self, table: np.ndarray):
        self.pos_embed.data.copy_(torch.from_numpy(table).float().unsqueeze(0))  # expect: HS401
