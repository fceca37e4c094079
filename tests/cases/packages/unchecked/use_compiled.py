from torch import Tensor
from torch.distributions import Categorical

from unchecked.compiled import of_one


def of_both(mean: Tensor, std: Tensor, logits: Tensor):
    return of_one(mean, std), Categorical(logits=logits)  # silent: HS602
