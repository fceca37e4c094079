"""The base class of operations that are drawn for some of a batch."""

from typing import Any, Dict, Optional

import torch
from torch import Tensor, nn
from torch.distributions import Bernoulli, Distribution

from .sampling import overridden, sampled


class Operation(nn.Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p
        self.chosen: Distribution
        if p not in {0.0, 1.0}:
            self.chosen = Bernoulli(self.p)
        self.generator = None
        self.params: Dict[str, Tensor] = {}
        self.flags: Dict[str, Any] = {}

    def choose(self, shape) -> Tensor:
        if self.p in {0.0, 1.0}:
            return torch.zeros(shape[0]) + self.p
        return sampled((shape[0],), self.chosen)

    def draw(self, shape) -> Dict[str, Tensor]:
        chosen = self.choose(shape)
        count = int((chosen > 0.5).sum().item())  # silent: HS101
        params = {} if self.generator is None else self.generator((count, *shape[1:]))
        params["chosen"] = chosen
        return params

    def settle(self, params=None, flags=None, **kwargs):
        params = self.params if params is None else params
        flags = self.flags if flags is None else flags
        self.params = params
        return overridden(params, kwargs), overridden(flags, kwargs)

    def forward(self, x: Tensor, params: Optional[Dict[str, Tensor]] = None, **kwargs: Any) -> Tensor:
        if params is None:
            params = self.draw(x.shape)
        params, flags = self.settle(params, self.flags, **kwargs)
        return self.run(x, params, flags)

    def run(self, x: Tensor, params: Dict[str, Tensor], flags: Dict[str, Any]) -> Tensor:
        raise NotImplementedError


class Geometric(Operation):
    def run(self, x: Tensor, params: Dict[str, Tensor], flags: Dict[str, Any]) -> Tensor:
        params, flags = self.settle(self.params if params is None else params, flags)
        chosen = params["chosen"] > 0.5
        if chosen.all():  # silent: HS201
            return self.change(x, params, flags)
        if not chosen.any():  # silent: HS201
            return x
        changed = self.change(x[chosen], params, flags)  # silent: HS302
        return x.index_put((chosen,), changed)

    def change(self, x: Tensor, params: Dict[str, Tensor], flags: Dict[str, Any]) -> Tensor:
        raise NotImplementedError
