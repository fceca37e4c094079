"""Arguments that come in a dictionary, functions that are looked up in one, and numbers beside what is not known."""

import torch
from torch import Tensor, nn


def like(x: Tensor):
    options = {"device": x.device, "dtype": x.dtype}
    torch.tensor([1.0, 2.0], **options)  # expect: HS404
    weights = torch.ones(3, **options)
    return weights[torch.arange(2, **options)]


def on_the_host(x: Tensor):
    options = dict(device="cpu")
    return torch.tensor([1.0, 2.0], **options).sum().item()


def written_beside(x: Tensor):
    options = {"device": "cpu"}
    return torch.tensor([1.0, 2.0], device=x.device, **{"dtype": x.dtype})  # expect: HS404


def like_any(*values):
    options = dict(dtype=torch.get_default_dtype())
    for value in values:
        if isinstance(value, Tensor):
            options = dict(dtype=value.dtype, device=value.device)
            break
    return [v if isinstance(v, Tensor) else torch.tensor(v, **options) for v in values]  # expect: HS404


def _first(n, device=None):
    return torch.tensor(1 / n, device=device)


def _second(n, device=None):
    return torch.linalg.inv(_first(n, device))


class Transform(nn.Module):
    """Its table is made while it is built, on the CPU as a rule."""

    def __init__(self, kind, device=None):
        super().__init__()
        table = {"first": _first, "second": _second}
        self.weight = nn.Parameter(table[kind](3, device).T)


def bounded(x: Tensor, step):
    return torch.as_tensor(1 / max(1, step - 3), device=x.device)  # expect: HS404


class Optimizer(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
            if float(loss) > 3:  # expect: HS103
                return loss
        return loss


class Normal:
    """No module: what its constructor is handed lives where its caller has it."""

    def __init__(self, loc, covariance: Tensor | None = None):
        if covariance is not None:
            self.scale = torch.linalg.cholesky(covariance)  # expect: HS601
        self.loc = loc


class Losses(nn.Module):
    """Functions that are looked up by name, and handed what is on the CPU."""

    def _near(self, x, places):
        return x[places].sum()  # expect: HS405

    def _far(self, x, places):
        return x[places].mean()  # expect: HS405

    def loss_one(self, x, order):
        return x[order].sum()  # expect: HS405

    def loss_two(self, x, order):
        return (x - x[order]).sum()  # expect: HS405

    def other(self, x, order):
        return x[order]  # silent: HS405

    def forward(self, x: Tensor, kind, name):
        table = {"near": self._near, "far": self._far}
        order = torch.randperm(len(x))
        found = table[kind](x, order) + getattr(self, "loss_" + name)(x, order)
        if found > 0:  # expect: HS201
            return found
        return getattr(self, f"loss_{name}")(x, order)


def summed_by(semiring, scores: torch.Tensor):
    # What sums up tensors is none: to one, this would be the number of a dimension.
    both = torch.stack([scores, scores], dim=-1)
    return semiring.sum(both), semiring.prod(scores.view(3, -1))  # silent: HS605
