"""What one lambda does with its parameter says nothing of another that calls its own the same."""

import torch


def apart(params, names):
    size = sum(map(lambda x: x.unsqueeze(0).numel(), params))
    rest = list(filter(lambda x: x not in names, names))
    large = any(map(lambda x: x > 3, names))
    return size, rest, large


def its_own_use(params):
    return sorted(params, key=lambda x: x.unsqueeze(0).sum().item())  # expect: HS101


def as_the_function_around_it(x, names):
    y = x.unsqueeze(0)
    return torch.relu(y), list(filter(lambda x: x > 3, names))
