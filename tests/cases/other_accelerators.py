"""Of what runs on accelerators that CUDA does not drive nothing was measured: it is not reported."""

import torch
from torch import Tensor


def by_flag(x: Tensor):
    if x.is_mps:
        return x.item()  # silent: HS101
    if not x.is_xpu:
        return x.item()  # expect: HS101
    return x.sum().item()  # silent: HS101


def on_one_side(x: Tensor):
    return x.tolist() if x.is_mps else x.sum().item()  # expect: HS101


def made_there():
    total = torch.rand(3, device="mps").sum().item()  # silent: HS101
    moved = torch.rand(3).to("mps")  # silent: HS401
    total += torch.rand(3, device="xpu").sum().item()  # silent: HS101
    total += torch.rand(3, device=torch.device("npu", 0)).sum().item()  # silent: HS101
    total += torch.rand(3, device="xpu:1").sum().item()  # silent: HS101
    return total, moved.cpu(), moved.tolist()  # silent: HS101, HS102


def made_on_cuda():
    moved = torch.rand(3).to("cuda")  # expect: HS401
    return moved.tolist()  # expect: HS101


def moved_there(x: Tensor):
    x = x.xpu()
    return x.item()  # silent: HS101


def back_from_there(x: Tensor):
    x = x.to("cuda")
    return x.item()  # expect: HS101


def one_or_the_other(on_mac: bool):
    device = torch.device("mps" if on_mac else "cuda")
    return torch.rand(3, device=device).sum().item()  # expect: HS101


def the_first_that_is_there():
    if torch.cuda.is_available():
        device = "cuda"
    elif torch.backends.mps.is_available():
        device = "mps"
    else:
        device = "cpu"
    x = torch.rand(3).to(device)  # expect: HS401
    return x.item()  # expect: HS101


def beside_what_is_there(x: Tensor, weight: Tensor):
    there = torch.ones(3, device="mps")
    return (there * weight).sum().item(), (x * weight).sum().item()  # expect: HS101


class OnMac(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("mps")

    def forward(self, x):
        x = x.to(self.device)  # silent: HS102, HS401
        noise = torch.rand(3, device=self.device)
        return (x + noise).sum().item()  # silent: HS101
