import math
from typing import Optional

import torch
from acme.settings import device_of_settings
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0, device: Optional[torch.device] = None):
        super().__init__()
        self.dim = dim
        self.base = base
        steps = torch.tensor([2.0 * i for i in range(dim // 2)], device=device)  # silent: HS404
        self.register_buffer("inv_freq", 1.0 / base ** (steps / dim), persistent=False)
        self.mean = torch.zeros(dim).to(device)  # silent: HS401
        self._set_cache(128, device)

    def _set_cache(self, length: int, device=None):
        t = torch.arange(length, device=device)
        limits = torch.tensor([0.0, 1.0], device=device)  # silent: HS404
        self.register_buffer("cos", torch.outer(t, self.inv_freq).cos() * limits[1])

    def forward(self, x: torch.Tensor):
        limits = torch.tensor([0.0, 1.0], device=x.device)  # expect: HS404
        return self.cos[: x.shape[1]] * limits[1]  # silent: HS308


class Lora(nn.Module):
    def __init__(self, size: int, rank: int):
        super().__init__()
        self.a = nn.Parameter(torch.empty(size, rank))
        self.b = nn.Parameter(torch.empty(rank, size))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))  # silent: HS103
        nn.init.zeros_(self.b)
        bound = 1 / math.sqrt(self.a.shape[0])  # silent: HS103
        with torch.no_grad():
            self.a.copy_(torch.randn(self.a.shape) * bound)  # silent: HS401

    def _init_weights(self, module: nn.Module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if module.bias is not None:  # silent: HS201
                module.bias.data.zero_()

    def forward(self, x: torch.Tensor):
        return x @ self.a @ self.b


class OnTheGpu:
    def __init__(self, loader, mean=(0.5, 0.5), device=torch.device("cuda")):
        self.loader = loader
        self.mean = torch.tensor([m * 255 for m in mean], device=device)  # expect: HS404
        self.std = torch.tensor([255.0], device="cuda")  # expect: HS404

    def __iter__(self):
        for batch in self.loader:
            yield batch.sub(self.mean).div(self.std)


def load_weights(model: nn.Module, path: str):
    state = torch.load(path, map_location="cpu")
    for name, parameter in model.named_parameters():
        parameter.data.copy_(state[name])  # silent: HS401
    return model


def build(config):
    model = nn.Linear(config.width, config.classes)
    if config.freeze:  # silent: HS201
        for parameter in model.parameters():
            parameter.requires_grad_(False)
    return model.to(config.device)  # silent: HS401


class Grid:
    """No module that is moved later: it is told where it lives."""

    def __init__(self, size, device=None):
        self.moves = torch.tensor([[-1, 0], [1, 0]], device=device)  # expect: HS404
        self.size = size


class GridModule(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.moves = torch.tensor([[-1, 0], [1, 0]], device=device)  # silent: HS404
        self.size = size


def ranges(value, device=None):
    """Nobody here tells it a device, but users may; and it is no set-up code alone that calls it."""
    bounds = torch.as_tensor(value, dtype=torch.float32, device=device)  # expect: HS404
    if (bounds < 0).any():  # expect: HS201
        raise ValueError("bounds must be positive")
    return bounds


def anchors(sizes, device=torch.device("cpu")):
    return torch.tensor(sizes, device=device)  # silent: HS404


class Reader:
    def __init__(self, size):
        self.anchors = anchors([size, 2 * size])
        self.set_steps(size)

    def set_steps(self, count, device=None):
        # Called by the constructor, and again where the device is known.
        self.steps = torch.linspace(0, 1, count).to(device)  # expect: HS401

    def read(self, value):
        return ranges(value)


class Noise:
    """Works on the CPU unless it is told."""

    def __init__(self, size):
        self.device = torch.device("cpu")
        self.size = size
        self.redraw()

    def redraw(self, device=torch.device("cpu")):
        self.noise = torch.rand(self.size, device=device)

    def use(self, device):
        self.device = device

    def add(self, x: torch.Tensor):
        shift = torch.rand(self.size, device=self.device)
        return x + self.noise.to(x.device) + shift.to(x.device)  # expect: HS401


def build_targets(boxes: torch.Tensor, classes):
    """What is handed tensors is at work, whatever it is called."""
    weights = torch.tensor(classes, device=boxes.device)  # expect: HS404
    return boxes * weights


def reset_counts(device=None):
    return torch.tensor([0, 1], device=device)  # silent: HS404


class Simulation:
    """What `reset` is told to do anew for some of its environments, it does while it is at work."""

    def __init__(self, count: int, device: torch.device):
        self.device = device
        self.speed = torch.zeros(count, 3, device=device)

    def reset(self, ids: Optional[torch.Tensor] = None):
        self.speed[ids] = 0.0  # expect: HS406
        self.speed[ids] = torch.tensor([1.0, 0.0, 0.0], device=self.device)  # expect: HS404


class Head(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.reset()

    def reset(self):
        bound = torch.tensor([1.0, 2.0]).to(self.layer.weight.device)  # silent: HS401
        self.layer.weight.data.mul_(bound.sum())


class Learner(nn.Module):
    """Builds where it works, as its device is known by then."""

    def __init__(self, classes: int, other):
        super().__init__()
        self.device = device_of_settings()
        self.eye = torch.eye(classes).to(self.device)  # expect: HS401
        self.seen = torch.tensor([]).long().to(self.device)  # silent: HS401
        self.scales = torch.tensor([0.1, 0.2], device=other.device)  # expect: HS404
        self.weight = nn.Parameter(torch.zeros(3))
        self.weight.data.copy_(torch.linspace(0, 1, 3))  # silent: HS401


class Targets(nn.Module):
    def __call__(self, points):
        return self.build_targets(points) + self.build_grid()

    def build_targets(self, points):
        gain = torch.ones(7, device=points[0].device)
        gain[2:6] = torch.tensor(points[0].shape)[[3, 2, 3, 2]]  # expect: HS401
        return gain

    def build_grid(self):
        return torch.arange(3)


class Filled(nn.Module):
    def _init_weights(self, module, config):
        module.inv_freq.copy_(torch.tensor(config.rates, device=module.device_of_rates()))  # silent: HS404, HS401


class Whitened:
    def _init_factor(self):
        self.cholesky = torch.linalg.cholesky(self.kernel.evaluate())  # expect: HS601

    def _init_inverse(self):
        self.inverse = torch.as_tensor(self.kernel.evaluate()).inverse()  # expect: HS601

    def _init_low_rank(self):
        self.low_rank = torch.svd_lowrank(self.kernel.evaluate(), q=4)  # expect: HS601


class Published(nn.Module):
    """What a module is published with was saved from the CPU."""

    def __init__(self, path: str, device: torch.device):
        super().__init__()
        self.table = nn.Linear(2, 2)
        self.table.load_state_dict(torch.load(path))  # silent: HS605
        self.state = torch.load(path, map_location="cuda")  # expect: HS605
        self.told = torch.load(path, map_location=device)  # expect: HS605

    def restore(self, path: str):
        self.table.load_state_dict(torch.load(path))  # expect: HS605


class Cache:
    def __init__(self, path: str):
        self.kept = torch.load(path)  # expect: HS605


class Triangular(nn.Module):
    """What is called like set-up code, but by something that is called like `forward`, is part of each pass."""

    def _create_lower(self):
        lower = self.entries.new_zeros(4, 4)
        lower[[0, 1], [1, 2]] = self.entries  # expect: HS405
        return lower

    def forward_without_cache(self, x):
        return x @ self._create_lower()


class Rotary(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.size = size
        self.frequencies = self.default_frequencies(size, device)

    def default_frequencies(self, size, device=None):
        made = 1.0 / torch.arange(1, size)
        # Whoever sets it up without a device leaves it where it is made.
        return made.to(device)  # silent: HS401

    def init_weights(self):
        self.frequencies.copy_(self.default_frequencies(self.size))


class RotaryInUse(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.frequencies = self.default_frequencies(size, device)

    def default_frequencies(self, size, device=None):
        made = 1.0 / torch.arange(1, size)
        return made.to(device)  # expect: HS401

    def forward(self, x):
        return x * self.default_frequencies(len(x))


class Memory(nn.Module):
    """Written to be told where it lives: the CPU is what stands for a device that nobody names."""

    def __init__(self, size: int, device="cpu"):
        super().__init__()
        self.device = device
        self.keys = nn.Parameter(torch.rand(size, 3).to(device))  # expect: HS401
        self.ages = torch.zeros(size).to(self.device)  # expect: HS401
        self.weights = _weights(size, device)
        self.reset_parameters()

    def reset_parameters(self):
        self.keys.data.copy_(torch.linspace(0, 1, len(self.keys))[:, None])  # silent: HS401


def _weights(size, device):
    return torch.ones(size).to(device)  # expect: HS401


def create_rotation(angle, device=None):
    return torch.as_tensor([angle, 0.0], device=device)  # expect: HS404


def create_frequencies(size, device=None):
    """Only a module that is moved later asks for these."""
    return torch.as_tensor([1.0 / n for n in range(1, size)], device=device)  # silent: HS404


class Encoded(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.register_buffer("frequencies", create_frequencies(size, device))


def init_transformer_params(module):
    def normal_(data):
        data.copy_(data.cpu().normal_(mean=0.0, std=0.02).to(data.device))  # silent: HS102

    if isinstance(module, nn.Linear):
        normal_(module.weight.data)


def weights_init_classifier(module):
    if isinstance(module, nn.Linear) and module.bias:  # silent: HS201
        nn.init.constant_(module.bias, 0.0)


def find_initial_params(potential, module):
    energy = potential(module.bias).detach()
    if torch.isfinite(energy):  # expect: HS201
        nn.init.constant_(module.bias, 0.0)


class MadeWhereItsOwnerIs(nn.Module):
    def __init__(self, size, device):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(size, 3).to(device))  # silent: HS401


class MadeInUse(nn.Module):
    def __init__(self, size, device):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(size, 3).to(device))  # expect: HS401


class Owner(nn.Module):
    def __init__(self, blocks, size):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.tokens = MadeWhereItsOwnerIs(size, next(self.parameters()).device)
        self.init_params(blocks, size)

    def init_params(self, blocks, size):
        values = torch.arange(size) + 1.0
        matrix = -torch.outer(values, values)
        _, vectors = torch.linalg.eig(torch.block_diag(*blocks * [matrix]))  # silent: HS601
        self.vectors = nn.Parameter(vectors.real)

    def forward(self, x):
        device = next(self.parameters()).device
        return MadeInUse(3, device)(x)


class Layout:
    """What sets something up for a tensor that is at hand does so where that is."""

    def _build_places(self, length: int, device: torch.device | str = "cpu"):
        return torch.tensor(range(length)).to(device)  # expect: HS401

    def _build_table(self, length: int, device: torch.device | str = "cpu"):
        return torch.tensor(range(length)).to(device)  # silent: HS401

    def places(self, x: torch.Tensor, device: str = "cpu"):
        return self._build_places(len(x), device=str(x.device)), self._build_table(len(x), device)
