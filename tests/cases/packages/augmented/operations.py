from typing import Any, Dict, Tuple, Union, cast

import torch
from torch import Tensor

from . import generators
from .base import Geometric


class Rotate(Geometric):
    def __init__(self, degrees: Union[Tensor, float, Tuple[float, float]], p: float = 0.5) -> None:
        super().__init__(p=p)
        self.generator = cast(generators.Angles, generators.Angles(degrees))

    def change(self, x: Tensor, params: Dict[str, Tensor], flags: Dict[str, Any]) -> Tensor:
        angle = torch.as_tensor(params["angle"], device=x.device, dtype=x.dtype)  # expect: HS401
        center = params["center"].to(x)  # expect: HS401
        return x * angle.view(-1, 1, 1, 1) + center.sum()


def share(param) -> float:
    return float(param.data["chosen"].sum())  # silent: HS103


def of_features(feats, x):
    # As a batch is, such a thing was moved as a whole.
    angle = feats["angle"].to(x.device)  # silent: HS401
    return torch.unique(feats["angle"]), angle  # expect: HS304
