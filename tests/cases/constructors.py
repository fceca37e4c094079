import numpy as np
import torch
from torch import Tensor


def with_data(device: torch.device, values: list[float]):
    a = torch.tensor([0.485, 0.456, 0.406], device=device)  # expect: HS404
    b = torch.tensor(0.0, device="cuda")  # expect: HS404
    c = torch.tensor(values, dtype=torch.float32, device=device)  # expect: HS404
    d = torch.as_tensor(values, device=device)  # expect: HS404
    e = torch.as_tensor(np.zeros(3), device="cuda")  # expect: HS404
    f = torch.tensor([[len(values), 1], [0, 1]], device=device)  # expect: HS404
    g = torch.asarray([1, 2, 3], device="cuda")  # expect: HS404
    h = torch.cuda.FloatTensor([1.0, 2.0])  # expect: HS404
    return a, b, c, d, e, f, g, h


def on_the_device(x: Tensor, n: int):
    device = x.device
    a = torch.full((), 0.5, device=device)  # silent: HS404
    b = torch.zeros(n, 4, device=device, dtype=torch.bool)  # silent: HS404
    c = torch.arange(n, device=device)  # silent: HS404
    d = torch.ones_like(x)  # silent: HS404
    e = x.new_full((n,), 1.0)  # silent: HS404
    f = torch.linspace(-1.0, 1.0, n, device=device)  # silent: HS404
    g = torch.randint(0, 10, (n,), device="cuda")  # silent: HS404
    h = torch.eye(3, device=device)  # silent: HS404
    i = torch.scalar_tensor(2.0, device=device)  # silent: HS404
    j = torch.cuda.FloatTensor(3, 4)  # silent: HS404
    k = torch.cuda.FloatTensor(*x.shape)  # silent: HS404
    m = torch.cuda.FloatTensor(x.size())  # silent: HS404
    return a, b, c, d, e, f, g, h, i, j, k, m


def on_the_host(values: list[int]):
    a = torch.tensor(values)  # silent: HS404
    b = torch.tensor([1.0], device="cpu")  # silent: HS404
    c = torch.as_tensor(np.ones(2))  # silent: HS404
    d = torch.LongTensor(values)  # silent: HS404
    return a.sum().item(), b.item(), c.max().item(), d.tolist()  # silent: HS101


def like_another(x: Tensor, offsets: list[int]):
    a = x.new_tensor(offsets)  # expect: HS404
    b = torch.tensor(offsets, device=x.device)  # expect: HS404
    c = x.new_zeros(len(offsets))  # silent: HS404
    return a, b, c


def of_tensors(losses: list[Tensor], loss: Tensor, count: Tensor):
    stacked = torch.stack(losses)  # silent: HS104
    a = torch.tensor([loss.mean(), loss.sum()])  # expect: HS104
    b = torch.zeros(count.max())  # expect: HS104
    c = torch.full((3,), loss.mean(), device=loss.device)  # expect: HS104
    d = torch.arange(count.max(), device=loss.device)  # expect: HS104
    return stacked, a, b, c, d


def maybe_a_tensor(x, device: torch.device):
    return torch.as_tensor(x, device=device)  # expect: HS404


class Normalize:
    def __init__(self, mean: list[float], std: list[float]):
        self.mean = mean
        self.std = std

    def __call__(self, image: Tensor) -> Tensor:
        dtype, device = image.dtype, image.device
        mean = torch.as_tensor(self.mean, dtype=dtype, device=device)  # expect: HS404
        std = torch.as_tensor(self.std, dtype=dtype, device=device)  # expect: HS404
        if (std == 0).any():  # expect: HS201
            raise ValueError("std evaluated to zero")
        return (image - mean[:, None, None]) / std[:, None, None]


def new_by_size(x: Tensor, n: int):
    # Numbers are sizes there, and not data.
    return x.new(n, 3).zero_(), x.new(x.shape)  # silent: HS605


def new_of_numbers(x: Tensor, n: int, labels: list[int], size: tuple[int, ...]):
    sizes = x.new(size)  # silent: HS605
    return sizes, x.new(range(2, n)), x.new(labels)  # expect: HS605


def like_the_image(image: Tensor, mean, std):
    mean = torch.as_tensor(mean, dtype=image.dtype, device=image.device)  # expect: HS404
    if mean.ndim == 1:
        mean = mean.view(-1, 1, 1)
    std = torch.as_tensor(std, device=image.device)  # expect: HS404
    return (image - mean) / std


def shift(image: Tensor, by=(0.1, 0.2)):
    return image + torch.as_tensor(by, device=image.device)[0]  # expect: HS404


def identity(*size, **kwargs):
    data = torch.tensor([0.0, 0.0, 0.0, 1.0], **kwargs)  # expect: HS404
    return data.expand(*size, -1)


def of_known_options(device):
    long = {"dtype": torch.long}
    placed = {"dtype": torch.long, "device": device}
    a = torch.tensor([1, 2], **long)  # silent: HS404
    b = torch.tensor([1, 2], **placed)  # expect: HS404
    return a, b


def of_what_may_be_a_tensor(x, **kwargs):
    return torch.as_tensor(x, **kwargs)  # silent: HS404


class Observer(torch.nn.Module):
    def __init__(self, eps=1e-6, **options):
        super().__init__()
        self.register_buffer("eps", torch.tensor([eps], **options))  # expect-possible: HS404
