from torch import Tensor
from torch.distributions import Categorical

from unchecked.mixtures import of_one


def of_several(mean: Tensor, std: Tensor, logits: Tensor):
    # By way of what it imports.
    return of_one(mean, std), Categorical(logits=logits)  # silent: HS602
