"""No import of torch here: all of it comes through the package."""

from . import core
from .core import (
    REDUCERS,
    SUMS,
    Tensor,
    cholesky,
    functional,
    inverse,
    linalg,
    nn,
    nonzero,
    pinv,
    select,
    svd,
    th,
    torch,
    unique,
    where,
)


def passed_on(x: Tensor):
    where(x)  # expect: HS301
    unique(x)  # expect: HS304
    linalg.eigh(x)  # expect: HS601
    functional.one_hot(x)  # expect: HS307
    torch.nonzero(x)  # expect: HS301
    th.nonzero(x)  # expect: HS301
    select(x, x > 0)  # expect: HS302
    core.where(x)  # expect: HS301
    core.torch.unique(x)  # expect: HS304
    core.functional.one_hot(x)  # expect: HS307
    torch.sort(x)
    core.linalg.norm(x)


def by_release(x: Tensor):
    nonzero(x)  # expect: HS301
    inverse(x)  # expect: HS601
    cholesky(x)  # expect: HS601
    pinv(x)  # expect: HS601
    svd(x)  # expect: HS601


def chosen(x: Tensor, largest, reduction):
    ends = torch.max if largest else torch.min
    if ends(x) > 0:  # expect: HS201
        return None
    values = torch.unique if largest else torch.sort
    values(x)  # expect: HS304
    return float(REDUCERS[reduction](x))  # expect: HS103


def of_a_table(x: Tensor, reduction):
    return float(SUMS[reduction](x))  # expect: HS103


def by_default(x: Tensor, reduce=torch.mean, size=len):
    if size(x) > 3:  # silent: HS201
        return None
    return float(reduce(x))  # expect: HS103


def without_annotations(x):
    if x.unsqueeze(0).max() > 0:  # expect: HS201
        return x
    return None


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = core.nn.Parameter(core.torch.ones(3))

    def forward(self, x):
        if x.sum() > 0:  # expect: HS201
            return x
        return self.gain.max().item()  # expect: HS101
