import torch

from .base import Operation


class Turn(Operation):
    def change(self, x, settings):
        angle = settings["angle"].to(x.device)  # silent: HS401
        if settings["is_flipped"].all():  # expect: HS201
            x = x.flip(-1)
        return x * angle


class Scale(torch.nn.Module):
    """What goes by another name is where it was put together."""

    def forward(self, x: torch.Tensor, kept):
        return x * kept["angle"].to(x.device)  # expect: HS401
