"""Generators that are set up on the CPU by what a metaclass calls after the constructor."""

from typing import Dict, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from .sampling import Range, bounds, sampled, where


class SetUp(type):
    def __call__(cls, *args, **kwargs):
        made = type.__call__(cls, *args, **kwargs)
        made.__post_init__()
        return made


class Generator(nn.Module, metaclass=SetUp):
    device: Optional[torch.device] = None

    def __post_init__(self) -> None:
        self.use(torch.device("cpu"), torch.float32)

    def use(self, device: torch.device = torch.device("cpu"), dtype: torch.dtype = torch.float32) -> None:
        self.make(device, dtype)
        self.device = device

    def make(self, device: torch.device, dtype: torch.dtype) -> None:
        raise NotImplementedError


class Angles(Generator):
    def __init__(self, degrees: Union[Tensor, float, Tuple[float, float]]) -> None:
        super().__init__()
        self.degrees = degrees

    def make(self, device: torch.device, dtype: torch.dtype) -> None:
        ends = bounds(self.degrees, (-360.0, 360.0), device=device, dtype=dtype).to(device=device, dtype=dtype)
        self.sampler = Range(ends[0], ends[1], validate_args=False)

    def forward(self, shape, same: bool = False) -> Dict[str, Tensor]:
        device, dtype = where([self.degrees])
        angle = sampled((shape[0],), self.sampler, same).to(device=device, dtype=dtype)  # silent: HS102, HS401
        center = torch.tensor([1.0, 2.0], device=device, dtype=dtype)  # silent: HS404
        return {"angle": angle, "center": center.expand(shape[0], -1)}
