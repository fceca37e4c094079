import torch
from torch import nn

from .functional import _score_of


class Score(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("matches", torch.zeros(4))

    def forward(self, found: torch.Tensor) -> torch.Tensor:
        self.matches += found
        return _score_of(self.matches)
