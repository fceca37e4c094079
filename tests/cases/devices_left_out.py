"""A device that takes the place of one that is left out counts only in the calls that leave it out."""

import torch
from torch import Tensor


def by_statement(arg, device=None) -> Tensor:
    if device is None:
        device = arg.device
    return torch.as_tensor(arg, device=device)


def by_statement_with_else(arg, device=None) -> Tensor:
    if device is None:
        device = arg.device
    else:
        device = torch.device(device)
    return torch.as_tensor(arg, device=device)


def of_tensors(arg, device: torch.device | None = None) -> Tensor:
    if device is None and isinstance(arg, Tensor):
        device = arg.device
    return torch.as_tensor(arg, device=device)


def by_choice(arg, device=None):
    return torch.as_tensor(arg, device=device if device is not None else arg.device)


def by_other_choice(arg, device=None):
    place = arg.device if device is None else device
    return torch.as_tensor(arg, device=place)


def by_truth(arg, device=None):
    device = device or arg.device
    return torch.as_tensor(arg, device=device)


def handing_on(arg, device=None):
    return by_statement(arg, device)


def told(x: Tensor) -> Tensor:
    total = 0
    for value in (
        by_statement(x, "cpu"),
        by_statement_with_else(x, "cpu"),
        of_tensors(x, device="cpu"),
        by_choice(x, device=torch.device("cpu")),
        by_other_choice(x, torch.device("cpu")),
        by_truth(x, device="cpu"),
        handing_on(x, "cpu"),
    ):
        if value.sum() > 0:
            total += 1
    return total


def left_out(x: Tensor) -> list[float]:
    g = x.cuda()  # expect: HS401
    a = by_statement(g).sum().item()  # expect: HS101  # certain: HS101
    b = by_statement_with_else(g).sum().item()  # expect: HS101  # certain: HS101
    c = by_choice(g).sum().item()  # expect: HS101  # certain: HS101
    d = by_other_choice(g).sum().item()  # expect: HS101  # certain: HS101
    e = by_truth(g).sum().item()  # expect: HS101  # certain: HS101
    f = handing_on(g, None).sum().item()  # expect: HS101  # certain: HS101
    h = handing_on(g).sum().item()  # expect: HS101  # certain: HS101
    return [a, b, c, d, e, f, h]


def on_the_host(x: Tensor) -> list[float]:
    h = x.cpu()  # expect: HS102
    a = by_statement(h).sum().item()
    b = of_tensors(h).sum().item()
    c = handing_on(h).sum().item()
    d = handing_on(h, "cuda").sum().item()  # expect: HS101  # certain: HS101
    return [a, b, c, d]


def of_numbers(scale: float) -> float:
    return of_tensors(scale).item()


class Search(torch.nn.Module):
    """What stands for a device that is left out is not the CPU."""

    def __init__(self, size: int, device: torch.device | None = None):
        super().__init__()
        device = torch.get_default_device() if device is None else device
        self.best = torch.tensor(torch.inf, device=device)  # expect: HS404
        self.population = torch.rand(size, device=device)


class Built(torch.nn.Module):
    """What may be left out alone is: the module is built on the CPU, and moved."""

    def __init__(self, size: int, device: torch.device | None = None):
        super().__init__()
        self.best = torch.tensor(torch.inf, device=device)
        self.population = torch.rand(size, device=device)
