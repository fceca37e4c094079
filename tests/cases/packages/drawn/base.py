from typing import Dict, Optional

import torch
from torch import nn


class Operator(nn.Module):
    """What derived classes keep in `sampler` is one of several classes."""

    def __init__(self):
        super().__init__()
        self.sampler: Optional[nn.Module] = None

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
    def __init__(self):
        super().__init__()
        self.sampler = None

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
