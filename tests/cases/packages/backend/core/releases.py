"""One name for what releases of torch call differently."""

import torch

from .which import at_least

try:
    from torch import nonzero
except ImportError:
    nonzero = None
try:
    from torch.linalg import inv as inverse
except ImportError:

    def inverse(x):
        return torch.inverse(x)  # expect: HS601


if at_least("1.10"):
    cholesky = torch.linalg.cholesky
else:
    cholesky = torch.cholesky
pinv = getattr(torch.linalg, "pinv", None) or torch.pinverse
svd = torch.linalg.svd if at_least("1.8") else torch.svd


def mean(x):
    return x.mean()


REDUCERS = {"mean": mean, "max": torch.max, "norm": torch.linalg.norm}


def total(x):
    return x.sum()


SUMS = {"mean": mean, "sum": total}
