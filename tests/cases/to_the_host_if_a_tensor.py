"""Helpers that bring a tensor to the host, and hand on what is none: what they give is on the host, however they ask."""

import numpy as np
import torch
from torch import Tensor


def early(o):
    if torch.is_tensor(o):
        return o.cpu()  # expect: HS102
    return o


def in_one(o):
    return o.cpu() if torch.is_tensor(o) else o  # expect: HS102


def inverted(o):
    if not isinstance(o, Tensor):
        return o
    return o.cpu()  # expect: HS102


def replaced(o):
    if isinstance(o, Tensor):
        o = o.cpu()  # expect: HS102
    return o


def either(o):
    if isinstance(o, (Tensor, torch.nn.Parameter)):
        return o.cpu()  # expect: HS102
    else:
        return o


def by_a_member(o):
    if hasattr(o, "cpu"):
        return o.cpu()  # expect: HS102
    return o


def by_a_member_of_its_own(o):
    # A tensor has no `rest`: it is handed on.
    if hasattr(o, "rest"):
        return o.rest
    return o


def by_its_type(o):
    if type(o) is Tensor:
        return o.cpu()  # expect: HS102
    return o


def by_its_type_inverted(o):
    if type(o) != Tensor:
        return o
    return o.cpu()  # expect: HS102


def by_its_place(o):
    if isinstance(o, Tensor) and o.is_cuda:
        return o.cpu()  # expect: HS102
    return o


def by_its_type_of_device(o):
    if torch.is_tensor(o) and o.device.type == "cuda":
        return o.cpu()  # expect: HS102
    return o


def by_something_else(o, often):
    if isinstance(o, Tensor) and often:
        return o.cpu()  # expect: HS102
    return o


def all_in(o):
    if isinstance(o, Tensor):
        return o.cpu()  # expect: HS102
    if isinstance(o, dict):
        return {k: all_in(v) for k, v in o.items()}
    if isinstance(o, list):
        return [all_in(v) for v in o]
    return o


def as_array(o):
    if isinstance(o, Tensor):
        return o.detach().cpu().numpy()  # expect: HS102
    return o


def placed(o, device):
    if isinstance(o, Tensor):
        return o.to(device)  # expect: HS401
    return o


def as_tensor(o):
    if not isinstance(o, Tensor):
        o = torch.tensor(o)
    return o


def as_tensor_of_lists(o):
    if isinstance(o, Tensor):
        return o
    if isinstance(o, list):
        return torch.tensor(o)
    return o


def checked(o, least):
    if isinstance(o, (Tensor, np.ndarray)):
        if o.ndim != 2:
            raise ValueError
    elif o < least:
        raise ValueError
    return o


def all_of_them(verbose=False):
    t = torch.zeros(3, device="cuda")
    for given in (
        early(t),
        in_one(t),
        inverted(t),
        replaced(t),
        either(t),
        by_a_member(t),
        by_its_type(t),
        by_its_type_inverted(t),
        by_its_place(t),
        by_its_type_of_device(t),
    ):
        given.mean().item()
    early(t).mean().item()
    in_one(t).mean().item()
    inverted(t).mean().item()
    replaced(t).mean().item()
    either(t).mean().item()
    by_a_member(t).mean().item()
    by_a_member_of_its_own(t).mean().item()  # expect: HS101
    by_its_type(t).mean().item()
    by_its_type_inverted(t).mean().item()
    by_its_place(t).mean().item()
    by_its_type_of_device(t).mean().item()
    by_something_else(t, verbose).mean().item()  # expect: HS101
    all_in(t).mean().item()
    all_in({"a": t})["a"].mean().item()
    all_in([t])[0].mean().item()
    as_array(t).mean().item()
    placed(t, "cpu").mean().item()
    placed(t.cpu(), "cuda").mean().item()  # expect: HS101, HS102
    as_tensor(t).mean().item()  # expect: HS101
    as_tensor([1.0, 2.0]).mean().item()
    as_tensor_of_lists(t).mean().item()  # expect: HS101
    as_tensor_of_lists([1.0, 2.0]).mean().item()
    verbose = checked(verbose, 0)
    if verbose:
        return None
    checked(t, 0).mean().item()  # expect: HS101
    last = t
    if isinstance(last, torch.Tensor):
        last = last.cpu()  # expect: HS102
    return float(last.sum())


def of_a_scalar(x):
    if isinstance(x, Tensor):
        return x.item()  # expect: HS101
    return x.item() if hasattr(x, "item") else x


class Writer:
    @staticmethod
    def on_host(o):
        if torch.is_tensor(o):
            return o.cpu()  # expect: HS102
        return o

    def write(self):
        def inner(o):
            if torch.is_tensor(o):
                return o.cpu()  # expect: HS102
            return o

        t = torch.zeros(3, device="cuda")
        return Writer.on_host(t).mean().item() + self.on_host(t).mean().item() + inner(t).mean().item()


def if_asked(x, to_host=True):
    if to_host:
        x = x.cpu()  # expect: HS102
    return x


def as_array_if_asked(x, as_array=True):
    x = x.detach()
    if as_array:
        x = x.cpu().numpy()  # expect: HS102
    return x


def asked(to_host):
    # What decides it is not followed into the function, so nothing is certain.
    t = torch.zeros(3, device="cuda")
    if_asked(t, to_host).tolist()  # expect: HS101  # likely: HS101
    as_array_if_asked(t, to_host).tolist()  # expect: HS101  # likely: HS101
    return as_tensor(t).tolist()  # expect: HS101  # likely: HS101
