from torch import Tensor
from torch.distributions import Categorical

import unchecked.settings  # noqa: F401


def of_logits(logits: Tensor):
    # Imported for what it does, and not for what it has.
    return Categorical(logits=logits)  # silent: HS602
