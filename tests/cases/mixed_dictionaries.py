"""A dictionary with tensors in different places: what is known of one key is not known of the others."""

import torch


def drawn(shape, device):
    return {"shape": torch.tensor(shape), "scale": torch.rand(3, device=device)}


def rows_of(params, index):
    found = {}
    for key, value in params.items():
        found[key] = value[index]
    return found


def part_of(params, index):
    return {key: value[index] for key, value in params.items()}


def apply(x: torch.Tensor, shape):
    params = drawn(shape, x.device)
    rows = rows_of(params, 0)
    part = part_of(params, 0)
    y = x * rows["scale"].to(x.device) + part["scale"].to(x.device)
    return y + params["scale"].to(x.device) + params["shape"].to(x.device)  # expect: HS401


def in_one_function(x: torch.Tensor, shape, noise):
    params = {"shape": torch.tensor(shape), "noise": noise.sin()}
    doubled = {}
    for key, value in params.items():
        value.to("cuda")  # expect: HS401
        doubled[key] = value * 2
    return x + doubled["noise"].to(x.device)


def all_of_them_on_the_cpu(x: torch.Tensor, shape):
    params = {"shape": torch.tensor(shape), "scale": torch.rand(3)}
    doubled = {key: value * 2 for key, value in params.items()}
    return x + doubled["scale"].to(x.device)  # expect: HS401
