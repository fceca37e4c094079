"""Functions that TorchScript runs, and their like that Python runs."""

import torch
from torch import Tensor, nn


@torch.jit.script
def counted(x: Tensor, mask: Tensor) -> Tensor:
    x[mask] = 0  # expect: HS303
    return x.mean(dim=-1)


@torch.jit.script
def filled(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(mask, 0.0).mean(dim=-1)


def read(x: Tensor) -> float:
    return x.mean().item()  # expect: HS101


class Means(nn.Module):
    @staticmethod
    @torch.jit.script
    def _shift(centers: Tensor, before: Tensor) -> Tensor:
        d = torch.norm(centers - before, p=2, dim=-1)
        d[d == float("inf")] = 0  # expect: HS303
        return torch.mean(d, dim=-1)
