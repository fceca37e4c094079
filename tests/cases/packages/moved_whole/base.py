"""The base class moves all of it, so that nobody knows where a part is when it is looked up."""

import torch
from torch import nn

from .draws import drawn, moved


class Operation(nn.Module):
    def forward(self, x: torch.Tensor, settings=None):
        if settings is None:
            settings = drawn(len(x))
        settings = moved(settings, x.device)
        return self.change(x, settings)

    def change(self, x, settings):
        raise NotImplementedError
