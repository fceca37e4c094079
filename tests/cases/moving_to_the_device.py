from typing import Dict, List, Optional, Tuple, Union

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def make_kernel(sigma: float, size: int = 5) -> Tensor:
    x = torch.arange(size).float() - size // 2
    g = torch.exp(-(x**2) / (2 * sigma**2))
    return g / g.sum()


def blur(img: Tensor, sigma: float) -> Tensor:
    k = make_kernel(sigma).to(img)  # expect: HS401
    return F.conv1d(img, k[None, None])


def blur2(img: Tensor, sigma: float) -> Tensor:
    k = make_kernel(sigma).to(device=img.device, dtype=img.dtype)  # expect: HS401
    return F.conv1d(img, k[None, None])


def blur3(img: Tensor, sigma: float) -> Tensor:
    k = make_kernel(sigma).type_as(img)  # expect: HS401
    return F.conv1d(img, k[None, None])


def mean_std(x: Tensor, mean: Union[float, List[float], Tensor], std: Union[float, List[float], Tensor]) -> Tensor:
    if isinstance(mean, (list, tuple)):
        mean = torch.tensor(mean, device=x.device, dtype=x.dtype)  # expect: HS404
    if isinstance(std, float):
        std = torch.tensor([std], device=x.device)  # expect: HS404
    return (x - mean) / std


_COLORS = torch.tensor([[0.299, 0.587, 0.114]])


def to_gray(x: Tensor) -> Tensor:
    w = _COLORS.to(x.device)  # expect: HS401
    return (x * w.view(1, 3, 1, 1)).sum(1)


class Filter(nn.Module):
    KERNEL = torch.ones(3, 3)

    def __init__(self, sizes: Tuple[int, ...], weights=None):
        super().__init__()
        self.sizes = sizes
        self.kernel = torch.ones(1, 1, 3, 3)
        self.offsets = [torch.zeros(2), torch.ones(2)]
        self.table = {"a": torch.zeros(3), "b": torch.ones(3)}
        self.weights = None if weights is None else torch.as_tensor(weights)

    def forward(self, x: Tensor) -> Tensor:
        k = self.kernel.to(x.device)  # expect: HS401
        x = F.conv2d(x, k)
        for o in self.offsets:
            x = x + o.to(x.device).sum()  # expect: HS401
        x = x + self.table["a"].to(x)  # expect: HS401
        x = x * self.KERNEL.to(x.device).mean()  # expect: HS401
        if self.weights is not None:
            x = x * self.weights.to(x.device)  # expect: HS401
        x = x + torch.tensor(self.sizes, device=x.device).sum()  # expect: HS404
        return x + x.new_tensor([1.0, 2.0]).sum()  # expect: HS404


def grid(h: int, w: int, device: torch.device) -> Tensor:
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return torch.stack([ys, xs], -1).to(device)  # expect: HS401


def grid_on(h: int, w: int, device: torch.device) -> Tensor:
    ys, xs = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
    return torch.stack([ys, xs], -1).to(device)


def from_numpy(a: np.ndarray, like: Tensor) -> Tensor:
    t = torch.from_numpy(a).to(like.device)  # expect: HS401
    u = torch.as_tensor(a, device=like.device)  # expect: HS404
    v = torch.tensor(a).cuda()  # expect: HS401
    return t + u + v


def random_offsets(x: Tensor, n: int) -> Tensor:
    off = torch.rand(n).to(x.device)  # expect: HS401
    pick = torch.randint(0, n, (4,)).to(x.device)  # expect: HS401
    perm = torch.randperm(n)
    y = x[perm.to(x.device)]  # expect: HS401
    return y + off[pick].sum()


def one_hot_table(n: int, x: Tensor) -> Tensor:
    eye = torch.eye(n).to(x)  # expect: HS401
    return eye[x.long()]


def losses(outputs: Dict[str, Tensor], targets: List[Dict[str, Tensor]], num_classes: int) -> Tensor:
    device = outputs["logits"].device
    num = sum(len(t["labels"]) for t in targets)
    num = torch.as_tensor([num], dtype=torch.float, device=device)  # expect: HS404
    empty_weight = torch.ones(num_classes + 1)
    empty_weight[-1] = 0.1
    ce = F.cross_entropy(outputs["logits"], targets[0]["labels"], empty_weight.to(device))  # expect: HS401
    lengths = torch.tensor([len(v["labels"]) for v in targets], device=device)  # expect: HS404
    return ce / num + lengths.sum()


def host_side(x: Tensor) -> np.ndarray:
    a = x.detach().cpu().numpy()  # expect: HS102
    b = x.to("cpu", torch.float32).numpy()  # expect: HS102
    c = [t.cpu() for t in x]  # expect: HS102
    d = x.to(torch.device("cpu"))  # expect: HS102
    e = x.float().cpu().data.numpy()  # expect: HS102
    return a + b + c[0].numpy() + d.numpy() + e


def sinusoid(n: int, d: int, like: Tensor) -> Tensor:
    pos = np.arange(n)[:, None] / np.power(10000, np.arange(d)[None] / d)
    table = np.zeros((n, d))
    table[:, 0::2] = np.sin(pos[:, 0::2])
    return torch.FloatTensor(table).to(like.device)  # expect: HS401


def lists(x: Tensor, ids: List[int], spans: List[Tuple[int, int]]) -> Tensor:
    a = torch.LongTensor(ids).to(x.device)  # expect: HS401
    b = x[ids]  # expect: HS405
    c = x[[0, 2]]  # expect: HS405
    d = torch.cat([torch.arange(s, e) for s, e in spans]).to(x.device)  # expect: HS401
    e = torch.stack([torch.tensor(s) for s in spans]).cuda()  # expect: HS401
    f = nn.utils.rnn.pad_sequence([torch.tensor(s) for s in spans]).to(x.device)  # expect: HS401
    return a.sum() + b.sum() + c.sum() + d.sum() + e.sum() + f.sum()


def zeros_cat(x: Tensor) -> Tensor:
    pad = torch.zeros(x.shape[0], 1).to(x)  # expect: HS401
    none = torch.zeros(1).to(x.dtype)
    out = torch.cat([x, pad], 1)
    out[0, 0] = 1.0  # expect: HS406
    out[:, 0] = torch.zeros(x.shape[0])  # expect: HS401
    return out + none.sum()


def moved_on(batch, device, non_blocking=False):
    """Who hands on `non_blocking` brings from the host whatever it is given."""
    return batch.to(device, non_blocking=non_blocking)  # expect: HS401


def moved_as_a_type(value, other, non_blocking=False):
    return value.to(other.dtype, non_blocking=non_blocking)  # silent: HS401


def send_to_device(batch, device):
    return [part.to(device) for part in batch]  # expect: HS401


def where_the_weights_are(part, device):
    return part.to(device)  # silent: HS401


class Frame:
    def __init__(self, points, model):
        self.points = points
        self.model = model

    def to(self, device):
        self.model.to(device)  # silent: HS401
        self.points = self.points.to(device)  # expect-possible: HS401
        return self

    def cpu_copy(self):
        return self.points.to("cpu")  # expect: HS102


def to_whatever(x: Tensor, pred, dtype):
    """What callers hand in is a device or a tensor, unless its name speaks of a type."""
    kernel = torch.ones(3, 3).to(pred)  # expect: HS401
    return kernel, torch.ones(3).to(dtype), x.to(pred)  # silent: HS401


def to_device_at_once(part, device):
    return part.to(device, non_blocking=True)  # silent: HS401


class Camera:
    def __init__(self, view: Tensor):
        self.view = view

    def to(self, *args, **kwargs):
        return Camera(self.view.to(*args, **kwargs))  # expect-possible: HS401

    def converted(self, *args):
        return Camera(self.view.to(*args))  # silent: HS401


class KeepsWhatItMoves:
    """The first of its methods that runs waits, and the others find the table there."""

    def __init__(self):
        self.table = torch.linspace(0, 1, 10)
        self.other = torch.linspace(0, 1, 10)

    def first(self, x: torch.Tensor):
        if x.ndim > 1:
            self.table = self.table.to(x.device)  # expect: HS401
        return self.table * x

    def second(self, x: torch.Tensor):
        self.table = self.table.to(x.device)  # silent: HS401
        other = self.other.to(x.device)  # expect: HS401
        return self.table * x + other

    def third(self, x: torch.Tensor):
        other = self.other.to(x.device)  # expect: HS401
        return other


def zeros_by_or(n: int, device=None):
    device = device or torch.device("cpu")
    return torch.zeros(n, device=device)


def zeros_by_if(n: int, device: "str | torch.device | None" = None):
    if device is None:
        device = torch.device("cpu")
    if isinstance(device, str):
        device = torch.device(device)
    return torch.zeros(n, device=device)


def zeros_there(n: int, device=None):
    device = torch.device("cpu")
    return torch.zeros(n, device=device)


def where_it_is_asked_for(x: Tensor) -> Tensor:
    a = zeros_by_or(3, device=x.device).to(x.device)  # silent: HS401
    b = zeros_by_if(3, device=x.device).to(x.device)  # silent: HS401
    c = zeros_by_or(3).to(x.device)  # expect: HS401
    d = zeros_by_if(3).to(x.device)  # expect: HS401
    e = zeros_by_if(3, device="cpu").to(x.device)  # expect: HS401
    f = zeros_there(3, device=x.device).to(x.device)  # expect: HS401
    if zeros_by_if(3).sum() > 0:  # silent: HS201
        x = x * f
    return x + a + b + c + d + e


class Grid:
    """What a constructor makes is on the CPU until it is moved, whoever has the object."""

    def __init__(self, count: int):
        self.rows = torch.arange(count)

    def to(self, device):
        self.rows = self.rows.to(device)  # expect: HS401
        return self


def moved_for_good(parts):
    """What is moved and not used is an object that moves its parts."""
    for part in parts:
        part.cuda()  # expect-possible: HS401
        kept = part.cuda()  # expect: HS401
    torch.zeros(3).cuda()  # expect: HS401
    return kept


class Projection(nn.Module):
    """What is kept on the CPU if somebody says so is brought back; what is there for want of a GPU is not."""

    def __init__(self, layer: nn.Linear, on_cpu: bool):
        super().__init__()
        self.layer = layer
        self.weights = self.kept(on_cpu)

    def home(self):
        for parameter in self.layer.parameters():
            return parameter.device
        return torch.device("cpu")

    def kept(self, on_cpu: bool):
        return self.layer.weight.detach().to(torch.device("cpu") if on_cpu else self.home())  # silent: HS401

    def forward(self, x: Tensor) -> Tensor:
        shift = torch.ones_like(x, device=self.home()).to(x.device)  # silent: HS401
        return (x + shift) @ self.weights.to(x.device)  # expect: HS401
