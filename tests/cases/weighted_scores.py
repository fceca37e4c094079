import torch


def fitness(x):
    weights = [0.0, 0.0, 0.1, 0.9]
    return (x[:, :4] * weights).sum(1)  # silent: HS104


def repeated(lengths: torch.Tensor):
    return [[0] * n for n in lengths]  # expect: HS104
