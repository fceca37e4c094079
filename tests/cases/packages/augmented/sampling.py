"""Helpers that take whatever distribution, number or tensor they are handed."""

from typing import Any, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.distributions import Distribution, Uniform


class Range(Uniform):
    def rsample(self, sample_shape=()) -> Tensor:
        shape = self._extended_shape(torch.Size(sample_shape))
        drawn = torch.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)


def sampled(shape, dist: Distribution, same: bool = False) -> Tensor:
    if same:
        return dist.sample((1, *shape[1:])).repeat(shape[0])
    return dist.sample(shape)


def where(values: List[Any]) -> Tuple[torch.device, torch.dtype]:
    device, dtype = None, None
    for value in values:
        if isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
    if device is None:
        device = torch.device("cpu")
    return device, dtype or torch.get_default_dtype()


def bounds(
    factor: Union[Tensor, float, Tuple[float, float]],
    limits: Tuple[float, float],
    device: torch.device = torch.device("cpu"),
    dtype: Optional[torch.dtype] = None,
) -> Tensor:
    if not isinstance(factor, Tensor):
        factor = torch.tensor(factor, device=device, dtype=dtype)  # silent: HS404
    if factor.dim() == 0:
        if factor < 0:  # silent: HS201
            raise ValueError("negative")
        return torch.stack([-factor, factor]).clamp(*limits).to(device)  # silent: HS401
    return torch.as_tensor(factor, device=device, dtype=dtype)  # silent: HS404


def overridden(params, others, in_place=False):
    if others is None:
        return params
    out = params if in_place else params.copy()
    for key, value in others.items():
        out[key] = value
    return out
