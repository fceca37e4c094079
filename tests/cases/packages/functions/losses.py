"""Nothing here tells what is handed in."""

import torch


def mse(x, y):
    return ((x - y) ** 2).mean()


def l1(x, y):
    return torch.abs(x - y).mean()
