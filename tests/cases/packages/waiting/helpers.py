"""Functions that wait each time, and some that may not."""

import torch


def mean_of(x):
    return x.mean(dim=0).item()  # expect: HS101


def through(x):
    return mean_of(x * 2)


def at_times(x, strict=False):
    if strict:
        return x.sum(dim=0).item()  # expect: HS101
    return torch.sum(x)


class Mean:
    def __init__(self, on_nan: str = "warn"):
        self.on_nan = on_nan
        self.total = 0.0

    def _checked(self, value: float | torch.Tensor):
        if not isinstance(value, torch.Tensor):
            value = torch.as_tensor(value, device="cuda")  # expect: HS404
        if self.on_nan != "ignore":
            nans = torch.isnan(value)
            if nans.any():  # expect: HS201
                value = value[~nans]  # expect: HS302
        return value

    def update(self, value: float | torch.Tensor):
        value = self._checked(value)
        self.total = self.total + value.sum()

    def reset(self):
        self.update(0.0)


def counted(index, count=None):
    if count is None:
        count = int(index.max()) + 1 if index.numel() > 0 else 0  # expect: HS103
    return index.new_zeros(count, device=index.device)


def counted_anew(index, count=None):
    count = count or 4
    if count is None:
        count = int(index.max())  # expect: HS103
    return index.new_zeros(count, device=index.device)


class Mixed:
    def __init__(self, loops: bool | None = None, normalize: bool = True, cached: bool = False):
        if loops is None:
            loops = normalize
        self.loops = loops
        self.normalize = normalize
        self.cached = cached
        self._cached = None

    def mixed(self, index: torch.Tensor):
        if self.normalize:
            if isinstance(index, torch.Tensor):
                cache = self._cached
                if cache is None:
                    cache = self.looped(index, self.loops)
                    if self.cached:
                        self._cached = cache
                return cache
        return index

    def looped(self, index: torch.Tensor, loops=False):
        if loops:
            index = index[index != 3]  # expect: HS302
        return index

    def of_cached(self, index: torch.Tensor):
        if self.cached:
            return index[index != 3]  # expect: HS302
        return index


def by_level(index: torch.Tensor, levels=4):
    for level in range(levels):
        index = index[index != level]  # expect: HS302
    return index


def while_any(index: torch.Tensor, level=0):
    while level > 4:
        index = index[index != level]  # expect: HS302
        level -= 1
    return index


def filled(index: torch.Tensor):
    if len(index) > 0:
        index = index[index != 3]  # expect: HS302
    return index


def empty(index: torch.Tensor):
    if index.shape[0] == 0:
        index = index[index != 3]  # expect: HS302
    return index
