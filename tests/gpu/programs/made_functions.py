"""Functions that no line of Python runs, and lambdas that are made and never called."""

from collections.abc import Callable

import torch


@torch.jit.script
def limited(x: torch.Tensor) -> torch.Tensor:
    if bool(torch.any(x > 1)):
        x = x.clamp(max=1.0)
    return x


@torch.jit.script
def halved(x: torch.Tensor) -> torch.Tensor:
    return limited(x) / 2


def read(
    x: torch.Tensor,
    how: Callable[[torch.Tensor], float] = lambda t: t.item(),
    never: Callable[[torch.Tensor], float] = lambda t: t.max().item(),
) -> float:
    return how(x.sum())


device = torch.device("cuda")
for _ in range(3):
    y = halved(torch.rand(8, device=device))
    z = torch.sin(y)
    read(z)
