from torch import Tensor
from torch.distributions import Normal

from unchecked.settings import LOW


def of_one(mean: Tensor, std: Tensor):
    return Normal(mean, std + LOW)  # silent: HS602
