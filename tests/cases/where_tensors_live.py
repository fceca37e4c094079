import os

import torch
from torch import Tensor, nn

RANK = int(os.environ.get("RANK", 0))
TABLE = torch.linspace(0, 1, 10)
ON_GPU = torch.linspace(0, 1, 10, device="cuda")


def module_level():
    a = TABLE[0].item()  # silent: HS101
    b = ON_GPU[0].item()  # expect: HS101
    return a, b, TABLE.to("cuda")  # expect: HS401


def by_rank(x: Tensor):
    a = torch.zeros(3).to(RANK)  # expect: HS401
    b = torch.zeros(3).to(2)  # expect: HS401
    c = torch.zeros(3, device=RANK)  # silent: HS401
    d = torch.zeros(3).to(f"cuda:{RANK}")  # expect: HS401
    return a, b, c.sum().item(), d  # expect: HS101


def meta(n: int):
    a = torch.zeros(n, device="meta")
    return a.to("meta"), torch.empty(3).to("meta")  # silent: HS102, HS401


def views(x: Tensor):
    a = torch.zeros(3, 4)
    if a.T.sum() > 0 and a.mT[0, 0] > 0:  # silent: HS201
        return a.data.view(-1)[0].item()  # silent: HS101
    host = x.detach().to("cpu", non_blocking=False)  # expect: HS102
    return host.reshape(-1)[0].item(), host.real.sum().item()  # silent: HS101


def like_another(x: Tensor):
    host = torch.zeros(3)
    a = torch.empty_like(host).sum().item()  # silent: HS101
    b = torch.zeros_like(x).sum().item()  # expect: HS101
    c = host.new_ones(2).tolist()  # silent: HS101
    d = x.new_ones(2).tolist()  # expect: HS101
    e = torch.zeros_like(host, device="cuda").tolist()  # expect: HS101
    return a, b, c, d, e


def arithmetic(x: Tensor):
    zero_d = torch.tensor(0.5)
    host = torch.arange(4)
    a = (host * zero_d).sum().item()  # silent: HS101
    b = (x * zero_d).sum().item()  # expect: HS101
    c = torch.cat([host, host + 1]).max().item()  # silent: HS101
    d = torch.where(host > 1, host, 0).tolist()  # silent: HS101, HS301
    e = torch.stack([x, x]).mean().item()  # expect: HS101
    return a, b, c, d, e


def joined(x: Tensor, on_host: bool):
    if on_host:
        y = torch.zeros(3)
    else:
        y = torch.zeros(3, device="cuda")
    if on_host:
        z = torch.zeros(3)
    else:
        z = torch.ones(3)
    return y.sum().item(), z.sum()  # expect: HS101


def unpacked(x: Tensor):
    a, b = torch.zeros(3), x.cuda()  # expect: HS401
    b, a = a, b
    c = [torch.zeros(1), x.cuda()]  # expect: HS401
    first, *rest = torch.zeros(3), x.cuda(), x.cuda()  # expect: HS401
    if first[0] > 0:  # silent: HS201
        return b.sum().item()  # silent: HS101
    if rest[0].sum() > 0:  # expect: HS201
        return c[0].item()  # silent: HS101
    return a.sum().item() + c[1].sum().item()  # expect: HS101


def reassigned(x: Tensor):
    y = x.cuda()  # expect: HS401
    total = y.sum().item()  # expect: HS101
    y = y.cpu()  # expect: HS102
    total += y.sum().item()  # silent: HS101
    y = y.to("cuda")  # expect: HS401
    return total + y.sum().item()  # expect: HS101


def in_dictionaries(x: Tensor):
    state = {"table": torch.zeros(3), "x": x.cuda(), "n": 3}  # expect: HS401
    if state["n"] > 2:  # silent: HS201
        return state["table"].sum().item()  # silent: HS101
    state["y"] = x * 2
    print(state["n"])  # silent: HS105
    return state["x"].sum().item() + state.get("y").sum().item()  # expect: HS101


def parameters(model: nn.Module):
    device = next(model.parameters()).device
    x = torch.zeros(3).to(device)  # expect: HS401
    weights = [p for p in model.parameters() if p.dim() > 1]  # silent: HS201
    return x, torch.zeros(3, device=device), weights[0].sum().item()  # expect: HS101


def chosen(cpu: bool, x: Tensor):
    device = torch.device("cpu")
    host = torch.zeros(3, device=device)
    other = torch.ones(3).to(device)  # silent: HS102, HS401
    moved = x.to(device)  # expect: HS102
    return host.tolist(), other.tolist(), moved.tolist()  # silent: HS101


class Tables:
    scale = torch.tensor([1.0, 2.0])
    names = ["a", "b"]

    def __init__(self, n: int):
        self.host = torch.zeros(n)
        self.device = torch.device("cuda")
        self.gpu = torch.zeros(n, device=self.device)
        self.count = n

    def use(self, x: Tensor):
        a = self.scale[0].item()  # silent: HS101
        b = self.host.max().item()  # silent: HS101
        c = self.gpu.max().item()  # expect: HS101
        d = x * self.scale.to(x.device)  # expect: HS401
        self.host = self.host + 1
        if self.host.sum() > self.count:  # silent: HS201
            print(self.names, self.count)  # silent: HS105
        return a, b, c, d

    @property
    def last(self) -> Tensor:
        return self.gpu[-1]

    @staticmethod
    def table(n: int):
        return torch.zeros(n)

    @classmethod
    def make(cls, n: int):
        tables = cls(n)
        if tables.host.sum() > 0:  # silent: HS201
            return tables
        return cls.table(n).tolist()  # silent: HS101

    def read(self):
        return float(self.last), self.table(3).sum().item()  # expect: HS103


def main():
    torch.set_default_device("cuda")
    a = torch.zeros(3)
    return a.max().item()  # expect: HS101


def device_as_context(n: int):
    with torch.device("cuda"):
        a = torch.zeros(n)
    return a.sum().item()  # expect: HS101
