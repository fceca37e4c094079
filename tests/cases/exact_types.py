"""`type(x) == Tensor`, `type(x) is int` and `type(x) in (int, float)` tell what `isinstance` tells."""

import torch
from torch import Tensor, nn


class Scaled(nn.Module):
    def __init__(self, rank, alpha=1):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rank, rank))
        if type(alpha) == Tensor:
            # Nothing is said of what `alpha` is elsewhere.
            alpha = alpha.detach().float().numpy()
        alpha = rank if alpha is None or alpha == 0 else alpha  # silent: HS201
        self.scale = alpha / rank

    def scaled(self):
        scale = torch.tensor(self.scale, dtype=self.weight.dtype, device=self.weight.device)  # expect: HS404
        return self.weight * scale


def a_number_or_not(x: Tensor):
    if type(x) in (int, float):
        return int(x)  # silent: HS103
    return int(x)  # expect: HS103


def a_whole_number_or_not(x: Tensor):
    if type(x) is not int:
        return int(x)  # expect: HS103
    return int(x)  # silent: HS103


def one_of_several(x):
    if type(x) in (Tensor, nn.Parameter):
        return x.sum().item()  # expect: HS101
    return 2 if x else 0  # silent: HS201
