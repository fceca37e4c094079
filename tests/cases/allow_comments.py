import torch
from torch import Tensor


def allowed(loss: Tensor):
    a = loss.item()  # hostsync: allow[HS101] read once per epoch
    b = float(loss)  # hostsync: allow[number-from-tensor] read once per epoch
    c = loss.tolist()  # expect: HS101
    return a, b, c


def hygiene(loss: Tensor, steps: int):
    table = torch.linspace(0, 1, steps)
    last = table[-1].item()  # hostsync: allow[HS101] the last one  # expect: HS901
    other = loss.item()  # hostsync: allow[HS103] another rule  # expect: HS101, HS901
    return last, other


def not_understood(loss: Tensor):
    a = loss.item()  # hostsync: allow(HS101) once  # expect: HS101, HS901
    b = loss.item()  # hostsync: ignore[HS101] once  # expect: HS101, HS901
    c = loss.item()  # hostsync: allow (once an epoch)  # silent: HS101, HS901
    return a, b, c
