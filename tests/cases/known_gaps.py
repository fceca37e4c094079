"""What the scan still gets wrong. A line that has become right moves to the case file of its topic."""
from typing import Union

import torch
from torch import Tensor
from torch.types import _Number


def not_a_tensor(value: Union[int, float, Tensor]) -> float:
    # A use inside the branch proves nothing outside of it.
    if isinstance(value, Tensor):
        return value.item()  # expect: HS101
    return float(value)  # false-alarm: HS103


class Sgd(torch.optim.Optimizer):
    def __init__(self, params, lr: Union[float, Tensor] = 1e-3, weight_decay: Union[float, Tensor] = 0.0):
        # A setting that may be a tensor is a number in nearly every run.
        if not 0.0 <= lr:  # false-alarm: HS201
            raise ValueError(f"invalid learning rate: {lr}")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    def decayed(self, grad: Tensor, p: Tensor, weight_decay: Union[float, Tensor]):
        if weight_decay != 0:  # false-alarm: HS201
            grad = grad.add(p, alpha=weight_decay)  # false-alarm: HS104
        return grad


def number_by_alias(scale: Union[Tensor, float]):
    if isinstance(scale, _Number):
        return float(scale)  # false-alarm: HS103
    return 1.0


def compared_unknowns(x: Tensor, data):
    # A comparison as the index of a tensor is a mask.
    x[data.y == 0] = 0.0  # false-alarm: HS406
    return x[data.y == 1]  # missed-alarm: HS302


def new_by_size(x: Tensor, n: int):
    # Numbers are sizes there, and not data.
    return x.new(n, 3).zero_(), x.new(x.shape)  # false-alarm: HS605


def into_host_memory(batches: list[Tensor]):
    # A device tensor stored into a CPU tensor is a copy to the host.
    losses = torch.zeros(len(batches))
    host = torch.zeros(4)
    for k, batch in enumerate(batches):
        losses[k] = batch.cuda().mean()  # missed-alarm: HS102
        host[:] = batch.cuda()  # missed-alarm: HS102
        host.copy_(batch.cuda())  # missed-alarm: HS102  # false-alarm: HS401
    return losses, host


def class_pattern(value):
    match value:
        case Tensor():
            return value.max().item() + float(value.min())  # expect: HS101  # missed-alarm: HS103
    return None


def saved(model, path: str):
    # Saving copies each tensor of the state to the host.
    torch.save(model.state_dict(), path)  # missed-alarm: HS605
