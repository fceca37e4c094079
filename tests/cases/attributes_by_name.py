"""Attributes that are set and read by their names, as texts."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


class Wrapper:
    """Hands on what it does not have itself, so that it must not set its own attributes as usual."""

    def __init__(self, data: Tensor) -> None:
        self.__dict__["_data"] = data
        self.__dict__["on_host"] = torch.zeros(3)
        self.__dict__[data] = data

    def __getattr__(self, name):
        return getattr(self.__dict__["_data"], name)

    def __bool__(self):
        return bool(self._data)  # expect: HS103

    def __int__(self):
        return int(self.__dict__["_data"])  # expect: HS103

    def first(self):
        return float(self.on_host.sum())  # silent: HS103

    def moved(self, x: Tensor):
        return x + self.on_host.to(x.device)  # expect: HS401


@dataclass(frozen=True)
class Fixed:
    values: object

    def __post_init__(self):
        object.__setattr__(self, "total", torch.zeros(3, device="cuda").sum())

    def shown(self):
        return float(self.total)  # expect: HS103


class Counted:
    def __init__(self):
        setattr(self, "count", torch.ones(3).sum())
        setattr(self, "more", torch.ones(3, device="cuda").sum())
        setattr(self, *("most", 3))

    def counted(self):
        return float(self.count)  # silent: HS103

    def shown(self):
        return float(self.more)  # expect: HS103


class Losses:
    """What is kept under names that begin alike."""

    names = ("real", "fake")

    def step(self, real, fake):
        self.loss_real = torch.relu(1 - real).mean()
        self.loss_fake = torch.relu(1 + fake).mean()
        self.rate_real = 0.1
        self.rate_fake = 0.2

    def current(self):
        shown = {}
        for name in self.names:
            shown[name] = float(getattr(self, "loss_" + name))  # expect: HS103
            shown[name] += float(getattr(self, f"rate_{name}"))  # silent: HS103
            shown[name] += float(getattr(self, name))  # silent: HS103
        return shown


class Spectrum(nn.Module):
    """Whatever window it is, it is made on the CPU; another function by its name is not known."""

    def __init__(self, length: int, window: str = "hann_window", start: str = "zeros"):
        super().__init__()
        self.window = getattr(torch, window)(length)
        self.start = getattr(torch, start)(length)

    def forward(self, x: torch.Tensor):
        window = self.window.to(x.device)  # expect: HS401
        return x * window + self.start.to(x.device)  # silent: HS401
