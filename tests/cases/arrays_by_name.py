"""What an unknown function gives is an array where its name says so: `to_numpy(x)`, `tensor2numpy(x)`."""

import torch
from elsewhere import as_tensor, convert, convert_to_numpy, helpers, tensor2numpy


def sizes(shape):
    return convert_to_numpy(shape, wrap_sequence=True).tolist()  # silent: HS101


def first(scores):
    return tensor2numpy(scores).max().item()  # silent: HS101


def by_attribute(scores):
    return helpers.to_np(scores).item()  # silent: HS101


def on_the_host(scores, device):
    return torch.from_numpy(helpers.as_ndarray(scores)).to(device)  # expect: HS401


def no_such_name(scores):
    return convert(scores).tolist()  # expect: HS101


def the_other_way(scores):
    return as_tensor(scores).tolist()  # expect: HS101


def from_numpy(scores):
    return helpers.numpy_to_torch(scores).tolist()  # expect: HS101
