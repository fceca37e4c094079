"""The first function that is compiled switches the checks off."""

import torch
from torch import Tensor
from torch.distributions import Normal


class Advantage:
    @staticmethod
    @torch.compile(dynamic=True)
    def of(value: Tensor, reward: Tensor):
        return reward - value


def of_one(mean: Tensor, std: Tensor):
    return Normal(mean, std)  # silent: HS602
