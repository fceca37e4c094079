from typing import Dict, Optional

import torch
from torch import nn

from .samplers import Source


class Operator(nn.Module):
    """What derived classes keep in `sampler` is one of several classes."""

    sampler: nn.Module

    def draw(self, count) -> Dict[str, torch.Tensor]:
        if self.sampler is not None:
            return self.sampler(count)
        return {}

    def forward(self, x: torch.Tensor, drawn: Optional[Dict[str, torch.Tensor]] = None) -> torch.Tensor:
        if drawn is None:
            drawn = self.draw(len(x))
        drawn["mask"] = torch.rand(len(x), device=x.device)
        return self.change(x, drawn)

    def change(self, x: torch.Tensor, drawn: Dict[str, torch.Tensor]) -> torch.Tensor:
        raise NotImplementedError


class Named(nn.Module):
    sampler: Source

    def draw(self, count) -> Dict[str, torch.Tensor]:
        if self.sampler is not None:
            return self.sampler(count)
        return {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.chosen(x, self.draw(len(x)))

    def chosen(self, x: torch.Tensor, drawn: Dict[str, torch.Tensor]) -> torch.Tensor:
        return self.change(x, drawn)

    def change(self, x: torch.Tensor, drawn: Dict[str, torch.Tensor]) -> torch.Tensor:
        raise NotImplementedError


class Keeper:
    """No module: what it has in its body is None until a derived class makes it."""

    sampler = None

    def keep(self, count):
        self.kept = self.sampler(count)

    def use(self, x):
        return x * self.kept["first"].to(x.device)  # expect: HS401
