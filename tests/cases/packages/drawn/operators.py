from typing import Dict

from torch import Tensor

from . import samplers
from .base import Keeper, Named, Operator


class Scale(Operator):
    def __init__(self):
        super().__init__()
        self.sampler = samplers.Range()

    def change(self, x: Tensor, drawn: Dict[str, Tensor]) -> Tensor:
        scale = drawn["first"].to(x)  # expect: HS401
        if (drawn["mask"] > 0.5).any():  # expect: HS201
            return x
        return x * scale.view(-1, 1) + drawn["second"].to(x.device, x.dtype).view(-1, 1)  # expect: HS401


class Shuffle(Operator):
    def __init__(self):
        super().__init__()
        self.sampler = samplers.Order()

    def change(self, x: Tensor, drawn: Dict[str, Tensor]) -> Tensor:
        return x[:, drawn["order"].to(x.device)]  # expect: HS401


class Brighten(Named):
    def __init__(self):
        super().__init__()
        self.sampler = samplers.ByName(brightness=0.3)

    def change(self, x: Tensor, drawn: Dict[str, Tensor]) -> Tensor:
        return x * drawn["brightness"].to(x).view(-1, 1)  # expect: HS401


class Darken(Named):
    def __init__(self):
        super().__init__()
        self.sampler = samplers.Range()

    def change(self, x: Tensor, drawn: Dict[str, Tensor]) -> Tensor:
        return x * drawn["first"].to(x).view(-1, 1)  # expect: HS401


class Lift(Operator):
    def __init__(self):
        super().__init__()
        self.sampler = samplers.Moved()

    def change(self, x: Tensor, drawn: Dict[str, Tensor]) -> Tensor:
        return x + drawn["moved"][:3].to(x.device)  # expect: HS401


class First(Keeper):
    def __init__(self):
        self.sampler = samplers.Range()
