import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativePosition(nn.Module):
    def __init__(self, heads: int, length: int):
        super().__init__()
        self.heads = heads
        position = torch.arange(length)
        distance = position[None, :] - position[:, None]
        assert distance.max() == length - 1  # silent: HS203
        self.register_buffer("distance", distance.clamp(min=0))
        self.bias = nn.Parameter(torch.zeros(length, heads))
        self.scale = nn.Parameter(torch.ones(1))
        self.temperature = 1 / math.sqrt(heads)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bias = self.bias[self.distance]  # silent: HS405
        if self.scale > 1:  # expect: HS201
            x = x / self.scale
        if self.temperature > 1:  # silent: HS201
            x = x * self.temperature
        weight = self.distance.to(x.device)  # silent: HS401
        return x + bias.sum() + weight.sum()

    def extra_repr(self) -> str:
        return f"heads={self.heads}, scale={self.scale.item():.3f}"  # expect: HS101


class Ema(nn.Module):
    def __init__(self, size: int, decay: float = 0.99):
        super().__init__()
        self.decay = decay
        self.register_buffer("counts", torch.zeros(size))
        self.register_buffer("initialized", torch.tensor(False))

    def forward(self, codes: torch.Tensor):
        if not self.initialized:  # expect: HS201
            self.initialized.fill_(True)
        hot = F.one_hot(codes, self.counts.shape[0])  # silent: HS307
        self.counts.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        dead = self.counts < 1.0
        if dead.any():  # expect: HS201
            self.counts[dead] = 1.0  # silent: HS303
        usage = (self.counts > 0).sum()
        return codes, usage

    @torch.no_grad()
    def restart(self, samples: torch.Tensor):
        dead = self.counts < 1.0
        self.counts[dead] = samples[: self.counts.numel()][dead]  # expect: HS302, HS303


def count_parameters(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)  # silent: HS201


def gradient_norm(model: nn.Module) -> float:
    total = 0.0
    for p in model.parameters():
        if p.grad is not None:  # silent: HS201
            total += p.grad.data.norm(2).item() ** 2  # expect: HS101
    return total**0.5


def has_nan(model: nn.Module):
    for name, p in model.named_parameters():
        if torch.isnan(p).any():  # expect: HS201
            print(name)
            return True
    return any(b.is_floating_point() for b in model.buffers())  # silent: HS106


class UntilItIsMoved(nn.Module):
    """A constructor reads what it has just made on the CPU; whoever has the module may have moved it."""

    def __init__(self, gamma: float, device=None):
        super().__init__()
        self.gamma = nn.Parameter(torch.Tensor([gamma]), requires_grad=False)
        self.register_buffer("window", torch.hann_window(8))
        self.there = nn.Parameter(torch.zeros(1, device="cuda"))
        self.reach = (self.gamma.item() + 2.0) / 3  # silent: HS101
        self.volume = self.window.sum().item()  # silent: HS101
        self.start = self.there.item()  # expect: HS101

    def forward(self, x):
        return x * self.gamma.item() + self.window.sum().item()  # expect: HS101


class Moved(UntilItIsMoved):
    def forward(self, x):
        if self.window.any():  # expect: HS201
            return x
        return x - self.gamma.item()  # expect: HS101


class Masked(nn.Module):
    """What a constructor is handed is on the CPU, where the module is before it is moved."""

    def __init__(self, mask: torch.Tensor, table: torch.Tensor):
        super().__init__()
        assert mask.any()  # silent: HS203
        self.count = mask.sum().item()  # expect-possible: HS101
        self.rows = table[mask]  # silent: HS302
        self.register_buffer("mask", mask)

    def forward(self, x: torch.Tensor):
        return x[self.mask] * self.mask.sum().item()  # expect: HS101, HS302


class Sampler:
    """No module is moved, so its tensors are where it works."""

    def __init__(self, weights: torch.Tensor):
        self.total = weights.sum().item()  # expect: HS101


class Neuron(nn.Module):
    """Buffers that a helper registers; what only the constructor calls runs before the module is moved."""

    def __init__(self, mode: int, decay: float):
        super().__init__()
        self.register_buffer("level", torch.as_tensor(mode))
        self._register(mode, decay)
        self._check()
        self.check()

    def _register(self, mode: int, decay: float):
        self.register_buffer("mode", torch.as_tensor(mode))
        self.register_buffer("decay", torch.as_tensor(decay))

    def _check(self):
        if self.decay <= 0:  # silent: HS201
            raise ValueError
        self._check_again()

    def _check_again(self):
        assert (self.decay < 1).all()  # silent: HS203

    @property
    def kind(self):
        return self._kind

    @kind.setter
    def kind(self, kind):
        self._kind = kind
        self.mode = torch.as_tensor(kind)
        self.level = torch.tensor([0.0, 1.0])[kind]

    def check(self):
        if self.decay <= 0:  # expect: HS201
            raise ValueError

    def forward(self, x: torch.Tensor):
        if self.mode == 0:  # expect: HS201
            x = x * self.decay
        if self.level == 0:  # expect: HS201
            x = x + 1
        self._checked_in_use()
        return x

    def _checked_in_use(self):
        if self.decay <= 0:  # expect: HS201
            raise ValueError


class HandedIn(nn.Module):
    """Nothing but tensors can be registered."""

    def __init__(self, mask, gain: "float | torch.Tensor | None" = None, table=None, scale=None):
        super().__init__()
        self.register_buffer(name="mask", tensor=mask)
        self.register_buffer("gain", gain)
        self.register_parameter("table", param=table)
        self.scale = scale

    def forward(self, x: torch.Tensor):
        x = x * torch.as_tensor(self.gain, device=x.device)  # silent: HS404
        x = x * torch.as_tensor(self.table, device=x.device)  # silent: HS404
        x = x * torch.as_tensor(self.mask, device=x.device)  # silent: HS404
        x = x * torch.as_tensor(self.scale, device=x.device)  # expect: HS404
        if self.table > 0:  # expect: HS201
            return x
        if self.mask > 0:  # expect: HS201
            return x
        if self.gain > 0:  # expect: HS201
            return x
        return x, float(self.mask), int(self.gain), float(self.table)  # expect: HS103, HS103, HS103
