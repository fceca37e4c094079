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
