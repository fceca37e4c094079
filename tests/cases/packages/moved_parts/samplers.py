"""What is moved, or is not."""

from typing import Any, Optional

import torch
from torch import nn


class Sampler:
    def __init__(self) -> None:
        self.use()

    def use(self, device: torch.device = torch.device("cpu"), seed: int = 0) -> None:
        self.build(device)

    def build(self, device: torch.device) -> None:
        raise NotImplementedError


class Holder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sampler: Optional[Sampler] = None
        self.use(torch.device("cpu"))

    def use(self, device: torch.device) -> None:
        if self.sampler is not None:
            self.sampler.use(device)

    def to(self, *args: Any, **kwargs: Any) -> "Holder":
        device, _, _, _ = torch._C._nn._parse_to(*args, **kwargs)
        self.use(device)
        return super().to(*args, **kwargs)


class Plain(Sampler):
    """In the file of the class that it is derived from."""

    def build(self, device: torch.device) -> None:
        self.limits = torch.tensor([0.0, 1.0], device=device)  # expect: HS404


class Still:
    def __init__(self) -> None:
        self.build(torch.device("cpu"))

    def build(self, device: torch.device) -> None:
        self.limits = torch.tensor([0.0, 1.0], device=device)  # silent: HS404

    def to(self, device: torch.device) -> "Still":
        # Where it is asked to go makes no difference.
        self.build(torch.device("cpu"))
        return self

    def draw(self) -> torch.Tensor:
        return self.limits.to(torch.device("cpu"))  # silent: HS102
